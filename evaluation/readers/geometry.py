"""Positions of the voxels of an image, and comparison of the grids of two images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SPACING_TOLERANCE: Final = 1e-3
"""Relative difference of spacings that rounding in headers may cause."""
POSITION_TOLERANCE: Final = 1e-2
"""Shift of a voxel, as a share of the smallest spacing, that rounding in headers may cause."""
_MIXED_AXES: Final = 0.05

Affine = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Geometry:
    """The grid of an image.

    Attributes
    ----------
    shape
        Voxels along x, y[, z].
    spacing
        Size of a voxel along the same axes in mm, ``None`` if the format does not contain it.
    affine
        4 × 4 matrix from voxel indices to mm (to the right, to the front, up), ``None`` if the file does not contain it.
    oriented_format
        Whether the format can contain an orientation. If so, a file without an orientation differs from a file with one.
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...] | None = None
    affine: Affine | None = None
    oriented_format: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """The grid as JSON values."""
        return {
            "shape": list(self.shape),
            "spacing": list(self.spacing) if self.spacing else None,
            "affine": [list(row) for row in self.affine] if self.affine else None,
            "oriented_format": self.oriented_format,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Geometry:
        """Return the grid that `document` describes.

        Examples
        --------
        >>> grid = Geometry((4, 5), spacing=(1.0, 2.0))
        >>> Geometry.of(grid.document) == grid
        True
        """
        return cls(
            shape=tuple(document["shape"]),
            spacing=tuple(document["spacing"]) if document["spacing"] else None,
            affine=tuple(tuple(row) for row in document["affine"]) if document["affine"] else None,
            oriented_format=document["oriented_format"],
        )

    @property
    def spacing_or_unit(self) -> tuple[float, ...]:
        """The spacing, 1 along every axis if unknown."""
        return self.spacing or (1.0,) * len(self.shape)

    @property
    def diagonal(self) -> float:
        """Length of the image's diagonal in mm, the penalty of distances that have no worst value.

        Examples
        --------
        >>> round(Geometry((240, 240, 155)).diagonal, 4)
        373.1287
        """
        return float(np.sqrt(sum((n * s) ** 2 for n, s in zip(self.shape, self.spacing_or_unit, strict=True))))


@dataclass(frozen=True, slots=True)
class Alignment:
    """Mapping of an array from a file onto the expected grid.

    The shape of the array is without or with a last axis of one slice. The mapping also contains the order of the axes,
    and which of them are reversed.
    """

    axes: tuple[int, ...]
    flipped: tuple[bool, ...]
    shape: tuple[int, ...]

    def apply(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return a view of the array on the expected grid."""
        array = array.reshape(self.shape, order="F")
        if self.axes != tuple(range(len(self.axes))):
            array = array.transpose(self.axes)
        if any(self.flipped):
            array = array[tuple(slice(None, None, -1 if flip else None) for flip in self.flipped)]
        return array


def align(expected: Geometry, actual: Geometry, *, file: str) -> Alignment:
    """Return the mapping of a file's grid onto the expected grid.

    A volume with reversed or reordered axes whose voxels have the same positions is the same volume and gets
    reoriented. A slice stored as a volume of one slice equals a 2D image.

    Raises
    ------
    ReadError
        With kind ``shape``, ``spacing``, ``orientation`` or ``origin`` for anything else.
    """
    dimensions = len(expected.shape)
    shape = _with_dimensions(actual.shape, dimensions)
    if shape is None:
        raise _shape_error(expected, actual.shape, file)
    spacing = actual.spacing
    if spacing is not None:
        spacing = (*spacing[:dimensions], *expected.spacing_or_unit[len(spacing) :])
    identity = Alignment(tuple(range(dimensions)), (False,) * dimensions, shape)
    if expected.affine is None or actual.affine is None:
        if shape != expected.shape:
            raise _shape_error(expected, actual.shape, file)
        if expected.affine is not None and actual.oriented_format:
            raise ReadError("orientation", file, "the header gives no orientation", _direction_words(expected.affine))
        _check_spacing(expected, spacing, file)
        return identity
    if expected.affine == actual.affine and shape == expected.shape:
        return identity
    return _align_by_affine(expected, actual, shape, spacing, file)


def _align_by_affine(
    expected: Geometry, actual: Geometry, shape: tuple[int, ...], spacing: tuple[float, ...] | None, file: str
) -> Alignment:
    dimensions = len(shape)
    wanted = np.asarray(expected.affine, dtype=float)
    given = np.asarray(actual.affine, dtype=float)
    assert expected.affine is not None
    assert actual.affine is not None
    directions = _directions(wanted)[:, :dimensions].T @ _directions(given)[:, :dimensions]
    partner = np.abs(directions).argmax(axis=1)
    rounded = np.zeros_like(directions)
    rounded[np.arange(dimensions), partner] = np.sign(directions[np.arange(dimensions), partner])
    if len(set(partner.tolist())) != dimensions or np.abs(directions - rounded).max() > _MIXED_AXES:
        raise ReadError(
            "orientation", file, f"its axes {_direction_words(actual.affine)}", _direction_words(expected.affine)
        )
    axes = tuple(int(axis) for axis in partner)
    flipped = tuple(bool(np.signbit(directions[axis, partner[axis]])) for axis in range(dimensions))
    arranged = tuple(shape[axis] for axis in axes)
    if arranged != expected.shape:
        raise _shape_error(expected, actual.shape, file)
    _check_spacing(expected, None if spacing is None else tuple(spacing[axis] for axis in axes), file)
    alignment = Alignment(axes, flipped, shape)
    _check_positions(expected, actual, alignment, file)
    return alignment


def _check_positions(expected: Geometry, actual: Geometry, alignment: Alignment, file: str) -> None:
    """Compare the positions of the corners of both grids, which covers origin, rotation and spacing at once."""
    assert expected.affine is not None
    assert actual.affine is not None
    wanted = np.asarray(expected.affine, dtype=float)
    given = np.asarray(actual.affine, dtype=float)
    corners = np.array(list(product(*((0, n - 1) for n in expected.shape))), dtype=float)
    file_corners = np.zeros_like(corners)
    for axis, (source, flip) in enumerate(zip(alignment.axes, alignment.flipped, strict=True)):
        file_corners[:, source] = expected.shape[axis] - 1 - corners[:, axis] if flip else corners[:, axis]
    shift = _places(given, file_corners) - _places(wanted, corners)
    magnitude = float(np.abs(wanted[:3, 3]).max()) + float(np.abs(given[:3, 3]).max())
    allowed = POSITION_TOLERANCE * min(expected.spacing_or_unit) + 1e-6 * magnitude
    distances = np.sqrt((shift**2).sum(axis=1))
    if distances.max() <= allowed:
        return
    if distances.max() - distances.min() > allowed:
        raise ReadError(
            "orientation",
            file,
            f"its axes {_direction_words(actual.affine)}, which moves a corner by {distances.max():.4g} mm",
            _direction_words(expected.affine),
        )
    raise ReadError(
        "origin",
        file,
        f"the volume lies {distances.max():.4g} mm away, with its first voxel at {_numbers(given[:3, 3])} mm",
        f"the first voxel at {_numbers(wanted[:3, 3])} mm",
    )


def _check_spacing(expected: Geometry, spacing: tuple[float, ...] | None, file: str) -> None:
    if expected.spacing is None or spacing is None:
        return
    if any(abs(a - b) > SPACING_TOLERANCE * a for a, b in zip(expected.spacing, spacing, strict=True)):
        raise ReadError("spacing", file, f"voxels of {_size(spacing)} mm", f"{_size(expected.spacing)} mm")


def _with_dimensions(shape: tuple[int, ...], dimensions: int) -> tuple[int, ...] | None:
    if len(shape) == dimensions + 1 and shape[-1] == 1:
        return shape[:-1]
    if len(shape) == dimensions - 1:
        return (*shape, 1)
    return shape if len(shape) == dimensions else None


def _places(affine: NDArray[np.float64], indices: NDArray[np.float64]) -> NDArray[np.float64]:
    return indices @ affine[:3, : indices.shape[1]].T + affine[:3, 3]


def _directions(affine: NDArray[np.float64]) -> NDArray[np.float64]:
    columns = affine[:3, :3]
    lengths: NDArray[np.float64] = np.sqrt((columns**2).sum(axis=0))
    return columns / np.maximum(lengths, 1e-12)


def _shape_error(expected: Geometry, shape: tuple[int, ...], file: str) -> ReadError:
    return ReadError("shape", file, f"{_size(shape)} voxels", f"{_size(expected.shape)} voxels")


def _size(numbers: tuple[float, ...]) -> str:
    return " × ".join(f"{number:.6g}" for number in numbers)


def _numbers(numbers: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{number:.4g}" for number in numbers + 0.0) + ")"


def _direction_words(affine: Affine) -> str:
    directions = _directions(np.asarray(affine, dtype=float)).T
    names = []
    for direction in directions:
        axis = int(np.abs(direction).argmax())
        names.append((("right", "left"), ("front", "back"), ("up", "down"))[axis][int(np.signbit(direction[axis]))])
    exact = np.abs(directions).max(axis=1).min() > 1 - 1e-6
    detail = "" if exact else " along " + ", ".join(_numbers(direction) for direction in directions)
    return f"run {names[0]}, {names[1]} and {names[2]}{detail}"
