"""Faults of references: kinds for development and other kinds for measurement, each graded by the DSC that remains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import ndimage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

Labels = Any


def eroded(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """Each label without the voxels nearest to its outline."""
    return _by_depth(labels, -strength * 4, rng)


def dilated(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels grown into the background."""
    return _by_depth(labels, strength * 4, rng)


def _by_depth(labels: Labels, depth: float, rng: np.random.Generator) -> Labels:
    front = labels > 0
    if depth < 0:
        return np.where(ndimage.distance_transform_edt(front) > -depth + rng.random() * 0.2, labels, 0)
    distance, nearest = ndimage.distance_transform_edt(~front, return_indices=True)
    return np.where(distance <= depth, labels[tuple(nearest)], 0)


def shifted(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels at another place."""
    direction = rng.normal(size=labels.ndim)
    offset = direction / np.linalg.norm(direction) * strength * 8
    return ndimage.shift(labels, offset, order=0)


def without_slices(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """A run of slices without labels at one end."""
    axis = int(rng.integers(labels.ndim))
    filled = np.flatnonzero((labels > 0).any(axis=tuple(a for a in range(labels.ndim) if a != axis)))
    count = max(1, round(strength * 0.6 * len(filled)))
    gone = filled[:count] if rng.random() < 0.5 else filled[-count:]
    result = np.moveaxis(labels.copy(), axis, 0)
    result[gone] = 0
    return np.moveaxis(result, 0, axis)


def swapped(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """Two labels exchanged in a share of the voxels nearest to the boundary between them."""
    first, second = 1, 2
    if labels.max() != 2:
        return labels
    depth = strength * 12
    near = {label: ndimage.distance_transform_edt(labels != label) <= depth for label in (first, second)}
    result = labels.copy()
    result[(labels == first) & near[second]] = second
    result[(labels == second) & near[first]] = first
    return result


def rotated(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels turned about their centre."""
    axes = tuple(int(axis) for axis in rng.choice(labels.ndim, 2, replace=False))
    angle = strength * 60 * rng.choice([-1, 1])
    matrix = np.eye(labels.ndim)
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    matrix[axes[0], axes[0]] = matrix[axes[1], axes[1]] = c
    matrix[axes[0], axes[1]], matrix[axes[1], axes[0]] = -s, s
    return _about_centre(labels, matrix)


def zoomed(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels stretched along one axis."""
    matrix = np.eye(labels.ndim)
    axis = int(rng.integers(labels.ndim))
    matrix[axis, axis] = (1 + strength) ** rng.choice([-1, 1])
    return _about_centre(labels, matrix)


def _about_centre(labels: Labels, matrix: NDArray[np.float64]) -> Labels:
    centre = np.argwhere(labels > 0).mean(axis=0)
    return ndimage.affine_transform(labels, matrix, centre - matrix @ centre, order=0)


def warped(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels under a smooth random deformation."""
    grid = np.indices(labels.shape).astype(float)
    extent = max(np.ptp(np.argwhere(labels > 0), axis=0).max(), 4)
    width = min(extent / 6, 24)
    for axis in range(labels.ndim):
        field = ndimage.gaussian_filter(rng.normal(size=labels.shape), width)
        grid[axis] += field / field.std() * strength * 8
    return ndimage.map_coordinates(labels, grid, order=0)


def coarse(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels drawn on a coarser grid."""
    factor = 1 + strength * 9
    offset = rng.random(labels.ndim) * factor
    index = [
        np.clip(((np.arange(n) + o) // factor + 0.5) * factor - o, 0, n - 1).astype(int)
        for n, o in zip(labels.shape, offset, strict=True)
    ]
    return labels[np.ix_(*index)]


def with_blob(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """A ball of one label too much, with its centre on the outline or near it."""
    places = np.argwhere(labels > 0)
    centre = places[rng.integers(len(places))]
    volume = strength * 0.8 * len(places)
    radius = (volume * 3 / 4 / np.pi) ** (1 / 3) if labels.ndim == 3 else (volume / np.pi) ** 0.5
    centre = centre + rng.normal(size=labels.ndim) * radius * 0.7
    grid = np.indices(labels.shape)
    ball = sum((grid[axis] - centre[axis]) ** 2 for axis in range(labels.ndim)) <= radius**2
    result = labels.copy()
    result[ball & (labels == 0)] = labels[tuple(places[rng.integers(len(places))])]
    return result


def cut(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """Everything on one side of an oblique plane without labels."""
    places = np.argwhere(labels > 0)
    direction = rng.normal(size=labels.ndim)
    heights = places @ direction
    result = labels.copy()
    result[tuple(places[heights > np.quantile(heights, 1 - strength * 0.7)].T)] = 0
    return result


def rough(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """Labels with a ragged outline."""
    front = labels > 0
    inside, outside = (ndimage.distance_transform_edt(mask) for mask in (front, ~front))
    noise = ndimage.gaussian_filter(rng.normal(size=labels.shape), 1.0)
    level = outside - inside + noise / noise.std() * strength * 4
    nearest = ndimage.distance_transform_edt(~front, return_distances=False, return_indices=True)
    return np.where(level <= 0, labels[tuple(nearest)], 0)


def mirrored(labels: Labels, strength: float, rng: np.random.Generator) -> Labels:
    """The labels mirrored about their centre."""
    matrix = np.eye(labels.ndim)
    axis = int(rng.integers(labels.ndim))
    matrix[axis, axis] = -1
    return _about_centre(labels, matrix)


Fault = "Callable[[Labels, float, np.random.Generator], Labels]"
DEVELOPMENT: Mapping[str, Callable[[Labels, float, np.random.Generator], Labels]] = {
    "eroded": eroded, "dilated": dilated, "shifted": shifted, "without slices": without_slices, "swapped": swapped,
}  # fmt: skip
HELD_OUT: Mapping[str, Callable[[Labels, float, np.random.Generator], Labels]] = {
    "rotated": rotated, "stretched": zoomed, "warped": warped, "coarse": coarse, "blob": with_blob, "cut off": cut,
    "ragged": rough, "mirrored": mirrored,
}  # fmt: skip
