"""Overlap of image sets: exact copies by digests, transformed copies by local features that agree on one transformation."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.test_set_quality.keypoints import Keypoints, keypoints, normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

NEAREST: Final = 6
"""A local feature votes for images that are nearer than the image of this rank."""
RATIO: Final = 0.85
"""Largest distance of a vote, relative to the distance of the image of rank `NEAREST`."""
FEWEST_VOTES: Final = 3
"""Fewest votes of a pair that is verified."""
MOST_CANDIDATES: Final = 6
"""Most pairs per image that are verified."""
FEWEST_AGREEING: Final = 5
"""Fewest local features that must agree on one transformation."""
CORRELATED: Final = {2: 0.5, 3: 0.75}
"""Smallest correlation of the fine structure of two overlapping images, after the transformation, by number of axes.

Volumes of one organ in one position look alike, so more is needed for them."""
_LEAST_COMMON: Final = 0.1
_MOST_SAMPLES: Final = 60_000
_TRIES: Final = 800
_SCALES: Final = (0.4, 2.5)
_TOLERANCE: Final = 1.5


@dataclass(frozen=True)
class Signature:
    """Compact description of an image for comparisons.

    Attributes
    ----------
    digest
        SHA-256 of shape and values, independent of the order of axes, reflections and the type of the file.
    points
        Local features.
    fine
        Fine structure of the reduced image, for the verification of a pair.
    """

    digest: str
    points: Keypoints
    fine: NDArray[np.float16]

    @property
    def axes(self) -> int:
        """Number of axes."""
        return self.fine.ndim


@dataclass(frozen=True)
class Pair:
    """Two images that overlap.

    Attributes
    ----------
    first, second
        Names of the images.
    exact
        Whether the voxels are equal, up to reflections and the order of axes.
    agreeing
        Number of local features that agree on one transformation.
    correlation
        Correlation of the fine structure after the transformation, in [-1, 1].
    reflected
        Whether the transformation reflects the image.
    scale
        Size of the second image relative to the first one, in voxels of the reduced images.
    """

    first: str
    second: str
    exact: bool
    agreeing: int
    correlation: float
    reflected: bool
    scale: float


def signature(values: NDArray[Any], spacing: Sequence[float] | None = None) -> Signature:
    """Return the signature of an image.

    Parameters
    ----------
    values
        Intensities of two or three axes, with or without a last axis of channels.
    spacing
        Edges of a voxel; ``None`` for equal edges.
    """
    from scipy import ndimage

    image = normalize(values, spacing)
    fine = ndimage.gaussian_filter(image, 0.7) - ndimage.gaussian_filter(image, 2.5)
    return Signature(voxel_digest(values), keypoints(image), fine.astype(np.float16))


def compare(first: Signature, second: Signature) -> Pair | None:
    """Return the overlap of two images without their names, ``None`` if none is verified.

    Notes
    -----
    Features must agree on a similarity transformation, and the fine structure must correlate after it.
    """
    agreed = agreement(first.points, second.points)
    if agreed is None or agreed.features < FEWEST_AGREEING:
        return None
    correlation = _correlation(first.fine, second.fine, agreed)
    if correlation < CORRELATED[first.axes]:
        return None
    determinant = float(np.linalg.det(agreed.matrix))
    scale = abs(determinant) ** (1 / first.axes)
    return Pair("", "", False, agreed.features, correlation, determinant < 0, scale)


def _correlation(first: NDArray[np.float16], second: NDArray[np.float16], agreed: Agreement) -> float:
    """Return the correlation of two images where they overlap; 0 if they hardly do."""
    from scipy import ndimage

    step = max(1, int(np.ceil((first.size / _MOST_SAMPLES) ** (1 / first.ndim))))
    grid = np.stack(
        [axis.ravel() for axis in np.mgrid[tuple(slice(0, length, step) for length in first.shape)]], axis=1
    )
    places = grid @ agreed.matrix.T + agreed.shift
    inside = ((places >= 0) & (places <= np.asarray(second.shape) - 1)).all(axis=1)
    if inside.mean() < _LEAST_COMMON:
        return 0.0
    one = first[tuple(grid[inside].T)].astype(float)
    other = ndimage.map_coordinates(second.astype(np.float32), places[inside].T, order=1)
    spread = float(one.std() * other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean()) / spread if spread > 0 else 0.0


def voxel_digest(values: NDArray[Any]) -> str:
    """Return a digest that is equal for copies with reflected or reordered axes.

    Examples
    --------
    >>> image = np.arange(6).reshape(2, 3)
    >>> voxel_digest(image) == voxel_digest(image.T[::-1])
    True
    >>> voxel_digest(image) == voxel_digest(np.sort(image.ravel()).reshape(3, 2) + 1)
    False

    Notes
    -----
    The digest covers the sorted values and the sums over the planes of each axis, read from the larger end. Different images
    with all of this in common do not occur by chance.
    """
    image = np.squeeze(np.asarray(values))
    digest = hashlib.sha256(repr(sorted(image.shape)).encode())
    digest.update(np.sort(image.astype("<f8").ravel()).tobytes())
    profiles = []
    for axis in range(image.ndim):
        others = tuple(other for other in range(image.ndim) if other != axis)
        # Sorted before the sum, so that rounding does not depend on the order of axes.
        planes = np.sort(np.moveaxis(image.astype("<f8"), axis, 0).reshape(image.shape[axis], -1), axis=1)
        sums = planes.sum(axis=1) if others else planes[:, 0]
        profiles.append(min(sums.tobytes(), sums[::-1].tobytes()))
    for profile in sorted(profiles):
        digest.update(profile)
    return digest.hexdigest()


def overlaps(
    first: Mapping[str, Signature],
    second: Mapping[str, Signature] | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> list[Pair]:
    """Return the pairs of images that overlap.

    Parameters
    ----------
    first, second
        Images by name. Without ``second``, pairs within ``first``.
    progress
        Receives the number of images that are done, and of all.

    Returns
    -------
    list of Pair
        Exact copies first, then by the number of agreeing features.
    """
    names = list(first) + list(second or {})
    signatures = [*first.values(), *(second or {}).values()]
    border = len(first)

    def wanted(one: int, other: int) -> bool:
        return one != other and (second is None or (one < border) != (other < border))

    pairs: dict[tuple[int, int], Pair] = {}
    by_digest: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(signatures):
        for other in by_digest[item.digest]:
            if wanted(other, index):
                pairs[other, index] = Pair(names[other], names[index], True, len(item.points), 1.0, False, 1.0)
        by_digest[item.digest].append(index)
    for axes in sorted({item.axes for item in signatures}):
        members = [index for index, item in enumerate(signatures) if item.axes == axes]
        points = [signatures[index].points for index in members]
        for one, other in _candidates(points, progress):
            low, high = sorted((members[one], members[other]))
            if wanted(low, high) and (low, high) not in pairs:
                pair = compare(signatures[low], signatures[high])
                if pair is not None:
                    pairs[low, high] = replace(pair, first=names[low], second=names[high])
    return sorted(pairs.values(), key=lambda pair: (not pair.exact, -pair.agreeing, pair.first, pair.second))


def _candidates(points: Sequence[Keypoints], progress: Callable[[int, int], None] | None) -> Iterable[tuple[int, int]]:
    """Return the pairs for which local features vote, each once."""
    count = len(points)
    if count <= NEAREST + 1:
        return [(one, other) for one in range(count) for other in range(one)]
    filled = [index for index, item in enumerate(points) if len(item)]
    starts = np.cumsum([0, *(len(points[index]) for index in filled)])[:-1]
    stacked = np.concatenate([points[index].descriptors for index in filled]).T.copy()
    position = {index: column for column, index in enumerate(filled)}
    votes: dict[tuple[int, int], int] = defaultdict(int)
    for number, index in enumerate(filled, start=1):
        similar = np.maximum.reduceat(points[index].descriptors @ stacked, starts, axis=1)
        similar[:, position[index]] = -1
        distance = 1 - similar
        rank = min(NEAREST, len(filled) - 1) - 1
        bound = RATIO * np.partition(distance, rank, axis=1)[:, rank]
        counts = (distance < bound[:, None]).sum(axis=0)
        for column in np.argsort(-counts, kind="stable")[:MOST_CANDIDATES]:
            if counts[column] >= FEWEST_VOTES:
                other = filled[int(column)]
                key = (min(index, other), max(index, other))
                votes[key] = max(votes[key], int(counts[column]))
        if progress is not None:
            progress(number, len(filled))
    return list(votes)


class Agreement(NamedTuple):
    """A transformation from the voxels of one image to those of another, and the number of features that agree on it."""

    features: int
    matrix: NDArray[np.float64]
    shift: NDArray[np.float64]


def agreement(first: Keypoints, second: Keypoints) -> Agreement | None:
    """Return the similarity transformation on which most features agree, ``None`` if no few of them do.

    Notes
    -----
    Random samples of corresponding features, as in M. Fischler and R. Bolles (1981), with transformations by S. Umeyama
    (1991), reflections allowed.
    """
    axes = first.positions.shape[1]
    sample = axes + 1
    if min(len(first), len(second)) <= sample:
        return None
    similar = first.descriptors @ second.descriptors.T
    one = np.arange(len(first))
    other = similar.argmax(axis=1)
    order = np.argsort(-similar[one, other])[:120]
    ratio = second.scales[other] / first.scales
    order = order[(ratio[order] > _SCALES[0]) & (ratio[order] < _SCALES[1])]
    source, target = first.positions[one[order]].astype(float), second.positions[other[order]].astype(float)
    if len(order) <= sample:
        return None
    rng = np.random.default_rng(1)
    # Better correspondences are drawn more often.
    weights = 1 / (10 + np.arange(len(order)))
    draws = np.argsort(-np.log(rng.random((_TRIES, len(order)))) / weights, axis=1)[:, :sample]
    turns, scales, shifts = _similarities(source[draws], target[draws])
    usable = (scales > _SCALES[0]) & (scales < _SCALES[1])
    if not usable.any():
        return None
    turns, scales, shifts = turns[usable], scales[usable], shifts[usable]
    tolerance = np.maximum(_TOLERANCE, first.scales[one[order]])
    placed = np.einsum("nij,kj->nki", turns * scales[:, None, None], source) + shifts[:, None]
    inliers = ((placed - target) ** 2).sum(axis=2) < (tolerance * np.maximum(scales, 1)[:, None]) ** 2
    best_inliers = inliers[int(np.argmax(inliers.sum(axis=1)))]
    for _ in range(3):
        if _spread(source[best_inliers]) < sample:
            return None
        turn, scale, shift = (
            value[0] for value in _similarities(source[None, best_inliers], target[None, best_inliers])
        )
        best_inliers = np.linalg.norm(scale * source @ turn.T + shift - target, axis=1) < tolerance * max(
            float(scale), 1
        )
    if not _SCALES[0] < scale < _SCALES[1]:
        return None
    agreeing = min(_spread(source[best_inliers]), _spread(target[best_inliers]))
    return Agreement(agreeing, turn * scale, shift)


def _spread(places: NDArray[np.float64]) -> int:
    """Return the number of different places, on a grid of three voxels."""
    return len({tuple(row) for row in np.round(places / 3).astype(int)})


def _similarities(
    source: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return rotations or reflections, scales and shifts that map samples of places, shape (samples, places, axes)."""
    middle, aim = source.mean(axis=1), target.mean(axis=1)
    one, other = source - middle[:, None], target - aim[:, None]
    left, values, right = np.linalg.svd(np.einsum("nki,nkj->nij", other, one))
    turns = left @ right
    scales = values.sum(axis=1) / np.maximum((one**2).sum(axis=(1, 2)), 1e-9)
    shifts = aim - scales[:, None] * np.einsum("nij,nj->ni", turns, middle)
    return turns, scales, shifts
