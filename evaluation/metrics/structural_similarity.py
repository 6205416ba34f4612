"""The map of structural similarity of two images, and its mean in a region.

Moments of windows are sums of shifted views, so that a window costs a few additions a voxel and nothing is lost by running
sums; images are worked on slab by slab, so that memory does not grow with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_PIECE = 1 << 17


@dataclass(frozen=True)
class Window:
    """Weights of a window along one axis, and what its covariances are multiplied with.

    Attributes
    ----------
    size
        Voxels along an axis, odd.
    sigma
        Of a gaussian window; ``None`` for one with equal weights.
    is_sample
        Whether covariances are those of a sample, times N / (N - 1) with N the voxels of a window.
    """

    size: int
    sigma: float | None = None
    is_sample: bool = True

    @property
    def rim(self) -> int:
        """Voxels at each face that no whole window is centred on."""
        return (self.size - 1) // 2

    def factor(self, axes: int) -> float:
        """Return the factor by which covariances are multiplied in this number of dimensions."""
        number = self.size**axes
        return number / (number - 1) if self.is_sample else 1.0

    def mean(self, image: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted means of all whole windows; shorter by `size` - 1 along every axis."""
        for axis in range(image.ndim):
            image = self._along(image, axis)
        return image if self.sigma is not None else image / float(self.size) ** image.ndim

    def _along(self, image: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        length = image.shape[axis] - self.size + 1
        if self.sigma is not None:
            places = np.arange(-self.rim, self.rim + 1)
            weights = np.exp(-0.5 * (places / self.sigma) ** 2)
            weights /= weights.sum()
            total: NDArray[np.float64] = weights[0] * _shifted(image, axis, 0, length)
            for step in range(1, self.size):
                total += weights[step] * _shifted(image, axis, step, length)
            return total
        # Sums of 1, 2, 4, … voxels; a window is put together from those that its size is the sum of.
        parts: NDArray[np.float64] | None = None
        start, width, sums = 0, 1, image
        remaining = self.size
        while remaining:
            if remaining & 1:
                part = _shifted(sums, axis, start, length)
                parts = part.copy() if parts is None else np.add(parts, part, out=parts)
                start += width
            remaining >>= 1
            if remaining:
                shorter = sums.shape[axis] - width
                sums = _shifted(sums, axis, 0, shorter) + _shifted(sums, axis, width, shorter)
                width *= 2
        assert parts is not None
        return parts


def _shifted(image: NDArray[np.float64], axis: int, start: int, length: int) -> NDArray[np.float64]:
    cut = [slice(None)] * image.ndim
    cut[axis] = slice(start, start + length)
    view: NDArray[np.float64] = image[tuple(cut)]
    return view


def similarity_map(
    reference: NDArray[np.float64], prediction: NDArray[np.float64], window: Window, constants: tuple[float, float]
) -> NDArray[np.float64]:
    """Structural similarity at the centre of every whole window; shorter by the window's size - 1 along every axis.

    Parameters
    ----------
    constants
        C1 and C2.
    """
    first, second = constants
    # Both moved by one number: variances as differences of squares lose nothing then.
    middle = float(reference.mean())
    a, b = reference - middle, prediction - middle
    mean_a, mean_b = window.mean(a), window.mean(b)
    # Only the sum of both variances is needed.
    squares, product = window.mean(a * a + b * b), window.mean(a * b)
    factor = window.factor(reference.ndim)
    product_of_means = mean_a * mean_b
    variances = factor * (squares - (mean_a * mean_a + mean_b * mean_b))
    covariance = factor * (product - product_of_means)
    mean_a += middle
    mean_b += middle
    product_of_means = mean_a * mean_b
    upper: NDArray[np.float64] = (2 * product_of_means + first) * (2 * covariance + second)
    upper /= (mean_a * mean_a + mean_b * mean_b + first) * (variances + second)
    return upper


def mean_similarities(
    reference: NDArray[np.float64],
    prediction: NDArray[np.float64],
    regions: Sequence[NDArray[np.bool_] | None],
    window: Window,
    constants: tuple[float, float],
) -> list[float | None]:
    """Mean of the map over the voxels of each region that a whole window is centred on; ``None`` without any.

    ``None`` among the regions is the whole image.
    """
    totals, numbers = [0.0] * len(regions), [0] * len(regions)
    for slab in _slabs(reference.shape, window):
        cores = [None if region is None else region[slab.core] for region in regions]
        if all(core is not None and not core.any() for core in cores):
            continue
        similarities = similarity_map(reference[slab.window], prediction[slab.window], window, constants)
        for number, core in enumerate(cores):
            chosen = similarities if core is None else similarities[core]
            totals[number] += float(chosen.sum())
            numbers[number] += chosen.size
    return [total / number if number else None for total, number in zip(totals, numbers, strict=True)]


@dataclass(frozen=True)
class _Slab:
    window: tuple[slice, ...]
    core: tuple[slice, ...]


def _slabs(shape: tuple[int, ...], window: Window) -> Iterator[_Slab]:
    """Parts of an image with the rims that their windows need, along the first axis."""
    rim = window.rim
    inner = tuple(slice(rim, length - rim) for length in shape[1:])
    if min(shape) < window.size:
        return
    thickness = max(window.size, _PIECE // max(1, int(np.prod(shape[1:]))))
    for start in range(rim, shape[0] - rim, thickness):
        stop = min(start + thickness, shape[0] - rim)
        yield _Slab((slice(start - rim, stop + rim),), (slice(start, stop), *inner))
