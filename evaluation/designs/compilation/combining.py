"""Combination of the rankings of a row's metrics, regions and sites, as steps of an assessment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluation.designs.compilation.notes import Compiled, Problem

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


def missing(text: str) -> Problem:
    """Return the problem that a row of the ranking table lacks information."""
    return Problem("ranking_method", text)


def not_executed(text: str) -> Problem:
    """Return the problem that a row of the ranking table requires something that the platform does not execute."""
    return Problem("ranking_method", text, elsewhere=True)


def steps_of(row: Mapping[str, Any], parts: Parts) -> Compiled[list[Entry]]:
    """Return the rankings of a row with their steps; several if they are kept separate and ranked per site.

    Parameters
    ----------
    row
        Row of the ranking table. Its cell `combine` contains steps exactly as in an assessment document, under the key
        ``steps``. It replaces all other cells about combining.
    """
    written = row.get("combine")
    if written is not None:
        return _written_steps(written)
    combined = _over_metrics_and_regions(row, parts)
    problems = _problems(row, parts)
    if row.get("site_aggregation") != "ranked_per_site":
        return Compiled([("", {}, combined)], problems)
    return Compiled(_over_sites(row, parts, combined), problems)


def _written_steps(written: Mapping[str, Any]) -> Compiled[list[Entry]]:
    """Return the steps that a row contains as they appear in an assessment document."""
    if set(written) != {"steps"} or not isinstance(written["steps"], (list, type(None))):
        text = 'steps of combining are written as {"steps": [{"over": ["metric", "region"], "operator": "mean"}]}.'
        return Compiled([], (missing(text),))
    return Compiled([("", {}, written["steps"] or None)])


def _over_sites(
    row: Mapping[str, Any], parts: Parts, combined: dict[str, Any] | list[dict[str, Any]] | None
) -> list[Entry]:
    """Return the rankings of a row that is ranked per site, each with a step over the sites at the end."""
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


def _problems(row: Mapping[str, Any], parts: Parts) -> tuple[Problem, ...]:
    """Return the reasons why the metrics of a row cannot be combined as it states."""
    over = row.get("metric_aggregation")
    if len(parts.metrics) > 1 and over is None:
        return (missing("how the metrics are combined is missing."),)
    if over in ("score_sum", "lexicographic"):
        text = "the platform combines metrics by their ranks, not by sums of scores or as tie breakers."
        return (not_executed(text),)
    return ()


def _over_metrics_and_regions(row: Mapping[str, Any], parts: Parts) -> dict[str, Any] | list[dict[str, Any]] | None:
    """Return the steps over metrics and regions; ``None`` where the rankings are kept separate."""
    separate_metrics = row.get("metric_aggregation") == "separate_rankings"
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
