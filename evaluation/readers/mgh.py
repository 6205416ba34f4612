"""FreeSurfer volumes (``.mgz``, ``.mgh``), read by nibabel within bounds that are checked first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_affine, check_size, check_spacing
from evaluation.readers.inflating import DEFLATE_RATIO, Inflater, open_checked
from evaluation.readers.libraries import decoded, load_library

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

_HEADER_BYTES = 284
_FOOTER_BYTES = 1 << 20
"""Most bytes after the voxels: times of the scanner and the tags of programs, which are not read."""


def read_header(path: Path, limits: Limits) -> Header:
    """Read and check the header of a ``.mgz`` or ``.mgh`` file.

    Raises
    ------
    ReadError
        If the file is not such an image or asks for more than the limits allow.
    """
    name = path.name
    with open_checked(path, limits) as file:
        compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        block = Inflater(file, name).read(_HEADER_BYTES) if compressed else file.read(_HEADER_BYTES)
    if compressed != (path.suffix.lower() == ".mgz"):
        raise ReadError("magic", name, "gzip-compressed data" if compressed else "no gzip-compressed data")
    if block[:4] != b"\0\0\0\1":
        raise ReadError("magic", name, "no header of a FreeSurfer volume")
    if len(block) < _HEADER_BYTES:
        raise ReadError("truncated", name, f"{len(block)} bytes", f"a header of {_HEADER_BYTES} bytes")
    shape, dtype, affine = decoded(lambda: _grid(block), name, "header")
    if shape[3] != 1:
        raise ReadError("dimensions", name, f"{shape[3]} volumes", "one")
    size = check_size(shape[:3], dtype, name, limits)
    stored = path.stat().st_size
    if stored * (DEFLATE_RATIO if compressed else 1) < size:
        raise ReadError("truncated", name, f"{stored:,} bytes cannot hold the voxels", f"{size:,} bytes of voxels")
    spacing = check_spacing(tuple(float(length) for length in np.sqrt((affine[:3, :3] ** 2).sum(axis=0))), name)
    geometry = Geometry(shape[:3], spacing, check_affine(affine, name), oriented_format=True)
    return Header(geometry, lambda: _load(path, shape[:3], dtype, limits, compressed=compressed))


def _grid(block: bytes) -> tuple[tuple[int, ...], np.dtype[Any], NDArray[np.float64]]:
    """Shape, number type and matrix as nibabel reads them."""
    nibabel = load_library("nibabel", "FreeSurfer volumes")
    header = nibabel.freesurfer.mghformat.MGHHeader(block)
    shape = tuple(int(length) for length in header["dims"])
    return shape, np.dtype(header.get_data_dtype()), np.asarray(header.get_affine(), dtype=np.float64)


def _load(
    path: Path, shape: tuple[int, ...], dtype: np.dtype[Any], limits: Limits, *, compressed: bool
) -> NDArray[Any]:
    """The voxels between the header and what programs add after them."""
    data = np.empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize, dtype=np.uint8)
    with open_checked(path, limits) as file:
        if compressed:
            stream = Inflater(file, path.name)
            stream.read(_HEADER_BYTES)
            stream.read_into(data)
            stream.skip_rest(_FOOTER_BYTES)
        else:
            file.seek(_HEADER_BYTES)
            filled = file.readinto(data)  # type: ignore[attr-defined]
            if filled < data.size:
                raise ReadError("truncated", path.name, f"the data ends after {filled:,} bytes", f"{data.size:,} bytes")
            if len(file.read(_FOOTER_BYTES + 1)) > _FOOTER_BYTES:
                raise ReadError("trailing_data", path.name, "more data than the header declares")
    return data.view(dtype.newbyteorder(">")).reshape(shape, order="F")
