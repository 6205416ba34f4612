"""Conversion of stored numbers to labels: whole, not negative, in the smallest sufficient integer type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

_PIECE = 1 << 20
_RUN = 1 << 16
_FLOAT32_ROUNDING = 1e-7
"""Relative rounding of the intercept of a header, a 32-bit float."""


def to_labels(numbers: NDArray[Any], slope: float, intercept: float, file: str, limits: Limits) -> NDArray[Any]:
    """Return the labels as ``uint8``, ``uint16`` or ``uint32``.

    Labels stored as floating-point numbers are accepted if they are exact. Stored whole numbers with a scaling below 1
    are steps, and a label is accepted if it lies within half a step of a whole number: no step is nearer to it.

    Raises
    ------
    ReadError
        With kind ``not_finite``, ``negative``, ``not_integer``, ``scaled`` or ``label_range``.
    """
    is_scaled = (slope, intercept) != (1.0, 0.0)
    if is_scaled:
        numbers = _rescaled(numbers, slope, intercept, file)
    if numbers.dtype == np.uint8:
        return numbers
    low, high = numbers.min(), numbers.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ReadError("not_finite", file, "NaN or infinity among the voxels", "labels")
    if low < 0:
        raise ReadError("negative", file, f"the label {_digits(low)}", "labels from 0 on")
    if high > limits.label:
        raise ReadError("label_range", file, f"the label {int(high)}", f"labels up to {limits.label}")
    labels = numbers.astype(np.min_scalar_type(int(high)), order="K")
    if numbers.dtype.kind == "f" and not np.array_equal(labels, numbers):
        odd = next(value for value in numbers.flat if value != int(value))
        share = float(np.count_nonzero(labels != numbers)) / numbers.size
        words = f"the value {_digits(odd)}, and {100 * share:.3g} % of the voxels are no whole numbers"
        raise ReadError("not_integer", file, words, "whole numbers")
    return labels


def _rescaled(numbers: NDArray[Any], slope: float, intercept: float, file: str) -> NDArray[Any]:
    """Apply the scaling of a header; steps of less than 1 are rounded to the whole number within half a step."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = numbers.astype(np.float64) * slope + intercept
    if numbers.dtype.kind == "f" or abs(slope) >= 1 or not np.isfinite(slope * intercept):
        return values
    whole = np.rint(values)
    # Sums of 64-bit floats are off by far less than this share of a step.
    away = np.abs(values - whole) > abs(slope) * (0.5 + 1e-6) + _FLOAT32_ROUNDING * abs(intercept)
    if away.any():
        share = float(np.count_nonzero(away)) / away.size
        raise ReadError(
            "scaled",
            file,
            f"the header scales stored numbers by {_digits(slope)}, which gives {_digits(values[away].flat[0])} and "
            f"other values between whole numbers in {100 * share:.3g} % of the voxels",
            "whole numbers",
        )
    return whole + 0.0


def _digits(number: Any) -> str:
    """A number with as many digits as distinguish it.

    Examples
    --------
    >>> _digits(np.float32(1.0000001)), _digits(3.0), _digits(1.0000152)
    ('1.0000001', '3', '1.0000152')
    """
    return str(number).removesuffix(".0")


def labels_present(labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return the labels that occur, ascending, in memory that does not grow with the image.

    Examples
    --------
    >>> labels_present(np.array([[0, 3], [3, 1]], dtype=np.uint8))
    array([0, 1, 3])
    """
    flat = labels.ravel(order="K")
    if labels.dtype.itemsize <= 2:
        seen = np.zeros(256**labels.dtype.itemsize, dtype=bool)
        for start in range(0, flat.size, _RUN):
            piece = flat[start : start + _RUN]
            low, high = piece.min(), piece.max()
            # Most of an image is background: one number throughout is told much faster than looked up voxel by voxel.
            seen[low if low == high else piece] = True
        return np.flatnonzero(seen)
    pieces = [np.unique(flat[start : start + _PIECE]) for start in range(0, flat.size, _PIECE)]
    return np.unique(np.concatenate(pieces)).astype(np.int64)
