"""Displacement fields of every format: read, laid onto the expected grid, and brought into voxels of that grid.

What the numbers mean is declared by the task (`CONVENTIONS`) and never guessed; a file that contradicts it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.readers import metaimage, nifti, nrrd
from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import align
from evaluation.readers.images import case_name
from evaluation.readers.intensities import finite, scaled
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.geometry import Geometry
    from evaluation.readers.header import Header

CONVENTIONS: Final = ("voxel", "mm_lps", "mm_ras")
"""Voxels of the fixed grid along its array axes; mm to the left, back and up (ITK); mm to the right, front and up."""
SUFFIXES: Final = (".nii.gz", ".nii", ".mha", ".mhd", ".nrrd")
_DISPLACEMENT, _VECTOR = 1006, 1007
_INTENTS: Final = {_DISPLACEMENT: "mm", _VECTOR: "mm"}


def read_field(path: Path, *, expected: Geometry, convention: str, limits: Limits = DEFAULT) -> NDArray[np.float64]:
    """Read a displacement field on the grid of the fixed image.

    Parameters
    ----------
    path
        A file with one of the endings of `SUFFIXES`.
    expected
        Grid of the fixed image; an equivalent one (axes reversed or reordered) is converted to it. The grids are
        compared before any number is read.
    convention
        One of `CONVENTIONS`: unit and direction of the components. Those of ``voxel`` run along the axes of the fixed grid,
        regardless of the order of the file's axes.
    limits
        Limits on the resources that the file may require.

    Returns
    -------
    ndarray
        ``(X, Y[, Z], d)``, displacements in voxels of the fixed grid along its axes.

    Raises
    ------
    ReadError
        Kind ``vector`` for another shape or a file that contradicts the convention, ``not_finite`` for NaN or infinity.
    """
    header = _header(path, limits)
    axes = len(expected.shape)
    _check_convention(header, convention, axes, path.name)
    alignment = align(expected, header.geometry, file=path.name)
    try:
        numbers = header.load()
    except OSError as error:
        raise ReadError("truncated", path.name, f"reading failed ({error.strerror or type(error).__name__})") from None
    field = np.empty((*expected.shape, axes))
    for component in range(axes):
        part = finite(numbers[..., component], path.name, "displacements")
        field[..., component] = alignment.apply(scaled(part, header, path.name, "displacements"))
    return field if convention == "voxel" else _in_voxels(field, expected, convention, header.intent, path.name)


def _in_voxels(
    field: NDArray[np.float64], grid: Geometry, convention: str, intent: int, file: str
) -> NDArray[np.float64]:
    if grid.affine is None:
        raise ReadError(
            "orientation", file, "the fixed image tells no orientation", "a format that does, for displacements in mm"
        )
    axes = len(grid.shape)
    # NIfTI calls 1006 a displacement in its own space, to the right and front; ITK turns such a file when it reads it.
    if convention == "mm_lps" and intent != _DISPLACEMENT:
        field[..., :2] *= -1
    to_voxels = np.linalg.inv(np.asarray(grid.affine)[:axes, :axes])
    turned: NDArray[np.float64] = field @ to_voxels.T
    return turned


def _check_convention(header: Header, convention: str, axes: int, file: str) -> None:
    grid = " × ".join(str(size) for size in header.geometry.shape)
    if header.channels != axes:
        raise ReadError("vector", file, f"{grid} × {header.channels} numbers", f"{axes} numbers a voxel")
    if convention == "voxel" and header.intent in _INTENTS:
        message = f"a vector image in mm (intent {header.intent})"
        raise ReadError("vector", file, message, f"displacements in voxels as {grid} × {axes}")
    if convention == "mm_ras" and header.intent == _VECTOR:
        message = "a vector image as ITK writes it, to the left and back (intent 1007)"
        raise ReadError("vector", file, message, "displacements to the right and front, or intent 1006")
    if convention != "voxel" and header.is_scalar:
        message = f"a scalar image of {grid} × {axes} numbers"
        raise ReadError("vector", file, message, f"a vector image in mm, {grid} × 1 × {axes} with intent 1006 or 1007")


def _header(path: Path, limits: Limits) -> Header:
    case_and_ending = case_name(path)
    ending = "" if case_and_ending is None else case_and_ending[1]
    if ending in (".nii", ".nii.gz"):
        return nifti.read_vector_header(path, limits)
    if ending in (".mha", ".mhd"):
        return metaimage.read_header(path, limits, vectors=True)
    if ending == ".nrrd":
        return nrrd.read_header(path, limits, vectors=True)
    raise ReadError("format", path.name, "the ending is none of a displacement field", ", ".join(SUFFIXES))
