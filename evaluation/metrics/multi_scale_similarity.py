"""Structural similarity at several resolutions, as SynthRAD2025 computes it.

Follows ``image_metrics.py`` of SynthRAD2025/metrics, commit 0beef65 (16 April 2025), which is a masked form of Wang, Simoncelli and
Bovik, "Multiscale structural similarity for image quality assessment" (Asilomar 2003). Unlike the paper, luminance has a weight at
every scale, windows are uniform and the factors of a voxel are clipped at 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SCALE_WEIGHTS: Final = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)
"""Exponents of the scales, from the finest to the coarsest, as in Wang et al. 2003."""
_WINDOW: Final = 7
_RIM: Final = _WINDOW // 2
_SMALLEST: Final = 97
"""Voxels along each axis below which images are padded, so that the coarsest scale holds a window."""


def multi_scale_similarity(
    reference: NDArray[np.float64],
    prediction: NDArray[np.float64],
    regions: Sequence[NDArray[np.bool_] | None],
    constants: tuple[float, float],
) -> list[float | None]:
    """Return the product over scales of the mean similarity in each region; ``None`` where a scale has no voxel of it.

    Parameters
    ----------
    reference, prediction
        From 0 to the width of the data range. Voxels outside a region are set to 0 before it is measured.
    regions
        Masks; ``None`` is the whole image.
    constants
        C1 and C2.
    """
    return [_of_region(reference, prediction, region, constants) for region in regions]


def _of_region(
    reference: NDArray[np.float64],
    prediction: NDArray[np.float64],
    region: NDArray[np.bool_] | None,
    constants: tuple[float, float],
) -> float | None:
    inside = np.ones(reference.shape, dtype=bool) if region is None else region
    images = [np.where(inside, image, 0.0) for image in (reference, prediction)]
    lacking = [max(0, _SMALLEST - length) for length in inside.shape]
    padding = [(total // 2, total - total // 2) for total in lacking]
    images = [np.pad(image, padding, mode="edge") for image in images]
    inside = np.pad(inside, padding, mode="edge")
    product = 1.0
    for weight in SCALE_WEIGHTS:
        core = tuple(slice(_RIM, length - _RIM) for length in inside.shape)
        similarities = _similarity(images[0], images[1], weight, constants)[core][inside[core]]
        if not similarities.size:
            return None
        product *= min(1.0, max(0.0, float(similarities.mean())))
        every_other = (slice(None, None, 2),) * inside.ndim
        images = [_halved(image)[every_other] for image in images]
        inside = inside[every_other]
    return product


def _similarity(
    one: NDArray[np.float64], other: NDArray[np.float64], weight: float, constants: tuple[float, float]
) -> NDArray[np.float64]:
    """Luminance, contrast and structure at each voxel, each clipped at 0 and to the power of a weight."""
    from scipy.ndimage import uniform_filter

    first, second = constants
    factor = _WINDOW**one.ndim / (_WINDOW**one.ndim - 1)
    mean_one, mean_other = uniform_filter(one, _WINDOW), uniform_filter(other, _WINDOW)
    variance_one = factor * (uniform_filter(one * one, _WINDOW) - mean_one * mean_one)
    variance_other = factor * (uniform_filter(other * other, _WINDOW) - mean_other * mean_other)
    covariance = factor * (uniform_filter(one * other, _WINDOW) - mean_one * mean_other)
    spread = np.sqrt(np.clip(variance_one, 0, None)) * np.sqrt(np.clip(variance_other, 0, None))
    luminance = (2 * mean_one * mean_other + first) / (mean_one * mean_one + mean_other * mean_other + first)
    contrast = (2 * spread + second) / (variance_one + variance_other + second)
    structure = (covariance + second / 2) / (spread + second / 2)
    similarity: NDArray[np.float64] = np.ones(one.shape)
    for part in (luminance, contrast, structure):
        similarity *= np.clip(part, 0, None) ** weight
    return similarity


def _halved(image: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each voxel and the one before it along every axis, 0 before the first."""
    for axis in range(image.ndim):
        moved = np.zeros_like(image)
        later = (*(slice(None),) * axis, slice(1, None))
        earlier = (*(slice(None),) * axis, slice(None, -1))
        moved[later] = image[earlier]
        image = (image + moved) / 2
    return image
