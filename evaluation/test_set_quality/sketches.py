"""Sketches of images: what a team may send to learn how many of its images match test images.

A sketch has no positions, no sizes and no order of the local features. It does not show the direction of a feature, or whether
it is bright or dark, and each number has the same distribution in all images. The noise of an answer limits what repeated
questions reveal about one test image.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers import ReadError
from evaluation.test_set_quality.folders import read_each, read_image
from evaluation.test_set_quality.keypoints import (
    LARGEST,
    MOST_POINTS,
    SHELLS,
    Keypoints,
    description_size,
    keypoints,
    normalize,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

FEWEST_AGREEING: Final = 10
"""Fewest local features that two matching images share. An image with fewer features cannot be compared."""
RATIO: Final = 0.8
"""Largest distance of a shared feature, relative to the second nearest image of the team."""
FEWEST_IMAGES: Final = 50
"""Fewest images per question."""
MOST_IMAGES: Final = 2000
"""Most images per question."""
EPSILON: Final = 0.5
"""Privacy loss of an answer (differential privacy with respect to one test image)."""
STEP: Final = 5
"""Answers are multiples of this number."""

_MAGIC: Final = b"podium sketches 1\n"
_LENGTH: Final = description_size(2)
_SCALE: Final = 42
"""Steps per standard deviation. The quantiles of 128 features fit into 8 bits."""
_BLOCK: Final = 256

MOST_BYTES: Final = len(_MAGIC) + MOST_IMAGES * (2 + MOST_POINTS * _LENGTH)
"""Largest size of a file of sketches."""


@dataclass(frozen=True)
class Sketch:
    """Local features of an image without their places.

    Attributes
    ----------
    axes
        Number of axes of the image: 2 or 3.
    features
        Shape (features, numbers), ``int8``. The rows are sorted by their values, and equal rows occur once.
    """

    axes: int
    features: NDArray[np.int8]


def sketch(values: NDArray[Any], spacing: Sequence[float] | None = None) -> Sketch:
    """Return the sketch of an image.

    Parameters
    ----------
    values
        Intensities of two or three axes, with or without a last axis of channels.
    spacing
        Edges of a voxel; ``None`` for equal edges.
    """
    return stripped(keypoints(normalize(values, spacing)))


def stripped(points: Keypoints) -> Sketch:
    """Return the sketch of an image from its local features.

    Notes
    -----
    Each number of a feature is replaced by its rank among the features of the image, as a quantile of the normal
    distribution. All images thus have the same distribution of each number: what an image consists of is not visible.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    axes, count = points.positions.shape[1], len(points)
    if not count:
        return Sketch(axes, np.zeros((0, _LENGTH), np.int8))
    descriptors = points.descriptors.copy()
    # Bright and dark features become equal: keypoints are never at the border, so their signs show whether it is dark.
    means = descriptors[:, :SHELLS]
    means *= np.where(np.take_along_axis(means, np.abs(means).argmax(axis=1)[:, None], 1) < 0, -1, 1)
    # Rounded, so that values which differ by rounding errors share a rank.
    quantiles = ndtri((rankdata(np.round(descriptors, 4), axis=0) - 0.5) / count)
    return Sketch(axes, np.unique(np.rint(quantiles * _SCALE).astype(np.int8), axis=0))


