"""MetaImage files (``.mha``) with the voxels in the same file, and headers (``.mhd``) with the voxels in a file next to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_affine, check_size, check_spacing
from evaluation.readers.inflating import open_checked
from evaluation.readers.text_header import LPS_TO_RAS, check_stored, load, matrix, numbers, sizes

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers.limits import Limits

_TYPES: Final = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
HEADER_BYTES: Final = 1 << 16
"""A longer header is not read."""


LOCAL: Final = "LOCAL"
DATA_ENDINGS: Final = (".raw", ".zraw")
"""Usual endings of the voxels of a header in a file of its own."""


@dataclass(frozen=True)
class _Voxels:
    """Place of the voxels: the file, the first byte, and how they are stored."""

    path: Path
    offset: int
    dtype: np.dtype[Any]
    is_compressed: bool


def read_header(path: Path, limits: Limits, *, vectors: bool = False) -> Header:
    """Read and check the header of a ``.mha`` or ``.mhd`` file.

    With ``vectors``, a voxel has one number per axis of the image, on the last axis of the data. A ``.mhd`` header may name
    a file in its own folder; a ``.mha`` file contains its voxels.

    Raises
    ------
    ReadError
        If the file is not such an image, names a file outside its folder, or exceeds the limits.
    """
    name = path.name
    with open_checked(path, limits) as file:
        start = file.read(HEADER_BYTES)
    fields, offset = _fields(start, name)
    if fields.get("ObjectType", "Image") != "Image":
        raise ReadError("magic", name, "a MetaIO object that is no image")
    data_path = _data_path(path, fields["ElementDataFile"], limits)
    shape = sizes(fields["DimSize"], name)
    (dimensions,) = numbers(fields["NDims"], name, count=1)
    if int(dimensions) != len(shape):
        raise ReadError("header", name, f"{fields['NDims']} dimensions but {len(shape)} sizes")
    channels = len(shape) if vectors else 1
    given = fields.get("ElementNumberOfChannels", "1")
    if given != str(channels):
        kind, wanted = ("vector", f"{channels} numbers") if vectors else ("dimensions", "one number")
        raise ReadError(kind, name, f"{given[:40]} numbers a voxel", f"{wanted} a voxel")
    dtype, is_compressed = _stored_as(fields, name)
    size = check_size(shape, dtype, name, limits, numbers=channels)
    if data_path != path:
        offset = _offset(fields, data_path, size, is_compressed=is_compressed, name=name)
    voxels = _Voxels(data_path, offset, dtype, is_compressed)
    check_stored(voxels.path, voxels.offset, size, compressed=is_compressed)
    return Header(
        _geometry(fields, shape, name),
        lambda: load(
            voxels.path,
            voxels.offset,
            shape,
            voxels.dtype,
            limits,
            compression="zlib" if voxels.is_compressed else None,
            numbers=channels,
        ),
        channels=channels,
    )


_KEPT: Final = frozenset(
    (
        *("ObjectType", "NDims", "DimSize", "ElementNumberOfChannels", "ElementType", "BinaryData"),
        *("BinaryDataByteOrderMSB", "ElementByteOrderMSB", "CompressedData", "CompressedDataSize", "ElementSpacing"),
        *("ElementSize", "Offset", "Position", "Origin", "TransformMatrix", "Rotation", "Orientation"),
    )
)
"""Entries of a header that place and describe voxels."""


def data_file(start: bytes, name: str) -> str:
    """Return the name of the file of the voxels according to the beginning of a ``.mhd`` file; empty if it contains them.

    Parameters
    ----------
    start
        The first bytes, at least `HEADER_BYTES` of a longer file.
    name
        Name of the file, for messages.

    Raises
    ------
    ReadError
        If it is no such header, or the named file cannot be one in the same folder.
    """
    fields, _ = _fields(start[:HEADER_BYTES], name)
    return _plain_name(fields["ElementDataFile"], name)


def as_one_file(start: bytes, name: str) -> bytes:
    """Return the header of a ``.mha`` file with the voxels of a ``.mhd`` header, which must follow the result.

    Raises
    ------
    ReadError
        As for `data_file`; also if the voxels do not begin at the first byte of their file.
    """
    fields, _ = _fields(start[:HEADER_BYTES], name)
    if fields.get("HeaderSize", "0") not in ("0", "-1"):
        raise ReadError("header", name, "bytes before the voxels", "a data file of voxels alone")
    # Other entries can be anything, such as tags that name the patient.
    fields = {key: value for key, value in fields.items() if key in _KEPT}
    return "".join(f"{key} = {value}\n" for key, value in (fields | {"ElementDataFile": LOCAL}).items()).encode()


def _plain_name(value: str, name: str) -> str:
    """The name of a file in the folder of the header; empty for voxels in the header's file."""
    if value.upper() == LOCAL:
        return ""
    if value.upper().startswith("LIST") or "%" in value:
        raise ReadError("header", name, "a list of several data files", "one data file")
    plain = PurePosixPath(value.replace("\\", "/"))
    is_plain = len(plain.parts) == 1 and value not in (".", "..") and ":" not in value and "\0" not in value
    if not is_plain:
        raise ReadError("header", name, "a data file in another folder", "a data file in the same folder")
    return value


