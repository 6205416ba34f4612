"""Rankings over several tasks, compiled from the rows of a design."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.assessment import AssessmentError
from evaluation.assessment.ranking import read_steps
from evaluation.designs.compilation.notes import Compiled, Problem, joined
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
    """Return the rankings over several tasks of a design, and what is missing of them."""
    tasks = {values.name.casefold(): values for values in document.each_task()}
    compiled = joined(_plan(row, tasks) for row in document.values().rows(PARAMETER))
    plans = tuple(plan for plan in compiled.value if plan is not None)
    names = {plan.name.casefold() for plan in plans}
    repeated = [Problem(PARAMETER, "Two rankings over tasks have the same name.")] if len(names) < len(plans) else []
    return plans, tuple(dict.fromkeys([*compiled.problems, *repeated]))


def _plan(row: Mapping[str, Any], tasks: Mapping[str, Values]) -> Compiled[OverallPlan | None]:
    """Return the plan of a row; ``None`` as long as the row has problems."""
    named = [str(task).casefold() for task in row.get("tasks") or ()]
    chosen = [tasks[task] for task in named if task in tasks] or list(tasks.values())
    texts = _gaps(row, tasks, chosen) or _contradictions(row, chosen)
    if texts:
        name = str(row.get("name") or "A ranking over tasks")
        return Compiled(None, tuple(Problem(PARAMETER, f"{name}: {text}") for text in texts))
    return Compiled(
        OverallPlan(
            name=str(row["name"]),
            tasks=tuple(values.task_key or "" for values in chosen),
            ranking=str(row.get("ranking") or ""),
            steps=tuple(_steps(row)),
            absent=row["absent"],
        )
    )


def _gaps(row: Mapping[str, Any], tasks: Mapping[str, Values], chosen: Sequence[Values]) -> list[str]:
    """Return what a row lacks: a name, rules, and tasks with the ranking that it names."""
    unknown = [str(task) for task in row.get("tasks") or () if str(task).casefold() not in tasks]
    ranking = str(row.get("ranking") or "")
    without = [values.name for values in chosen if ranking and ranking not in _rankings(values)]
    conditions = (
        (not row.get("name"), "the name is missing."),
        (not row.get("order"), "the order is not stated."),
        (not row.get("ties"), "what equal scores get is not stated."),
        (not row.get("absent"), "what a missing task means is not stated."),
        (bool(unknown), f"there is no task {', '.join(unknown)}."),
        (len(chosen) < 2, "it needs two tasks or more."),
        (bool(without), f"{', '.join(without)} has no ranking called “{ranking}”."),
    )
    return [text for is_lacking, text in conditions if is_lacking]


def _contradictions(row: Mapping[str, Any], chosen: Sequence[Values]) -> list[str]:
    """Return what keeps the steps of a complete row from being executed."""
    try:
        read_steps(_steps(row), ties="min")
    except AssessmentError as error:
        return [str(error)]
    weights = row.get("weights") or {}
    names = [values.name for values in chosen]
    return (
        [f"the weights name each of the tasks: {', '.join(names)}."] if weights and set(weights) != set(names) else []
    )


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
