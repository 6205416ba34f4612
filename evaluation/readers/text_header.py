"""Common functions for the two formats with a text header, MetaImage and NRRD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.inflating import DEFLATE_RATIO, Inflater, open_checked, read_plain

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

LPS_TO_RAS = np.diag([-1.0, -1.0, 1.0])
"""From coordinates to the left and back, as ITK counts, to the right and front, as NIfTI counts."""


def numbers(text: str, file: str, *, count: int | None = None) -> tuple[float, ...]:
    """Read numbers that are separated by spaces.

    Raises
    ------
    ReadError
        With kind ``header`` if they are not numbers or their number differs from ``count``.
    """
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        raise ReadError("header", file, f"{text[:40]!r} among the fields", "numbers") from None
    if count is not None and len(values) != count:
        raise ReadError("header", file, f"{len(values)} numbers in a field", f"{count}")
    return values


def sizes(text: str, file: str) -> tuple[int, ...]:
    """Read the size along each axis."""
    values = numbers(text, file)
    if not all(1 <= value < 1 << 31 and value == int(value) for value in values):
        raise ReadError("header", file, f"a size of {text[:40]!r}", "whole numbers from 1 on")
    return tuple(int(value) for value in values)


def matrix(directions: NDArray[np.float64], origin: tuple[float, ...]) -> NDArray[np.float64]:
    """Build a 4 × 4 affine from the vectors of two or three axes, as columns, and the place of the first voxel."""
    dimensions = directions.shape[1]
    affine = np.eye(4)
    affine[:dimensions, :dimensions] = directions
    affine[:dimensions, 3] = origin
    return affine


def check_stored(path: Path, offset: int, size: int, *, compressed: bool) -> None:
    """Refuse a file that cannot hold what its header declares.

    Raises
    ------
    ReadError
        With kind ``truncated``.
    """
    stored = path.stat().st_size - offset
    if stored * (DEFLATE_RATIO if compressed else 1) < size:
        raise ReadError("truncated", path.name, f"{stored:,} bytes after the header", f"{size:,} bytes of voxels")


def load(
    path: Path,
    offset: int,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    limits: Limits,
    *,
    compression: str | None,
    numbers: int,
) -> NDArray[Any]:
    """Read voxels that follow a header; ``compression`` is ``None``, ``gzip`` or ``zlib``.

    Several numbers of a voxel are adjacent in the file and become the last axis.
    """
    data = np.empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize * numbers, dtype=np.uint8)
    with open_checked(path, limits) as file:
        file.seek(offset)
        if compression is None:
            read_plain(file, path.name, data)
        else:
            stream = Inflater(file, path.name, zlib_stream=compression == "zlib")
            stream.read_into(data)
            stream.finish()
    if numbers > 1:
        return np.moveaxis(data.view(dtype).reshape((numbers, *shape), order="F"), 0, -1)
    return data.view(dtype).reshape(shape, order="F")
