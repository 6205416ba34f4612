"""Border of a mask and surface area of each border voxel.

A border voxel is a voxel of the mask with a neighbour outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from evaluation.metrics.nearest import tree_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pykdtree.kdtree import KDTree

Connectivity: TypeAlias = Literal["face", "full"]


@dataclass(frozen=True)
class Surface:
    """Border voxels of a mask.

    Attributes
    ----------
    border
        Mask of the border inside the crop.
    offset
        Place of the crop in the image.
    spacing
        Size of a voxel in mm.
    mask
        The mask inside the crop, for weights.
    """

    border: NDArray[np.bool_]
    offset: tuple[int, ...]
    spacing: tuple[float, ...]
    mask: NDArray[np.bool_]
    thin: tuple[bool, ...]

    @cached_property
    def flat(self) -> NDArray[np.int64]:
        """Indices of the border voxels in the flattened crop."""
        return np.flatnonzero(self.border)

    @cached_property
    def indices(self) -> NDArray[np.int32]:
        """Image indices of the border voxels, shape (n, dimensions)."""
        rest = self.flat
        columns = np.empty((self.flat.size, self.border.ndim), dtype=np.int32)
        for axis in range(self.border.ndim - 1, 0, -1):
            rest, columns[:, axis] = np.divmod(rest, self.border.shape[axis])
        columns[:, 0] = rest
        columns += np.asarray(self.offset, dtype=np.int32)
        return columns

    @cached_property
    def points(self) -> NDArray[np.float64]:
        """Centres of the border voxels in mm, shape (n, dimensions)."""
        points: NDArray[np.float64] = self.indices * np.asarray(self.spacing)
        return points

    @property
    def size(self) -> int:
        """Number of border voxels."""
        return int(self.flat.size)

    @cached_property
    def tree(self) -> KDTree:
        """A k-d tree of the border voxels."""
        return tree_of(self.points)

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without the tree.

        The tree cannot be sent to another process. It is created again there.
        """
        return {name: value for name, value in self.__dict__.items() if name != "tree"}

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Surface area of each border voxel, in mm² (in 2D: length in mm).

        A voxel whose open faces have the areas a, b, c along the axes counts as sqrt(a² + b² + c²). This is the area of
        the plane that cuts off those faces. A flat surface along an axis and a staircase at 45° thereby get their true
        area.
        """
        if all(self.thin):
            return np.ones(self.size)
        volume = float(np.prod([s for s, flat in zip(self.spacing, self.thin, strict=True) if not flat]))
        total = np.zeros(self.size)
        padded = np.pad(self.mask, 1)
        centre = np.unravel_index(self.flat, self.border.shape)
        for axis in range(self.border.ndim):
            if self.thin[axis]:
                continue
            open_faces = np.zeros(self.size)
            for step in (0, 2):
                neighbour = tuple(index + (step if a == axis else 1) for a, index in enumerate(centre))
                open_faces += ~padded[neighbour]
            total += (open_faces * volume / self.spacing[axis]) ** 2
        areas: NDArray[np.float64] = np.sqrt(total)
        # With the full neighbourhood a border voxel may have no open face: it touches the outside by a corner only.
        return areas


def surface_of(
    crop: NDArray[np.bool_],
    connectivity: Connectivity,
    *,
    shape: tuple[int, ...],
    offset: tuple[int, ...],
    spacing: tuple[float, ...],
) -> Surface:
    """Find the border of a mask.

    An axis along which the image has one voxel is no direction in which something could be outside: a volume of one
    slice is a 2D image.

    Parameters
    ----------
    crop
        The mask inside its bounding box.
    shape
        Shape of the image.
    offset
        Place of the crop in the image.
    spacing
        Size of a voxel in mm.
    """
    if connectivity not in ("face", "full"):
        message = f"connectivity is 'face' or 'full', not {connectivity!r}"
        raise ValueError(message)
    thin = tuple(size == 1 for size in shape)
    if all(thin):
        # One voxel alone has nothing but outside around it.
        return Surface(crop.copy(), offset, spacing, crop, thin)
    inner = (_erode_faces if connectivity == "face" else _erode_all)(crop, thin)
    return Surface(crop & ~inner, offset, spacing, crop, thin)


def _erode_faces(crop: NDArray[np.bool_], thin: tuple[bool, ...]) -> NDArray[np.bool_]:
    inner = crop.copy()
    for axis in range(crop.ndim):
        if not thin[axis]:
            _shrink(inner, crop, axis)
    return inner


def _erode_all(crop: NDArray[np.bool_], thin: tuple[bool, ...]) -> NDArray[np.bool_]:
    inner = crop
    for axis in range(crop.ndim):
        if not thin[axis]:
            before, inner = inner, inner.copy()
            _shrink(inner, before, axis)
    return inner


def _shrink(inner: NDArray[np.bool_], crop: NDArray[np.bool_], axis: int) -> None:
    """Clear where the neighbour on either side along an axis is not set; beyond the crop nothing is set."""
    upper = _along(axis, slice(1, None), crop.ndim)
    lower = _along(axis, slice(None, -1), crop.ndim)
    inner[upper] &= crop[lower]
    inner[lower] &= crop[upper]
    inner[_along(axis, slice(0, 1), crop.ndim)] = False
    inner[_along(axis, slice(-1, None), crop.ndim)] = False


def _along(axis: int, part: slice, dimensions: int) -> tuple[Any, ...]:
    return tuple(part if a == axis else slice(None) for a in range(dimensions))
