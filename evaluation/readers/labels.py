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


def to_labels(numbers: NDArray[Any], slope: float, intercept: float, file: str, limits: Limits) -> NDArray[Any]:
    """Return the labels as ``uint8``, ``uint16`` or ``uint32``.

    Labels stored as floating-point numbers are accepted if they are exact.

    Raises
    ------
    ReadError
        With kind ``not_finite``, ``negative``, ``not_integer`` or ``label_range``.
    """
    if (slope, intercept) != (1.0, 0.0):
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = numbers * slope + intercept
    if numbers.dtype == np.uint8:
        return numbers
    low, high = numbers.min(), numbers.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ReadError("not_finite", file, "NaN or infinity among the voxels", "labels")
    if low < 0:
        raise ReadError("negative", file, f"the label {low:g}", "labels from 0 on")
    if high > limits.label:
        raise ReadError("label_range", file, f"the label {int(high)}", f"labels up to {limits.label}")
    labels = numbers.astype(np.min_scalar_type(int(high)), order="K")
    if numbers.dtype.kind == "f" and not np.array_equal(labels, numbers):
        odd = next(float(value) for value in numbers.flat if value != int(value))
        raise ReadError("not_integer", file, f"the value {odd:g}", "whole numbers")
    return labels


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
