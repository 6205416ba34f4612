"""Registered combination of several tasks of a challenge into one ranking.

Each task has a separate assessment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from evaluation.aggregation import ResultsError, Table, build_tables, check_results
from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.ranking import read_steps, step_document
from evaluation.canonical import sha256
from evaluation.ranking.counted import draws_of_evidence, load_evidence, weighted_results
from evaluation.ranking.document import DIGEST_DIGITS, plan_of
from evaluation.ranking.entries import overall_of
from evaluation.ranking.evaluate import evaluate, unit_level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.plans import Evaluated, Plan

SCHEMA: Final = "podium.overall/1"
ABSENT: Final = ("refuse", "last", "not_ranked")
"""Treatment of an algorithm that lacks a task.

There is either no overall ranking, or the last rank in that task, or no overall rank for the algorithm.
"""


@dataclass(frozen=True)
class TaskResults:
    """The results of one task.

    Attributes
    ----------
    task
        Its name in the combination.
    assessment
        What it is ranked by on its own.
    results
        A results table (contract, section 4).
    ranking
        Name of the ranking of the assessment that is combined; empty for the first.
    cases, evidence
        As for `evaluation.ranking.rank`.
    """

    task: str
    assessment: Assessment
    results: pd.DataFrame
    ranking: str = ""
    cases: pd.DataFrame | None = None
    evidence: Any = None

    @property
    def scheme(self) -> RankingScheme:
        """The ranking that is combined.

        Raises
        ------
        ResultsError
            If the assessment has none of that name.
        """
        rankings = self.assessment.rankings
        ranking_scheme = (
            rankings[0] if not self.ranking else next((one for one in rankings if one.name == self.ranking), None)
        )
        if ranking_scheme is None:
            message = f"{self.task} has no ranking called {self.ranking!r}"
            raise ResultsError(message)
        return ranking_scheme


def rank_over_tasks(
    tasks: Sequence[TaskResults],
    steps: Sequence[Mapping[str, Any]],
    *,
    name: str = "",
    absent: str = "refuse",
    bootstrap: int | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """Combine the rankings of several tasks by registered steps, with the uncertainty of every statement.

    Every task is ranked by its assessment in the samples of its cases. Sample b of one task is combined with sample b
    of the others, since test sets of different tasks are sampled independently of each other.

    Parameters
    ----------
    tasks
        At least two, each with the algorithms that took part in it.
    steps
        As in ``combine`` of an assessment document, over ``metric``, ``region`` and ``task``.
    name
        Name of the ranking.
    absent
        Treatment of an algorithm that lacks a task, one of `ABSENT`.
    bootstrap, seed
        Replacements for those of the first task's assessment.

    Returns
    -------
    dict
        ``schema``, ``name``, ``tasks`` (name, digest of the assessment, ranking), ``steps``, ``absent``, ``left_out``
        (algorithms without a rank, with the tasks that they lack), ``bootstrap``, ``seed``, ``resampling`` (its ``unit``)
        and ``overall``, an entry as in a ranking document.

    Raises
    ------
    ResultsError
        If an algorithm lacks a task and `absent` is ``refuse``, if fewer than two algorithms remain, or for results that
        cannot be ranked.
    AssessmentError
        For invalid steps.
    """
    if absent not in ABSENT:
        raise AssessmentError("absent", absent, " or ".join(ABSENT))
    lead = tasks[0]
    samples = lead.assessment.uncertainty.bootstrap if bootstrap is None else bootstrap
    start = lead.assessment.uncertainty.seed if seed is None else seed
    read = read_steps(list(steps), ties=lead.scheme.ties)
    for task in tasks:
        samples = draws_of_evidence(load_evidence(task.evidence), samples)
    algorithms, lacking = _algorithms(tasks)
    if lacking and absent == "refuse":
        words = "; ".join(f"{algorithm} lacks {', '.join(missed)}" for algorithm, missed in sorted(lacking.items()))
        message = f"there is no ranking over all tasks: {words}"
        raise ResultsError(message)
    ranked_algorithms = [algorithm for algorithm in algorithms if absent == "last" or algorithm not in lacking]
    if len(ranked_algorithms) < 2:
        message = "fewer than two algorithms have results in every task"
        raise ResultsError(message)
    evaluated = [
        table for task in tasks for table in _evaluated(task, ranked_algorithms, bootstrap=samples, seed=start)
    ]
    units = {unit_level(task.assessment) for task in tasks}
    notes: list[str] = []
    scheme = replace(lead.scheme, name=name or None, combine=read)
    entries = overall_of(evaluated, scheme, lead.assessment, notes)
    if len(entries) != 1:
        raise AssessmentError("steps", [step_document(step) for step in read], "steps that leave one ranking")
    return {
        "schema": SCHEMA,
        "name": name,
        "tasks": [
            {"task": task.task, "assessment": task.assessment.digest, "ranking": task.scheme.name} for task in tasks
        ],
        "steps": [step_document(step) for step in read],
        "absent": absent,
        "left_out": [
            {"name": algorithm, "lacks": missed}
            for algorithm, missed in sorted(lacking.items())
            if algorithm not in ranked_algorithms
        ],
        "bootstrap": samples,
        "seed": start,
        "resampling": {"unit": units.pop() if len(units) == 1 else "case"},
        "overall": entries[0],
    }


def overall_digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of a ranking over all tasks, floats rounded as in a ranking document."""
    return sha256(dict(document), digits=DIGEST_DIGITS)


def _algorithms(tasks: Sequence[TaskResults]) -> tuple[list[str], dict[str, list[str]]]:
    """All algorithms, and the tasks that some lack."""
    of_task = {task.task: set(task.results["algorithm"].astype(str)) for task in tasks}
    everybody = sorted(set().union(*of_task.values()))
    lacking = {
        algorithm: [task for task, names in of_task.items() if algorithm not in names] for algorithm in everybody
    }
    return everybody, {algorithm: missed for algorithm, missed in lacking.items() if missed}


def _evaluated(task: TaskResults, algorithms: Sequence[str], *, bootstrap: int, seed: int) -> list[Evaluated]:
    """The tables of a task in every sample, under its name."""
    names = task.results["algorithm"].astype(str)
    results = task.results[names.isin(list(algorithms))]
    absent = [algorithm for algorithm in algorithms if algorithm not in set(names)]
    if absent:
        # One row is enough: pairs of case and algorithm that the results do not mention are missing.
        outcome = {"outcome": "missing"} if "outcome" in results else {}  # else a row without a value is missing
        row = results.iloc[[0]].assign(value=float("nan"), **outcome)
        results = pd.concat([results, *(row.assign(algorithm=algorithm) for algorithm in absent)], ignore_index=True)
    checked, pieces = check_results(results), load_evidence(task.evidence)
    checked = weighted_results(task.assessment, checked, results)
    scheme = task.scheme
    tables = build_tables(task.assessment, checked, metrics=scheme.metrics, regions=scheme.regions)
    plan: Plan | None = None
    evaluated = []
    for table in tables:
        if plan is None:
            plan = plan_of(
                task.assessment, checked, table, metadata=task.cases, evidence=pieces, bootstrap=bootstrap, seed=seed
            )
        ranked = evaluate(table, plan, scheme, task.assessment, evidence=pieces)
        evaluated.append(replace(ranked, table=_named(ranked.table, task.task)))
    return evaluated


def _named(table: Table, task: str) -> Table:
    return replace(table, task=task)
