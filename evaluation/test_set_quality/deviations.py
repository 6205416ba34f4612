"""Deviations of a reference from what votes and image let expect: overlap, position, extents, outline and edges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.test_set_quality.agreement import dice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NAMES: Final = (
    "overlap", "likelihood", "volume",
    "centre_1", "centre_2", "centre_3", "extent_1", "extent_2", "extent_3", "skew_12", "skew_13", "skew_23",
    "offset_1", "offset_2", "offset_3", "correlation",
    "outline", "far", "edge", "contrast", "image_edge", "image_contrast", "contrast_ratio",
    "piece", "large_piece",
)  # fmt: skip
"""Names of the deviations, in the order of `Expected.deviations`."""
HIGH: Final = frozenset({"overlap", "likelihood", "far", "piece", "large_piece"})
"""Deviations of which only large values are suspicious."""
LOW: Final = frozenset({"correlation", "contrast", "image_contrast", "contrast_ratio"})
"""Deviations of which only small values are suspicious."""
COVARIATES: Final = ("entropy", "image_contrast", "contrast", "disagreement")
"""Measures of how certain the expectation is, made without the reference of the case."""

_REACH: Final = 5
_SHIFT: Final = 8
_EPSILON: Final = 1e-3
_CENTRES, _EXTENTS, _SKEWS, _OFFSETS = (NAMES.index(name) for name in ("centre_1", "extent_1", "skew_12", "offset_1"))


@dataclass(frozen=True)
class Spot:
    """The place where a reference differs most from what is expected.

    Attributes
    ----------
    index
        Voxel, counted from 0 along x, y[, z].
    excess
        In [-1, 1]: share of a neighbourhood that is labelled without being expected, negative if labels are missing.
    """

    index: tuple[int, ...]
    excess: float


class Expected:
    """The expected reference of one region in one case.

    Parameters
    ----------
    probability
        Probability of the region for each voxel.
    image
        Intensities of the same shape, ``None`` without an image.
    masks
        Masks of the independent algorithms, for the covariate ``disagreement``.
    spacing
        Edges of a voxel in mm, one per axis.
    """

    def __init__(
        self,
        probability: NDArray[Any],
        image: NDArray[Any] | None,
        masks: Sequence[NDArray[np.bool_]],
        spacing: Sequence[float],
    ) -> None:
        from scipy import ndimage

        self.probability = np.asarray(probability, dtype=np.float32)
        self.spacing = np.asarray(spacing, dtype=float) / min(spacing)
        self.mask: NDArray[np.bool_] = self.probability >= 0.5
        self.size = int(self.mask.sum())
        self.image: NDArray[np.float32] | None = None
        if image is not None:
            smooth = ndimage.gaussian_filter(np.asarray(image, np.float32), 0.7)
            low, high = np.percentile(smooth, [1, 99])
            self.image = np.clip((smooth - low) / (high - low + 1e-9), -0.2, 1.2)
        certain = np.clip(self.probability, 0.01, 0.99)
        self._certain = certain
        entropy = -(certain * np.log(certain) + (1 - certain) * np.log(1 - certain))
        self._entropy = float(entropy.sum())
        self.distance = signed_distance(self.mask, self.spacing)
        self._border = max(int((np.abs(self.distance) < 1).sum()) // 2, 1)
        self._moments = _moments(self.mask, self.spacing)
        self._fine = _fine(self.probability)
        self._image_contrast = edge(self.distance, self.image)[1] if self.image is not None else np.nan
        agreement = [np.log(1 - dice(self.mask, mask) + 0.01) for mask in masks if mask.any() or self.size]
        self.covariates: NDArray[np.float64] = np.array([
            np.log(self._entropy / self._border + 1e-6),
            self._image_contrast,
            edge(self.distance, self.probability)[1],
            float(np.mean(agreement)) if agreement else np.nan,
        ])  # fmt: skip

    def deviations(self, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return how a reference deviates from the expectation.

        Returns
        -------
        ndarray
            One number per name of `NAMES`; NaN where it is undefined, as positions are for an empty mask.

            * overlap, likelihood: log of 1 - DSC; log of the negative log-likelihood, relative to its expectation
            * volume, centre, extent, skew: log ratio of volumes, displacement of the centre in radii of gyration, and the
              covariance of the mask's voxels after that of the expectation is whitened, minus the identity
            * offset, correlation: displacement of the best cross-correlation of the outlines in voxels, and its height
            * outline, far: mean and 95th percentile of the absolute distance of the outline from the expected one, in the
              smallest voxel edge; positive outside
            * edge, contrast (of probability and image): offset of the edge from the outline of the mask, and log of the
              contrast across it; contrast_ratio: the latter relative to the contrast across the expected outline
            * piece, large_piece: log of the largest mean difference in a neighbourhood of 2 and of 4 voxels
        """
        from scipy import ndimage

        result = dict.fromkeys(NAMES, np.nan)
        size = int(mask.sum())
        if not size and not self.size:
            return np.array(list(result.values()))
        result["overlap"] = np.log(1 - dice(mask, self.mask) + _EPSILON)
        unlikely = -np.log(np.where(mask, self._certain, 1 - self._certain)).sum()
        result["likelihood"] = np.log(float(unlikely) / (self._entropy + 1))
        difference = mask - self.probability
        for name, width in (("piece", 2), ("large_piece", 4)):
            result[name] = np.log(float(np.abs(ndimage.gaussian_filter(difference, width)).max()) + _EPSILON)
        values = np.array(list(result.values()))
        if not size or not self.size:
            return values
        distance = signed_distance(mask, self.spacing)
        outline = self.distance[(distance < 0) & (distance > -1)]
        result["volume"] = np.log(size / self.size)
        if len(outline):
            result["outline"] = float(outline.mean())
            result["far"] = float(np.percentile(np.abs(outline), 95))
        result["edge"], result["contrast"] = edge(distance, self.probability)
        if self.image is not None:
            result["image_edge"], result["image_contrast"] = edge(distance, self.image)
            result["contrast_ratio"] = result["image_contrast"] - self._image_contrast
        offsets, result["correlation"] = _best_offset(_fine(mask.astype(np.float32)), self._fine)
        values = np.array(list(result.values()))
        axes = mask.ndim
        values[_OFFSETS : _OFFSETS + axes] = offsets
        moments = _moments(mask, self.spacing)
        if moments is not None and self._moments is not None:
            (centre, covariance), (middle, spread) = moments, self._moments
            root = np.linalg.inv(np.linalg.cholesky(spread))
            values[_CENTRES : _CENTRES + axes] = (centre - middle) / np.sqrt(np.trace(spread))
            white = root @ covariance @ root.T - np.eye(axes)
            values[_EXTENTS : _EXTENTS + axes] = np.diag(white)
            upper = white[np.triu_indices(axes, 1)]
            values[_SKEWS : _SKEWS + len(upper)] = upper
        return values

    def spot(self, mask: NDArray[np.bool_]) -> Spot:
        """Return the coordinate of the largest difference, for a viewer to open at."""
        from scipy import ndimage

        smooth = ndimage.gaussian_filter(mask - self.probability, 2)
        index = np.unravel_index(int(np.argmax(np.abs(smooth))), smooth.shape)
        return Spot(tuple(int(coordinate) for coordinate in index), float(smooth[index]))


