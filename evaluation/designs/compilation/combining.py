"""Combination of the rankings of a row's metrics, regions and sites, as steps of an assessment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluation.designs.compilation.notes import Missing

# A site that weighs like every other needs no weights.
SITE_WEIGHTS: Final[Mapping[Any, str]] = {"cases": "cases", "square_root_of_cases": "sqrt_cases"}
# Over scores of ranks, where the lowest is best, the worst is the largest.
SITE_OPERATORS: Final[Mapping[Any, str]] = {None: "mean", "mean": "mean", "median": "median", "worst": "max"}

Entry = tuple[str, dict[str, Any], Any]
"""Distinguishing name of a ranking within its row, its selection, and its `combine`."""


@dataclass(frozen=True)
class Parts:
    """Parts of a ranking that are combined.

    Attributes
    ----------
    metrics, regions
        Names in the assessment.
    weights
        Weights by metric; empty if all have the same weight.
    ties
        Rule for ties in the steps.
    site_column
        The column of the case table with the sites.
    """

    metrics: tuple[str, ...]
    regions: tuple[str, ...]
    weights: Mapping[str, float]
    ties: str
    site_column: str

    @property
    def step(self) -> dict[str, Any]:
        """Common keys of all steps."""
        return {"operator": "mean", "rerank": True, "ties": self.ties}


def steps_of(row: Mapping[str, Any], parts: Parts, missing: Missing, not_executed: Missing) -> list[Entry]:
    """Return the rankings of a row with their steps; several if they are kept separate and ranked per site.

    Parameters
    ----------
    row
        Row of the ranking table. Its cell `combine` contains steps exactly as in an assessment document, under the key
        ``steps``. It replaces all other cells about combining.
    missing, not_executed
        Functions that record missing information, and information that cannot be executed.
    """
    written = row.get("combine")
    if written is not None:
        if set(written) != {"steps"} or not isinstance(written["steps"], (list, type(None))):
            missing(
                'steps of combining are written as {"steps": [{"over": ["metric", "region"], "operator": "mean"}]}.'
            )
            return []
        return [("", {}, written["steps"] or None)]
    combined = _over_metrics_and_regions(row, parts, missing, not_executed)
    if row.get("site_aggregation") != "ranked_per_site":
        return [("", {}, combined)]
    weight = SITE_WEIGHTS.get(row.get("site_weight"))
    site: dict[str, Any] = {
        "over": [parts.site_column],
        "operator": SITE_OPERATORS[row.get("site_operator")],
        "rerank": bool(row.get("site_rerank")),
        "ties": parts.ties,
        **({} if weight is None else {"weights": weight}),
    }
    if combined is not None:
        return [("", {}, [*(combined if isinstance(combined, list) else [combined]), site])]
    # Ranks within a site first: without that step, means over sites would be of ranks that nobody had at a site.
    at_site = {"over": ["metric", "region"], **parts.step}
    kept_apart = [
        replace(parts, metrics=(metric,), regions=regions)
        for metric in parts.metrics
        for regions in _each_alone(parts.regions)
    ]
    return [(*_selected(part, parts), [at_site, site]) for part in kept_apart]


def _each_alone(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return a separate tuple for each name; one empty tuple if there is no name."""
    return [(name,) for name in names] if names else [()]


def _selected(part: Parts, whole: Parts) -> tuple[str, dict[str, Any]]:
    """Return the name of one of several rankings, and its selection."""
    selection: dict[str, Any] = {}
    if len(whole.metrics) > 1:
        selection["metrics"] = list(part.metrics)
    if len(whole.regions) > 1:
        selection["regions"] = list(part.regions)
    return ", ".join(value for values in selection.values() for value in values), selection


def _over_metrics_and_regions(
    row: Mapping[str, Any], parts: Parts, missing: Missing, not_executed: Missing
) -> dict[str, Any] | list[dict[str, Any]] | None:
    over = row.get("metric_aggregation")
    if len(parts.metrics) > 1 and over is None:
        missing("how the metrics are combined is missing.")
    if over in ("score_sum", "lexicographic"):
        not_executed("the platform combines metrics by their ranks, not by sums of scores or as tie breakers.")
    separate_metrics = over == "separate_rankings"
    regions = row.get("region_aggregation") or "with_metrics"
    if regions == "separate_rankings" and (separate_metrics or len(parts.metrics) == 1):
        return None
    weights = {"weights": {"metric": dict(parts.weights)}} if parts.weights else {}
    metric_step = {"over": ["metric"], **parts.step, **weights}
    region_step = {"over": ["region"], **parts.step}
    if separate_metrics:
        return region_step if len(parts.regions) > 1 else None
    if regions == "separate_rankings":
        return metric_step
    if regions == "regions_first":
        return [region_step, metric_step]
    if regions == "metrics_first":
        return [metric_step, region_step]
    return {"over": ["metric", "region"], **parts.step, **weights}
