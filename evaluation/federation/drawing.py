"""Draws of the centre, the same on every machine: ``podium-pool-1``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VERSION: Final = "podium-pool-1"
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
_SINGULAR: Final = 1e-12


def key_of(seed: int, sites: Sequence[str]) -> str:
    """Key of the generator, 32 hexadecimal digits.

    Examples
    --------
    >>> key_of(1, ["S-01", "S-02"])
    '445237be34f6c46c2adabd77bc978674'
    """
    return sha256([VERSION, seed, sorted(sites)])[:32]


def words(seed: int, sites: Sequence[str], samples: int, each: int) -> Words:
    """Return random 64-bit numbers, samples × `each`."""
    generator = np.random.Philox(key=int(key_of(seed, sites), 16))
    random_words: Words = generator.random_raw(samples * each).reshape(samples, each)
    return random_words


def picked(word: Words, number: int) -> IntArray:
    """A whole number from 0 to `number` - 1 from each word."""
    return (((word >> np.uint64(32)) * np.uint64(number)) >> np.uint64(32)).astype(np.int64)


def normal(word: Words) -> FloatArray:
    """A standard normal deviate from each word."""
    return np.asarray(ndtri(((word >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53))


def replicate_rows(replicates: Mapping[str, Any]) -> FloatArray:
    """The resampled scores of a site, one row a resample, in the order in which they are picked."""
    counts = [count for count, _ in replicates["rows"]]
    return np.repeat(np.array([row for _, row in replicates["rows"]], dtype=np.float64), counts, axis=0)


def triangular(matrix: FloatArray) -> FloatArray:
    """Lower triangle L with L Lᵀ = matrix; columns without variance of their own are 0, so that twins stay tied."""
    size = len(matrix)
    limit = _SINGULAR * max(float(np.diag(matrix).max(initial=0.0)), 0.0)
    lower = np.zeros((size, size))
    for column in range(size):
        rest = matrix[column:, column] - lower[column:, :column] @ lower[column, :column]
        if rest[0] > limit:
            lower[column:, column] = rest / np.sqrt(rest[0])
    return lower
