"""Local features of images of two or three axes that do not change under rotation, reflection and monotone intensities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_POINTS: Final = 128
"""Most keypoints of an image; the strongest are used."""
LARGEST: Final = {2: 384, 3: 72}
"""Longest axis in voxels, by number of axes, to which a larger image is reduced."""
_FIRST_SCALE: Final = 1.4
_SCALES: Final = {2: 6, 3: 5}
_STEP: Final = 2**0.5
_SHELLS: Final = (1.0, 2.0, 3.0, 4.0)
"""Radii of the shells of a descriptor, in scales of the keypoint."""
SHELLS: Final = len(_SHELLS)
"""Number of the first values of a descriptor that are means of shells. They change their sign with the contrast."""
_ORDERS: Final = 5
_ROOM: Final = {2: 2.0, 3: 1.5}
"""Distance of a keypoint from the border of the image, in scales."""
_FLAT: Final = 0.004
"""Smallest contrast of a keypoint, as a share of the range of ranks."""


@dataclass(frozen=True)
class Keypoints:
    """Keypoints of an image.

    Attributes
    ----------
    positions
        Shape (points, axes), in voxels of the reduced image.
    scales
        Shape (points,), in the same unit.
    descriptors
        Shape (points, numbers), ``float32``, each of length 1.
    """

    positions: NDArray[np.float32]
    scales: NDArray[np.float32]
    descriptors: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.positions)


def normalize(values: NDArray[Any], spacing: Sequence[float] | None = None) -> NDArray[np.float32]:
    """Return the ranks of the intensities on an isotropic grid of limited size.

    Parameters
    ----------
    values
        Intensities, axes x, y[, z]; a last axis of at most four values is taken for channels if ``spacing`` has one entry less.
    spacing
        Edges of a voxel, one per axis; only their ratios matter. ``None`` for equal edges.

    Returns
    -------
    ndarray
        Values in [0, 1], uniformly distributed up to ties.

    Raises
    ------
    ValueError
        If the image has neither two nor three axes.
    """
    from scipy import ndimage

    image = np.asarray(values, dtype=np.float32)
    if spacing is not None and image.ndim == len(spacing) + 1:
        image = image.mean(axis=-1)
    image = image.squeeze()
    if image.ndim not in LARGEST:
        message = f"an image of {image.ndim} axes; signatures are made of images of 2 or 3"
        raise ValueError(message)
    edges = np.ones(image.ndim) if spacing is None or len(spacing) != image.ndim else np.asarray(spacing, dtype=float)
    extent = np.asarray(image.shape) * edges / edges.min()
    factors = edges / edges.min() * min(1.0, LARGEST[image.ndim] / float(extent.max()))
    if np.any(np.abs(factors - 1) > 0.01):
        blur = np.where(factors < 1, 0.5 * np.sqrt(np.maximum(1 / factors**2 - 1, 0)), 0)
        image = ndimage.zoom(ndimage.gaussian_filter(image, blur), factors, order=1, grid_mode=True, mode="nearest")
    smooth = ndimage.gaussian_filter(image, 0.7)
    # Equal intensities share the mean of their ranks.
    _, inverse, counts = np.unique(smooth.ravel(), return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / smooth.size
    ranks: NDArray[np.float32] = middle[inverse].reshape(smooth.shape).astype(np.float32)
    return ranks


def keypoints(image: NDArray[np.float32], *, most: int = MOST_POINTS) -> Keypoints:
    """Return the keypoints of a normalized image: extrema of differences of Gaussians.

    Parameters
    ----------
    image
        Values from `normalize`.
    most
        Largest number of keypoints.

    Notes
    -----
    A descriptor samples the image on shells around the keypoint and expands each shell in circular (two axes) or spherical
    harmonics (three axes). The inner products of the coefficients of one order between shells do not change under rotations
    and reflections. Extrema of scale space follow D. Lowe (2004), "Distinctive image features from scale-invariant
    keypoints"; invariants from harmonics follow M. Kazhdan et al. (2003), "Rotation invariant spherical harmonic
    representation of 3D shape descriptors".
    """
    from scipy import ndimage

    axes = image.ndim
    sigmas = [_FIRST_SCALE * _STEP**k for k in range(_SCALES[axes] + 2)]
    levels = [ndimage.gaussian_filter(image, sigmas[0])]
    for previous, sigma in pairwise(sigmas):
        levels.append(ndimage.gaussian_filter(levels[-1], float(np.sqrt(sigma**2 - previous**2))))
    stack = np.stack([after - before for before, after in pairwise(levels)])
    magnitude = np.abs(stack)
    # Extrema in space on each level; too few are extrema in scale as well, above all in small volumes.
    peaks = (magnitude == ndimage.maximum_filter(magnitude, size=(1, *(3,) * axes))) & (magnitude > _FLAT)
    level, *where = np.nonzero(peaks)
    positions = np.stack(where, axis=1) if len(level) else np.zeros((0, axes), int)
    scale = np.asarray(sigmas)[level]
    room = np.minimum(positions, np.asarray(image.shape) - 1 - positions).min(axis=1) if len(level) else np.zeros(0)
    inside = room >= _ROOM[axes] * scale
    level, positions, scale = level[inside], positions[inside], scale[inside]
    strength = magnitude[(level, *positions.T)]
    order = np.argsort(-strength, kind="stable")[:most]
    level, positions, scale = level[order], positions[order].astype(np.float32), scale[order].astype(np.float32)
    numbers = np.zeros((len(order), description_size(axes)), np.float32)
    for number in np.unique(level):
        chosen = level == number
        numbers[chosen] = _describe(levels[max(number - 1, 0)], positions[chosen], scale[chosen])
    return Keypoints(positions.astype(np.float32), scale, numbers)


def description_size(axes: int) -> int:
    """Return the number of values of a descriptor, which does not depend on the number of axes."""
    del axes
    return len(_SHELLS) + (_ORDERS - 1) * len(_SHELLS) * (len(_SHELLS) + 1) // 2


def _describe(
    level: NDArray[np.float32], positions: NDArray[np.float32], scales: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return one descriptor per position."""
    from scipy import ndimage

    directions, harmonics = _harmonics(level.ndim)
    radii = np.asarray(_SHELLS, np.float32)
    # points × shells × directions × axes
    places = positions[:, None, None] + scales[:, None, None, None] * radii[None, :, None, None] * directions
    samples = ndimage.map_coordinates(level, np.moveaxis(places, -1, 0), order=1, mode="mirror")
    samples = samples - samples.mean(axis=(1, 2), keepdims=True)
    samples /= samples.std(axis=(1, 2), keepdims=True) + 1e-6
    parts = [samples.mean(axis=2)]
    upper = np.triu_indices(len(_SHELLS))
    for basis in harmonics:
        coefficients = samples @ basis / len(directions)
        gram = coefficients @ coefficients.transpose(0, 2, 1)
        values = gram[:, upper[0], upper[1]]
        parts.append(np.sign(values) * np.sqrt(np.abs(values)))
    numbers = np.concatenate(parts, axis=1)
    lengths = np.linalg.norm(numbers, axis=1, keepdims=True) + 1e-9
    descriptors: NDArray[np.float32] = (numbers / lengths).astype(np.float32)
    return descriptors


@cache
def _harmonics(axes: int) -> tuple[NDArray[np.float32], tuple[NDArray[np.float32], ...]]:
    """Return directions, and for each order from 1 the real harmonics at them, orthonormal in the mean."""
    from scipy.special import sph_harm_y

    if axes == 2:
        angles = np.arange(32) * 2 * np.pi / 32
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        bases = [np.sqrt(2) * np.stack([np.cos(m * angles), np.sin(m * angles)], axis=1) for m in range(1, _ORDERS)]
    else:
        count = 96
        height = 1 - 2 * (np.arange(count) + 0.5) / count
        turn = np.arange(count) * np.pi * (3 - np.sqrt(5))
        flat = np.sqrt(1 - height**2)
        directions = np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=1)
        polar = np.arccos(height)
        bases = []
        for degree in range(1, _ORDERS):
            columns = [sph_harm_y(degree, 0, polar, turn).real]
            for order in range(1, degree + 1):
                wave = np.sqrt(2) * sph_harm_y(degree, order, polar, turn)
                columns += [wave.real, wave.imag]
            bases.append(np.sqrt(4 * np.pi) * np.stack(columns, axis=1))
    return directions.astype(np.float32), tuple(basis.astype(np.float32) for basis in bases)
