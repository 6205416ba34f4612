"""Samples of the cases of a task, in the form that ranking schemes take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Drawn:
    """Cases of the samples; a case that is sampled k times appears k times.

    Attributes
    ----------
    cases, samples
        Case and sample of every draw, sample by sample.
    copies
        For each resampled level above the case, the resampled copy to which the draw belongs: a cluster that is
        sampled twice counts as two clusters. Copies are numbered over all samples.
    """

    cases: IntArray
    samples: IntArray
    copies: Mapping[str, IntArray]


@dataclass(frozen=True)
class Samples:
    """The samples that a scheme is applied to: multiplicities of cases, and the draws where levels need them."""

    counts: FloatArray
    drawn: Drawn

    @property
    def number(self) -> int:
        """Number of samples."""
        return int(self.counts.shape[1])
