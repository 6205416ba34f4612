"""Label images of every format: read, laid onto the expected grid, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.readers import dicom, metaimage, mgh, nifti, nrrd, raster
from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.geometry import NO_SHIFT, Geometry, Shift, align
from evaluation.readers.labels import labels_present, to_labels
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path, PurePath

    from numpy.typing import NDArray

    from evaluation.readers.header import Header

SUFFIXES: Final = (".nii.gz", ".nii", ".mha", ".mhd", ".nrrd", ".mgz", ".mgh", ".dcm", ".tiff", ".tif", ".png")
"""Endings of label images, the longest first where one contains another."""

_HEADERS: Final[dict[str, Callable[[Path, Limits], Header]]] = {
    ".nii.gz": nifti.read_header,
    ".nii": nifti.read_header,
    ".mha": metaimage.read_header,
    ".mhd": metaimage.read_header,
    ".nrrd": nrrd.read_header,
    ".mgz": mgh.read_header,
    ".mgh": mgh.read_header,
    ".dcm": dicom.read_header,
    ".tiff": raster.read_tiff_header,
    ".tif": raster.read_tiff_header,
    ".png": raster.read_png_header,
}


@dataclass(frozen=True)
class LabelImage:
    """Labels on a grid.

    Attributes
    ----------
    labels
        Whole numbers, axes x, y[, z], 0 is background.
    geometry
        Positions of the voxels.
    shift
        Displacement between the grid of the file and the expected one.
    """

    labels: NDArray[Any]
    geometry: Geometry
    shift: Shift = field(default=NO_SHIFT, compare=False)

    def __post_init__(self) -> None:
        if self.labels.shape != self.geometry.shape:
            message = f"labels of shape {self.labels.shape} do not fit a grid of {self.geometry.shape}"
            raise ValueError(message)


def case_name(path: PurePath) -> tuple[str, str] | None:
    """Split a file's name into case and ending, ``None`` if the ending is not that of a label image.

    Examples
    --------
    >>> from pathlib import Path
    >>> case_name(Path("brain.01.nii.gz"))
    ('brain.01', '.nii.gz')
    """
    lower = path.name.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix) and len(path.name) > len(suffix):
            return path.name[: -len(suffix)], suffix
    return None


def read_geometry(path: Path, *, limits: Limits = DEFAULT) -> Geometry:
    """Read only the positions of the voxels of an image.

    Raises
    ------
    ReadError
        If the header is invalid.
    """
    return read_header(path, limits).geometry


def read_label_image(
    path: Path,
    *,
    expected: Geometry | None = None,
    allowed_labels: Collection[int] | None = None,
    limits: Limits = DEFAULT,
) -> LabelImage:
    """Read a label image.

    Parameters
    ----------
    path
        A file with one of the endings of `SUFFIXES`.
    expected
        Required grid; an equivalent one (axes reversed or reordered) is converted to it. The grids are compared before
        any voxel is read.
    allowed_labels
        Labels that may occur in addition to 0; ``None`` allows all.
    limits
        Limits on the resources that the file may require.

    Raises
    ------
    ReadError
        If the file is invalid; see its ``kind``.
    """
    header = read_header(path, limits)
    if expected is not None and header.on_grid is not None:
        header = header.on_grid(expected)
    grid = expected or header.geometry
    alignment = align(grid, header.geometry, file=path.name)
    try:
        numbers = header.load()
        labels = to_labels(numbers, header.slope, header.intercept, path.name, limits)
    except OSError as error:
        raise ReadError("truncated", path.name, f"reading failed ({error.strerror or type(error).__name__})") from None
    if allowed_labels is not None:
        _check_labels(labels, allowed_labels, path.name)
    return LabelImage(alignment.apply(labels), grid, alignment.shift)


def check_prediction(
    path: Path,
    expected: Geometry | None,
    allowed_labels: Collection[int] | None = None,
    *,
    limits: Limits = DEFAULT,
) -> list[Issue]:
    """Check a participant's file without scoring it.

    The result reveals nothing about a reference except its grid and the labels that the task allows.

    Parameters
    ----------
    path
        The file.
    expected
        The grid of the case, ``None`` if it does not matter.
    allowed_labels
        Labels that may occur in addition to 0; ``None`` allows all.

    Returns
    -------
    list of Issue
        Empty if the file can be scored.
    """
    try:
        read_label_image(path, expected=expected, allowed_labels=allowed_labels, limits=limits)
    except ReadError as error:
        return [error.issue]
    return []


def read_header(path: Path, limits: Limits) -> Header:
    """Read the header of an image of any format.

    Raises
    ------
    ReadError
        If it cannot be taken.
    """
    case_and_ending = case_name(path)
    if path.is_dir() and (case_and_ending is None or case_and_ending[1] == ".dcm"):
        return dicom.read_header(path, limits)
    if case_and_ending is None:
        raise ReadError("format", path.name, "the ending is none of a label image", ", ".join(SUFFIXES))
    return _HEADERS[case_and_ending[1]](path, limits)


def _check_labels(labels: NDArray[Any], allowed: Collection[int], file: str) -> None:
    unexpected = [int(label) for label in labels_present(labels) if label != 0 and int(label) not in allowed]
    if unexpected:
        first_labels = ", ".join(str(label) for label in unexpected[:5]) + (" …" if len(unexpected) > 5 else "")
        plural = "s" if len(unexpected) > 1 else ""
        allowed_labels = ", ".join(str(label) for label in sorted({0, *allowed}))
        raise ReadError("labels", file, f"the label{plural} {first_labels}", f"only {allowed_labels}")
