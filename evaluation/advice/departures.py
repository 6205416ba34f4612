"""Differences between the metrics of an assessment and the recommended metrics."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.advice.challenge_metrics import about

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.assessment.model import MetricUse

RELATED: Final = (
    frozenset({"dsc", "iou"}),
    frozenset({"balanced_accuracy", "youden_j"}),
    frozenset({"brier_score", "root_brier_score"}),
    frozenset({"expected_cost", "expected_cost_normalized"}),
    frozenset({"hausdorff_distance", "hausdorff_percentile"}),
    frozenset({"assd", "masd"}),
    frozenset({"icc", "ccc"}),
)
"""Pairs of metrics that contain the same information."""


class Departure(NamedTuple):
    """One difference between a design and the recommendation.

    Attributes
    ----------
    kind
        ``ruled_out``, ``not_recommended``, ``open`` (whether it is recommended depends on missing answers),
        ``omitted``, ``option`` or ``related``.
    metric
        Name of the metric.
    words
        Description of the difference.
    why
        Statement of the recommendation.
    """

    kind: str
    metric: str
    words: str
    why: str


def departures(recommendation: Mapping[str, Any], metrics: Iterable[Mapping[str, Any] | MetricUse]) -> list[Departure]:
    """Return the differences between chosen metrics and a recommendation.

    Organizers can then be asked for a reason.

    Parameters
    ----------
    recommendation
        As `recommend` returns it.
    metrics
        Entries of an assessment document, or `MetricUse`.

    Returns
    -------
    list of Departure
        Empty if the metrics are exactly the recommended ones. Alternatives of a guide count as recommended.

    Examples
    --------
    >>> from evaluation.advice.fingerprint import parse_fingerprint
    >>> from evaluation.advice.recommend import recommend
    >>> parsed = parse_fingerprint({"schema": 1, "problem": "semantic_segmentation", "answers": {"FP4.3.1": False}})
    >>> [(found.kind, found.metric) for found in departures(recommend(parsed), [{"id": "dsc"}, {"id": "iou"}])]
    [('related', 'dsc')]
    """
    used = [_use(metric) for metric in metrics]
    ids = {metric_id for metric_id, _, _ in used}
    recommended = recommendation["metrics"]
    fitting = {metric["id"] for metric in [*recommended, *recommendation["complementary"]]}
    fitting |= {option["id"] for metric in recommended for option in metric["alternatives"]}
    reasons = {entry["id"]: entry for entry in recommendation["ruled_out"]}
    all_departures = []
    for metric_id, name, options in used:
        if metric_id not in fitting:
            all_departures.append(_unfitting(metric_id, name, reasons, recommendation["problem"]))
        entries = [entry for entry in recommended if entry["id"] == metric_id]
        if entries and not any(_agrees(options, entry["options"]) for entry in entries):
            all_departures.append(_option(name, options, entries[0]))
    for entry in recommended:
        group = {entry["id"], *(option["id"] for option in entry["alternatives"])}
        if not group & ids:
            words = f"{entry['id']} is recommended but not measured"
            all_departures.append(Departure("omitted", entry["id"], words, "; ".join(entry["why"])))
    all_departures += [
        Departure("related", first, f"{first} and {second} say the same thing twice", "Let one of them vote only.")
        for (first, _, _), (second, _, _) in combinations(used, 2)
        if frozenset({first, second}) in RELATED
    ]
    return all_departures


def _use(metric: Mapping[str, Any] | MetricUse) -> tuple[str, str, Mapping[str, Any]]:
    if isinstance(metric, Mapping):
        return metric["id"], metric.get("name", metric["id"]), metric.get("options", {})
    return metric.id, metric.name, metric.options


def _unfitting(metric_id: str, name: str, ruled_out: Mapping[str, Mapping[str, Any]], problem: str) -> Departure:
    entry = ruled_out.get(metric_id)
    if entry is not None and entry.get("open"):
        return Departure("open", name, f"{name} is not recommended so far", entry["why"])
    if entry is not None:
        return Departure("ruled_out", name, f"{name} does not fit this problem", entry["why"])
    why = "No step leads to it."
    if (known := about(metric_id, problem)) is not None:
        why = f"{why} {known.use} {known.caution} ({known.source})"
    return Departure("not_recommended", name, f"{name} is not among the recommended metrics", why)


def _agrees(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether the chosen options do not contradict the recommended ones."""
    return all(given[key] == value for key, value in wanted.items() if key in given)


def _option(name: str, given: Mapping[str, Any], entry: Mapping[str, Any]) -> Departure:
    differing = {key: value for key, value in entry["options"].items() if key in given and given[key] != value}
    words = ", ".join(f"{key} is {given[key]} instead of {value}" for key, value in differing.items())
    return Departure("option", name, f"{name}: {words}", "; ".join(entry["why"]))
