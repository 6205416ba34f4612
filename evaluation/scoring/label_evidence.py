"""Several labels at once from evidence: each label judged as a classification of two classes, and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics import counting
from evaluation.metrics.calibration_scores import CALIBRATION
from evaluation.metrics.counting import Counts
from evaluation.metrics.evaluators import BY_DECISIONS, OVERALL, PER_CLASS
from evaluation.metrics.multi_label import TOGETHER
from evaluation.metrics.samples import Samples
from evaluation.metrics.values import FloatArray, Values, mean_of_classes
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import MetricUse
    from evaluation.scoring.evidence_blocks import CaseEvidence

_CLASSES: Final = ("0", "1")
_THRESHOLD: Final = 0.5
_NOT_FOR_EVALUATORS: Final = frozenset(
    {
        "score_threshold",
        "positive_class",
        "class_average",
        "level",
        "scale",
        "report",
        "max_detections",
        "area",
        "matched",
    }
    | {"localization_criterion", "localization_threshold", "localization_thresholds", "assignment", "double_assignment"}
)


def recompute_labels(
    use: MetricUse,
    evidence: CaseEvidence,
    reference: FloatArray,
    answered: NDArray[np.bool_],
    decisions: FloatArray,
    scores: FloatArray,
    multiplicities: FloatArray,
) -> Values:
    """Values of a metric under multiplicities ``(B, n)``.

    Parameters
    ----------
    reference
        1, 0 or a negative number where it is not known, ``(n, labels)``.
    answered
        Which cases have an answer, ``(n,)``.
    decisions, scores
        ``(n, labels)``, not a number where there is none.
    """
    weights = np.ascontiguousarray(multiplicities, dtype=np.float64)
    threshold = float(use.options.get("score_threshold", _THRESHOLD))
    decided = np.where(np.isnan(decisions), scores >= threshold, decisions == 1)
    if (function := TOGETHER.get(use.id)) is not None:
        has_reference = reference >= 0
        wrong = (decided != (reference == 1)) | ~answered[:, None]
        return function(has_reference, wrong, weights)
    if use.id in {*PER_CLASS, *CALIBRATION} - BY_DECISIONS and np.isnan(scores[answered]).any():
        return Values(np.zeros(len(weights))).undefine(True, Outcome.MISSING)
    labels = list(evidence.shared["classes"])
    has_scores = not np.isnan(scores[answered]).any()
    options = {name: value for name, value in use.options.items() if name not in _NOT_FOR_EVALUATORS}

    def samples_of(label: str) -> tuple[Samples, FloatArray]:
        column = labels.index(label)
        has_reference = reference[:, column] >= 0
        truth = (reference[has_reference, column] == 1).astype(np.int64)
        missing = ~answered[has_reference]
        # Without an answer, the decision is the wrong one.
        decision = np.where(missing, 1 - truth, decided[has_reference, column].astype(np.int64))
        pair = (
            np.stack([1.0 - scores[has_reference, column], scores[has_reference, column]], axis=1)
            if has_scores
            else None
        )
        absent = missing if missing.any() else None
        return Samples(_CLASSES, truth, decision, pair, absent), np.ascontiguousarray(weights[:, has_reference])

    def value_of(samples: Samples, sample_weights: FloatArray) -> Values:
        if use.id in PER_CLASS:
            return PER_CLASS[use.id](samples, [1], sample_weights, **options)
        if use.id in OVERALL:
            return OVERALL[use.id](samples, sample_weights, **options)
        return CALIBRATION[use.id](samples, sample_weights, **options)

    regions = evidence.shared["regions"]
    if evidence.region:
        return value_of(*samples_of(regions[evidence.region]))
    every = [samples_of(label) for label in regions.values()]
    if use.options["class_average"] == "micro" and use.id not in BY_DECISIONS:
        return value_of(*_pooled(every))
    if use.options["class_average"] == "micro":
        each = [samples.counts([1], sample_weights) for samples, sample_weights in every]
        pooled = Counts(*(np.sum([getattr(counts, name) for counts in each], axis=0) for name in Counts._fields))
        result: Values = getattr(counting, use.id)(pooled, **options)
        return result
    occurs = np.stack([samples.counts_of_reference([1], sample_weights) for samples, sample_weights in every], axis=1)
    values = [value_of(samples, sample_weights) for samples, sample_weights in every]
    return mean_of_classes(values, occurs, 0.0, weighted=use.options["class_average"] == "weighted")


def _pooled(labels: Sequence[tuple[Samples, FloatArray]]) -> tuple[Samples, FloatArray]:
    """Put the cases of all labels behind one another, as one data set."""
    parts = [samples for samples, _ in labels]
    missing = np.concatenate([samples.absent for samples in parts])
    pooled = Samples(
        _CLASSES,
        np.concatenate([samples.reference for samples in parts]),
        None,
        np.concatenate([samples.required_scores for samples in parts]),
        missing if missing.any() else None,
    )
    return pooled, np.concatenate([weights for _, weights in labels], axis=1)
