"""Object detection and instance segmentation: the objects of each case, case by case and pooled over the data set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.matching import Objects, Rule, from_label_map
from evaluation.metrics import instance
from evaluation.metrics.calibration_scores import CALIBRATION
from evaluation.metrics.coco import INTERPOLATION, trace_coco_classes
from evaluation.metrics.detection import MATCHING_OPTIONS, trace
from evaluation.metrics.detection_values import CURVES, image_outcome
from evaluation.metrics.detections import count_detections, of_class, trace_detections
from evaluation.outcomes import Outcome, Result, undefined
from evaluation.problems import kind_of
from evaluation.problems.offered_metrics import function_for
from evaluation.scoring.detection_evidence import (
    OVER_CLASSES,
    PANOPTIC,
    RECALLS,
    Steps,
    fits,
    numbers_of_panoptic,
    numbers_of_steps,
)
from evaluation.scoring.rows import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evaluation.assessment.model import Assessment, MetricUse, Region
    from evaluation.readers import Geometry, LabelImage
    from evaluation.readers.instance_tables import Instances
    from evaluation.scoring.rows import Numbers, Pieces

ALL_CLASSES: Final = ""
_MULTI_INSTANCE: Final[Mapping[str, Callable[..., Result]]] = {
    "mi_dsc": instance.mi_dsc,
    "mi_nsd": instance.mi_nsd,
    "aji": instance.aji,
    "aji_plus": instance.aji_plus,
}
"""Functions that take all objects of a case at once."""
_NOT_FOR_FUNCTIONS: Final = frozenset(
    {"scale", "level", "spacing", "include_background", "score_threshold", "tolerance_by_region"}
)
_OF_PIXELS: Final = frozenset({"fbeta"})
"""Counted in the pixels of matched objects, as a problem without objects counts them."""
_OBJECT_COUNTS: Final = frozenset({"sensitivity", "ppv", "fbeta"})


@dataclass
class ObjectScores:
    """Result of one case: its rows, and components of the data set's values by metric and region.

    Attributes
    ----------
    lacking
        Metrics for which the submission lacks an input, such as scores.
    """

    rows: list[Row] = field(default_factory=list)
    pieces: Pieces = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)


def objects_of_image(image: LabelImage, instances: Instances | None, connectivity: str = "as_submitted") -> Objects:
    """The objects of a label map, with class and score where a table gives them.

    Parameters
    ----------
    image
        The label map.
    instances
        A row for each object, by label. Labels without a row are no objects; ``None`` without a table.
    connectivity
        Other than ``as_submitted``, connected parts are the objects; they have neither class nor score.
    """
    spacing = image.geometry.spacing_or_unit
    if connectivity != "as_submitted" or instances is None:
        return from_label_map(
            image.labels,
            instance_connectivity=connectivity,  # type: ignore[arg-type]
            spacing=spacing,
        )
    ids = sorted(instances)
    rows = [instances[label] for label in ids]
    scores = [row.score for row in rows if row.score is not None]
    return Objects(
        labels=image.labels,
        ids=ids,
        classes=[row.name for row in rows] if any(row.name for row in rows) else None,
        scores=scores if len(scores) == len(rows) else None,
        ignored=[row.ignored for row in rows],
        spacing=spacing,
    )


def of_region(objects: Objects, region: Region) -> Objects:
    """The objects of a region's classes; objects without a class belong to every region."""
    if objects.classes is None:
        return objects
    wanted = {str(label) for label in region.labels} | {""}
    return objects.select(np.array([str(name) in wanted for name in objects.classes], dtype=bool))


def score_objects(
    assessment: Assessment,
    case: str,
    reference: Objects,
    prediction: Objects | None,
    *,
    algorithm: str = "",
    geometry: Geometry | None = None,
) -> ObjectScores:
    """Score the objects of one case.

    Parameters
    ----------
    assessment
        Of an object detection or instance segmentation.
    case
        Name of the case.
    reference, prediction
        Its objects; ``None`` if the prediction is not there or cannot be read.
    geometry
        Grid of the image, where there is one.
    """
    scores = ObjectScores()
    diagonal = None if geometry is None else geometry.diagonal
    sides: dict[str, tuple[Objects, Objects | None]] = {ALL_CLASSES: (reference, prediction)}
    for each in assessment.regions:
        sides[each.name] = (of_region(reference, each), None if prediction is None else of_region(prediction, each))
    for use in assessment.computed:
        for region in _regions(assessment, use):
            name = ALL_CLASSES if region is None else region.name
            truth, guess = sides[name]
            if use.level == "case":
                result = Result(None, Outcome.MISSING) if guess is None else _measure(assessment, use, truth, guess)
                scores.rows.append(Row(algorithm, case, name, use.name, *result, diagonal, result.flag))
            elif guess is not None:
                try:
                    scores.pieces[use.name, name] = _pieces(assessment, use, truth, guess)
                except _LacksScoresError:
                    scores.lacking.add(use.name)
    return scores


def region_names(assessment: Assessment, use: MetricUse) -> list[str]:
    """Names of the regions in which a metric has a value; a mean over classes has one, over all of them."""
    return [ALL_CLASSES if region is None else region.name for region in _regions(assessment, use)]


