"""Positions of the voxels of an image, and comparison of the grids of two images."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SPACING_TOLERANCE: Final = 1e-3
"""Relative difference of spacings that rounding in headers may cause."""
NOTED_SHIFT: Final = 1e-3
"""Shift of a voxel, in voxels, up to which two grids are the same without a note."""
ACCEPTED_SHIFT: Final = 0.5
"""Shift of a voxel along any axis, in voxels, below which the nearest voxel of the other grid stays the same one."""
QUATERNION_SHIFT: Final = 1.0
"""Largest shift, in voxels, that the rounding of a NIfTI quaternion explains."""
_FLOAT32_ORIGIN: Final = 1e-6
"""Relative rounding of positions that headers store as 32-bit floats."""
_QUATERNION_ROUNDING: Final = 2e-7
"""Error of the squared first component of a unit quaternion whose other three components are 32-bit floats.

NIfTI stores b, c and d and derives a² = 1 − b² − c² − d². Readers replace values of a² below 1e-7 by 0.
"""
_SLACK: Final = 1e-2
"""Displacement, in voxels, that other rounding than that of a quaternion adds."""
_MIXED_AXES: Final = 0.05

Affine = tuple[tuple[float, ...], ...]


class GridRule(StrEnum):
    """Rule by which the grid of a prediction is compared with the expected grid."""

    SAME = "same_grid"
    """Equal shape and spacing, and a shift below half a voxel or within the rounding of a quaternion."""
    EXACT = "exact"
    """Equal shape and spacing, and no shift beyond the ordinary rounding of headers."""
    SHAPE = "shape"
    """Equal shape; spacing, orientation and origin of the file are ignored."""


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
    qform
        Second 4 × 4 matrix of a NIfTI file that has an sform and a qform; ``None`` where they are equal. Programs
        differ in which of the two they read.
    rule
        Rule by which the grids of predictions are compared with this one; no part of the grid.
    """

    shape: tuple[int, ...]
    spacing: tuple[float, ...] | None = None
    affine: Affine | None = None
    oriented_format: bool = False
    qform: Affine | None = None
    rule: GridRule = field(default=GridRule.SAME, compare=False)

    def compared_by(self, rule: str | None) -> Geometry:
        """Return the grid with the rule by which predictions are compared with it; ``None`` is the default.

        Examples
        --------
        >>> Geometry((4, 5)).compared_by("exact").rule
        <GridRule.EXACT: 'exact'>
        """
        return replace(self, rule=GridRule(rule or GridRule.SAME))

    @property
    def document(self) -> dict[str, Any]:
        """The grid as JSON values; ``qform`` only where there is a second matrix."""
        document: dict[str, Any] = {
            "shape": list(self.shape),
            "spacing": list(self.spacing) if self.spacing else None,
            "affine": [list(row) for row in self.affine] if self.affine else None,
            "oriented_format": self.oriented_format,
        }
        return document | ({"qform": [list(row) for row in self.qform]} if self.qform else {})

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
            qform=tuple(tuple(row) for row in document["qform"]) if document.get("qform") else None,
        )

    @property
    def affines(self) -> tuple[Affine, ...]:
        """All matrices of the file, the preferred one first."""
        return tuple(affine for affine in (self.affine, self.qform) if affine is not None)

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
class Shift:
    """Largest displacement between the same voxels of two grids.

    Attributes
    ----------
    voxels
        Largest component along an axis of the expected grid, in voxels.
    millimetres
        Largest distance in mm.
    """

    voxels: float = 0.0
    millimetres: float = 0.0

    @property
    def is_noted(self) -> bool:
        """True if the displacement is more than the ordinary rounding of a header."""
        return self.voxels > 0

    @property
    def voxel_words(self) -> str:
        """The displacement in voxels.

        Examples
        --------
        >>> Shift(1.0, 0.925).voxel_words
        '1 voxel'
        """
        number = f"{self.voxels:.3g}"
        return f"{number} voxel{'' if number == '1' else 's'}"

    @property
    def words(self) -> str:
        """The displacement in mm and in voxels.

        Examples
        --------
        >>> Shift(0.1234567, 0.0925).words
        '0.0925 mm (0.123 voxels)'
        """
        return f"{self.millimetres:.4g} mm ({self.voxel_words})"


