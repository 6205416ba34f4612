"""Masks prepared once and shared by all metrics of a case.

A metric takes two arrays, or two `Mask` objects. Objects remember what was computed for them (bounding box, border,
distances to the other mask), so that ten metrics cost little more than one and a reference is prepared once for any
number of predictions.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from evaluation.metrics.distances import DirectedDistances, directed_distances
from evaluation.metrics.surfaces import Connectivity, Surface, surface_of
from evaluation.metrics.surfels import surfels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.outcomes import Outcome

Boundary: TypeAlias = Literal["voxels", "surfels"]
Box: TypeAlias = tuple[tuple[int, int], ...]
_REMEMBERED_PAIRS: Final = 1


class Mask:
    """A binary mask with its voxel size; treat it as immutable.

    Parameters
    ----------
    array
        Mask of 2 or 3 dimensions; anything that is not 0 is foreground.
    spacing
        Size of a voxel along each array axis in mm; 1 if not given.
    shape, offset
        If ``array`` is only a part of the image: the shape of the whole, and where the part starts.

    Raises
    ------
    ValueError
        If the array has not 2 or 3 dimensions, is empty along an axis, or the spacing does not fit.
    """

    def __init__(
        self,
        array: ArrayLike,
        spacing: Sequence[float] | None = None,
        *,
        shape: tuple[int, ...] | None = None,
        offset: tuple[int, ...] | None = None,
    ) -> None:
        values = np.asarray(array)
        if values.dtype != bool:
            values = values != 0
        self.shape = values.shape if shape is None else shape
        if len(self.shape) not in (2, 3) or min(self.shape) < 1:
            message = f"a mask has 2 or 3 dimensions with at least one voxel each, not the shape {self.shape}"
            raise ValueError(message)
        self.spacing = checked_spacing(spacing, len(self.shape))
        self._values = values
        self._offset = offset or (0,) * values.ndim
        self._pairs: dict[int, tuple[Mask, MaskPair]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was computed against other masks: it can be computed again."""
        return {**self.__dict__, "_pairs": {}}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the whole mask, for functions that know nothing of prepared masks."""
        if self._values.shape == self.shape:
            return np.array(self._values, dtype=dtype, copy=copy)
        full = np.zeros(self.shape, dtype=dtype or bool)
        full[tuple(slice(o, o + n) for o, n in zip(self._offset, self._values.shape, strict=True))] = self._values
        return full

    @cached_property
    def diagonal(self) -> float:
        """Length of the image's diagonal in mm."""
        return float(np.sqrt(sum((n * s) ** 2 for n, s in zip(self.shape, self.spacing, strict=True))))

    @cached_property
    def box(self) -> Box | None:
        """Bounding box of the foreground in the image, (start, stop) for each axis; ``None`` if there is none."""
        local = bounding_box(self._values)
        if local is None:
            return None
        return tuple((start + o, stop + o) for (start, stop), o in zip(local, self._offset, strict=True))

    @cached_property
    def crop(self) -> NDArray[np.bool_]:
        """The mask inside its bounding box, contiguous."""
        if self.box is None:
            return np.zeros((0,) * len(self.shape), dtype=bool)
        return np.ascontiguousarray(self.inside(self.box))

    def inside(self, box: Box) -> NDArray[np.bool_]:
        """Return the mask inside a box, which must be within the stored part of the mask."""
        return self._values[tuple(slice(a - o, b - o) for (a, b), o in zip(box, self._offset, strict=True))]

    def within(self, box: Box) -> NDArray[np.bool_]:
        """The mask inside any box of the image that contains its foreground."""
        full = np.zeros(tuple(stop - start for start, stop in box), dtype=bool)
        if self.box is not None:
            full[tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(self.box, box, strict=True))] = self.crop
        return full

    @property
    def offset(self) -> tuple[int, ...]:
        """Place of the crop in the image."""
        return tuple(start for start, _ in self.box or ())

    @cached_property
    def count(self) -> int:
        """Number of foreground voxels."""
        return int(np.count_nonzero(self.crop))

    @property
    def empty(self) -> bool:
        """True if there is no foreground."""
        return self.box is None

    @cached_property
    def _surfaces(self) -> dict[str, Surface]:
        return {}

    def surface(self, connectivity: Connectivity | Literal["surfels"] = "face") -> Surface:
        """Return the foreground voxels with a neighbour outside, or the surface elements between voxels (``surfels``).

        Everything beyond the image's edge is outside.
        """
        if connectivity not in self._surfaces:
            self._surfaces[connectivity] = self._find_surface(connectivity)
        return self._surfaces[connectivity]

    def _find_surface(self, connectivity: Connectivity | Literal["surfels"]) -> Surface:
        shape, offset, spacing = self.shape, self.offset, self.spacing
        if connectivity == "surfels":
            return surfels_of(self.crop, shape=shape, offset=offset, spacing=spacing)
        return surface_of(self.crop, connectivity, shape=shape, offset=offset, spacing=spacing)