def are_possible(
    assessment: Assessment, case: str, reference: Objects, pieces: Mapping[tuple[str, str], Numbers]
) -> bool:
    """Return whether pieces are possible for a case.

    The check is for numbers from a process that has read an untrusted file.
    """
    nothing = reference.select(np.zeros(0, dtype=np.int64))
    # When nothing is predicted, the reference alone decides.
    expected = score_objects(assessment, case, reference, nothing).pieces
    return set(pieces) == set(expected) and all(
        fits(assessment.metric(key[0]), numbers, expected[key], any_score=assessment.settings.get("scores") == "any")
        for key, numbers in pieces.items()
    )


def shared_evidence(assessment: Assessment, patients: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the shared part of the evidence of all algorithms: class names, and the patient of each case."""
    names = sorted({str(label) for region in assessment.regions for label in region.labels})
    scores = assessment.settings.get("scores")
    return {
        "classes": [ALL_CLASSES, *names],
        "patients": dict(patients or {}),
        **({"scores": scores} if scores else {}),
    }


class _LacksScoresError(ValueError):
    """Predictions without scores, which a curve needs."""


def _regions(assessment: Assessment, use: MetricUse) -> list[Region] | list[None]:
    if use.id in OVER_CLASSES or not assessment.regions:
        return [None]
    return list(assessment.regions)


def _measure(assessment: Assessment, use: MetricUse, reference: Objects, prediction: Objects) -> Result:
    """One value of one case."""
    options = use.options
    rest = {name: value for name, value in options.items() if name not in _NOT_FOR_FUNCTIONS}
    if use.id in PANOPTIC:
        counts = instance.panoptic_counts(reference, prediction, **_panoptic_options(options))
        return instance.panoptic_values(use.id, counts).result()
    if use.id in _OBJECT_COUNTS and options.get("level", "auto") != "pixel":
        threshold = float(options.get("score_threshold", 0.5))
        detections = count_detections([reference], [prediction], Rule.from_options(options), score_threshold=threshold)
        return _of_counts(use, detections.by_image(), options)
    if use.id in _MULTI_INSTANCE:
        rest.pop("instance_connectivity", None)
        return _MULTI_INSTANCE[use.id](reference, prediction, **rest)
    problem = kind_of(assessment)
    function = function_for(catalogue.get(use.id), problem.metrics.pixel_kind if use.id in _OF_PIXELS else problem.id)
    rule = Rule.from_options(options) if "localization_criterion" in options else instance.STRICT
    function_options = {name: value for name, value in rest.items() if name not in MATCHING_OPTIONS | _CLASS_OPTIONS}
    return instance.of_matched(function, reference, prediction, rule=rule, **function_options)


_CLASS_OPTIONS: Final = frozenset({"positive_class", "class_average", "target_prevalence"})


def _of_counts(use: MetricUse, counts: Any, options: Mapping[str, Any]) -> Result:
    tp, fp, fn = (float(count[0]) for count in (counts.tp, counts.fp, counts.fn))
    outcome = image_outcome(tp, fp, fn)
    if outcome is not Outcome.OK:
        return undefined(outcome)
    numbers = {
        "sensitivity": tp / (tp + fn),
        "ppv": tp / (tp + fp),
        "fbeta": _fbeta(tp, fp, fn, float(options.get("beta", 1.0))),
    }
    return Result(numbers[use.id], Outcome.OK)


def _fbeta(tp: float, fp: float, fn: float, beta: float) -> float:
    square = beta * beta
    return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)


def _plain_rule(objects: Objects) -> Rule:
    """The hit criterion of metrics without matching options: half of masks or boxes."""
    return Rule("loc_mask_iou" if objects.has_masks else "loc_box_iou")


def _panoptic_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("iou_threshold", "include_background") if name in options}


def _pieces(assessment: Assessment, use: MetricUse, reference: Objects, prediction: Objects) -> Numbers:
    """Return the contribution of one case to a value of the data set."""
    options = use.options
    if use.id in PANOPTIC:
        return numbers_of_panoptic(instance.panoptic_counts(reference, prediction, **_panoptic_options(options)))
    by_class = use.id in OVER_CLASSES
    classes = shared_evidence(assessment)["classes"]
    names = classes[1:] if by_class else [ALL_CLASSES]
    all_steps: list[Steps] = []
    if use.id in RECALLS or options.get("interpolation") == INTERPOLATION:
        if prediction.size and prediction.scores is None:
            raise _LacksScoresError
        cutoffs = options.get("localization_thresholds") or [None]
        traced = trace_coco_classes([reference], [prediction], options, cutoffs, names if by_class else None)
        for name, of_class_ in zip(names, traced, strict=True):
            all_steps += [
                Steps((name, index), int(steps.references[0]), steps.score, steps.tp, steps.fp)
                for index, steps in enumerate(of_class_)
            ]
        return numbers_of_steps(all_steps, classes)
    for name in names:
        truth, guess = (of_class(each, name) if by_class else each for each in (reference, prediction))
        for index, cutoff in enumerate(options.get("localization_thresholds") or [None]):
            rule = Rule.from_options(options, cutoff) if use.id not in CALIBRATION else _plain_rule(reference)
            if use.id in CURVES or use.id in CALIBRATION:
                if guess.size and guess.scores is None:
                    raise _LacksScoresError
                if use.id in CALIBRATION:
                    steps = trace_detections([truth], [guess], rule)
                else:
                    steps = trace([truth], [guess], options, cutoff)
            else:
                threshold = float(options.get("score_threshold", 0.5))
                steps = count_detections([truth], [guess], rule, score_threshold=threshold)
            all_steps.append(Steps((name, index), int(steps.references[0]), steps.score, steps.tp, steps.fp))
    return numbers_of_steps(all_steps, classes)
