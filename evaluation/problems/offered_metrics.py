"""Metrics as kinds of problem offer them: their options, level, default policy and function in one kind.

A metric declares categories, options and functions (`evaluation.metrics.declaration`), and a kind of problem declares
its category and the kinds whose metrics it accepts. What follows from both is computed here. Kinds are named by their
ids; for an id that is not known, a metric is described as in any kind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.registry import all_problems, categories, get, is_known

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluation.catalogue import Metric, Option
    from evaluation.problems.base import Problem

_FAMILIES_OF_WHOLE_DATA_SETS: Final = frozenset(
    {"multi_class_counting", "multi_threshold", "working_point", "calibration"}
)


def kinds_with(metric: Metric) -> tuple[str, ...]:
    """Return the ids of the kinds of problem that offer a metric.

    Examples
    --------
    >>> from evaluation.catalogue import get
    >>> kinds_with(get("harrell_c"))
    ('survival',)
    """
    category_of = categories()
    return tuple(
        problem.id
        for problem in all_problems()
        if {category_of.get(kind) for kind in _accepted(metric, problem)} & set(metric.categories)
    )


def _accepted(metric: Metric, problem: Problem) -> tuple[str, ...]:
    """A kind of problem, and those whose metrics it takes case by case; pooled overlap is no value of a case."""
    return (problem.id,) if metric.evidence == "overlap" else (problem.id, *problem.metrics.accepted_kinds)


def measured_as(metric: Metric, problem: str) -> str:
    """Return the kind of problem as which a metric is computed: that kind itself, or one whose metrics it accepts."""
    if not is_known(problem):
        return problem
    category_of = categories()
    kinds = (problem, *get(problem).metrics.accepted_kinds)
    return next((kind for kind in kinds if category_of.get(kind) in metric.categories), problem)


def options_for(metric: Metric, problem: str) -> tuple[Option, ...]:
    """Return the options that scoring a kind of problem reads, with the choices that it accepts.

    Examples
    --------
    >>> from evaluation.catalogue import get
    >>> [option.name for option in options_for(get("fbeta"), "semantic_segmentation")]
    ['beta', 'level']
    """
    limits = _limits(metric, problem)
    return tuple(
        replace(option, choices=limits[option.name]) if limits.get(option.name) and option.choices else option
        for option in metric.assessment_options
        if limits.get(option.name) != ()
    )


def _limits(metric: Metric, problem: str) -> dict[str, tuple[Any, ...]]:
    """Values that each option with limits in this kind of problem can have; see `Option.accepted`."""
    if not is_known(problem):
        return {}
    category = categories().get(measured_as(metric, problem), "")
    return {option.name: option.accepted[category] for option in metric.options if category in option.accepted}


def ignored_options(metric: Metric, problem: str, given: Mapping[str, object]) -> dict[str, str]:
    """Find options that scoring a kind of problem would ignore.

    Parameters
    ----------
    metric
        A metric of the catalogue.
    problem
        Id of the kind of problem.
    given
        Options of one use of this metric.

    Returns
    -------
    dict
        What is allowed, by name of the option; empty if every option has an effect.

    Examples
    --------
    >>> from evaluation.catalogue import get
    >>> ignored_options(get("fbeta"), "semantic_segmentation", {"beta": 2, "scale": "dataset", "level": "object"})
    {'scale': 'no value: F-beta Score of semantic segmentation does not use it', 'level': 'one of auto, pixel'}
    """
    limits = _limits(metric, problem)
    unused = f"no value: {metric.name} of {get(problem).title if is_known(problem) else problem} does not use it"
    return {
        name: f"one of {', '.join(map(str, limits[name]))}" if limits[name] else unused
        for name, value in given.items()
        if name in limits and value not in limits[name]
    }


def default_policy(metric: Metric, problem: str) -> dict[str, float | str]:
    """Return the default treatment of each outcome: a number, or a policy word.

    It applies if an assessment does not specify the outcome; see the metrics reference, sections 3.3 and 3.4. No
    outcome that a participant causes is excluded; an exclusion depends on the reference alone.
    """
    policy: dict[str, float | str] = {
        "both_empty": "perfect",
        "ref_empty": "worst",
        "pred_empty": "worst",
        "degenerate": "worst",
        "missing": "worst",
    }
    if metric.family == "multi_class_counting" and not _has_values_of_cases(measured_as(metric, problem)):
        policy["both_empty"] = "exclude"
    return policy | dict(metric.policy)


def level_of(metric: Metric, problem: str, options: Mapping[str, Any]) -> str:
    """Return ``case`` if each case has a value, ``dataset`` if there is one value for all cases together."""
    problem = measured_as(metric, problem)
    if not _has_values_of_cases(problem) or metric.family in _FAMILIES_OF_WHOLE_DATA_SETS or metric.whole_data_set:
        return "dataset"
    if problem == "semantic_segmentation" or options.get("level") == "pixel":
        return "case"
    if metric.family == "per_class_counting":
        return "case" if options.get("scale", "dataset") == "image" else "dataset"
    return "case"


def function_for(metric: Metric, problem: str) -> Callable[..., Any]:
    """Return the function of a metric in a kind of problem: images, pixels or objects are counted by different ones."""
    return metric.function_as(measured_as(metric, problem))


def _has_values_of_cases(problem: str) -> bool:
    return not is_known(problem) or get(problem).metrics.has_values_of_cases
