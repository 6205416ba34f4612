"""Sign flips of units: all of them for few units, reproducible random ones for more (``podium-flips-1``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.canonical import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence

FLIPS_VERSION: Final = "podium-flips-1"
MOST_ENUMERATED: Final = 10
FEWEST_ROWS: Final = 1000
_WORD_BITS: Final = 64
_AT_ONCE: Final = 4096
SignArray = npt.NDArray[np.int8]
FloatArray = npt.NDArray[np.float64]


def flip_matrix(units: int, *, bootstrap: int, seed: int, cases: Sequence[str]) -> SignArray:
    """Signs of the units, rows × units; the first row is all +1.

    Parameters
    ----------
    units
        How many units there are. Up to ten, every combination stands there once and nothing is random.
    bootstrap
        Registered number of samples; more than ten units get so many rows, at least a thousand.
    seed, cases
        The key of the random signs, as for resampling: the same for all metrics and regions of a task.

    Examples
    --------
    >>> flip_matrix(2, bootstrap=0, seed=1, cases=["a", "b"]).tolist()
    [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    """
    if units <= MOST_ENUMERATED:
        rows = np.arange(2**units)[:, None]
        return (1 - 2 * ((rows >> np.arange(units)) & 1)).astype(np.int8)
    number = max(FEWEST_ROWS, bootstrap)
    key = int(sha256([FLIPS_VERSION, seed, list(cases)])[:32], 16)
    wanted = (number - 1) * units
    words = np.random.Philox(key=key).random_raw(-(-wanted // _WORD_BITS)).astype("<u8")
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")[:wanted].reshape(number - 1, units)
    signs = np.ones((number, units), dtype=np.int8)
    signs[1:] -= 2 * bits.astype(np.int8)
    return signs


def flipped_sums(signs: SignArray, contributions: FloatArray) -> FloatArray:
    """Sums of contributions under every flip, rows × columns."""
    if len(contributions) <= _AT_ONCE:
        return np.asarray(signs.astype(np.float64) @ contributions)
    total = np.zeros((len(signs), contributions.shape[1]))
    for start in range(0, len(contributions), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        total += signs[:, part].astype(np.float64) @ contributions[part]
    return total
