"""NIfTI-1 and NIfTI-2 images in one file, compressed or not."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_affine, check_size, check_spacing
from evaluation.readers.inflating import DEFLATE_RATIO, Inflater, open_checked, read_plain

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.geometry import Affine
    from evaluation.readers.limits import Limits

_TYPES: Final = {
    2: "u1",
    4: "i2",
    8: "i4",
    16: "f4",
    64: "f8",
    256: "i1",
    512: "u2",
    768: "u4",
    1024: "i8",
    1280: "u8",
}


class _Fields:
    """The fields that matter, from either version of the header."""

    def __init__(self, block: bytes, name: str) -> None:
        order, is_second = _recognise(block, name)
        self.order = order
        take = struct.unpack_from
        if not is_second:
            self.dim = take(order + "8h", block, 40)
            (self.intent,) = take(order + "h", block, 68)
            (self.code,) = take(order + "h", block, 70)
            self.pixdim = take(order + "8f", block, 76)
            self.offset, self.slope, self.intercept = take(order + "3f", block, 108)
            self.qform, self.sform = take(order + "2h", block, 252)
            self.quaternion = take(order + "6f", block, 256)
            self.rows = take(order + "12f", block, 280)
        else:
            (self.code,) = take(order + "h", block, 12)
            self.dim = take(order + "8q", block, 16)
            self.pixdim = take(order + "8d", block, 104)
            (self.offset,) = take(order + "q", block, 168)
            self.slope, self.intercept = take(order + "2d", block, 176)
            self.qform, self.sform = take(order + "2i", block, 344)
            self.quaternion = take(order + "6d", block, 352)
            (self.intent,) = take(order + "i", block, 504)
            self.rows = take(order + "12d", block, 400)


def read_header(path: Path, limits: Limits) -> Header:
    """Read and check the header of a ``.nii`` or ``.nii.gz`` file.

    Raises
    ------
    ReadError
        If the file is not such an image or asks for more than the limits allow.
    """
    fields, block_bytes = _read_fields(path, limits)
    name = path.name
    shape = _shape(fields.dim, name)
    return _header(path, limits, fields, block_bytes, shape, shape)


def read_vector_header(path: Path, limits: Limits) -> Header:
    """Read and check the header of a file with several numbers a voxel, which are the last axis of its data.

    Taken are vector images of five dimensions, X × Y × Z × 1 × numbers, and scalar ones of four, X × Y × Z × numbers; in two
    dimensions Z is 1.

    Raises
    ------
    ReadError
        If the file is not such an image or asks for more than the limits allow.
    """
    fields, block_bytes = _read_fields(path, limits)
    name, count = path.name, fields.dim[0]
    sizes = tuple(fields.dim[1 : count + 1]) if 1 <= count <= 7 else ()
    if count == 5 and sizes[3] == 1:
        grid, numbers = sizes[:3], sizes[4]
    elif count == 4:
        grid, numbers = sizes[:3], sizes[3]
    else:
        raise ReadError("vector", name, " × ".join(map(str, sizes)) + " numbers", "X × Y × Z × 3, one vector a voxel")
    if grid[2] == 1 and numbers == 2:
        grid = grid[:2]
    if numbers != len(grid):
        dimensions = " × ".join(map(str, (*sizes[:3], numbers)))
        raise ReadError(
            "vector", name, f"{dimensions} numbers", f"{len(grid)} numbers, one vector a voxel of the fixed image"
        )
    header = _header(path, limits, fields, block_bytes, grid, (*grid, numbers))
    return replace(header, channels=numbers, intent=int(fields.intent), is_scalar=count == 4)


def _read_fields(path: Path, limits: Limits) -> tuple[_Fields, int]:
    name = path.name
    with open_checked(path, limits) as file:
        compressed = _is_compressed(path, file)
        if compressed and file.read(2) != b"\x1f\x8b":
            raise ReadError("magic", name, "the file is not gzip-compressed")
        file.seek(0)
        block = Inflater(file, name).read(348) if compressed else file.read(348)
        if _is_version_2(block):
            file.seek(0)
            block = Inflater(file, name).read(540) if compressed else file.read(540)
    return _Fields(block, name), len(block)


def _header(
    path: Path, limits: Limits, fields: _Fields, block_bytes: int, grid: tuple[int, ...], shape: tuple[int, ...]
) -> Header:
    """The header of an image on a grid, whose data has a shape with perhaps one more axis."""
    name = path.name
    with open_checked(path, limits) as file:
        compressed = _is_compressed(path, file)
    if fields.code not in _TYPES:
        raise ReadError("datatype", name, f"voxels of NIfTI type {fields.code}", "whole numbers")
    dtype = np.dtype(fields.order + _TYPES[fields.code])
    size = check_size(grid, dtype, name, limits, numbers=shape[-1] if len(shape) > len(grid) else 1)
    offset = _offset(fields.offset, block_bytes, name, limits)
    stored = path.stat().st_size
    if stored * (DEFLATE_RATIO if compressed else 1) < size:
        raise ReadError("truncated", name, f"{stored:,} bytes cannot hold the voxels", f"{size:,} bytes of voxels")
    slope, intercept = _scaling(fields.slope, fields.intercept, name)
    return Header(_geometry(fields, grid, name), lambda: _load(path, offset, shape, dtype, limits), slope, intercept)


def _load(path: Path, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any], limits: Limits) -> NDArray[Any]:
    data = np.empty(math.prod(shape) * dtype.itemsize, dtype=np.uint8)
    with open_checked(path, limits) as file:
        if _is_compressed(path, file):
            stream = Inflater(file, path.name)
            stream.read(offset)
            stream.read_into(data)
            stream.finish()
        else:
            file.seek(offset)
            read_plain(file, path.name, data)
    return data.view(dtype).reshape(shape, order="F")


def _is_compressed(path: Path, file: BinaryIO) -> bool:
    """Return whether the content is compressed: by the name, or by the first bytes where a name is only ``.nii``."""
    if path.suffix.lower() == ".gz":
        return True
    start = file.read(2)
    file.seek(0)
    return start == b"\x1f\x8b"


def _is_version_2(block: bytes) -> bool:
    return 540 in (int.from_bytes(block[:4], "little"), int.from_bytes(block[:4], "big"))


def _recognise(block: bytes, name: str) -> tuple[str, bool]:
    """Order of bytes, and whether the header is one of the second version."""
    if len(block) < 348:
        raise ReadError("truncated", name, f"{len(block)} bytes", "a header of 348 bytes")
    for order in "<>":
        (size,) = struct.unpack_from(order + "i", block)
        if size == 348 and block[344:] == b"n+1\0":
            return order, False
        if size == 540 and block[4:8] == b"n+2\0":
            if len(block) < 540:
                raise ReadError("truncated", name, f"{len(block)} bytes", "a header of 540 bytes")
            return order, True
    if block[344:] == b"ni1\0":
        raise ReadError("magic", name, "the header of an image in two files (.hdr and .img)", "one file")
    raise ReadError("magic", name, "no NIfTI header")


def _shape(dim: tuple[int, ...], name: str) -> tuple[int, ...]:
    count = dim[0]
    if not 1 <= count <= 7:
        raise ReadError("header", name, f"{count} dimensions", "2 or 3")
    shape = list(dim[1 : count + 1])
    while len(shape) > 3 and shape[-1] == 1:
        shape.pop()
    if len(shape) < 2:
        shape.append(1)
    return tuple(shape)


def _offset(value: float, header: int, name: str, limits: Limits) -> int:
    if not math.isfinite(value) or value != int(value):
        raise ReadError("header", name, f"data from byte {value} on")
    offset = int(value) or (352 if header == 348 else 544)
    if not header <= offset <= limits.header_bytes:
        raise ReadError("header", name, f"data from byte {offset:,} on", f"at most {limits.header_bytes:,}")
    return offset


def _scaling(slope: float, intercept: float, name: str) -> tuple[float, float]:
    if slope == 0 or math.isnan(slope):
        return 1.0, 0.0
    if not (math.isfinite(slope) and math.isfinite(intercept)):
        raise ReadError("header", name, f"a scaling of {slope} and {intercept}", "finite numbers")
    return float(slope), float(intercept)


def _geometry(fields: _Fields, shape: tuple[int, ...], name: str) -> Geometry:
    affine: Affine | None = None
    second: Affine | None = None
    spacing = tuple(abs(float(size)) or 1.0 for size in fields.pixdim[1 : len(shape) + 1])
    if fields.sform > 0:
        matrix = np.eye(4)
        matrix[:3] = np.reshape(fields.rows, (3, 4))
        affine = check_affine(matrix, name)
        columns = np.sqrt((matrix[:3, : len(shape)] ** 2).sum(axis=0))
        spacing = tuple(float(size) for size in columns)
        second = _second_affine(fields, affine, name) if fields.qform > 0 else None
    elif fields.qform > 0:
        affine = check_affine(_from_quaternion(fields), name)
    return Geometry(shape, check_spacing(spacing, name), affine, oriented_format=True, qform=second)


def _second_affine(fields: _Fields, affine: Affine, name: str) -> Affine | None:
    """The matrix of the quaternion; ``None`` if it equals the other one or cannot be used, since that one counts."""
    try:
        second = check_affine(_from_quaternion(fields), name)
    except (ReadError, ValueError):
        return None
    return None if second == affine else second


def _from_quaternion(fields: _Fields) -> NDArray[np.float64]:
    b, c, d, *offset = (float(number) for number in fields.quaternion)
    rest = 1.0 - (b * b + c * c + d * d)
    if rest < 1e-7:
        length = math.sqrt(b * b + c * c + d * d)
        b, c, d, a = b / length, c / length, d / length, 0.0
    else:
        a = math.sqrt(rest)
    rotation = np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b],
        ]
    )
    sizes = np.array([abs(float(size)) or 1.0 for size in fields.pixdim[1:4]])
    sizes[2] *= -1.0 if fields.pixdim[0] < 0 else 1.0
    matrix = np.eye(4)
    matrix[:3, :3] = rotation * sizes
    matrix[:3, 3] = offset
    return matrix
