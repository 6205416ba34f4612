"""Images as `.mha` files, which algorithms made for Grand Challenge read: voxels as they are, and a header that only places them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers import raster
from evaluation.readers.errors import ReadError
from evaluation.readers.images import read_header
from evaluation.readers.limits import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers.limits import Limits

_TYPES: Final = {
    "i1": "MET_CHAR",
    "u1": "MET_UCHAR",
    "i2": "MET_SHORT",
    "u2": "MET_USHORT",
    "i4": "MET_INT",
    "u4": "MET_UINT",
    "i8": "MET_LONG_LONG",
    "u8": "MET_ULONG_LONG",
    "f4": "MET_FLOAT",
    "f8": "MET_DOUBLE",
}


def write_mha(path: Path, target: Path, *, limits: Limits = DEFAULT) -> Path:
    """Write an image of any format that is read here as `.mha`.

    Parameters
    ----------
    path
        The image; a PNG file may have three channels.
    target
        The file to write.
    limits
        What the image may ask for.

    Returns
    -------
    pathlib.Path
        The file written.

    Raises
    ------
    ReadError
        If the image cannot be read, or has numbers that `.mha` does not know.
    """
    is_png = path.name.lower().endswith(".png")
    header = raster.read_png_header(path, limits, colours=True) if is_png else read_header(path, limits)
    voxels, grid = np.asarray(header.load()), header.geometry
    if (header.slope, header.intercept) != (1.0, 0.0):
        voxels = (voxels * header.slope + header.intercept).astype(np.float32)
    count = len(grid.shape)
    kind = _TYPES.get(voxels.dtype.newbyteorder("=").str[1:])
    if kind is None:
        raise ReadError("datatype", path.name, f"voxels of type {voxels.dtype}", "a type that .mha knows")
    flip = np.diag([-1.0, -1.0, 1.0])[:count, :count]
    spacing = np.asarray(grid.spacing or (1.0,) * count)
    affine = np.eye(4) if grid.affine is None else np.asarray(grid.affine)
    axes = flip @ affine[:count, :count] / spacing if grid.affine is not None else np.eye(count)
    origin = flip @ affine[:count, 3]
    little = voxels.astype(voxels.dtype.newbyteorder("<"))
    # The numbers of a voxel stand beside each other: their axis is the first in the order in which x runs fastest.
    ordered = np.moveaxis(little, -1, 0) if header.channels > 1 else little
    packed = zlib.compress(ordered.tobytes(order="F"), 1)
    # What a scanner wrote into a header stays behind.
    fields = {
        "ObjectType": "Image",
        "NDims": str(count),
        "BinaryData": "True",
        "BinaryDataByteOrderMSB": "False",
        "CompressedData": "True",
        "CompressedDataSize": str(len(packed)),
        "TransformMatrix": _numbers(axes.T.ravel()),
        "Offset": _numbers(origin),
        "CenterOfRotation": _numbers(np.zeros(count)),
        "ElementSpacing": _numbers(spacing),
        "DimSize": " ".join(map(str, grid.shape)),
        **({"ElementNumberOfChannels": str(header.channels)} if header.channels > 1 else {}),
        "ElementType": kind,
        "ElementDataFile": "LOCAL",
    }
    target.write_bytes("".join(f"{key} = {value}\n" for key, value in fields.items()).encode() + packed)
    return target


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
