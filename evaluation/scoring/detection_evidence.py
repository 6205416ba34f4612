"""Evidence of pooled values of detection and instance segmentation, and the values computed from it.

A block contains one list per case. For metrics on counts and curves, the list has four whole numbers per class and
cutoff of the hit criterion. They are code of the class, index of the cutoff, reference objects, and steps. TP and
FP of each step follow, with the scores of the steps among the floating-point numbers. For panoptic quality and its
factors, the list has TP, FP and reference objects, with the sum of the IoU.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.metrics.calibration_scores import CALIBRATION
from evaluation.metrics.detection import evaluate_thresholds, mean_over_classes
from evaluation.metrics.detections import Detections
from evaluation.metrics.instance import PanopticCounts, panoptic_values
from evaluation.metrics.samples import Samples
from evaluation.metrics.values import Values
from evaluation.outcomes import Flag, Outcome
from evaluation.scoring.rows import Numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import MetricUse
    from evaluation.metrics.values import FloatArray
    from evaluation.scoring.evidence_blocks import CaseEvidence

PANOPTIC: Final = ("panoptic_quality", "segmentation_quality", "detection_quality")
RECALLS: Final = ("average_recall", "mean_average_recall")
OVER_CLASSES: Final[Mapping[str, str]] = {
    "mean_average_precision": "average_precision",
    "mean_average_recall": "average_recall",
}
"""Metrics that are means over all classes, with the metric of one class."""
_LEAD: Final = 4
_AT_ONCE: Final = 1 << 22


class Steps(NamedTuple):
    """Contribution of one case for one class and one cutoff.

    Attributes
    ----------
    kind
        Name of the class (empty unless the metric averages over classes) and index of the cutoff.
    """

    kind: tuple[str, int]
    references: int
    score: FloatArray
    tp: FloatArray
    fp: FloatArray


def numbers_of_steps(steps: Iterable[Steps], classes: Sequence[str]) -> Numbers:
    """Write the steps of one case into two lists; ``classes`` are the names that the codes refer to."""
    code = {name: index for index, name in enumerate(classes)}
    counts: list[int] = []
    values: list[float] = []
    for one in steps:
        pairs = np.stack([one.tp, one.fp], axis=1).astype(np.int64).ravel()
        counts += [code[one.kind[0]], one.kind[1], one.references, len(one.score), *pairs.tolist()]
        # Counts at one threshold have no score; a file holds finite numbers only.
        values += np.where(np.isfinite(one.score), one.score, 1.0).tolist()
    return Numbers(counts, values)


def numbers_of_panoptic(counts: PanopticCounts) -> Numbers:
    """Write the counts of one case into two lists."""
    tp, fp, fn = (int(number) for number in (counts.tp, counts.fp, counts.fn))
    return Numbers([tp, fp, tp + fn], [float(counts.iou)])


def fits(use: MetricUse, numbers: Numbers, nothing: Numbers, *, any_score: bool = False) -> bool:
    """Return whether the numbers of a case can result from comparing a prediction with its reference.

    The check is for numbers from a process that has read an untrusted file. Everything that the reference alone
    determines must match, and the other numbers must be possible.

    Parameters
    ----------
    nothing
        The numbers of the same case if nothing at all is predicted.
    any_score
        True if a score is any finite number.
    """
    whole = all(type(number) is int and number >= 0 for number in numbers.counts)
    shares = all(
        type(number) in (int, float) and (math.isfinite(number) if any_score else 0 <= number <= 1)
        for number in numbers.values
    )
    if use.id in PANOPTIC:
        if not whole or len(numbers.counts) != 3 or len(numbers.values) != 1:
            return False
        (tp, _, references), (iou,) = numbers.counts, numbers.values
        return tp <= references == nothing.counts[2] and type(iou) in (int, float) and 0 <= iou <= tp
    return whole and shares and _keys(numbers) == _keys(nothing)


def _keys(numbers: Numbers) -> list[tuple[int, ...]] | None:
    """Class, cutoff and reference objects of every list in turn; None if the lists do not end together."""
    keys = []
    position = steps = 0
    while position < len(numbers.counts):
        lead = tuple(numbers.counts[position : position + _LEAD])
        if len(lead) < _LEAD:
            return None
        keys.append(lead[:3])
        position += _LEAD + 2 * lead[3]
        steps += lead[3]
    return keys if position == len(numbers.counts) and steps == len(numbers.values) else None


def _recompute_panoptic(use: MetricUse, evidence: CaseEvidence, times: FloatArray) -> Values:
    tp, fp, references = evidence.block.counts.reshape(-1, 3).T.astype(float)
    columns = (evidence.block.values, tp, fp, references - tp)
    if use.options.get("scale", "dataset") == "dataset":
        return panoptic_values(use.id, PanopticCounts(*(times @ column for column in columns)))
    groups = _groups(use, evidence)
    assert groups is not None
    means = []
    for row in times:
        pooled = [np.bincount(groups, weights=row * column).astype(float) for column in columns]
        values = panoptic_values(use.id, PanopticCounts(*pooled))
        share = np.bincount(groups, weights=row).astype(float)
        if use.options["scale"] == "patient":
            share = (share > 0).astype(float)
        # Without objects on either side the answer is perfect; without references, SQ has nothing to say.
        numbers = np.where(values.has(Outcome.BOTH_EMPTY), 1.0, np.nan_to_num(values.numbers))
        if use.id == "segmentation_quality":
            share = np.where(pooled[1] + pooled[3] > 0, share, 0.0)
        means.append(float((numbers * share).sum() / share.sum()) if share.any() else np.nan)
    result = Values(np.array(means))
    return result.undefine(np.isnan(result.numbers), Outcome.DEGENERATE, Flag.REFERENCE)


def _recompute_calibration(use: MetricUse, evidence: CaseEvidence, times: FloatArray) -> Values:
    """Judge the scores of predicted objects: a sample is an object, positive if it was matched."""
    detection_lists = list(_detections(evidence).values())
    detections = detection_lists[0] if detection_lists else None
    if detections is None or not len(detections.score):
        return Values(np.full(len(times), np.nan)).undefine(True, Outcome.DEGENERATE)
    scores = np.stack([1.0 - detections.score, detections.score], axis=1)
    samples = Samples((0, 1), (detections.tp > 0).astype(np.int64), None, scores)
    step = max(1, _AT_ONCE // len(scores))
    judge = CALIBRATION[use.id]
    options = {name: value for name, value in use.options.items() if name not in ("report", "class_weights")}
    return Values.joined(
        [judge(samples, times[a : a + step][:, detections.image], **options) for a in range(0, len(times), step)]
    )


def _recompute_steps(use: MetricUse, evidence: CaseEvidence, times: FloatArray) -> Values:
    groups = _groups(use, evidence)
    by_class: dict[int, dict[int, Detections]] = defaultdict(dict)
    for (code, cutoff), detections in sorted(_detections(evidence).items()):
        by_class[code][cutoff] = detections
    metric = OVER_CLASSES.get(use.id, use.id)
    areas = None
    if use.options.get("per") == "area":
        areas = np.array([evidence.shared["areas"][case] for case in evidence.cases], dtype=np.float64)
    values = [_in_parts(metric, list(of.values()), times, use.options, groups, areas) for of in by_class.values()]
    if use.id not in OVER_CLASSES:
        return values[0]
    if not values:
        return Values(np.full(len(times), np.nan)).undefine(True, Outcome.DEGENERATE, Flag.REFERENCE)
    return mean_over_classes(values, use.options.get("class_weights"))


def _in_parts(
    metric: str,
    detections: Sequence[Detections],
    times: FloatArray,
    options: Mapping[str, Any],
    groups: Any,
    areas: FloatArray | None = None,
) -> Values:
    """Some resamples at a time, so that memory does not grow with resamples × objects."""
    step = max(1, _AT_ONCE // max(1, *(len(each.score) for each in detections)))
    return Values.joined(
        [
            evaluate_thresholds(metric, detections, times[start : start + step], options, groups=groups, areas=areas)
            for start in range(0, len(times), step)
        ]
    )


def _detections(evidence: CaseEvidence) -> dict[tuple[int, int], Detections]:
    """Read the lists back: one `Detections` for each class and cutoff, over all cases."""
    block = evidence.block
    number = len(block.cases)
    references: dict[tuple[int, int], NDArray[np.int64]] = defaultdict(lambda: np.zeros(number, dtype=np.int64))
    parts: dict[tuple[int, int], list[tuple[int, FloatArray, NDArray[np.int64]]]] = defaultdict(list)
    for case in range(number):
        counts = block.counts[block.count_starts[case] : block.count_starts[case + 1]]
        scores = block.values[block.value_starts[case] : block.value_starts[case + 1]]
        position = score = 0
        while position < len(counts):
            code, cutoff, objects, steps = (int(n) for n in counts[position : position + _LEAD])
            key = (code, cutoff)
            references[key][case] += objects
            pairs = counts[position + _LEAD : position + _LEAD + 2 * steps].reshape(-1, 2)
            parts[key].append((case, scores[score : score + steps], pairs))
            position += _LEAD + 2 * steps
            score += steps
    detections = {}
    for key, entries in parts.items():
        steps_of: FloatArray = np.concatenate([entry[2] for entry in entries]).astype(np.float64)
        image = np.repeat([entry[0] for entry in entries], [len(entry[1]) for entry in entries]).astype(np.int64)
        score_of = np.concatenate([entry[1] for entry in entries])
        tp: FloatArray = steps_of[:, 0]
        fp: FloatArray = steps_of[:, 1]
        detections[key] = Detections(references[key], image, score_of, tp, fp)
    return detections


def hits_of_objects(use: MetricUse, evidence: CaseEvidence) -> tuple[FloatArray, FloatArray] | None:
    """Hits and trials of each case: objects found of those there for ``sensitivity``, right ones of those predicted for ``ppv``.

    Returns
    -------
    tuple or None
        ``None`` for other metrics, and for one that is read off a curve and not counted at one threshold.
    """
    if use.id not in ("sensitivity", "ppv"):
        return None
    detections = _detections(evidence)
    if len({cutoff for _, cutoff in detections}) != 1:
        return None
    number = len(evidence.cases)
    hits, reference_counts, wrong = np.zeros(number), np.zeros(number), np.zeros(number)
    for entry in detections.values():
        if len(set(entry.image.tolist())) < len(entry.image):
            return None
        hits[entry.image] += entry.tp
        wrong[entry.image] += entry.fp
        reference_counts += entry.references
    trials = reference_counts if use.id == "sensitivity" else hits + wrong
    return (hits, trials) if (hits <= trials).all() else None


def _groups(use: MetricUse, evidence: CaseEvidence) -> NDArray[np.int64] | None:
    scale = use.options.get("scale", "dataset")
    if scale == "image":
        return np.arange(len(evidence.cases))
    if scale == "dataset":
        return None
    patients = evidence.shared.get("patients")
    if not patients:
        message = f'{use.name}: scale "patient" needs a column patient in cases.csv beside the references'
        raise ValueError(message)
    names = np.array([str(patients.get(case, case)) for case in evidence.cases])
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def recompute_objects(metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
    """Values of a metric of objects under multiplicities; see `evaluation.problems.Problem.recompute`."""
    if metric.id in PANOPTIC:
        return _recompute_panoptic(metric, evidence, multiplicities)
    if metric.id in CALIBRATION:
        return _recompute_calibration(metric, evidence, multiplicities)
    return _recompute_steps(metric, evidence, multiplicities)
