"""Evidence: the components of values of a whole data set, case by case, for resampling.

A file of evidence is one Parquet table with a JSON header (schema 1). The header contains the problem, the digest
of the assessment, its metrics with options, and properties that the cases share, such as the classes. Every row
belongs to one algorithm, case and region. It contains two lists, whole numbers (`counts`) and floating-point
numbers (`values`), whose meaning depends on the problem.

`recompute` turns them back into values under any multiplicities of the cases. The kind of problem defines the
computation, unless a package has registered another one for a metric.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation import problems
from evaluation.metrics.values import FloatArray, Values
from evaluation.outcomes import Flag, Outcome
from evaluation.scoring.evidence_blocks import Block, CaseEvidence, Evidence, make_evidence
from evaluation.scoring.evidence_file import (
    evidence_digest,
    merge_evidence,
    read_evidence,
    read_evidence_bytes,
    save_evidence,
    write_evidence,
)
from evaluation.scoring.given_evidence import is_given

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.assessment.model import MetricUse

__all__ = [
    "Block",
    "CaseEvidence",
    "Evidence",
    "evidence_digest",
    "make_evidence",
    "merge_evidence",
    "read_evidence",
    "read_evidence_bytes",
    "recompute",
    "recompute_values",
    "register_recomputer",
    "save_evidence",
    "write_evidence",
]

_AT_ONCE: Final = 1 << 22

Recomputer = Callable[["MetricUse", CaseEvidence, FloatArray], Values]
_RECOMPUTERS: dict[tuple[str, str], Recomputer] = {}


def register_recomputer(problem: str, metric_ids: Iterable[str], function: Recomputer) -> None:
    """Register how metrics of a problem are recomputed.

    Parameters
    ----------
    function
        Takes the metric as the assessment uses it, the evidence, and multiplicities ``(B, cases)`` as whole
        floats; returns `Values` of length B. The id ``*`` applies to all metrics that are not named.
    """
    for metric_id in metric_ids:
        _RECOMPUTERS[problem, metric_id] = function


def recompute_values(metric: MetricUse, evidence: CaseEvidence, multiplicities: npt.ArrayLike) -> Values:
    """Recompute a value with its outcome for every resample.

    Parameters
    ----------
    metric
        As the assessment uses it.
    evidence
        From `Evidence.select`.
    multiplicities
        How often each case of ``evidence.cases`` is taken, whole numbers >= 0, ``(B, cases)``.

    Raises
    ------
    ValueError
        If the multiplicities do not fit the cases.
    """
    if is_given(evidence):
        message = f"metric {metric.name!r} was measured elsewhere: what its value is made of is not known"
        raise ValueError(message)
    times = np.atleast_2d(np.asarray(multiplicities, dtype=np.float64))
    if times.ndim != 2 or times.shape[1] != len(evidence.cases) or (times.size and times.min() < 0):
        message = f"multiplicities of shape {times.shape} for {len(evidence.cases)} cases; expected (samples, cases)"
        raise ValueError(message)
    function = _recomputer(evidence.problem, metric.id)
    step = max(1, _AT_ONCE // max(1, len(evidence.cases)))
    parts = [function(metric, evidence, times[start : start + step]) for start in range(0, len(times), step)]
    return Values.joined(parts)


def recompute(metric: MetricUse, evidence: CaseEvidence, multiplicities: npt.ArrayLike) -> FloatArray:
    """Recompute a value for every resample and turn outcomes into numbers by the metric's policy.

    Parameters are those of `recompute_values`.

    Returns
    -------
    numpy.ndarray
        Shape ``(B,)``. NaN if the value is excluded: by policy, or because the reference alone leaves it
        undefined. Infinite if the value is infinitely good.

    Raises
    ------
    ResultsError
        For an outcome for which the policy defines no number.
    """
    # Here, so that scoring starts without pandas.
    from evaluation.aggregation import ResultsError
    from evaluation.assessment.policy_values import constant, depends_on_case

    values = recompute_values(metric, evidence, multiplicities)
    numbers = values.numbers.copy()
    for outcome in Outcome:
        where = values.has(outcome)
        if outcome is Outcome.OK or not where.any():
            continue
        fair = values.has(outcome, Flag.REFERENCE)
        unbounded = values.has(outcome, Flag.UNBOUNDED)
        numbers[unbounded] = np.inf if metric.higher_is_better else -np.inf
        rest = where & ~fair & ~unbounded
        if not rest.any():
            continue
        policy = None if outcome is Outcome.NOT_APPLICABLE else metric.policy.get(str(outcome))
        if policy is None or policy == "worst_rank" or depends_on_case(policy, metric):
            message = f"metric {metric.name!r} is {outcome} in a resample; set policy.{outcome} to a number or a bound"
            raise ResultsError(message)
        numbers[rest] = constant(policy, metric)
    return numbers


def _recomputer(problem: str, metric_id: str) -> Recomputer:
    for key in ((problem, metric_id), (problem, "*")):
        if key in _RECOMPUTERS:
            return _RECOMPUTERS[key]
    if problems.is_known(problem):
        return problems.get(problem).recompute
    message = f"metric {metric_id} of {problem} cannot be recomputed from evidence"
    raise ValueError(message)
