"""Image classification from evidence: what was answered for each case, back to any metric under any multiplicities.

A block (part ``answers``) serves all metrics and regions. ``counts`` of a case are its class and the one decided for (-1: a
decision follows from the scores; -2: no valid answer); ``values`` are the scores of all classes, or nothing. The header
shares the ``classes`` in order and the classes of each region.

A case without a valid answer counts as a wrong decision, the costliest there is for the metric (of equally costly ones the
class that is commonest in the whole reference), and has the worst score for its class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.metrics.calibration_scores import CALIBRATION, class_calibration_error
from evaluation.metrics.evaluators import (
    BY_ALL_SCORES,
    BY_DECISIONS,
    BY_ORDER,
    OVERALL,
    PER_CLASS,
    average,
    cost_matrix,
    disagreement,
)
from evaluation.metrics.samples import Samples, decide
from evaluation.metrics.values import FloatArray, Values
from evaluation.outcomes import Outcome
from evaluation.problems.offered_metrics import function_for
from evaluation.scoring.evidence_blocks import Block, CaseEvidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import MetricUse
    from evaluation.outcomes import Result

PART: Final = "answers"
BY_SCORES: Final = -1
NO_ANSWER: Final = -2
ALL_CLASSES: Final = ""
_CELLS_AT_ONCE: Final = 1 << 22
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
_SHARES: Final = frozenset({"sensitivity", "specificity", "ppv", "npv", "auroc"})
_OF_ONE_CLASS: Final = frozenset({"n_bins", "binning", "bin_edge", "norm"})


def make_block(
    algorithm: str,
    cases: Sequence[str],
    reference: NDArray[np.int64],
    *,
    decision: NDArray[np.int64] | None,
    scores: FloatArray | None,
    answered: NDArray[np.bool_],
) -> Block:
    """Write down the answers of one algorithm.

    Parameters
    ----------
    cases
        Ascending.
    reference, decision, scores
        One entry or row a case; rows of cases without a valid answer are not read.
    answered
        Which cases have a valid answer.
    """
    decided = np.full(len(cases), BY_SCORES, dtype=np.int64) if decision is None else decision
    counts = np.stack([reference, np.where(answered, decided, NO_ANSWER)], axis=1)
    width = 0 if scores is None else scores.shape[1]
    return Block(
        part=PART,
        algorithm=algorithm,
        region=ALL_CLASSES,
        cases=tuple(cases),
        counts=counts.ravel(),
        count_starts=np.arange(len(cases) + 1, dtype=np.int64) * 2,
        values=np.zeros(0) if scores is None else scores[answered].ravel(),
        value_starts=np.concatenate([[0], np.cumsum(answered * width)]).astype(np.int64),
    )


def regions_of(use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
    """The regions in which a metric has a value, in their order; the empty name for a value over all classes.

    Without regions in the assessment, of two classes the last is judged, and of more every one.
    """
    one_class = use.id in PER_CLASS
    if one_class and use.options.get("class_average", "per_class") != "per_class":
        return [ALL_CLASSES]
    if not one_class and use.id != "cwce":
        return [ALL_CLASSES]
    chosen = use.options.get("positive_class")
    if chosen is not None:
        names = [chosen]
    elif shared["regions"]:
        names = list(shared["regions"])
    else:
        names = shared["classes"] if len(shared["classes"]) > 2 else shared["classes"][-1:]
    if use.id == "cwce":
        report = use.options.get("report", "per_class_and_overall")
        overall = [] if report == "per_class" else [ALL_CLASSES]
        return (names if report != "overall" else []) + overall
    return names


def recompute_classification(metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
    """Values of a metric under multiplicities; see `evaluation.problems.Problem.recompute`."""
    # A confusion matrix of a thousand classes has a million cells, and there is one for every resample.
    step = max(1, _CELLS_AT_ONCE // len(evidence.shared["classes"]) ** 2)
    parts = [multiplicities[start : start + step] for start in range(0, len(multiplicities), step)]
    return Values.joined([_evaluate(metric, evidence, part) for part in parts])


def unanswered_cases(evidence: CaseEvidence) -> int:
    """Number of cases that have no valid answer and therefore count as wrong decisions."""
    return int(np.count_nonzero(evidence.block.counts.reshape(-1, 2)[:, 1] == NO_ANSWER))


def independent_trials(metric: MetricUse, evidence: CaseEvidence) -> int:
    """Return the number m of independent trials for which a value of 1 has at most the probability θᵐ, θ the true value.

    Accuracy counts cases, and sensitivity, specificity, PPV and NPV count the cases that they are shares of. If all K classes are
    decided without an error, the product of K sensitivities is at most the K-th power of their mean, once per case of the smallest
    class. An AUROC of 1 is right in each of the pairs of a positive and a negative case that share no case, which are as many as the
    smaller class has cases.

    Returns
    -------
    int
        0 for all other metrics, and for means over classes or parts of the curve.
    """
    samples = _samples(metric, evidence)
    of_classes = np.bincount(samples.reference, minlength=len(samples.classes))
    if metric.id in ("accuracy", "top_k_accuracy"):
        return len(samples)
    if metric.id == "balanced_accuracy":
        occurring = of_classes[of_classes > 0]
        return int(len(occurring) * occurring.min()) if len(occurring) > 1 else 0
    options = metric.options
    if metric.id not in _SHARES or options.get("class_average", "per_class") != "per_class":
        return 0
    if options.get("target_prevalence") is not None:  # no share of the cases any more
        return 0
    positive = _group(evidence.region, evidence.shared)
    belongs = samples.belongs(positive)
    if metric.id == "auroc":
        is_whole = options.get("max_fpr") in (None, 1) and samples.scores is not None
        return int(min(belongs.sum(), (~belongs).sum())) if is_whole else 0
    if samples.decision is None:
        return 0
    counted = belongs if metric.id in ("sensitivity", "specificity") else np.isin(samples.decision, positive)
    return int((counted if metric.id in ("sensitivity", "ppv") else ~counted).sum())


def value_of(metric: MetricUse, evidence: CaseEvidence) -> Result:
    """The value on all cases, each once."""
    return _evaluate(metric, evidence, None).result()


def _evaluate(use: MetricUse, evidence: CaseEvidence, weights: FloatArray | None) -> Values:
    shared = evidence.shared
    samples = _samples(use, evidence)
    if samples.scores is None and use.id in {*PER_CLASS, *CALIBRATION, *BY_ALL_SCORES} - BY_DECISIONS:
        return Values(np.zeros(1 if weights is None else len(weights))).undefine(True, Outcome.MISSING)
    options = {name: value for name, value in use.options.items() if name not in _NOT_FOR_EVALUATORS}
    if use.id in PER_CLASS:
        average_of = use.options.get("class_average", "per_class")
        if average_of == "per_class":
            return PER_CLASS[use.id](samples, _group(evidence.region, shared), weights, **options)
        groups = [_group(name, shared) for name in shared["regions"] or shared["classes"]]
        return average(PER_CLASS[use.id], samples, groups, weights, class_average=average_of, **options)
    if use.id in OVERALL:
        return OVERALL[use.id](samples, weights, **options)
    if use.id == "cwce" and evidence.region:
        of_class = {name: value for name, value in options.items() if name in _OF_ONE_CLASS}
        return class_calibration_error(samples, _group(evidence.region, shared), weights, **of_class)
    if use.id in CALIBRATION:
        return CALIBRATION[use.id](samples, weights, **options)
    return _of_a_package(use, evidence.problem, samples, weights)


def _group(name: str, shared: Mapping[str, Any]) -> list[int]:
    """Positions of the classes of a region, or of the class of that name.

    Raises
    ------
    ValueError
        If there is neither.
    """
    if name in shared["regions"]:
        return [int(code) for code in shared["regions"][name]]
    if name in shared["classes"]:
        return [shared["classes"].index(name)]
    message = f"{name!r} is neither a region nor a class of the task"
    raise ValueError(message)


def _samples(use: MetricUse, evidence: CaseEvidence) -> Samples:
    block, classes = evidence.block, evidence.shared["classes"]
    size = len(classes)
    counts = block.counts.reshape(-1, 2)
    reference, decision = counts[:, 0], counts[:, 1]
    missing = decision == NO_ANSWER
    scores = None
    if len(block.values):
        scores = np.full((len(counts), size), np.nan, order="F")
        scores[np.diff(block.value_starts) == size] = block.values.reshape(-1, size)
    if scores is not None and (decision == BY_SCORES).any():
        positive = use.options.get("positive_class")
        last = positive is None or size != 2 or _group(positive, evidence.shared) != [0]
        by_scores = decide(np.nan_to_num(scores), float(use.options.get("score_threshold", 0.5)), last_is_positive=last)
        decision = np.where(decision == BY_SCORES, by_scores, decision)
    if missing.any():
        decision = np.where(missing, _wrong_class(use, reference, size)[reference], decision)
    return Samples(tuple(classes), reference, decision, scores, missing if missing.any() else None)


def _wrong_class(use: MetricUse, reference: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """For every class, what a case of it without an answer is counted as."""
    if use.id == "weighted_cohens_kappa":
        costs = disagreement(use.options["weights"], size, use.options.get("weight_matrix"))
    elif use.id in BY_ORDER:
        costs = disagreement("linear", size)
    else:
        costs = cost_matrix(use.options.get("costs", "zero_one"), size)
    frequency = np.bincount(reference, minlength=size)
    order = [
        np.lexsort((np.arange(size), -frequency, -row, np.arange(size) == index)) for index, row in enumerate(costs)
    ]
    return np.array([ranked[0] for ranked in order], dtype=np.int64)


def _of_a_package(use: MetricUse, problem: str, samples: Samples, weights: FloatArray | None) -> Values:
    """A metric that an installed package brought: its function sees every resample written out."""
    metric = catalogue.get(use.id)
    names = np.array([str(name) for name in samples.classes])
    reference = names[samples.reference]
    if "scores" in metric.needs:
        if samples.scores is None:
            return Values(np.zeros(1 if weights is None else len(weights))).undefine(True, Outcome.MISSING)
        decided = samples.decision if samples.decision is not None else samples.reference
        whole = np.where(samples.absent[:, None], np.eye(len(names))[decided], samples.scores)
        prediction: NDArray[Any] = whole[:, 1] if len(names) == 2 else whole
    else:
        prediction = names[samples.decision]
    function = function_for(metric, problem)
    rows = [np.arange(len(samples))] if weights is None else [_drawn(row) for row in weights]
    results = [function(reference[row], prediction[row], **use.options) for row in rows]
    return Values.of_results(results)


def _drawn(times: FloatArray) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(times)), times.astype(np.int64))
