"""Boundary of a mask as surface elements between voxels, each with its area.

A surface element ("surfel") lies at every corner where 2 × 2 × 2 voxels (2 × 2 pixels in an image) are partly
foreground. Its area is that of the triangles which marching cubes puts there. Distances between surfels and
percentiles weighted by area are those of the library ``surface-distance`` of DeepMind, whose numbers BraTS, Learn2Reg
and the Medical Segmentation Decathlon publish. Reference: S. Nikolov et al., "Clinically applicable segmentation of
head and neck anatomy for radiotherapy", Journal of Medical Internet Research 23 (2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.metrics.surfaces import Surface

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SurfelSurface(Surface):
    """Surface elements of a mask.

    ``border`` and ``offset`` count corners between voxels; distances between two such surfaces are therefore right.

    Attributes
    ----------
    codes
        Configuration of the voxels around each corner: one bit per voxel, in the order of the array.
    """

    codes: NDArray[np.uint8]

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Area of each surface element in mm² (in 2D: length in mm)."""
        spacing = tuple(step for step, flat in zip(self.spacing, self.thin, strict=True) if not flat)
        areas: NDArray[np.float64] = areas_by_code(spacing)[self.codes.ravel()[self.flat]]
        return areas


def surfels_of(
    crop: NDArray[np.bool_], *, shape: tuple[int, ...], offset: tuple[int, ...], spacing: tuple[float, ...]
) -> Surface:
    """Find the surface elements of a mask; an axis of one voxel is no direction, as for the border of voxels.

    Parameters are those of `evaluation.metrics.surfaces.surface_of`.
    """
    thin = tuple(size == 1 for size in shape)
    if all(thin):
        return Surface(crop.copy(), offset, spacing, crop, thin)
    padded = np.pad(crop, [(0, 0) if flat else (1, 1) for flat in thin]).view(np.uint8)
    corners = list(product(*((0,) if flat else (0, 1) for flat in thin)))
    codes = np.zeros(tuple(size - (not flat) for size, flat in zip(padded.shape, thin, strict=True)), dtype=np.uint8)
    for bit, corner in enumerate(corners):
        part = tuple(slice(start, start + size) for start, size in zip(corner, codes.shape, strict=True))
        codes |= padded[part] << bit
    border = (codes != 0) & (codes != 2 ** len(corners) - 1)
    first = tuple(start - (not flat) for start, flat in zip(offset, thin, strict=True))
    return SurfelSurface(border, first, spacing, crop, thin, codes)


@lru_cache(maxsize=256)
def areas_by_code(spacing: tuple[float, ...]) -> NDArray[np.float64]:
    """Area of the surface element of every configuration of voxels around a corner.

    Parameters
    ----------
    spacing
        Size of a voxel along 1, 2 or 3 axes in mm.

    Returns
    -------
    numpy.ndarray
        Shape ``(2 ** 2 ** axes,)``: mm² for 3 axes, mm for 2, and 1 for each end of a line of voxels.

    Examples
    --------
    >>> areas_by_code((1.0, 2.0))[[0b0001, 0b0011, 0b0101]].round(3).tolist()
    [1.118, 2.0, 1.0]
    """
    if len(spacing) == 1:
        return np.array([0.0, 1.0, 1.0, 0.0])
    if len(spacing) == 2:
        return _lengths(*spacing)
    steps = np.asarray(spacing)
    faces = np.array([steps[1] * steps[2], steps[0] * steps[2], steps[0] * steps[1]])
    return np.array([np.linalg.norm(normals * faces, axis=1).sum() for normals in _normals()])


def _lengths(down: float, across: float) -> NDArray[np.float64]:
    """Length of the outline through 2 × 2 pixels: half a diagonal cuts off a single pixel."""
    half = float(np.hypot(down, across)) / 2
    lengths = np.zeros(16)
    for code in range(1, 15):
        pixels = np.array([code >> bit & 1 for bit in range(4)]).reshape(2, 2)
        if pixels.sum() != 2:
            lengths[code] = half
        elif pixels[0, 0] == pixels[1, 1]:
            lengths[code] = 2 * half
        else:
            lengths[code] = across if pixels[0, 0] == pixels[0, 1] else down
    return lengths


@cache
def _normals() -> tuple[NDArray[np.float64], ...]:
    """Area vectors of the triangles through 2 × 2 × 2 voxels of size 1, by configuration.

    Where more than half of the voxels are foreground, the triangles are those of the complement. Foreground voxels that
    touch at an edge only are thereby separate, and background voxels, too.
    """
    from skimage.measure import marching_cubes

    normals = [np.zeros((1, 3))] * 256
    for code in range(1, 255):
        fewer: Any = code if code.bit_count() <= 4 else 255 - code
        voxels = np.array([fewer >> bit & 1 for bit in range(8)], dtype=float).reshape(2, 2, 2)
        points, triangles, _, _ = marching_cubes(voxels, 0.5, method="lorensen")  # type: ignore[no-untyped-call]
        first, second, third = (points[triangles[:, corner]].astype(float) for corner in range(3))
        normals[code] = np.cross(second - first, third - first) / 2
    return tuple(normals)


def weighted_percentile(distances: NDArray[Any], weights: NDArray[Any], percentile: float) -> float:
    """Smallest distance up to which the share of the weights reaches a percentile.

    Examples
    --------
    >>> weighted_percentile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 8.0, 1.0]), 80)
    1.0
    """
    order = np.argsort(distances, kind="stable")
    shares = np.cumsum(weights[order])
    shares /= shares[-1]
    position = int(np.searchsorted(shares, percentile / 100))
    return float(distances[order[min(position, order.size - 1)]])
