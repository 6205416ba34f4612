"""Images as `.mha` files, which algorithms made for Grand Challenge read: voxels as they are, and a header that only places them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers import dicom, raster
from evaluation.readers.errors import ReadError
from evaluation.readers.images import read_header
from evaluation.readers.limits import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.geometry import Geometry
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
    voxels = np.asarray(header.load())
    if (header.slope, header.intercept) != (1.0, 0.0):
        voxels = (voxels * header.slope + header.intercept).astype(np.float32)
    return _written(voxels, header.geometry, header.channels, path.name, target)


def write_plain(
    path: Path, target: Path, *, labels: bool, grid: Geometry | None = None, limits: Limits = DEFAULT
) -> Path:
    """Write a DICOM image as `.mha`, without the names, dates and identifiers in its tags.

    Parameters
    ----------
    path
        A DICOM file, a folder, or what `evaluation.readers.dicom.pack` made of a folder.
    target
        The file to write.
    labels
        Whether a segmentation is written rather than the series next to it.
    grid
        Grid of the image that was segmented, since a segmentation can omit planes; ``None`` if it is unknown.
    limits
        What the image may ask for.

    Raises
    ------
    ReadError
        If the image cannot be read.
    """
    header = dicom.read_header(path, limits, labels=labels)
    if grid is not None and header.on_grid is not None:
        header = header.on_grid(grid)
    voxels = np.asarray(header.load())
    if (header.slope, header.intercept) != (1.0, 0.0):
        voxels = voxels * header.slope + header.intercept
    return _written(_narrow(voxels), header.geometry, 1, path.name, target)


def _narrow(voxels: NDArray[Any]) -> NDArray[Any]:
    """The numbers as 16- or 32-bit whole numbers if that is exact."""
    if voxels.dtype.kind == "f":
        for kind in (np.int16, np.int32):
            if np.abs(voxels).max() < np.iinfo(kind).max and np.array_equal(voxels.astype(kind), voxels):
                return voxels.astype(kind)
    return voxels


def _written(voxels: NDArray[Any], grid: Geometry, channels: int, name: str, target: Path) -> Path:
    count = len(grid.shape)
    kind = _TYPES.get(voxels.dtype.newbyteorder("=").str[1:])
    if kind is None:
        raise ReadError("datatype", name, f"voxels of type {voxels.dtype}", "a type that .mha knows")
    flip = np.diag([-1.0, -1.0, 1.0])[:count, :count]
    spacing = np.asarray(grid.spacing or (1.0,) * count)
    affine = np.eye(4) if grid.affine is None else np.asarray(grid.affine)
    axes = flip @ affine[:count, :count] / spacing if grid.affine is not None else np.eye(count)
    origin = flip @ affine[:count, 3]
    little = voxels.astype(voxels.dtype.newbyteorder("<"))
    # The numbers of a voxel stand beside each other: their axis is the first in the order in which x runs fastest.
    ordered = np.moveaxis(little, -1, 0) if channels > 1 else little
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
        **({"ElementNumberOfChannels": str(channels)} if channels > 1 else {}),
        "ElementType": kind,
        "ElementDataFile": "LOCAL",
    }
    target.write_bytes("".join(f"{key} = {value}\n" for key, value in fields.items()).encode() + packed)
    return target


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
