"""Frames ordered to a volume by their positions, and the grid of that volume."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import check_affine, check_spacing
from evaluation.readers.text_header import LPS_TO_RAS, matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.readers.dicom.frames import Frame

_DIRECTION: Final = 1e-3
"""Difference of directions that rounding in headers may cause."""
_SIDEWAYS: Final = 0.05
"""Displacement within the plane, in voxels, that rounding of positions may cause."""
_UNEVEN: Final = 0.1
"""Difference from even spacing, as a share of it, that rounding of positions may cause."""


@dataclass(frozen=True)
class Stack:
    """Grid of a volume of frames, and the plane of each frame along its third axis.

    Attributes
    ----------
    axes
        Directions of the three axes in mm (left, back, up), as columns.
    origin
        Position of the first voxel.
    """

    shape: tuple[int, int, int]
    spacing: tuple[float, float, float]
    axes: NDArray[np.float64]
    origin: NDArray[np.float64]
    planes: NDArray[np.int64]

    def geometry(self, name: str) -> Geometry:
        """Return the grid in mm to the right, front and up.

        Raises
        ------
        ReadError
            If spacing or directions are invalid.
        """
        spacing = check_spacing(self.spacing, name)
        affine = matrix(LPS_TO_RAS @ self.axes * np.asarray(spacing), tuple(LPS_TO_RAS @ self.origin))
        return Geometry(self.shape, spacing, check_affine(affine, name), oriented_format=True)

    def covering(self, grid: Geometry, name: str) -> Stack:
        """Return the stack with empty planes before and after, as far as another grid reaches.

        It is the same if it does not lie within that grid.
        """
        if grid.affine is None or len(grid.shape) != 3:
            return self
        to_index = np.linalg.inv(np.asarray(self.geometry(name).affine))
        corners = np.array([(*corner, 1.0) for corner in product(*((0, size - 1) for size in grid.shape))])
        places = (to_index @ np.asarray(grid.affine) @ corners.T)[2]
        low, high = round(float(places.min())), round(float(places.max()))
        if low > 0 or high < self.shape[2] - 1 or high - low >= max(grid.shape):
            return self
        origin = self.origin + low * self.spacing[2] * self.axes[:, 2]
        shape = (*self.shape[:2], high - low + 1)
        return replace(self, shape=shape, origin=origin, planes=self.planes - low)


def step_of(grid: Geometry | None, frame: Frame) -> float:
    """Return the distance of planes of a grid along the normal of a frame; 0 if there is none."""
    if grid is None or grid.affine is None or len(grid.shape) != 3 or not frame.row:
        return 0.0
    normal = LPS_TO_RAS @ np.cross(frame.row, frame.column)
    columns = np.asarray(grid.affine)[:3, :3]
    along = np.abs(normal @ columns) / np.sqrt((columns**2).sum(axis=0))
    axis = int(along.argmax())
    return float(np.linalg.norm(columns[:, axis])) if along[axis] > 1 - _DIRECTION else 0.0


def stacked(
    frames: Sequence[Frame], size: tuple[int, int], name: str, *, is_sparse: bool = False, step: float = 0.0
) -> Stack:
    """Order frames by their positions.

    Parameters
    ----------
    frames
        Frames with positions.
    size
        Columns and rows of each.
    name
        Name of the image, for messages.
    is_sparse
        Whether planes may be absent or have several frames, as in a segmentation.
    step
        Known distance of the planes; 0 if it is unknown.

    Raises
    ------
    ReadError
        If the frames do not form one volume.
    """
    row, column = _directions(frames, name)
    normal = np.cross(row, column)
    spacing = _spacing(frames, name)
    positions = np.array([frame.position for frame in frames], dtype=np.float64)
    along = positions @ normal
    _check_sideways(positions, row, column, spacing, name)
    first = int(along.argmin())
    distances = along - along[first]
    planes, gap = _sparse_planes(distances, frames, step, name) if is_sparse else _even_planes(distances, frames, name)
    shape = (*size, int(planes.max()) + 1)
    return Stack(shape, (*spacing, gap), np.column_stack([row, column, normal]), positions[first], planes)


def _directions(frames: Sequence[Frame], name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if any(frame.position is None for frame in frames):
        raise ReadError("orientation", name, "images without a position", "ImagePositionPatient in each")
    directions = np.array([(*frame.row, *frame.column) for frame in frames])
    if np.abs(directions - directions[0]).max() > _DIRECTION:
        raise ReadError("orientation", name, "images with different directions", "one series of parallel images")
    row, column = directions[0, :3], directions[0, 3:]
    lengths = np.array([np.linalg.norm(row), np.linalg.norm(column)])
    if np.abs(lengths - 1).max() > 10 * _DIRECTION or abs(row @ column) > 10 * _DIRECTION:
        raise ReadError("header", name, "directions that are not perpendicular")
    return row / lengths[0], column / lengths[1]


def _spacing(frames: Sequence[Frame], name: str) -> tuple[float, float]:
    spacing = frames[0].spacing
    if spacing is None:
        raise ReadError("spacing", name, "images without a voxel size", "PixelSpacing in each")
    if any(frame.spacing is None or not np.allclose(frame.spacing, spacing, rtol=1e-3) for frame in frames):
        raise ReadError("spacing", name, "images with different voxel sizes", "one series of equal images")
    check_spacing(spacing, name)
    return spacing


def _check_sideways(
    positions: NDArray[np.float64],
    row: NDArray[np.float64],
    column: NDArray[np.float64],
    spacing: tuple[float, float],
    name: str,
) -> None:
    """Refuse planes that are displaced within the plane, such as those of a tilted gantry."""
    sideways = np.abs((positions - positions[0]) @ np.column_stack([row, column])) / np.asarray(spacing)
    if sideways.max() > _SIDEWAYS:
        message = f"images that are displaced sideways by {sideways.max():.3g} voxels, as with a tilted gantry"
        raise ReadError("orientation", name, message, "images behind each other")


def _even_planes(distances: NDArray[np.float64], frames: Sequence[Frame], name: str) -> tuple[NDArray[np.int64], float]:
    """Planes of a series, which has one frame per plane at even distances."""
    order = np.argsort(distances, kind="stable")
    planes = np.empty(len(frames), dtype=np.int64)
    planes[order] = np.arange(len(frames))
    if len(frames) == 1:
        return planes, frames[0].thickness or 1.0
    gaps = np.diff(distances[order])
    gap = float(distances.max()) / (len(frames) - 1)
    if gaps.min() <= 1e-4 or gap <= 1e-4:
        message = "two images at the same position, such as several time points or echoes"
        raise ReadError("dimensions", name, message, "one volume")
    if np.abs(distances[order] - gap * np.arange(len(frames))).max() > _UNEVEN * gap:
        message = f"images at uneven distances from {gaps.min():.4g} to {gaps.max():.4g} mm"
        raise ReadError("spacing", name, message, "every image of the series, at one distance")
    return planes, gap


def _sparse_planes(
    distances: NDArray[np.float64], frames: Sequence[Frame], step: float, name: str
) -> tuple[NDArray[np.int64], float]:
    """Planes of a segmentation, of which empty ones may be absent, and which has a frame per segment."""
    places = np.unique(np.round(distances, 4))
    gaps = np.diff(places)
    smallest = float(gaps[gaps > 1e-3].min()) if (gaps > 1e-3).any() else 0.0
    for gap in (step, frames[0].thickness, smallest):
        if gap <= 0:
            continue
        planes = np.rint(distances / gap).astype(np.int64)
        last = int(planes.max())
        refined = float(distances.max()) / last if last else gap
        is_even = np.abs(distances - refined * planes).max() <= _UNEVEN * gap
        is_distinct = not smallest or smallest > gap * (1 - 2 * _UNEVEN)
        if is_even and is_distinct:
            return planes, refined
    if not smallest:
        return np.zeros(len(frames), dtype=np.int64), 1.0
    message = f"frames at uneven distances from {smallest:.4g} to {float(gaps.max()):.4g} mm"
    raise ReadError("spacing", name, message, "frames at one distance")