NO_SHIFT: Final = Shift()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Mapping of an array from a file onto the expected grid.

    The shape of the array is without or with a last axis of one slice. The mapping also contains the order of the axes,
    and which of them are reversed.

    Attributes
    ----------
    axes, flipped, shape
        Order of the axes, which of them are reversed, and the shape in the file.
    shift
        Displacement that remains between the two grids, 0 where it is the ordinary rounding of headers; not part of the
        mapping.
    """

    axes: tuple[int, ...]
    flipped: tuple[bool, ...]
    shape: tuple[int, ...]
    shift: Shift = field(default=NO_SHIFT, compare=False)

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

    Two grids are the same if their shapes and spacings agree and no voxel is displaced by half a voxel or more along
    any axis. A larger displacement of up to one voxel is accepted if the rounding of a quaternion of 32-bit floats
    explains it, as NIfTI files store it. Where a NIfTI file has an sform and a qform, one of them must match.

    This is the rule `GridRule.SAME`. By the rule `GridRule.EXACT` of the expected grid, only the ordinary rounding of
    headers is accepted. By `GridRule.SHAPE`, only the shapes are compared.

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
    if expected.rule is GridRule.SHAPE:
        if shape != expected.shape:
            raise _shape_error(expected, actual.shape, file)
        return identity
    if expected.affine is None or actual.affine is None:
        if shape != expected.shape:
            raise _shape_error(expected, actual.shape, file)
        if expected.affine is not None and actual.oriented_format:
            raise ReadError("orientation", file, "the header gives no orientation", _direction_words(expected.affine))
        _check_spacing(expected, spacing, file)
        return identity
    if expected.affine == actual.affine and shape == expected.shape:
        return identity
    return _align_by_any_affine(expected, actual, shape, spacing, file)


def _align_by_any_affine(
    expected: Geometry, actual: Geometry, shape: tuple[int, ...], spacing: tuple[float, ...] | None, file: str
) -> Alignment:
    """The mapping by the first pair of matrices that agree; the error is that of the preferred pair."""
    try:
        return _align_by_affine(expected, actual, shape, spacing, file)
    except ReadError as error:
        first_error = error
    for wanted, given in list(product(expected.affines, actual.affines))[1:]:
        try:
            return _align_by_affine(_by_matrix(expected, wanted), _by_matrix(actual, given), shape, None, file)
        except ReadError:
            continue
    raise first_error


def _by_matrix(grid: Geometry, affine: Affine) -> Geometry:
    """The same grid in the space of one of its matrices."""
    columns = np.asarray(affine, dtype=float)[:3, : len(grid.shape)]
    spacing = tuple(float(size) for size in np.sqrt((columns**2).sum(axis=0)))
    return replace(grid, affine=affine, spacing=spacing, qform=None)


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
    sizes = actual.spacing if spacing is None and len(actual.spacing or ()) == dimensions else spacing
    _check_spacing(expected, None if sizes is None else tuple(sizes[axis] for axis in axes), file)
    alignment = Alignment(axes, flipped, shape)
    return replace(alignment, shift=_accepted_shift(expected, actual, alignment, file))


def _accepted_shift(expected: Geometry, actual: Geometry, alignment: Alignment, file: str) -> Shift:
    """Compare the positions of the corners of both grids, which covers origin, rotation and spacing at once.

    Raises
    ------
    ReadError
        With kind ``orientation`` or ``origin`` for a larger displacement than `align` accepts.
    """
    assert expected.affine is not None
    assert actual.affine is not None
    wanted = np.asarray(expected.affine, dtype=float)
    given = np.asarray(actual.affine, dtype=float)
    corners = np.array(list(product(*((0, n - 1) for n in expected.shape))), dtype=float)
    file_corners = np.zeros_like(corners)
    for axis, (source, flip) in enumerate(zip(alignment.axes, alignment.flipped, strict=True)):
        file_corners[:, source] = expected.shape[axis] - 1 - corners[:, axis] if flip else corners[:, axis]
    displacements = _places(given, file_corners) - _places(wanted, corners)
    distances = np.sqrt((displacements**2).sum(axis=1))
    voxels = np.abs(np.linalg.solve(wanted[:3, :3], displacements.T)).T[:, : len(expected.shape)]
    # Across the plane of a 2D image there are no voxels; half the smallest side is the bound there, too.
    across = 0.0
    if len(expected.shape) == 2:
        normal = np.cross(wanted[:3, 0], wanted[:3, 1])
        across = float(np.abs(displacements @ (normal / np.linalg.norm(normal))).max()) / min(expected.spacing_or_unit)
    shift = Shift(max(float(voxels.max()), across), float(distances.max()))
    magnitude = float(np.abs(wanted[:3, 3]).max()) + float(np.abs(given[:3, 3]).max())
    rounding = _FLOAT32_ORIGIN * magnitude / min(expected.spacing_or_unit)
    if shift.voxels <= NOTED_SHIFT + rounding:
        return NO_SHIFT
    is_exact = expected.rule is GridRule.EXACT
    if shift.voxels < ACCEPTED_SHIFT + rounding and not is_exact:
        return shift
    turned = distances.max() - distances.min() > _SLACK * min(expected.spacing_or_unit)
    if (
        turned
        and not is_exact
        and shift.voxels <= QUATERNION_SHIFT
        and _is_quaternion_rounding(
            wanted, given, corners, file_corners, slack=rounding * min(expected.spacing_or_unit)
        )
    ):
        return shift
    accepted = "no shift" if is_exact else "a shift below half a voxel"
    if turned:
        raise ReadError(
            "orientation",
            file,
            f"its axes {_direction_words(actual.affine)}, which moves a corner by {shift.words}",
            f"{_direction_words(expected.affine)}, and {accepted}",
        )
    raise ReadError(
        "origin",
        file,
        f"the volume lies {shift.millimetres:.4g} mm away ({shift.voxel_words}), with its first voxel at {_numbers(given[:3, 3])} mm",
        f"the first voxel at {_numbers(wanted[:3, 3])} mm, and {accepted}",
    )


def _is_quaternion_rounding(
    wanted: NDArray[np.float64],
    given: NDArray[np.float64],
    corners: NDArray[np.float64],
    file_corners: NDArray[np.float64],
    *,
    slack: float,
) -> bool:
    """Return whether the displacement is a turn about the first voxel as small as the rounding of a quaternion."""
    angle = max(_quaternion_error(wanted), _quaternion_error(given))
    smallest = float(np.sqrt((wanted[:3, :3] ** 2).sum(axis=0)).min())
    actual, aimed = _places(given, file_corners), _places(wanted, corners)
    # The first voxel of either file, whose position is stored as it is.
    for first in (int((file_corners**2).sum(axis=1).argmin()), int((corners**2).sum(axis=1).argmin())):
        turn = (actual - actual[first]) - (aimed - aimed[first])
        radii = np.sqrt(((aimed - aimed[first]) ** 2).sum(axis=1))
        has_moved = np.abs(actual[first] - aimed[first]).max() > _SLACK * smallest + slack
        if not has_moved and (np.sqrt((turn**2).sum(axis=1)) <= angle * radii + _SLACK * smallest + slack).all():
            return True
    return False


def _quaternion_error(affine: NDArray[np.float64]) -> float:
    """Largest angle in radians by which a NIfTI quaternion of 32-bit floats may turn the axes of a matrix.

    Examples
    --------
    A turn by 180°, such as that of axes to the left, to the back and up, is the worst case.

    >>> print(f"{_quaternion_error(np.diag([-1.0, -1.0, 1.0, 1.0])):.1e}")
    8.9e-04
    >>> print(f"{_quaternion_error(np.eye(4)):.1e}")
    2.8e-07
    """
    rotation = _directions(affine)
    if np.linalg.det(rotation) < 0:
        rotation = rotation * [1.0, 1.0, -1.0]
    squared = min(max((1.0 + float(np.trace(rotation))) / 4.0, 0.0), 1.0)
    first = math.sqrt(squared)
    # Below this bound readers take a as 0.
    low = 0.0 if squared < 1e-7 + _QUATERNION_ROUNDING else math.sqrt(squared - _QUATERNION_ROUNDING)
    error = max(first - low, math.sqrt(squared + _QUATERNION_ROUNDING) - first)
    return 2.0 * math.hypot(error, _QUATERNION_ROUNDING / 2)


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
    is_reordered = len(shape) == len(expected.shape) and sorted(shape) == sorted(expected.shape)
    kind = "axes" if is_reordered else "shape"
    return ReadError(kind, file, f"{_size(shape)} voxels", f"{_size(expected.shape)} voxels")


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
