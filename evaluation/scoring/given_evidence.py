"""Evidence of values of the whole data set that were measured elsewhere: what whoever measured them says of their uncertainty.

Nobody here knows what such a value is made of, so that it cannot be recomputed. In place of that stand replicates, the value on resamples
that were drawn elsewhere (the same resample behind one number for all algorithms), or a standard error, or the word that none is given.

A block has one row without a case. ``counts`` says which form it has: the number of replicates, 0 for a standard error, -1 for none; and behind
that of replicates a fingerprint of their numbers, which is the same where they are paired. ``values`` are the value itself, and behind it the
replicates or the standard error. What the evidence of all algorithms has in common is the complete list of cases.
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
"""How draws are made of standard errors; `docs/ranking.md` specifies it."""
NO_CASE: Final = ""
NONE: Final = -1
STANDARD_ERROR: Final = 0
FEWEST_REPLICATES: Final = 200
REPLICATES, ERRORS, NOTHING = "replicates", "standard_errors", "nothing"
SOURCES: Final = (REPLICATES, ERRORS, NOTHING)


@dataclass(frozen=True)
class Given:
    """A value of the whole data set with what is known of its uncertainty.

    Attributes
    ----------
    value
        The value itself.
    replicates
        The value on each resample, in the order of their numbers; empty without any.
    numbers
        What tells the replicates apart.
    standard_error
        Of the value; ``None`` with replicates, and where nothing is known.
    """

    value: float
    replicates: tuple[float, ...] = ()
    numbers: tuple[str, ...] = ()
    standard_error: float | None = None

    def block(self, metric: str, algorithm: str, region: str) -> Block:
        """As evidence holds it."""
        form = [NONE if self.standard_error is None else STANDARD_ERROR]
        uncertainty_values: tuple[float, ...] = () if self.standard_error is None else (self.standard_error,)
        if self.replicates:
            form, uncertainty_values = [len(self.replicates), fingerprint(self.numbers)], self.replicates
        return Block.of_lists(metric, algorithm, region, [NO_CASE], [form], [[self.value, *uncertainty_values]])


def fingerprint(numbers: Sequence[str]) -> int:
    """A whole number that is the same for the same numbers of replicates, and as good as never for others."""
    return int(sha256(list(numbers))[:15], 16)


def shared_of(cases: Sequence[str]) -> dict[str, Any]:
    """What the evidence of all algorithms has in common: the complete list of cases."""
    return {SHARED: {"cases": list(cases)}}


def is_given(evidence: Evidence | CaseEvidence | None) -> bool:
    """Whether evidence says what somebody else drew, and not what values are made of."""
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
    """How many draws there can be of so many wanted: no more than replicates, since one that is taken twice tells nothing new."""
    if evidence is None or not is_given(evidence):
        return wanted
    sent = [int(block.counts[0]) for block in evidence.blocks.values() if block.counts[0] > STANDARD_ERROR]
    return min([wanted, *sent])


def form_of(pieces: CaseEvidence) -> int:
    """The number of replicates, `STANDARD_ERROR` or `NONE`."""
    return int(pieces.block.counts[0])


def are_paired(blocks: Sequence[Block]) -> bool:
    """Whether the replicates of several algorithms have the same numbers, so that each stands for the same cases in all of them."""
    return len({tuple(block.counts.tolist()) for block in blocks if block.counts[0] > STANDARD_ERROR}) <= 1


def source_of(metric: MetricUse, evidence: Evidence | None, region: str) -> str:
    """Where the uncertainty of a value of the whole data set is from: a key of `SOURCES`; empty where it is recomputed here.

    As little as is known of any algorithm is known of all: one that came without uncertainty leaves all of them without, and one
    standard error makes what all have in common unknown.
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
    """The value, and behind it so many draws of it, ``(1 + number,)``; ``None`` where nothing is known of its uncertainty.

    Replicates are taken as they were sent. With a standard error, draws are normal: independent from algorithm to algorithm, since nobody
    knows what their errors have in common, and up and down together in all metrics and regions of one algorithm, so that what is
    combined of them does not seem surer than it may be.
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
