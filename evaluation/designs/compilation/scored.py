"""Metrics whose values do not come from the platform's own: those of a scoring image of the organizers, and costs of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import problems as kinds
from evaluation.assessment.model import BY_SCORER
from evaluation.assessment.scorers import LIMITS
from evaluation.designs.compilation.costs import cost_name, cost_of
from evaluation.designs.compilation.metrics import Source
from evaluation.designs.compilation.notes import Compiled, Problem
from evaluation.designs.compilation.outside import compile_outside, is_described, is_of_the_data_set
from evaluation.designs.compilation.problems import kinds_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.designs.compilation.metrics import Meaning, MetricRow
    from evaluation.designs.document import Values


def scoring_image(values: Values) -> Mapping[str, Any]:
    """The scoring image that a task is registered with, where its kind of problem takes one; else nothing."""
    stated = values.get("scoring_image")
    kind_ids = set(kinds_of(values))
    if not stated or len(kind_ids) != 1 or None in kind_ids:
        return {}
    return dict(stated) if kinds.get(str(next(iter(kind_ids)))).scorer_files.is_supported else {}


def is_scored(row: Mapping[str, Any], meant: Meaning, values: Values) -> bool:
    """Return whether the scoring image computes a metric.

    The metric must be described and not be a metric of the platform.
    """
    if meant.metric is not None or cost_of(row) is not None or is_of_the_data_set(row):
        return False  # an image answers for one case at a time
    return bool(scoring_image(values)) and is_described(row, meant, values)


def source_of(row: Mapping[str, Any], meant: Meaning, values: Values) -> Source:
    """Return the source of a metric's values in a task that the platform scores."""
    if cost_of(row) is not None:
        return Source.RUN
    if is_scored(row, meant, values):
        return Source.SCORER
    return Source.ELSEWHERE if meant.metric is None else Source.PLATFORM


def name_of(row: Mapping[str, Any], meant: Meaning) -> str:
    """Return the name of a metric in tables and rankings."""
    cost = cost_of(row)
    return str(row.get("result_name") or meant.label) if cost is None else cost_name(row, cost)


def compile_scored(entry: MetricRow, values: Values) -> Compiled[dict[str, Any]]:
    """Return a metric of the scoring image as it appears in an assessment."""
    compiled = compile_outside([entry], values)
    [document] = compiled.value
    policy = dict(entry.row.get("policy") or {}) | dict(document.get("policy") or {})
    return Compiled(document | {"by": BY_SCORER, "policy": policy}, compiled.problems)


def compile_scorer(values: Values, metrics: Sequence[Mapping[str, Any]]) -> Compiled[dict[str, Any]]:
    """Return the image and its limits as they appear in an assessment; empty if the task has no scoring image.

    Parameters
    ----------
    metrics
        The compiled metrics of the task.
    """
    if not values.get("scoring_image"):
        return Compiled({})
    image = scoring_image(values)
    if not image:
        titles = ", ".join(kind.title for kind in kinds.all_problems() if kind.scorer_files.is_supported)
        text = f"Scoring images are run for these kinds of problem only: {titles}."
        return Compiled({}, (Problem("scoring_image", text),))
    if not any(metric.get("by") == BY_SCORER for metric in metrics):
        text = (
            "No metric is left to the scoring image: it computes those of the list that Podium does not have and that state "
            "for each case their direction, their range, and what a missing case counts as."
        )
        return Compiled({}, (Problem("scoring_image", text),))
    limits = {name: image[name] for name in LIMITS if image.get(name) is not None}
    return Compiled({"image": str(image.get("image") or "").strip().lower()} | limits)
