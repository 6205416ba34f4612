"""The references of one registration, read and brought into voxels of the fixed image and mm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evaluation.problems.dimensions import refuse_flat
from evaluation.readers import ReadError
from evaluation.readers.geometry import SPACING_TOLERANCE
from evaluation.readers.images import read_label_image
from evaluation.readers.registration_cases import (
    FIXED_MASK,
    fixed_grid,
    labels_of,
    landmarks_of,
    moving_grid,
    named_landmarks_of,
)
from evaluation.scoring.moved_landmarks import LandmarkPairs
from evaluation.scoring.registration import RegistrationReference, affine_of, between, inverse, mapped, needs_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.readers import Geometry

_TO_RAS = (-1.0, -1.0, 1.0)


def read_registration(assessment: Assessment, parts: Mapping[str, Path]) -> RegistrationReference:
    """Read what the metrics of an assessment need of the folder of a case.

    Raises
    ------
    ReadError
        If something lacks, cannot be read or does not fit together.
    """
    case = next(iter(parts.values())).parent.name
    needs = {need for use in assessment.computed for need in needs_of(use)}
    grid = fixed_grid(parts, case)
    refuse_flat(assessment, grid, case)
    other = moving_grid(parts)
    convention = assessment.settings["field"]
    if convention == "voxel":
        _check_same_grid(grid, other, case)
    elif grid.affine is None:
        message = "the fixed image tells no orientation, and displacements are in mm"
        raise ReadError("orientation", case, message, "a format that tells it, such as .nii.gz")
    fixed, moving = labels_of(parts, case, grid) if "masks" in needs else (None, None)
    # Under one grid, differences of rounding in two headers are none.
    to_moving = None if convention == "voxel" or moving is None else between(grid, moving.geometry)
    fixed_points = moving_points = None
    if "landmarks" in needs:
        first, second = landmarks_of(parts, case, len(grid.shape))
        places = assessment.settings["landmarks"]
        fixed_points = _in_voxels(first, places, grid)
        moving_points = _in_mm(second, places, other if other is not None and convention != "voxel" else grid)
        _check_inside(fixed_points, grid, case)
    mask = None
    if "field" in needs and FIXED_MASK in parts:
        mask = read_label_image(parts[FIXED_MASK], expected=grid).labels != 0
    return RegistrationReference(grid, fixed, moving, to_moving, fixed_points, moving_points, mask)


def read_landmark_pairs(assessment: Assessment, parts: Mapping[str, Path]) -> LandmarkPairs:
    """Read the landmarks of both images of the folder of a case.

    Raises
    ------
    ReadError
        If something is missing, cannot be read or does not fit together.
    """
    case = next(iter(parts.values())).parent.name
    grid = fixed_grid(parts, case)
    refuse_flat(assessment, grid, case)
    other = moving_grid(parts) or grid
    axes = len(grid.shape)
    if len(other.shape) != axes:
        raise ReadError("shape", case, f"a moving image of {len(other.shape)} axes", f"{axes}, as the fixed one")
    names, first, second = named_landmarks_of(parts, case, axes)
    places = assessment.settings["landmarks"]
    to_mm = _to_mm(places, other)
    return LandmarkPairs(grid, names, mapped(_to_mm(places, grid), first), mapped(to_mm, second), to_mm)


def _to_mm(places: str, grid: Geometry) -> NDArray[np.float64]:
    """Matrix from coordinates to mm to the right, front and up."""
    if places == "voxel":
        return affine_of(grid)
    axes = len(grid.shape)
    signs = _TO_RAS[:axes] if places == "mm_lps" else (1.0,) * axes
    return np.hstack([np.diag(signs), np.zeros((axes, 1))])


def _in_mm(points: NDArray[np.float64], places: str, grid: Geometry) -> NDArray[np.float64]:
    return mapped(_to_mm(places, grid), points)


def _in_voxels(points: NDArray[np.float64], places: str, grid: Geometry) -> NDArray[np.float64]:
    return points if places == "voxel" else mapped(inverse(affine_of(grid)), _in_mm(points, places, grid))


def _check_inside(points: NDArray[np.float64], grid: Geometry, case: str) -> None:
    """Refuse fixed landmarks outside the hull of voxel centres, where a field has no value."""
    ends = np.array(grid.shape) - 1.0
    # What lies on the hull may be off it by the rounding of the affine; it is put back.
    np.clip(points, 0.0, ends, out=points, where=(points > -1e-6) & (points < ends + 1e-6))
    outside = ((points < 0) | (points > ends)).any(axis=1)
    if outside.any():
        position = ", ".join(f"{number:.4g}" for number in points[int(outside.argmax())])
        sizes = " × ".join(str(size) for size in grid.shape)
        raise ReadError(
            "table",
            f"{case}/fixed_landmarks.csv",
            f"{int(outside.sum())} landmarks lie outside the fixed image of {sizes} voxels, the first at voxel ({position})",
            "landmarks between its voxel centres, in the space that settings.landmarks names",
        )


def _check_same_grid(fixed: Geometry, moving: Geometry | None, case: str) -> None:
    if moving is None:
        return
    if moving.shape != fixed.shape:
        a, b = (" × ".join(str(size) for size in grid.shape) for grid in (moving, fixed))
        raise ReadError(
            "shape", case, f"a moving image of {a} voxels", f"{b} as the fixed one, for displacements in voxels"
        )
    pairs = zip(moving.spacing_or_unit, fixed.spacing_or_unit, strict=True)
    if any(abs(a - b) > SPACING_TOLERANCE * b for a, b in pairs):
        message = f"a moving image with voxels of {moving.spacing_or_unit} mm"
        raise ReadError(
            "spacing", case, message, f"{fixed.spacing_or_unit} mm as the fixed one, for displacements in voxels"
        )