class MaskPair:
    """A reference and a prediction, and what metrics share of the work between them."""

    def __init__(self, reference: Mask, prediction: Mask) -> None:
        if reference.shape != prediction.shape:
            message = f"reference and prediction differ in shape: {reference.shape} and {prediction.shape}"
            raise ValueError(message)
        if reference.spacing != prediction.spacing:
            message = f"reference and prediction differ in spacing: {reference.spacing} and {prediction.spacing}"
            raise ValueError(message)
        self.reference = reference
        self.prediction = prediction
        self._distances: dict[str, DirectedDistances] = {}

    @cached_property
    def emptiness(self) -> Outcome | None:
        """The outcome if one of both masks is empty."""
        from evaluation.outcomes import Outcome

        if self.reference.empty:
            return Outcome.BOTH_EMPTY if self.prediction.empty else Outcome.REF_EMPTY
        return Outcome.PRED_EMPTY if self.prediction.empty else None

    @cached_property
    def intersection(self) -> int:
        """Number of voxels in both masks."""
        if self.emptiness is not None:
            return 0
        return overlap(self.reference.crop, self.reference.offset, self.prediction.crop, self.prediction.offset)

    def distances(self, connectivity: Connectivity | Literal["surfels"] = "face") -> DirectedDistances:
        """Distances in mm from each border voxel (or surface element) of one mask to the border of the other, both ways.

        Both masks must not be empty.
        """
        if connectivity not in self._distances:
            self._distances[connectivity] = directed_distances(
                self.reference.surface(connectivity), self.prediction.surface(connectivity), self.reference.spacing
            )
        return self._distances[connectivity]


def pair(reference: ArrayLike | Mask, prediction: ArrayLike | Mask, spacing: Sequence[float] | None = None) -> MaskPair:
    """Bring two masks together; for `Mask` objects the pair is remembered by the prediction.

    Raises
    ------
    ValueError
        If their shapes or spacings differ.
    """
    one = reference if isinstance(reference, Mask) else Mask(reference, spacing)
    other = prediction if isinstance(prediction, Mask) else Mask(prediction, spacing or one.spacing)
    cached = other._pairs.get(id(one))  # noqa: SLF001  (the pair is the friend of the mask)
    if cached is None or cached[0] is not one:
        cached = (one, MaskPair(one, other))
        while len(other._pairs) >= _REMEMBERED_PAIRS:  # noqa: SLF001
            other._pairs.pop(next(iter(other._pairs)))  # noqa: SLF001
        other._pairs[id(one)] = cached  # noqa: SLF001
    return cached[1]


def bounding_box(values: NDArray[Any]) -> Box | None:
    """Return the smallest box that contains the foreground (values other than 0); ``None`` if there is none.

    Examples
    --------
    >>> bounding_box(np.array([[False, False], [False, True]]))
    ((1, 2), (1, 2))
    """
    box: list[tuple[int, int]] = [(0, size) for size in values.shape]
    # The slowest axis first: each cut leaves less to look at for the next.
    for axis in sorted(range(values.ndim), key=lambda a: -abs(values.strides[a])):
        view = values[tuple(slice(a, b) for a, b in box)]
        others = tuple(other for other in range(values.ndim) if other != axis)
        occupied = np.flatnonzero(view.any(axis=others))
        if occupied.size == 0:
            return None
        start = box[axis][0]
        box[axis] = (start + int(occupied[0]), start + int(occupied[-1]) + 1)
    return tuple(box)


def joint_box(one: Mask, other: Mask) -> Box:
    """Find the smallest box that holds two masks that are not empty."""
    boxes = zip(one.box or (), other.box or (), strict=True)
    return tuple((min(a, c), max(b, d)) for (a, b), (c, d) in boxes)


def overlap(one: NDArray[Any], offset: Sequence[int], other: NDArray[Any], other_offset: Sequence[int]) -> int:
    """Count the voxels that are foreground in two crops of one image."""
    first: list[slice] = []
    second: list[slice] = []
    for a, n, b, m in zip(offset, one.shape, other_offset, other.shape, strict=True):
        start, stop = max(a, b), min(a + n, b + m)
        if stop <= start:
            return 0
        first.append(slice(start - a, stop - a))
        second.append(slice(start - b, stop - b))
    return int(np.count_nonzero(one[tuple(first)] & other[tuple(second)]))


def checked_spacing(spacing: Sequence[float] | None, dimensions: int) -> tuple[float, ...]:
    """Return the spacing as plain numbers, 1 along every axis if not given.

    Raises
    ------
    ValueError
        If it has not one positive finite number for each axis.
    """
    if spacing is None:
        return (1.0,) * dimensions
    numbers = tuple(float(size) for size in spacing)
    if len(numbers) != dimensions or not all(np.isfinite(size) and size > 0 for size in numbers):
        message = f"spacing needs {dimensions} positive numbers, not {numbers}"
        raise ValueError(message)
    return numbers
