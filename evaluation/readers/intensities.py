"""Images of real numbers of every format: read, laid onto the expected grid, finite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.readers import dicom, raster
from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry, align
from evaluation.readers.images import case_name, read_header
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.header import Header

_COLOURED = {".png": raster.read_png_header, ".tif": raster.read_tiff_header, ".tiff": raster.read_tiff_header}


@dataclass(frozen=True)
class IntensityImage:
    """Image of real numbers on a grid.

    Attributes
    ----------
    values
        ``float64``, axes x, y[, z], and a last axis of channels if there are several.
    geometry
        Position of the voxels in space.
    """

    values: NDArray[np.float64]
    geometry: Geometry

    @property
    def channels(self) -> int:
        """Numbers a voxel."""
        return self.values.shape[-1] if self.values.ndim > len(self.geometry.shape) else 1


def read_intensities(
    path: Path, *, expected: Geometry | None = None, channels: int | None = None, limits: Limits = DEFAULT
) -> IntensityImage:
    """Read an image of real numbers and apply the scaling in its header.

    Parameters
    ----------
    path
        A file with one of the extensions of label images; PNG and TIFF can have three channels.
    expected
        Grid that the image must match, as for label images; it is compared before any voxel is read.
    channels
        Required number of values per voxel; any number if ``None``.

    Raises
    ------
    ReadError
        If the file cannot be read; kind ``not_finite`` for NaN or infinity among the voxels.
    """
    header = _header(path, limits)
    if channels is not None and header.channels != channels:
        raise ReadError("channels", path.name, f"{header.channels} numbers a voxel", f"{channels}")
    grid = expected or header.geometry
    alignment = align(grid, header.geometry, file=path.name)
    try:
        numbers = header.load()
    except OSError as error:
        raise ReadError("truncated", path.name, f"reading failed ({error.strerror or type(error).__name__})") from None
    values = scaled(finite(numbers, path.name), header, path.name)
    if header.channels > 1:
        parts = [alignment.apply(values[..., channel]) for channel in range(header.channels)]
        return IntensityImage(np.stack(parts, axis=-1), grid)
    return IntensityImage(np.ascontiguousarray(alignment.apply(values)), grid)


def finite(numbers: NDArray[Any], file: str, what: str = "voxels") -> NDArray[np.float64]:
    """The numbers as ``float64``.

    Raises
    ------
    ReadError
        With kind ``not_finite``, saying how many are not.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        values = numbers.astype(np.float64)
        total = values.sum()
    # A sum is finite unless something in it is not, or it is too large: counting is for the few that need it.
    if not np.isfinite(total):
        wrong = int(np.count_nonzero(~np.isfinite(values)))
        if wrong:
            raise ReadError("not_finite", file, f"{wrong:,} {what} are NaN or infinite")
    return values


def scaled(values: NDArray[np.float64], header: Header, file: str, what: str = "voxels") -> NDArray[np.float64]:
    """Apply the scaling of the header to stored numbers.

    Raises
    ------
    ReadError
        With kind ``not_finite`` if the scaled numbers become too large.
    """
    if (header.slope, header.intercept) == (1.0, 0.0):
        return values
    with np.errstate(over="ignore"):
        return finite(values * header.slope + header.intercept, file, what)


def _header(path: Path, limits: Limits) -> Header:
    case_and_ending = case_name(path)
    if case_and_ending is not None and case_and_ending[1] in _COLOURED:
        return _COLOURED[case_and_ending[1]](path, limits, colours=True)
    if path.is_dir() or (case_and_ending is not None and case_and_ending[1] == ".dcm"):
        return dicom.read_header(path, limits, labels=False)
    return read_header(path, limits)
