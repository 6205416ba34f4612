"""Evidence of values of the whole data set that were measured elsewhere, with their stated uncertainty.

The components of such a value are unknown, and it cannot be recomputed. Instead, its evidence has one of three forms:

- replicates: the value on resamples that were created elsewhere (one number refers to the same resample for all
  algorithms),
- a standard error,
- a statement that neither is available.

A block has one row without a case. ``counts`` contains the form: the number of replicates, 0 for a standard error,
-1 for none. After the number of replicates, it contains a fingerprint of their numbers, which is equal if
replicates are paired. ``values`` contains the value itself, followed by the replicates or the standard error. The
evidence of all algorithms shares the complete list of cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.assessment.described import WITHOUT
from evaluation.canonical import sha256
from evaluation.scoring.evidence_blocks import Block, Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evaluation.assessment.model import MetricUse
    from evaluation.metrics.values import FloatArray
    from evaluation.scoring.evidence_blocks import CaseEvidence

SHARED: Final = "given"
VERSION: Final = "podium-given-1"
"""Version of the rule that creates draws from standard errors; `docs/ranking.md` specifies it."""
NO_CASE: Final = ""
NONE: Final = -1
STANDARD_ERROR: Final = 0
FEWEST_REPLICATES: Final = 200
REPLICATES, ERRORS, NOTHING = "replicates", "standard_errors", "nothing"
SOURCES: Final = (REPLICATES, ERRORS, NOTHING)


@dataclass(frozen=True)
class Given:
    """A value of the whole data set with its known uncertainty.

    Attributes
    ----------
    value
        The value itself.
    replicates
        The value on each resample, in the order of their numbers; empty without any.
    numbers
        Identifiers of the replicates.
    standard_error
        Standard error of the value; ``None`` with replicates, or if the uncertainty is unknown.
    """

    value: float
    replicates: tuple[float, ...] = ()
    numbers: tuple[str, ...] = ()
    standard_error: float | None = None

    def block(self, metric: str, algorithm: str, region: str) -> Block:
        """Return the value as a block of evidence."""
        form = [NONE if self.standard_error is None else STANDARD_ERROR]
        uncertainty_values: tuple[float, ...] = () if self.standard_error is None else (self.standard_error,)
        if self.replicates:
            form, uncertainty_values = [len(self.replicates), fingerprint(self.numbers)], self.replicates
        return Block.of_lists(metric, algorithm, region, [NO_CASE], [form], [[self.value, *uncertainty_values]])


def fingerprint(numbers: Sequence[str]) -> int:
    """A whole number that is the same for the same numbers of replicates, and as good as never for others."""
    return int(sha256(list(numbers))[:15], 16)


def shared_of(cases: Sequence[str]) -> dict[str, Any]:
    """Return the shared part of the evidence of all algorithms: the complete list of cases."""
    return {SHARED: {"cases": list(cases)}}


def is_given(evidence: Evidence | CaseEvidence | None) -> bool:
    """Return whether evidence contains uncertainty measured elsewhere instead of the components of values."""
    if evidence is None:
        return False
    shared = evidence.header.get("shared", {}) if isinstance(evidence, Evidence) else evidence.shared
    return SHARED in shared


def cases_of(evidence: Evidence) -> tuple[str, ...]:
    """All cases of the data set, ascending."""
    if is_given(evidence):
        return tuple(sorted(evidence.header["shared"][SHARED]["cases"]))
    return evidence.cases


def most_draws(evidence: Evidence | None, wanted: int) -> int:
    """Return the number of possible draws, at most `wanted` and at most the number of replicates.

    A replicate that is used twice adds no information.
    """
    if evidence is None or not is_given(evidence):
        return wanted
    sent = [int(block.counts[0]) for block in evidence.blocks.values() if block.counts[0] > STANDARD_ERROR]
    return min([wanted, *sent])


def form_of(pieces: CaseEvidence) -> int:
    """The number of replicates, `STANDARD_ERROR` or `NONE`."""
    return int(pieces.block.counts[0])


def are_paired(blocks: Sequence[Block]) -> bool:
    """Return whether the replicates of several algorithms have the same numbers.

    In that case, each replicate refers to the same cases in all algorithms.
    """
    return len({tuple(block.counts.tolist()) for block in blocks if block.counts[0] > STANDARD_ERROR}) <= 1


def source_of(metric: MetricUse, evidence: Evidence | None, region: str) -> str:
    """Return the source of the uncertainty of a value: a key of `SOURCES`; empty if it is recomputed here.

    The value is one of the whole data set. All algorithms are limited to the information that is known of each
    of them. One algorithm without uncertainty leaves all without. One standard error makes their common part
    unknown.
    """
    if metric.options.get(WITHOUT):
        return NOTHING
    if evidence is None or not is_given(evidence):
        return ""
    forms = {
        int(block.counts[0])
        for block in evidence.blocks.values()
        if (block.part, block.region) == (metric.name, region)
    }
    if not forms or NONE in forms:
        return NOTHING
    return ERRORS if STANDARD_ERROR in forms else REPLICATES


def draws_of(metric: MetricUse, pieces: CaseEvidence, *, algorithm: str, number: int, seed: int) -> FloatArray | None:
    """Return the value followed by `number` draws of it, ``(1 + number,)``; ``None`` without uncertainty.

    Replicates are used as they were submitted. With a standard error, the draws are normal. They are
    independent between algorithms, because the common part of their errors is unknown. They move together in
    all metrics and regions of one algorithm, because a combination of them must not seem more certain than it
    is.
    """
    values = pieces.block.values
    form = form_of(pieces)
    if form == NONE:
        return None
    if form > STANDARD_ERROR:
        return np.asarray(values[: 1 + number])
    sign = 1.0 if metric.higher_is_better else -1.0
    deviations = sign * values[1] * _normal(algorithm, number, seed)
    return np.concatenate([values[:1], values[0] + deviations])


def _normal(algorithm: str, number: int, seed: int) -> npt.NDArray[np.float64]:
    """Standard normal deviates of one algorithm, the same on every machine."""
    # Here, so that pages about evidence start without SciPy.
    from scipy.special import ndtri

    words = np.random.Philox(key=int(sha256([VERSION, seed, algorithm])[:32], 16)).random_raw(number)
    return np.asarray(ndtri(((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53))
