"""The kinds of problem that are known, by id: the built-in ones, and others from installed packages."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from evaluation.problems.base import Problem

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment

ENTRY_POINT_GROUP: Final = "podium.problems"
_BUILT_IN: Final = (
    "image_classification",
    "semantic_segmentation",
    "object_detection",
    "instance_segmentation",
    "landmarks",
    "registration",
    "image_to_image",
    "multilabel_classification",
    "regression",
    "survival",
    "failure_detection",
    "segmentation_with_confidence",
    "landmark_registration",
    "overlapping_instances",
    "table",
    "external",
)
"""Modules of this package, each with the object `PROBLEM`, in the order in which kinds are listed."""
_added: dict[str, Problem] = {}
"""Kinds that this process added with `register`."""


class ProblemError(LookupError):
    """An id that no kind of problem has, or that two claim."""


def get(problem_id: str) -> Problem:
    """Return the kind of problem of that id.

    Raises
    ------
    ProblemError
        If there is none.

    Examples
    --------
    >>> get("object_detection").category
    'ObD'
    """
    problems = _registry()
    if problem_id not in problems:
        message = f"no kind of problem has the id {problem_id!r}; known are {', '.join(problems)}"
        raise ProblemError(message)
    return problems[problem_id]


def kind_of(assessment: Assessment) -> Problem:
    """Return the kind of problem of an assessment, which defines all differences between kinds.

    Raises
    ------
    ProblemError
        If the kind is not known here, for example because its package is not installed.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> kind_of(parse({"problem": "object_detection", "metrics": [{"id": "fbeta"}]})).category
    'ObD'
    """
    return get(assessment.problem)


def is_known(problem_id: object) -> bool:
    """Return whether a kind of problem has this id."""
    return isinstance(problem_id, str) and problem_id in _registry()


def all_problems() -> tuple[Problem, ...]:
    """Every kind, the built-in ones first."""
    return tuple(_registry().values())


def scored_problems() -> tuple[Problem, ...]:
    """The kinds whose submissions are scored here, those of a file a case before those of one table."""
    scored = [problem for problem in all_problems() if problem.is_scored]
    return tuple(sorted(scored, key=lambda problem: bool(problem.table_files)))


def categories() -> dict[str, str]:
    """The metric catalogue's code of each kind that takes its metrics from there, by id.

    Examples
    --------
    >>> categories()["semantic_segmentation"]
    'SemS'
    """
    return {problem.id: problem.category for problem in all_problems() if problem.category}


def measured_elsewhere() -> Problem:
    """The kind of values that were measured outside, with any number of metrics.

    Examples
    --------
    >>> measured_elsewhere().is_scored, measured_elsewhere().metrics.is_single_metric
    (False, False)
    """
    return next(p for p in all_problems() if p.is_measured_elsewhere and not p.metrics.is_single_metric)


def of_task_category(category: object) -> Problem | None:
    """The kind of problem that tasks of a category of the design catalogue are first, ``None`` where there is none.

    Examples
    --------
    >>> of_task_category("localization").id, of_task_category("stitching")
    ('object_detection', None)
    """
    return next(iter(kinds_of_task_category(category)), None)


def kinds_of_task_category(category: object) -> tuple[Problem, ...]:
    """Every kind of problem that tasks of a category of the design catalogue may be, the usual one first.

    Examples
    --------
    >>> [problem.id for problem in kinds_of_task_category("prediction")]
    ['image_classification', 'regression', 'survival']
    """
    return tuple(problem for problem in all_problems() if category in problem.task_categories)


def register(problem: Problem) -> Problem:
    """Add a kind for this process; installed packages name theirs under the entry point group ``podium.problems``.

    Raises
    ------
    ProblemError
        If the id is taken.
    """
    if problem.id in _registry():
        message = f"the id {problem.id!r} is taken by a kind of problem of {_registry()[problem.id].source}"
        raise ProblemError(message)
    _added[problem.id] = problem
    return problem


def unregister(problem_id: str) -> None:
    """Take away a kind that was added with `register`; others stay.

    Raises
    ------
    ProblemError
        If it was not added so.
    """
    if _added.pop(problem_id, None) is None:
        message = f"{problem_id} was not added in this process"
        raise ProblemError(message)


def _registry() -> dict[str, Problem]:
    return _installed() | _added


@cache
def _installed() -> dict[str, Problem]:
    problems: dict[str, Problem] = {}
    for name in _BUILT_IN:
        problem = import_module(f"evaluation.problems.{name}").PROBLEM
        problems[problem.id] = problem
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for problem in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            if not isinstance(problem, Problem):
                message = f"entry point {point.name} ({point.value}) is not a Problem or a list of them"
                raise ProblemError(message)
            if problem.id in problems:
                message = f"entry point {point.name} ({point.value}): the id {problem.id!r} is taken"
                raise ProblemError(message)
            problems[problem.id] = problem
    return problems
