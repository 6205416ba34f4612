"""Metrics that a scoring image of the organizers computes: declared in the assessment, which names the image by its id."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.assessment.described import own_id, value_range
from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.model import BY_SCORER, MetricUse
from evaluation.assessment.policy import Bounds, read_policy
from evaluation.assessment.reading import Place, is_number, name
from evaluation.wording import joined

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment
    from evaluation.problems import Problem

KEY: Final = "scorer"
LIMITS: Final[Mapping[str, float]] = {"case_seconds": 60.0, "start_seconds": 60.0, "memory_mib": 2048.0, "cpus": 1.0}
"""Default limits of one start of the image: seconds, MiB and cores."""
_LEAST: Final[Mapping[str, float]] = {"case_seconds": 1.0, "start_seconds": 0.0, "memory_mib": 16.0, "cpus": 0.1}
_COMMON_ID: Final = "value"
_KEYS: Final = ("id", "by", "label", "direction", "range", "unit", "policy")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def is_by_scorer(value: object) -> bool:
    """Return whether an entry of the metrics is declared for a scoring image."""
    return isinstance(value, Mapping) and value.get("by") == BY_SCORER


def read_scorer_metric(value: object, path: str, problem: Problem, *, rank_based: bool) -> MetricUse:
    """Check the declaration of a metric that the scoring image computes.

    Its perfect value is the best end of its range, which must have one. If the other end is open, the policy
    defines the value for missing results. Other outcomes without a value count the same unless the policy defines
    another value.

    Raises
    ------
    AssessmentError
        For an invalid declaration.
    """
    section = Place(value, path, _KEYS)
    if not problem.scorer_files.is_supported:
        raise AssessmentError(section.at("by"), BY_SCORER, f"no metric of a scoring image: {problem.title} takes none")
    identity = own_id(section.raw("id"), section.at("id"))
    direction: Literal["higher", "lower"] = (
        "higher" if section.choice("direction", ("higher", "lower")) == "higher" else "lower"
    )
    low, high = value_range(section.raw("range"), section.at("range"))
    worst, best = (low, high) if direction == "higher" else (high, low)
    if best is None:
        allowed = "a range whose better end is a number: the value of the reference against itself"
        raise AssessmentError(section.at("range"), section.raw("range"), allowed)
    bounds = Bounds(
        metric=identity,
        direction=direction,
        worst=worst,
        best=best,
        unit=None,
        problem=problem.id,
        rank_based=rank_based,
    )
    policy = section.raw("policy", {})
    stated = policy.get("missing") if isinstance(policy, Mapping) else None
    poor: Any = stated if worst is None and is_number(stated) else "worst"
    defaults = {"both_empty": "perfect", "ref_empty": poor, "pred_empty": poor, "degenerate": poor, "missing": "worst"}
    unit = section.raw("unit")
    return MetricUse(
        id=_COMMON_ID,
        name=name(section.raw("label", identity), section.at("label")),
        options={"by": BY_SCORER, "id": identity},
        policy=read_policy(policy, section.at("policy"), defaults, bounds),
        direction=direction,
        worst=worst,
        best=best,
        level="case",
        unit=None if unit is None else name(unit, section.at("unit")),
    )


def scorer_metric_document(metric: MetricUse) -> dict[str, Any]:
    """The declaration as JSON values with every default."""
    bounds = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    document: dict[str, Any] = {"id": metric.options["id"], "by": BY_SCORER, "label": metric.name}
    document |= {"direction": metric.direction, "range": list(bounds)}
    if metric.unit is not None:
        document["unit"] = metric.unit
    return document | {"policy": metric.policy.document}


def read_scorer(value: object, metrics: tuple[MetricUse, ...]) -> dict[str, Any]:
    """Check which image computes the metrics that are declared for one, and what it may take.

    Raises
    ------
    AssessmentError
        For an image without a metric, a metric without an image, and limits by which nothing can run.
    """
    scored_metrics = [metric for metric in metrics if metric.is_by_scorer]
    if value is None:
        if scored_metrics:
            raise AssessmentError(
                f"{KEY}.image", None, f"the id of the scoring image that computes {scored_metrics[0].name}"
            )
        return {}
    section = Place(value, KEY, ("image", *LIMITS))
    image = section.raw("image")
    if not isinstance(image, str) or not _DIGEST.fullmatch(image):
        raise AssessmentError(section.at("image"), image, "the id of an image: sha256: and 64 hexadecimal digits")
    if not scored_metrics:
        raise AssessmentError(KEY, image, "no scoring image: no metric is declared for one")
    if twice := [
        metric.options["id"]
        for metric in scored_metrics
        if [m.options["id"] for m in scored_metrics].count(metric.options["id"]) > 1
    ]:
        raise AssessmentError("metrics", twice[0], "ids of scored metrics that stand there once")
    limits: dict[str, Any] = {}
    for key, usual in LIMITS.items():
        given = section.raw(key, usual)
        if not is_number(given) or not float(given) >= _LEAST[key]:
            raise AssessmentError(section.at(key), given, f"a number of {_LEAST[key]:g} or more")
        limits[key] = float(given)
    return {"image": image, **limits}


def declared_metrics(metrics: tuple[MetricUse, ...]) -> list[dict[str, Any]]:
    """Return the metrics that the image must compute, in the form of `interface.json`."""
    entries = []
    for metric in metrics:
        if not metric.is_by_scorer:
            continue
        bounds = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
        entry: dict[str, Any] = {"id": metric.options["id"], "direction": metric.direction, "range": list(bounds)}
        entry |= {"unit": metric.unit or "", "perfect": metric.best}
        if metric.worst is None:
            entry["worst"] = metric.policy.missing if is_number(metric.policy.missing) else None
        entries.append(entry)
    return entries


def left_out_words(assessment: Assessment) -> str:
    """Return a text about metrics that were not computed from files.

    These are metrics of a scoring image, and costs of a run. The text is empty if there are none.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> region = {"name": "liver", "labels": [1]}
    >>> left_out_words(parse({"problem": "semantic_segmentation", "regions": [region], "metrics": [{"id": "dsc"}]}))
    ''
    """
    sentences = []
    if scored_metrics := [metric.name for metric in assessment.by_scorer]:
        pronoun = "them" if len(scored_metrics) > 1 else "it"
        sentences.append(
            f"{_are(scored_metrics)} left out: the scoring image {assessment.scorer['image']} computes {pronoun}."
        )
    if costs := [metric.name for metric in assessment.by_run]:
        them = "they are" if len(costs) > 1 else "it is"
        sentences.append(f"{_are(costs)} left out: {them} measured where the platform runs the algorithm.")
    return " ".join(sentences)


def _are(names: list[str]) -> str:
    """Names as the subject of a sentence, with its verb."""
    return f"{joined(names)} {'are' if len(names) > 1 else 'is'}"
