"""Content of the header of every image format, checked against the limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evaluation.readers.geometry import Geometry
    from evaluation.readers.limits import Limits


@dataclass(frozen=True)
class Header:
    """A checked header; the data has not been read yet.

    Attributes
    ----------
    geometry
        The grid.
    load
        Function that reads the data: an array of the grid's shape, with the number type of the file.
    slope, intercept
        Stored numbers mean ``slope * number + intercept``.
    channels
        Numbers per voxel; if there are several, they are the last axis of the data.
    intent
        Meaning of the vectors according to a NIfTI header; 0 for none.
    is_scalar
        Whether a NIfTI file declares its last axis as an axis of the image rather than of vectors.
    on_grid
        Function that returns the header on another grid, for a file that may omit planes without labels; ``None`` for
        others.
    """

    geometry: Geometry
    load: Callable[[], NDArray[Any]]
    slope: float = 1.0
    intercept: float = 0.0
    channels: int = 1
    intent: int = 0
    is_scalar: bool = False
    on_grid: Callable[[Geometry], Header] | None = None


def check_size(shape: tuple[int, ...], dtype: np.dtype[Any], file: str, limits: Limits, *, numbers: int = 1) -> int:
    """Return the size of the data in bytes, with `numbers` numbers per voxel.

    Raises
    ------
    ReadError
        With kind ``dimensions``, ``datatype`` or ``too_large``.
    """
    if len(shape) not in (2, 3):
        raise ReadError("dimensions", file, f"{len(shape)} dimensions", "2 or 3")
    if min(shape) < 1:
        raise ReadError("header", file, f"a size of {min(shape)} along an axis", "at least 1")
    if max(shape) > limits.axis:
        raise ReadError("too_large", file, f"{max(shape):,} voxels along an axis", f"at most {limits.axis:,}")
    if dtype.kind not in "uif" or dtype.itemsize > 8:
        raise ReadError("datatype", file, f"voxels of type {dtype}", "whole numbers")
    size = math.prod(shape) * dtype.itemsize * numbers
    if size > limits.decoded_bytes:
        raise ReadError("too_large", file, f"{size:,} bytes of voxels", f"at most {limits.decoded_bytes:,}")
    return size


def check_spacing(spacing: tuple[float, ...], file: str) -> tuple[float, ...]:
    """Return the spacing.

    Raises
    ------
    ReadError
        With kind ``header`` if a spacing is not a positive finite number.
    """
    if not all(math.isfinite(size) and 1e-9 < size < 1e9 for size in spacing):
        raise ReadError("header", file, f"a voxel size of {spacing}", "positive numbers")
    return spacing


def check_affine(matrix: NDArray[np.float64], file: str) -> tuple[tuple[float, ...], ...]:
    """Return the matrix as plain numbers.

    Raises
    ------
    ReadError
        With kind ``header`` if it is not finite or flattens the volume.
    """
    columns = matrix[:3, :3]
    lengths = np.sqrt((columns**2).sum(axis=0))
    if not np.isfinite(matrix).all() or lengths.min() <= 1e-9 or abs(np.linalg.det(columns / lengths)) < 1e-3:
        raise ReadError("header", file, "an affine that is not invertible")
    return tuple(tuple(float(number) for number in row) for row in matrix)
