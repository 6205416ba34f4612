"""MetaImage files (``.mha``) with the voxels in the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
_LONGEST: Final = 1 << 16


def read_header(path: Path, limits: Limits, *, vectors: bool = False) -> Header:
    """Read and check the header of a ``.mha`` file.

    With ``vectors``, a voxel has one number per axis of the image, on the last axis of the data.

    Raises
    ------
    ReadError
        If the file is not such an image, refers to another file for its voxels, or exceeds the limits.
    """
    name = path.name
    with open_checked(path, limits) as file:
        start = file.read(_LONGEST)
    fields, offset = _fields(start, name)
    if fields.get("ObjectType", "Image") != "Image":
        raise ReadError("magic", name, "a MetaIO object that is no image")
    if fields["ElementDataFile"] != "LOCAL":
        raise ReadError("header", name, "its voxels stand in another file", "header and voxels in one file")
    shape = sizes(fields["DimSize"], name)
    (dimensions,) = numbers(fields["NDims"], name, count=1)
    if int(dimensions) != len(shape):
        raise ReadError("header", name, f"{fields['NDims']} dimensions but {len(shape)} sizes")
    channels = len(shape) if vectors else 1
    given = fields.get("ElementNumberOfChannels", "1")
    if given != str(channels):
        kind, wanted = ("vector", f"{channels} numbers") if vectors else ("dimensions", "one number")
        raise ReadError(kind, name, f"{given[:40]} numbers a voxel", f"{wanted} a voxel")
    if fields["ElementType"] not in _TYPES:
        raise ReadError("datatype", name, f"voxels of type {fields['ElementType'][:40]}", "whole numbers")
    if fields.get("BinaryData", "True").lower() != "true":
        raise ReadError("header", name, "voxels written as text", "binary voxels")
    big = fields.get("BinaryDataByteOrderMSB", fields.get("ElementByteOrderMSB", "False")).lower() == "true"
    dtype = np.dtype((">" if big else "<") + _TYPES[fields["ElementType"]])
    compressed = fields.get("CompressedData", "False").lower() == "true"
    size = check_size(shape, dtype, name, limits, numbers=channels)
    check_stored(path, offset, size, compressed=compressed)
    compression = "zlib" if compressed else None
    return Header(
        _geometry(fields, shape, name),
        lambda: load(path, offset, shape, dtype, limits, compression=compression, numbers=channels),
        channels=channels,
    )


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
