"""Overlap of image sets: recall of transformed copies, false pairs, and speed: ``python -m tests.performance overlap``.

1,000 pairs of an image and a copy that is cropped by up to 20 % per axis and rotated by up to 15°, half of them reflected, with
other intensities: 340 MRI volumes (hippocampus, rotated about random axes), 330 microscopy patches (nuclei), and 330 patches
of images that scikit-image ships and of generated textures.
"""

from __future__ import annotations

import sys
import time
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import skimage.data
from PIL import Image
from scipy import ndimage
from scipy.spatial.transform import Rotation

from evaluation.readers.intensities import read_intensities
from evaluation.test_set_quality.overlap import overlaps, signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
EDGE = 160
SHIPPED = (
    "brick",
    "camera",
    "coffee",
    "coins",
    "grass",
    "gravel",
    "hubble_deep_field",
    "immunohistochemistry",
    "moon",
    "retina",
    "rocket",
)


class Timing(NamedTuple):
    """A row of the table."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float | None


def copy_of(image: NDArray[Any], rng: np.random.Generator, crop: float = 0.2, angle: float = 15.0) -> NDArray[Any]:
    """Return a transformed copy: rotated, cropped, perhaps reflected, with other intensities and little noise."""
    axes = image.ndim
    turn = np.radians(rng.uniform(-angle, angle))
    if axes == 2:
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    else:
        direction = rng.normal(size=3)
        matrix = Rotation.from_rotvec(direction / np.linalg.norm(direction) * turn).as_matrix()
    middle = (np.asarray(image.shape) - 1) / 2
    values = ndimage.affine_transform(
        image.astype(float), matrix, middle - matrix @ middle, order=1, cval=np.quantile(image, 0.01)
    )
    for axis, length in enumerate(image.shape):
        removed = round(rng.uniform(0, crop) * length)
        start = int(rng.integers(removed + 1))
        values = np.take(values, np.arange(start, length - removed + start), axis=axis)
    if rng.random() < 0.5:
        values = np.flip(values, int(rng.integers(axes)))
    values = ((values - values.min()) / (np.ptp(values) + 1e-9)) ** rng.uniform(0.6, 1.6)
    return values + rng.normal(size=values.shape) * 0.005


def mri() -> list[NDArray[Any]]:
    """The shipped MRI volumes."""
    return [read_intensities(path).values for path in sorted((ROOT / "examples/hippocampus/images").glob("*.nii.gz"))]


def tiles(picture: NDArray[Any]) -> list[NDArray[Any]]:
    """Return tiles that do not overlap and are not empty."""
    rows, columns = (range(0, max(length - EDGE + 1, 1), EDGE) for length in picture.shape)
    parts = [picture[row : row + EDGE, column : column + EDGE] for row in rows for column in columns]
    return [part for part in parts if part.std() > 0.02 * (np.ptp(picture) + 1e-9)]


def microscopy() -> list[NDArray[Any]]:
    """Tiles of the shipped microscopy images."""
    parts: list[NDArray[Any]] = []
    for path in sorted((ROOT / "examples/nuclei/images").glob("*.jpg")):
        with Image.open(path) as picture:
            parts += tiles(np.asarray(picture.convert("L"), dtype=float))
    return parts


def others(rng: np.random.Generator) -> list[NDArray[Any]]:
    """Tiles of images that scikit-image ships, and generated textures."""
    parts: list[NDArray[Any]] = []
    for name in SHIPPED:
        picture = np.asarray(getattr(skimage.data, name)(), dtype=float)
        parts += tiles(picture.mean(axis=2) if picture.ndim == 3 else picture)[:30]
    for _ in range(100):
        noise = rng.normal(size=(EDGE, EDGE))
        parts.append(sum(ndimage.gaussian_filter(noise, width) * width for width in (1.5, 4, 10)))
    return parts


def benchmarks() -> Iterator[Timing]:
    """Print recalls and false pairs, and return the time for 1,000 volumes."""
    if "overlap" not in sys.argv:
        # Minutes of comparisons; only on request.
        return
    rng = np.random.default_rng(2027)
    pairs = false = compared = 0
    for name, every, count in (
        ("MRI", mri(), 340),
        ("microscopy", microscopy(), 330),
        ("shipped and generated", others(rng), 330),
    ):
        images = every[:count]
        originals = {f"{number}": signature(image) for number, image in enumerate(images)}
        copies, origin = {}, {}
        for number, source in zip(range(count), cycle(range(len(images))), strict=False):
            values = copy_of(images[source], rng)
            copies[f"copy {number}"], origin[f"copy {number}"] = signature(values), f"{source}"
        detected = overlaps(originals, copies)
        true = {pair.second for pair in detected if origin[pair.second] == pair.first}
        within = overlaps(originals)
        wrong = [pair for pair in detected if origin[pair.second] != pair.first] + within
        number = len(originals) * len(copies) - len(copies) + len(originals) * (len(originals) - 1) // 2
        print(
            f"{name}: {len(images)} images, {count} pairs, recall {len(true) / count:.4f} (at least 0.99); {len(wrong)} false of {number} others"
        )
        for pair in wrong[:5]:
            print(f"  false: {pair}")
        pairs, false, compared = pairs + len(true), false + len(wrong), compared + number
    print(f"all: {pairs} of 1000 pairs, {false} false of {compared} others", flush=True)
    volumes = [copy_of(image, rng) for image, _ in zip(cycle(mri()), range(1000), strict=False)]
    started = time.perf_counter()
    overlaps({f"{number}": signature(image) for number, image in enumerate(volumes)})
    yield Timing("overlap within 1,000 volumes", time.perf_counter() - started, 300, "–", None)
