"""Rankings over several tasks, compiled from the rows of a design."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evaluation.assessment import AssessmentError
from evaluation.assessment.ranking import read_steps
from evaluation.designs.compilation.notes import Problem
from evaluation.designs.compilation.rankings import TIES
from evaluation.designs.document import Document, Values

PARAMETER: Final = "overall_rankings"


@dataclass(frozen=True)
class OverallPlan:
    """A registered ranking over several tasks.

    Attributes
    ----------
    name
        How it is called.
    tasks
        Keys of the tasks in the design.
    ranking
        Name of the ranking that each task contributes; empty for the first.
    steps
        As in ``combine`` of an assessment document.
    absent
        What becomes of a team that lacks a task, see `evaluation.ranking.overall`.
    """

    name: str
    tasks: tuple[str, ...]
    ranking: str
    steps: tuple[Mapping[str, Any], ...]
    absent: str

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "name": self.name,
            "tasks": list(self.tasks),
            "ranking": self.ranking,
            "steps": [dict(step) for step in self.steps],
            "absent": self.absent,
        }


def compile_overall(document: Document) -> tuple[tuple[OverallPlan, ...], tuple[Problem, ...]]:
    """The rankings over several tasks of a design, and what is missing of them."""
    problems: list[Problem] = []
    tasks = {values.name.casefold(): values for values in document.each_task()}
    plans = [_plan(row, tasks, problems) for row in document.values().rows(PARAMETER)]
    names = [plan.name.casefold() for plan in plans if plan is not None]
    if len(set(names)) < len(names):
        problems.append(Problem(PARAMETER, "Two rankings over tasks have the same name."))
    return tuple(plan for plan in plans if plan is not None), tuple(dict.fromkeys(problems))


def _plan(row: Mapping[str, Any], tasks: Mapping[str, Values], problems: list[Problem]) -> OverallPlan | None:
    name = str(row.get("name") or "")
    before = len(problems)

    def missing(text: str) -> None:
        problems.append(Problem(PARAMETER, f"{name or 'A ranking over tasks'}: {text}"))

    if not name:
        missing("the name is missing.")
    for key, words in (
        ("order", "the order"),
        ("ties", "what equal scores get"),
        ("absent", "what a missing task means"),
    ):
        if not row.get(key):
            missing(f"{words} is not stated.")
    wanted = [str(task) for task in row.get("tasks") or ()]
    unknown = [task for task in wanted if task.casefold() not in tasks]
    if unknown:
        missing(f"there is no task {', '.join(unknown)}.")
    chosen = [tasks[task.casefold()] for task in wanted if task.casefold() in tasks] or list(tasks.values())
    if len(chosen) < 2:
        missing("it needs two tasks or more.")
    ranking = str(row.get("ranking") or "")
    without = [values.name for values in chosen if ranking and ranking not in _rankings(values)]
    if without:
        missing(f"{', '.join(without)} has no ranking called “{ranking}”.")
    if len(problems) > before:
        return None
    steps = _steps(row)
    try:
        read_steps(steps, ties="min")
    except AssessmentError as error:
        missing(str(error))
        return None
    weights = row.get("weights") or {}
    if weights and set(weights) != {values.name for values in chosen}:
        missing(f"the weights name each of the tasks: {', '.join(values.name for values in chosen)}.")
        return None
    return OverallPlan(name, tuple(values.task_key or "" for values in chosen), ranking, tuple(steps), row["absent"])


def _rankings(values: Values) -> list[str]:
    """Return the names of a task's rankings as they appear in its assessment if there are several."""
    return [str(row.get("name") or f"ranking {index}") for index, row in enumerate(values.rows("ranking_method"), 1)]


def _steps(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    ties = TIES[row["ties"]]
    common = {"operator": row.get("operator") or "mean", "rerank": True, "ties": ties}
    last = {**common, "fractional": row.get("fractional", True)}
    if row.get("weights"):
        last["weights"] = {"task": dict(row["weights"])}
    if row["order"] == "all_together":
        return [{"over": ["metric", "region", "task"], **last}]
    return [{"over": ["metric", "region"], **common}, {"over": ["task"], **last}]
