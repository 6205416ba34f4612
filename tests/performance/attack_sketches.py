"""Attempts to reconstruct images from their sketches by least squares, compared with the mean image.

``python -m tests.performance.attack_sketches [COUNT COUNT COUNT]`` prints the errors for 10,000 images of each kind, and the
recall of matches. `features_of` gives the attacker all features in their order, and their means, spreads, quantiles and
covariances. The attacker knows the kind of an image, for example the picture that it is a part of, so the mean image is that of
the kind.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import skimage.data
from scipy import ndimage

from evaluation.test_set_quality.keypoints import MOST_POINTS, Keypoints, keypoints, normalize
from evaluation.test_set_quality.sketches import Sketch, matches, sketch, stripped
from tests.performance.bench_overlap import copy_of, microscopy, mri, others

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

PICTURES: Final = ("camera", "coins", "gravel", "moon", "brick", "grass")
PENALTIES: Final = (1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3, 1e4)
"""Penalties of the attack; the one with the smallest error of a validation part is used."""
GRID: Final = {2: 12, 3: 6}
"""Edge of a reconstructed image, by number of axes."""


PARTS: Final = (0.6, 0.2, 0.2)
"""Shares of the images that train the attack, choose its penalty and measure its error. No source is in two of them."""


class Images(NamedTuple):
    """Images in the order of `PARTS`, and the kind of each."""

    images: list[NDArray[Any]]
    kinds: NDArray[np.int64]


def parts_of_pictures(edge: int, count: int, rng: np.random.Generator) -> Images:
    """Return random parts of pictures that scikit-image ships, from separate columns."""
    pictures = [np.asarray(getattr(skimage.data, name)(), dtype=float) for name in PICTURES]
    images, kinds = [], rng.integers(len(pictures), size=count)
    for number, kind in enumerate(kinds):
        share = number / count
        part = 0 if share < PARTS[0] else 1 if share < PARTS[0] + PARTS[1] else 2
        picture = pictures[kind]
        first, length = int(sum(PARTS[:part]) * picture.shape[1]), int(PARTS[part] * picture.shape[1])
        images.append(_part(picture[:, first : first + length], edge, rng))
    return Images(images, kinds)


def parts_of_microscopy(edge: int, count: int, rng: np.random.Generator) -> Images:
    """Return random parts of the shipped microscopy images, from separate images."""
    return Images([_part(source, edge, rng) for source in _sources(microscopy(), count, rng)], np.zeros(count, int))


def volumes(count: int, rng: np.random.Generator) -> Images:
    """Return transformed copies of the shipped MRI volumes, from separate volumes."""
    return Images([copy_of(source, rng) for source in _sources(mri(), count, rng)], np.zeros(count, int))


def _sources(sources: Sequence[NDArray[Any]], count: int, rng: np.random.Generator) -> Iterator[NDArray[Any]]:
    for start, share in zip(np.cumsum([0, *PARTS[:-1]]), PARTS, strict=True):
        first, last = int(start * len(sources)), int((start + share) * len(sources))
        for _ in range(round(count * share)):
            yield sources[rng.integers(first, last)]


def _part(picture: NDArray[Any], edge: int, rng: np.random.Generator) -> NDArray[Any]:
    row, column = (int(rng.integers(length - edge + 1)) for length in picture.shape)
    part = picture[row : row + edge, column : column + edge]
    return part[:, ::-1] if rng.random() < 0.5 else part


def target_of(image: NDArray[Any]) -> NDArray[np.float64]:
    """Return the normalized image on a coarse grid: what the attacker wants to know."""
    ranks = normalize(image)
    edge = GRID[ranks.ndim]
    small = ndimage.zoom(
        ndimage.gaussian_filter(ranks, [length / edge / 3 for length in ranks.shape]),
        [edge / length for length in ranks.shape],
        order=1,
        grid_mode=True,
        mode="nearest",
    )
    return small.ravel().astype(float)


def features_of(item: Sketch) -> NDArray[np.float64]:
    """Return a sketch as numbers for the attack."""
    rows = item.features.astype(float) / 127
    padded = np.zeros((MOST_POINTS, rows.shape[1]))
    padded[: len(rows)] = rows
    if not len(rows):
        rows = padded
    quantiles = np.quantile(rows, [0.1, 0.25, 0.5, 0.75, 0.9], axis=0)
    covariances = (rows.T @ rows / len(rows))[np.triu_indices(rows.shape[1])]
    return np.concatenate([padded.ravel() / 10, rows.mean(axis=0), rows.std(axis=0), quantiles.ravel(), covariances])


def features_with_places(points: Keypoints, shape: Sequence[int]) -> NDArray[np.float64]:
    """Return the same features with a map of their places, which a sketch does not contain."""
    edge = GRID[len(shape)]
    places = np.minimum((points.positions / np.asarray(shape) * edge).astype(int), edge - 1)
    maps = np.zeros((8, *(edge,) * len(shape)))
    for channel in range(8):
        np.add.at(maps[channel], tuple(places.T), points.descriptors[:, channel])
    return maps.ravel()


def attack(made: Images) -> tuple[float, float]:
    """Return the errors of reconstructions from sketches, and from features with places, relative to the mean image."""
    images, kinds = made
    train = round(len(images) * PARTS[0])
    points = [keypoints(normalize(image)) for image in images]
    targets = np.stack([target_of(image) for image in images])
    for kind in np.unique(kinds):
        targets[kinds == kind] -= targets[:train][kinds[:train] == kind].mean(axis=0)
    sketches = np.stack([features_of(stripped(item)) for item in points])
    places = np.stack([features_with_places(item, image.shape) for item, image in zip(points, images, strict=True)])
    return relative_error(sketches, targets), relative_error(places, targets)


def relative_error(features: NDArray[np.float64], targets: NDArray[np.float64]) -> float:
    """Return the squared error of a reconstruction by least squares, relative to that of the mean image.

    The images are in the order of `PARTS`.
    """
    count = len(features)
    train, chosen = round(count * PARTS[0]), round(count * PARTS[0]) + round(count * PARTS[1])
    middle, mean = features[:train].mean(axis=0), targets[:train].mean(axis=0)
    scaled = features - middle
    scaled /= max(float(scaled[:train].std()), 1e-12)
    gram = scaled[:train] @ scaled[:train].T
    across = scaled[train:] @ scaled[:train].T
    values, vectors = np.linalg.eigh(gram)
    projected = vectors.T @ (targets[:train] - mean)
    errors = []
    for penalty in PENALTIES:
        weights = vectors @ (projected / (np.maximum(values, 0) + penalty * scaled.shape[1])[:, None])
        wrong = ((across @ weights + mean - targets[train:]) ** 2).mean(axis=1)
        errors.append((wrong[: chosen - train].mean(), wrong[chosen - train :].mean()))
    baseline = ((targets[chosen:] - mean) ** 2).mean()
    return float(min(errors)[1] / baseline)


def recall(images: Sequence[NDArray[Any]], crop: float, angle: float, rng: np.random.Generator) -> tuple[float, int]:
    """Return the share of transformed copies that match, and the number of false pairs."""
    test = [sketch(image) for image in images]
    own = [sketch(copy_of(image, rng, crop=crop, angle=angle)) for image in images]
    pairs = matches(own, test)
    return sum(one == other for one, other in pairs) / len(images), sum(one != other for one, other in pairs)


def main(counts: Sequence[int]) -> None:
    """Print the recall of matches, and the errors of the attack for the given numbers of images of each kind."""
    rng = np.random.default_rng(2027)
    for name, images in (("microscopy", microscopy()[:100]), ("MRI", mri()[:100]), ("pictures", others(rng)[::3])):
        for crop, angle in ((0.0, 0.0), (0.1, 5.0), (0.2, 15.0)):
            share, false = recall(images, crop, angle, rng)
            pairs = len(images) * (len(images) - 1)
            print(
                f"{name}: crop {crop:.0%}, rotation {angle:.0f}°: recall {share:.2f}, {false} false of {pairs}",
                flush=True,
            )
    makers = (
        ("parts of microscopy", lambda count: parts_of_microscopy(64, count, rng)),
        ("parts of pictures", lambda count: parts_of_pictures(64, count, rng)),
        ("MRI volumes", lambda count: volumes(count, rng)),
    )
    for (name, maker), count in zip(makers, counts, strict=True):
        sketches, places = attack(maker(count))
        print(
            f"{name}: {count} images, error relative to the mean image {sketches:.4f} from sketches, "
            f"{places:.4f} from features with places",
            flush=True,
        )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [10_000] * 3)