def _data_path(path: Path, value: str, limits: Limits) -> Path:
    """The file of the voxels, which is in the folder of its header."""
    if path.suffix.lower() != ".mhd" and value != LOCAL:
        raise ReadError("header", path.name, "its voxels are in another file", "header and voxels in one file")
    data_name = _plain_name(value, path.name)
    if not data_name:
        return path
    data_path = path.with_name(data_name)
    if data_path.is_symlink():
        raise ReadError("header", path.name, "its data file is a link", "a data file in the same folder")
    if not data_path.is_file():
        raise ReadError(
            "not_found",
            path.name,
            f"its data file {data_name[:80]} is missing",
            "it in the same folder, for one header only",
        )
    with open_checked(data_path, limits):
        return data_path


def _offset(fields: dict[str, str], data_path: Path, size: int, *, is_compressed: bool, name: str) -> int:
    """The first byte of the voxels in a file of their own; a size of -1 means that they end the file."""
    (skipped,) = numbers(fields.get("HeaderSize", "0"), name, count=1)
    if skipped == -1 and not is_compressed:
        return max(0, data_path.stat().st_size - size)
    if not (skipped in (0, -1) or (0 < skipped < data_path.stat().st_size and skipped == int(skipped))):
        raise ReadError("header", name, f"{fields['HeaderSize'][:40]} bytes before the voxels", "0, -1 or fewer")
    return max(0, int(skipped))


def _stored_as(fields: dict[str, str], name: str) -> tuple[np.dtype[Any], bool]:
    """The type of the voxels in the file, and whether they are compressed."""
    if fields["ElementType"] not in _TYPES:
        raise ReadError("datatype", name, f"voxels of type {fields['ElementType'][:40]}", "whole numbers")
    if fields.get("BinaryData", "True").lower() != "true":
        raise ReadError("header", name, "voxels written as text", "binary voxels")
    big = fields.get("BinaryDataByteOrderMSB", fields.get("ElementByteOrderMSB", "False")).lower() == "true"
    dtype = np.dtype((">" if big else "<") + _TYPES[fields["ElementType"]])
    return dtype, fields.get("CompressedData", "False").lower() == "true"


def _fields(start: bytes, name: str) -> tuple[dict[str, str], int]:
    """Split the header into its fields; it ends with the line that names the data file."""
    fields: dict[str, str] = {}
    position = 0
    while "ElementDataFile" not in fields:
        end = start.find(b"\n", position)
        line = start[position:end]
        key, sign, value = line.partition(b"=")
        if end == -1 or not sign or not line.isascii():
            raise ReadError("magic", name, "no MetaImage header")
        fields[key.decode().strip()] = value.decode().strip()
        position = end + 1
    for required in ("NDims", "DimSize", "ElementType"):
        if required not in fields:
            raise ReadError("header", name, f"no field {required}")
    return fields, position


def _geometry(fields: dict[str, str], shape: tuple[int, ...], name: str) -> Geometry:
    count = len(shape)
    spacing_text = fields.get("ElementSpacing", fields.get("ElementSize", "1 " * count))
    spacing = check_spacing(numbers(spacing_text, name, count=count), name)
    origin_text = fields.get("Offset", fields.get("Position", fields.get("Origin", "0 " * count)))
    origin = numbers(origin_text, name, count=count)
    identity = " ".join(f"{value:g}" for value in np.eye(count).ravel())
    direction_text = fields.get("TransformMatrix", fields.get("Rotation", fields.get("Orientation", identity)))
    axes = np.reshape(numbers(direction_text, name, count=count * count), (count, count)).T
    flip = LPS_TO_RAS[:count, :count]
    affine = matrix(flip @ axes * np.asarray(spacing), tuple(flip @ np.asarray(origin)))
    return Geometry(shape, spacing, check_affine(affine, name), oriented_format=True)
