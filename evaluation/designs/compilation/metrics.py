"""Mapping from rows of the design's metric table to metrics of the platform."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from evaluation.catalogue import Metric, OptionError, get
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation.costs import cost_of
from evaluation.problems.offered_metrics import kinds_with, level_of

# The choices of the published list, as metrics of the platform with the options that the name fixes.
KNOWN: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "absolute_volume_difference": ("absolute_volume_difference", {}),
    "hausdorff_distance_hd": ("hausdorff_distance", {}),
    "95_hausdorff_distance_hd95": ("hausdorff_percentile", {"percentile": 95}),
    "dice_similarity_coefficient_dsc": ("dsc", {}),
    "jaccard_index": ("iou", {}),
    "recall": ("sensitivity", {}),
    "true_positive_rate": ("sensitivity", {}),
    "precision": ("ppv", {}),
    "area_under_curve_auc": ("auroc", {}),
    "average_symmetric_surface_distance_assd": ("assd", {}),
    "f1_score": ("fbeta", {"beta": 1.0}),
    "specificity": ("specificity", {}),
    "mean_average_precision_map": ("mean_average_precision", {}),
    "normalized_surface_distance_nsd": ("nsd", {}),
    "multi_instance_dsc_mi_dsc": ("mi_dsc", {}),
    "multi_instance_nsd_mi_nsd": ("mi_nsd", {}),
    "root_mean_square_error_rmse": ("rmse", {}),
    "intraclass_correlation_coefficient": ("icc", {}),
    "concordance_index": ("harrell_c", {}),
}
_NUMBER = r"(\d+(?:\.\d+)?)"
# Words of the free-text column that fix an option; several different numbers fix nothing.
_PHRASES: Final = (
    ("tolerance", re.compile(rf"(?:tolerance|tau)\D{{0,16}}?{_NUMBER}", re.IGNORECASE)),
    ("localization_threshold", re.compile(rf"iou\D{{0,12}}?{_NUMBER}", re.IGNORECASE)),
    ("percentile", re.compile(rf"{_NUMBER}\s*(?:%|th)?\s*percentile|percentile\D{{0,8}}{_NUMBER}", re.IGNORECASE)),
    ("beta", re.compile(rf"beta\D{{0,6}}{_NUMBER}", re.IGNORECASE)),
)


@dataclass(frozen=True)
class Meaning:
    """Meaning of a row: its metric (``None`` if the platform has none), its options, and unclear points."""

    metric: Metric | None
    label: str
    options: Mapping[str, Any] = field(default_factory=dict)
    unclear: tuple[str, ...] = ()


class Source(Enum):
    """Origin of the values of a metric."""

    PLATFORM = "computed by the platform"
    RUN = "measured of the run of an algorithm"
    SCORER = "computed by the scoring image of the organizers"
    OUTSIDE = "measured outside and ranked here"
    ELSEWHERE = "neither computed nor ranked here"


@dataclass(frozen=True)
class MetricRow:
    """A row of the metric table with its meaning, its name in the assessment, and the source of its values."""

    row: Mapping[str, Any]
    meaning: Meaning
    name: str
    source: Source


def label_of(row: Mapping[str, Any]) -> str:
    """Return the name of a metric in the design.

    It is the abbreviation, else the platform's abbreviation or cost, else the listed or free name.
    """
    if row.get("abbreviation"):
        return str(row["abbreviation"])
    if not row.get("metric") and (cost := cost_of(row)) is not None:
        return cost.label
    name = row.get("name")
    if isinstance(name, Mapping):
        return str(name.get("other", ""))
    if row.get("metric"):
        return get(row["metric"]).abbreviation
    return shipped()["metrics"].label_of(name) if name else ""


def names_of(row: Mapping[str, Any]) -> set[str]:
    """Return all names under which a ranking may refer to the row, in lower case."""
    meant = meaning(row)
    names = {label_of(row), *(str(row.get(key, "")) for key in ("metric", "result_name"))}
    if isinstance(row.get("name"), str):
        names |= {row["name"], shipped()["metrics"].label_of(row["name"])}
    if meant.metric is not None:
        names |= {meant.metric.id, meant.metric.abbreviation, meant.metric.name}
    return {name.casefold() for name in names if name}


def meaning(row: Mapping[str, Any]) -> Meaning:
    """Find the metric of a row and its options.

    The platform's metric decides where it is chosen; otherwise the name of the published list and what its free text
    fixes without doubt.
    """
    label = label_of(row)
    fixed: Mapping[str, Any] = {}
    if cost_of(row) is not None:
        return Meaning(None, label)
    if row.get("metric"):
        metric = get(row["metric"])
    elif isinstance(row.get("name"), str) and row["name"] in KNOWN:
        identity, fixed = KNOWN[row["name"]]
        metric = get(identity)
    else:
        return Meaning(None, label, unclear=(f"{label or 'a metric without a name'} is no metric of the platform",))
    from_text, ambiguous = _from_text(str(row.get("parameters", "")), metric)
    options = {**fixed, **from_text, **(row.get("options") or {})}
    missing = [name for name in _needed(metric) if name not in options]
    unstated = [f"{label}: {name} is not given" for name in missing if not any(name in text for text in ambiguous)]
    return Meaning(metric, label, options, (*ambiguous, *unstated, *_refused(metric, options, label)))


def _refused(metric: Metric, options: Mapping[str, Any], label: str) -> tuple[str, ...]:
    """Return the error of options that a metric does not accept; empty if it accepts them."""
    try:
        metric.check_options(options)
    except OptionError as error:
        return (f"{label}: {error}",)
    return ()


def _needed(metric: Metric) -> list[str]:
    """Options that a design has to state: those without a safe default, and the ones every reader asks for."""
    asked = {"tolerance", "percentile"}
    return [option.name for option in metric.assessment_options if option.required or option.name in asked]


def _from_text(text: str, metric: Metric) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options that a free text fixes, and a sentence for each option that has several values there."""
    option_names = {option.name for option in metric.assessment_options}
    numbers_by_option = {
        name: sorted(_numbers(text, name, pattern)) for name, pattern in _PHRASES if name in option_names
    }
    options = {name: numbers[0] for name, numbers in numbers_by_option.items() if len(numbers) == 1}
    ambiguous = tuple(
        f"{metric.abbreviation}: {name} has several values ({', '.join(f'{number:g}' for number in numbers)}); "
        "one assessment has one"
        for name, numbers in numbers_by_option.items()
        if len(numbers) > 1
    )
    return options, ambiguous


def _numbers(text: str, name: str, pattern: re.Pattern[str]) -> set[float]:
    """Return the values of an option in a free text."""
    numbers = {float(number) for match in pattern.findall(text) for number in _parts(match) if number}
    if name == "tolerance" and re.search(r"tolerance|tau", text, re.IGNORECASE):
        numbers |= {float(number) for number in re.findall(rf"[A-Za-z]\s{_NUMBER}(?=\s*(?:,|$))", text)}
    return numbers


def _parts(match: str | tuple[str, ...]) -> tuple[str, ...]:
    return match if isinstance(match, tuple) else (match,)


def usual_level(metric: Metric, problem: str = "", options: Mapping[str, Any] | None = None) -> str:
    """Return the level at which a metric is computed, in the terms of the design.

    Parameters
    ----------
    problem
        Kind of problem. Without it, the level is the whole data set if this is the level for every kind.

    Examples
    --------
    >>> usual_level(get("auroc")), usual_level(get("dsc")), usual_level(get("sensitivity"), "image_classification")
    ('data_set', 'case', 'data_set')
    """
    kinds = [problem] if problem else kinds_with(metric)
    return "data_set" if {level_of(metric, kind, options or {}) for kind in kinds} == {"dataset"} else "case"