def signed_distance(mask: NDArray[np.bool_], spacing: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the distance of each voxel's centre from the outline, negative inside; 99 for an empty or full mask.

    Examples
    --------
    >>> signed_distance(np.array([[False, True, True]]), np.ones(2))
    array([[ 0.5, -0.5, -1.5]], dtype=float32)
    """
    import edt

    if mask.all() or not mask.any():
        return np.full(mask.shape, 99, np.float32)
    inside = edt.edt(np.ascontiguousarray(mask), anisotropy=tuple(spacing))
    outside = edt.edt(np.ascontiguousarray(~mask), anisotropy=tuple(spacing))
    result: NDArray[np.float32] = np.where(mask, 0.5 - inside, outside - 0.5).astype(np.float32)
    return result


def edge(distance: NDArray[np.float32], values: NDArray[np.float32]) -> tuple[float, float]:
    """Return the offset of an edge in values from an outline, and the log of the contrast across the outline.

    Parameters
    ----------
    distance
        Signed distance from the outline, as from `signed_distance`.
    values
        Values of the same shape.

    Returns
    -------
    tuple
        Offset in voxel edges, positive if the edge lies outside, and log of the difference of the means on either side in
        standard deviations. NaN where fewer voxels than one surround the outline on a side.
    """
    close = np.abs(distance) < _REACH + 0.5
    bins = np.rint(distance[close]).astype(int) + _REACH
    count = np.bincount(bins, minlength=2 * _REACH + 1).astype(float)
    if not count[[_REACH - 2, _REACH - 1, _REACH + 1, _REACH + 2]].all():
        return float("nan"), float("nan")
    near = values[close].astype(float)
    safe = np.maximum(count, 1)
    mean = np.bincount(bins, near, minlength=len(count)) / safe
    variance = np.maximum(np.bincount(bins, near**2, minlength=len(count)) / safe - mean**2, 0)
    filled = count > 0
    steps = np.where(filled[1:] & filled[:-1], np.diff(mean), 0.0)
    sign = 1.0 if mean[_REACH + 2] >= mean[_REACH - 2] else -1.0
    weights = np.maximum(steps * sign, 0) ** 2
    middles = np.arange(-_REACH, _REACH) + 0.5
    offset = float((weights * middles).sum() / weights.sum()) if weights.sum() > 0 else float("nan")
    inner, outer = slice(_REACH - 2, _REACH), slice(_REACH + 1, _REACH + 3)
    contrast = abs(mean[inner].mean() - mean[outer].mean())
    noise = np.sqrt(variance[inner].mean() + variance[outer].mean() + 1e-6)
    return offset, float(np.log(contrast / noise + 0.01))


def _fine(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return values without what is wide, such as halos."""
    from scipy import ndimage

    fine: NDArray[np.float32] = ndimage.gaussian_filter(values, 1) - ndimage.gaussian_filter(values, 6)
    return fine


def _best_offset(first: NDArray[np.float32], second: NDArray[np.float32]) -> tuple[list[float], float]:
    """Return the displacement of the highest cross-correlation up to `_SHIFT` voxels, to parts of a voxel, and its height."""
    from scipy import fft

    shape = [fft.next_fast_len(length, real=True) for length in first.shape]
    product = fft.rfftn(first, shape) * np.conj(fft.rfftn(second, shape))
    correlation = fft.fftshift(fft.irfftn(product, shape))
    middle = [length // 2 for length in shape]
    reach = [min(_SHIFT, coordinate - 1) for coordinate in middle]
    window = correlation[tuple(slice(m - r, m + r + 1) for m, r in zip(middle, reach, strict=True))]
    peak = [int(coordinate) for coordinate in np.unravel_index(int(np.argmax(window)), window.shape)]
    offsets = []
    for axis, coordinate in enumerate(peak):
        part = 0.0
        if 0 < coordinate < window.shape[axis] - 1:
            line = np.moveaxis(window, axis, 0)
            rest = tuple(peak[:axis] + peak[axis + 1 :])
            before, top, after = (float(line[(coordinate + step, *rest)]) for step in (-1, 0, 1))
            bend = before - 2 * top + after
            part = 0.5 * (before - after) / bend if bend else 0.0
        offsets.append(coordinate - reach[axis] + part)
    norm = float(np.sqrt((first**2).sum() * (second**2).sum())) + 1e-9
    return offsets, float(window.max()) / norm


def _moments(
    mask: NDArray[np.bool_], spacing: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return centre and covariance of the voxels, ``None`` for an empty mask."""
    points = np.argwhere(mask) * spacing
    if not len(points):
        return None
    centre = points.mean(axis=0)
    offsets = points - centre
    # A voxel has an extent of its own, so that a flat mask has a covariance as well.
    return centre, offsets.T @ offsets / len(points) + np.diag(spacing**2 / 12)
