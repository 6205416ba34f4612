"""NRRD files (``.nrrd``) with the voxels in the same file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_affine, check_size, check_spacing
from evaluation.readers.inflating import open_checked
from evaluation.readers.text_header import LPS_TO_RAS, check_stored, load, matrix, numbers, sizes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

_TYPES: Final = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "i1"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "u1"),
    **dict.fromkeys(("short", "short int", "signed short", "signed short int", "int16", "int16_t"), "i2"),
    **dict.fromkeys(("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"), "u2"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "i4"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "u4"),
    **dict.fromkeys(("longlong", "long long", "long long int", "signed long long", "int64", "int64_t"), "i8"),
    **dict.fromkeys(("ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"), "u8"),
    "float": "f4",
    "double": "f8",
}
_TO_RAS: Final = {
    "right-anterior-superior": np.eye(3),
    "ras": np.eye(3),
    "left-anterior-superior": np.diag([-1.0, 1.0, 1.0]),
    "las": np.diag([-1.0, 1.0, 1.0]),
    "left-posterior-superior": LPS_TO_RAS,
    "lps": LPS_TO_RAS,
}
_LONGEST: Final = 1 << 16
_VECTOR: Final = re.compile(r"\(([^()]*)\)|none")


def read_header(path: Path, limits: Limits, *, vectors: bool = False) -> Header:
    """Read and check the header of a ``.nrrd`` file; with vectors its first axis, which has no direction, becomes the last.

    Raises
    ------
    ReadError
        If the file is not such an image, names another file for its voxels, or asks for more than the limits allow.
    """
    name = path.name
    with open_checked(path, limits) as file:
        start = file.read(_LONGEST)
    fields, offset = _fields(start, name)
    shape = sizes(fields["sizes"], name)
    channels = 1
    if vectors:
        shape, channels = _without_vectors(fields, shape, name)
    count = len(shape) + vectors
    (dimension,) = numbers(fields["dimension"], name, count=1)
    if int(dimension) != count:
        raise ReadError("header", name, f"{fields['dimension']} dimensions but {count} sizes")
    number_type = fields["type"].lower()
    if number_type not in _TYPES:
        raise ReadError("datatype", name, f"voxels of type {number_type[:40]}", "whole numbers")
    dtype = np.dtype(("<" if fields.get("endian", "little") == "little" else ">") + _TYPES[number_type])
    encoding = fields["encoding"].lower()
    if encoding not in ("raw", "gzip", "gz"):
        raise ReadError("header", name, f"the encoding {encoding[:40]}", "raw or gzip")
    if set(fields) & {"line skip", "byte skip", "lineskip", "byteskip"}:
        raise ReadError("header", name, "skipped lines or bytes before the voxels")
    size = check_size(shape, dtype, name, limits, numbers=channels)
    compression = None if encoding == "raw" else "gzip"
    check_stored(path, offset, size, compressed=compression is not None)
    return Header(
        _geometry(fields, shape, name),
        lambda: load(path, offset, shape, dtype, limits, compression=compression, numbers=channels),
        channels=channels,
    )


def _without_vectors(fields: dict[str, str], shape: tuple[int, ...], name: str) -> tuple[tuple[int, ...], int]:
    """The grid and the number of components; the fields of the grid alone are left."""
    directions = fields.get("space directions", "")
    if shape[0] != len(shape) - 1 or (directions and not directions.startswith("none")):
        dimensions = " × ".join(str(size) for size in shape)
        wanted = "the components first (sizes 3 X Y Z, space directions none (…) (…) (…))"
        raise ReadError("vector", name, f"{dimensions} numbers", wanted)
    if directions:
        fields["space directions"] = directions.removeprefix("none").strip()
    fields.pop("spacings", None)
    return shape[1:], shape[0]


def _fields(start: bytes, name: str) -> tuple[dict[str, str], int]:
    """Split the header into its fields; it ends with an empty line."""
    if not re.match(rb"NRRD000\d\r?\n", start):
        raise ReadError("magic", name, "no NRRD header")
    end = re.search(rb"\r?\n\r?\n", start)
    if end is None:
        raise ReadError("header", name, "the header has no end", "an empty line before the voxels")
    fields: dict[str, str] = {}
    for line in start[: end.start()].decode("ascii", errors="replace").splitlines():
        key, sign, value = line.partition(":")
        if sign and not value.startswith("="):
            fields[key.strip().lower()] = value.strip()
    if fields.keys() & {"data file", "datafile"}:
        raise ReadError("header", name, "its voxels are in another file", "header and voxels in one file")
    for key in ("dimension", "type", "sizes", "encoding"):
        if key not in fields:
            raise ReadError("header", name, f"no field {key!r}")
    return fields, end.end()


def _geometry(fields: dict[str, str], shape: tuple[int, ...], name: str) -> Geometry:
    count = len(shape)
    if "space directions" not in fields:
        text = fields.get("spacings")
        spacing = None if text is None else check_spacing(tuple(abs(s) for s in numbers(text, name, count=count)), name)
        return Geometry(shape, spacing, None, oriented_format=count == 3)
    vectors = [match.group(1) for match in _VECTOR.finditer(fields["space directions"])]
    if len(vectors) != count or None in vectors:
        raise ReadError("dimensions", name, "an axis that is no direction in space", "one number a voxel")
    columns = np.array([numbers(vector.replace(",", " "), name, count=count) for vector in vectors]).T
    spacing = check_spacing(tuple(float(size) for size in np.sqrt((columns**2).sum(axis=0))), name)
    space = fields.get("space", "").lower()
    if count != 3 or space not in _TO_RAS:
        return Geometry(shape, spacing, None, oriented_format=count == 3)
    origin = numbers(_inner(fields.get("space origin", "(0,0,0)")), name, count=count)
    flip: NDArray[np.float64] = _TO_RAS[space]
    affine = matrix(flip @ columns, tuple(flip @ np.asarray(origin)))
    return Geometry(shape, spacing, check_affine(affine, name), oriented_format=True)


def _inner(vector: str) -> str:
    return vector.strip().strip("()").replace(",", " ")
