"""The references of a registration: a folder a case with labels, landmarks and a mask of both images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.images import LabelImage, case_name, read_geometry, read_label_image
from evaluation.readers.landmark_tables import read_points

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.geometry import Geometry

FIXED_LABELS: Final = "fixed_labels"
MOVING_LABELS: Final = "moving_labels"
FIXED_MASK: Final = "fixed_mask"
FIXED: Final = "fixed"
MOVING: Final = "moving"
FIXED_LANDMARKS: Final = "fixed_landmarks"
MOVING_LANDMARKS: Final = "moving_landmarks"
IMAGES: Final = (FIXED_LABELS, MOVING_LABELS, FIXED_MASK, FIXED, MOVING)
TABLES: Final = (FIXED_LANDMARKS, MOVING_LANDMARKS)


def part_of(name: str) -> str:
    """Return the part of a case that a file in its folder contains, by its name; empty if it is not read.

    Examples
    --------
    >>> part_of("fixed_labels.nii.gz"), part_of("moving_landmarks.csv"), part_of("notes.txt")
    ('fixed_labels', 'moving_landmarks', '')
    """
    from pathlib import Path

    if name.lower().endswith(".csv"):
        return name[:-4] if name[:-4] in TABLES else ""
    stem_and_ending = case_name(Path(name))
    # An image of several files cannot be one of several files of a case.
    if stem_and_ending is not None and stem_and_ending[1] in (".mhd", ".dcm"):
        return ""
    return stem_and_ending[0] if stem_and_ending is not None and stem_and_ending[0] in IMAGES else ""


def fixed_grid(parts: Mapping[str, Path], case: str) -> Geometry:
    """The grid of the fixed image, from whichever file has it.

    Raises
    ------
    ReadError
        If none has, or two differ.
    """
    files = [parts[name] for name in (FIXED, FIXED_LABELS, FIXED_MASK) if name in parts]
    if not files:
        raise ReadError("not_found", case, "no file tells the grid of the fixed image", f"{FIXED} or {FIXED_LABELS}")
    return read_geometry(files[0])


def moving_grid(parts: Mapping[str, Path]) -> Geometry | None:
    """The grid of the moving image, where a file has it."""
    files = [parts[name] for name in (MOVING, MOVING_LABELS) if name in parts]
    return read_geometry(files[0]) if files else None


def labels_of(parts: Mapping[str, Path], case: str, grid: Geometry) -> tuple[LabelImage, LabelImage]:
    """Labels of the fixed image on its grid, and of the moving one.

    Raises
    ------
    ReadError
        If one lacks or cannot be read.
    """
    for name in (FIXED_LABELS, MOVING_LABELS):
        if name not in parts:
            raise ReadError("not_found", f"{case}/{name}", "metrics of labels need it, and it is not there")
    return read_label_image(parts[FIXED_LABELS], expected=grid), read_label_image(parts[MOVING_LABELS])


def landmarks_of(parts: Mapping[str, Path], case: str, axes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Landmarks of the fixed image and their partners of the moving one, as of `named_landmarks_of`."""
    _, fixed, moving = named_landmarks_of(parts, case, axes)
    return fixed, moving


def named_landmarks_of(
    parts: Mapping[str, Path], case: str, axes: int
) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    """Names, landmarks of the fixed image and their partners of the moving one, ``(n, axes)`` each, in the order of the names.

    Raises
    ------
    ReadError
        If a table lacks or cannot be read, names differ, or points have another number of coordinates.
    """
    tables = []
    for name in TABLES:
        if name not in parts:
            raise ReadError("not_found", f"{case}/{name}.csv", "metrics of landmarks need it, and it is not there")
        points, number = read_points(parts[name])
        if number != axes:
            raise ReadError("table", f"{case}/{name}.csv", f"{number} coordinates a landmark", f"{axes}, as the image")
        tables.append(points)
    of_fixed, of_moving = tables
    if alone := sorted(set(of_fixed) ^ set(of_moving)):
        message = f"the landmark {alone[0][:60]} stands in one of both tables only"
        raise ReadError("table", f"{case}/{MOVING_LANDMARKS}.csv", message, "the same names in both")
    names = sorted(of_fixed)
    fixed, moving = (np.array([points[name] for name in names], dtype=float).reshape(-1, axes) for points in tables)
    return tuple(names), fixed, moving