def read_sketches(
    files: Mapping[str, Path], *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> dict[str, Sketch | None]:
    """Return the sketches of image files by name, ``None`` for files that cannot be read.

    Parameters
    ----------
    files
        Files by name.
    jobs
        Number of processes.
    progress
        Receives the number of images that are done, and of all.
    """
    return read_each(read_sketch, files, jobs=jobs, progress=progress)


def read_sketch(path: Path) -> Sketch | None:
    """Return the sketch of an image file, ``None`` if it cannot be read."""
    try:
        values, spacing = read_image(path)
        return sketch(values, spacing)
    except (ReadError, OSError, ValueError):
        return None


def is_comparable(item: Sketch) -> bool:
    """Return whether an image has enough local features for a match."""
    return len(item.features) >= FEWEST_AGREEING


def dump_sketches(sketches: Sequence[Sketch]) -> bytes:
    """Return sketches as the content of a file.

    Raises
    ------
    ValueError
        If an image has too few local features.
    """
    parts = [_MAGIC]
    for item in sketches:
        if not is_comparable(item):
            message = f"an image with {len(item.features)} local features; at least {FEWEST_AGREEING} are needed"
            raise ValueError(message)
        parts += [bytes((item.axes, len(item.features))), item.features.tobytes()]
    return b"".join(parts)


def load_sketches(content: bytes) -> list[Sketch]:
    """Return the sketches in the content of a file, each distinct sketch once.

    Raises
    ------
    ValueError
        If the content has another format, or mixes images with two and three axes.
    """
    if not content.startswith(_MAGIC) or len(content) > MOST_BYTES:
        message = "This is not a file of sketches. Create it with podium overlap."
        raise ValueError(message)
    records: dict[bytes, Sketch] = {}
    offset = len(_MAGIC)
    while offset < len(content):
        head = content[offset : offset + 2]
        axes, count = (*head, 0, 0)[:2]
        end = offset + 2 + count * _LENGTH
        if axes not in LARGEST or not FEWEST_AGREEING <= count <= MOST_POINTS or end > len(content):
            message = f"Sketch {len(records) + 1} has another format. Create the file with podium overlap."
            raise ValueError(message)
        features = np.frombuffer(content, np.int8, count * _LENGTH, offset + 2).reshape(count, _LENGTH)
        records.setdefault(content[offset:end], Sketch(axes, np.unique(features, axis=0)))
        offset = end
    if len({item.axes for item in records.values()}) > 1:
        message = "Images with two and with three axes are mixed. Ask about each kind on its own."
        raise ValueError(message)
    return list(records.values())


def matches(asked: Sequence[Sketch], test: Sequence[Sketch]) -> list[tuple[int, int]]:
    """Return the pairs of an image of a team and a test image that share local features.

    Parameters
    ----------
    asked
        Images of the team, all with the same number of axes.
    test
        Test images. Those with another number of axes match nothing.

    Notes
    -----
    Whether a test image matches depends on this image and on the images of the team, and on no other test image. Removing
    one test image therefore changes the count of `count_matches` by at most 1.
    """
    if len(asked) < 2:
        return []
    features = [_directions(item) for item in asked]
    blocks = []
    for start in range(0, len(features), _BLOCK):
        part = features[start : start + _BLOCK]
        starts = np.cumsum([0, *(len(item) for item in part)])[:-1]
        blocks.append((np.concatenate(part).T.copy(), starts))
    pairs = []
    for number, item in enumerate(test):
        if item.axes != asked[0].axes or not is_comparable(item):
            continue
        query = _directions(item)
        distances = 1 - np.concatenate(
            [np.maximum.reduceat(query @ stacked, starts, axis=1) for stacked, starts in blocks], axis=1
        )
        shared = distances < RATIO * np.partition(distances, 1, axis=1)[:, 1:2]
        exact = distances < 1e-6
        shared |= exact
        for column in np.flatnonzero(shared.sum(axis=0) >= FEWEST_AGREEING):
            nearest = (query[shared[:, column]] @ features[column].T).argmax(axis=1)
            if len(np.unique(nearest)) >= FEWEST_AGREEING:
                pairs.append((int(column), number))
    return pairs


def count_matches(pairs: Sequence[tuple[int, int]]) -> int:
    """Return the number of images of a team that match, where each test image counts for one of them.

    Examples
    --------
    >>> count_matches([(0, 0), (1, 0), (2, 0), (3, 5)])
    2

    Notes
    -----
    The count is the size of a maximum matching. Several versions of one image thus count once.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not pairs:
        return 0
    rows, columns = np.asarray(pairs).T
    graph = coo_matrix((np.ones(len(pairs), bool), (rows, columns))).tocsr()
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())


def noisy_count(count: int, images: int, draw: Callable[[], float]) -> int:
    """Return a count with noise, as a multiple of `STEP` between 0 and the number of images.

    Parameters
    ----------
    count
        The exact count.
    images
        Number of images in the question.
    draw
        Returns random numbers, uniform in [0, 1). It must be unpredictable.

    Notes
    -----
    The noise is the difference of two geometric variables, as in A. Ghosh, T. Roughgarden and M. Sundararajan (2012),
    "Universally utility-maximizing privacy mechanisms". The answer is differentially private with `EPSILON` for one test
    image; rounding and limits do not change this.
    """
    noise = _geometric(draw()) - _geometric(draw())
    rounded = STEP * math.floor((count + noise) / STEP + 0.5)
    return min(max(rounded, 0), STEP * (images // STEP))


def noise_bound(coverage: float = 0.95) -> int:
    """Return the number that the noise exceeds with a probability of at most 1 − `coverage`."""
    share, bound = math.exp(-EPSILON), 0
    while 2 * share ** (bound + 1) / (1 + share) > 1 - coverage:
        bound += 1
    return bound


def _geometric(uniform: float) -> int:
    """Return a geometric variable: k with a probability in proportion to exp(−k · EPSILON)."""
    return int(math.log(1 - uniform) / -EPSILON)


def _directions(item: Sketch) -> NDArray[np.float32]:
    """Return the features with length 1."""
    values = item.features.astype(np.float32)
    directions: NDArray[np.float32] = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1)
    return directions
