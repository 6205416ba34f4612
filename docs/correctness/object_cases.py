"""Generated cases on which values of objects, images, fields and times are compared with the programs of others."""
# ruff: noqa: INP001

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS = 24
"""Data sets of each kind."""
RADIUS = 0.005
"""Distance in mm up to which a point is found."""


class Lesions(NamedTuple):
    """Label maps of one data set: lesions, candidates, and the confidence of each candidate by label."""

    truth: list[NDArray[np.int32]]
    candidates: list[NDArray[np.int32]]
    confidences: list[dict[int, float]]


def lesions(seed: int) -> Lesions:
    """Boxes in small volumes; candidates are shifted copies, halves of one lesion, or somewhere else; some volumes are empty."""
    rng = np.random.default_rng(seed)
    truth, candidates, confidences = [], [], []
    for _ in range(int(rng.integers(3, 9))):
        reference, guess = np.zeros((8, 40, 40), dtype=np.int32), np.zeros((8, 40, 40), dtype=np.int32)
        scores: dict[int, float] = {}
        levels = rng.permutation(np.arange(1, 64)) / 64  # equal ones that touch would be one candidate
        places = rng.permutation([(row, column) for row in (1, 14, 27) for column in (1, 14, 27)])
        number = int(rng.integers(0, 4))
        for label, (row, column) in enumerate(places[:number].tolist(), start=1):
            reference[1:6, row : row + 9, column : column + 9] = label
        found = [place for place in places[:number].tolist() if rng.random() < 0.8]
        for row, column in [*found, *places[6 : 6 + int(rng.integers(0, 3))].tolist()]:
            down, right = rng.integers(0, 4, 2).tolist()
            halves = [(0, 3), (4, 9)] if rng.random() < 0.4 else [(0, 9)]
            for start, stop in halves:
                rows = slice(row + down, row + down + 8)
                box = (slice(1, 5), rows, slice(column + right + start, column + right + stop))
                if guess[box].any():  # a candidate in two parts would be two
                    continue
                label = len(scores) + 1
                guess[box] = label
                scores[label] = float(levels[label])
        truth.append(reference)
        candidates.append(guess)
        confidences.append(scores)
    return Lesions(truth, candidates, confidences)


class Points(NamedTuple):
    """Points in mm of one data set, image by image, and the area of each image in mm²."""

    truth: list[NDArray[np.float64]]
    found: list[NDArray[np.float64]]
    scores: list[NDArray[np.float64]]
    hits: list[NDArray[np.bool_]]
    areas: list[float]


def cells(seed: int) -> Points:
    """Cells on a grid, found at less than `RADIUS` or not at all, and false ones far from all; scores do not tie."""
    rng = np.random.default_rng(100 + seed)
    sets = Points([], [], [], [], [])
    images = int(rng.integers(1, 5))
    scores = rng.permutation(np.arange(1, 2001)) / 2001
    for image in range(images):
        grid = np.argwhere(np.ones((12, 12))) * 0.1
        places = grid[rng.permutation(len(grid))]
        number = int(rng.integers(1, 30))
        found = places[:number][rng.random(number) < 0.7]
        false = places[60 : 60 + int(rng.integers(20, 60))]
        moved = found + rng.uniform(-0.003, 0.003, found.shape)
        sets.truth.append(places[:number])
        sets.found.append(np.concatenate([moved, false]))
        sets.hits.append(np.arange(len(found) + len(false)) < len(found))
        sets.scores.append(scores[500 * image : 500 * image + len(found) + len(false)])
        sets.areas.append(len(false) / float(rng.uniform(400, 700)))
    return sets


class Pair(NamedTuple):
    """Two images with a mask."""

    reference: NDArray[np.float64]
    prediction: NDArray[np.float64]
    mask: NDArray[np.bool_]


def scans(seed: int) -> Pair:
    """Smooth volumes in Hounsfield units with noise; longer and shorter than the least size, isotropic and flat."""
    from scipy.ndimage import gaussian_filter

    rng = np.random.default_rng(200 + seed)
    shape = [(40, 50, 12), (20, 101, 34), (97, 30, 30), (24, 24, 98)][seed % 4]
    reference = gaussian_filter(rng.normal(0, 600, shape), 2) * 8
    prediction = reference + rng.normal(0, rng.choice([0.0, 5.0, 80.0, 800.0]), shape) + rng.choice([0.0, 200.0])
    mask = np.zeros(shape, dtype=bool)
    mask[3:-3, 4:-2, 2:-2] = True
    mask &= gaussian_filter(rng.normal(0, 1, shape), 3) > (-1 if seed % 3 else 0)
    return Pair(reference, prediction, mask)


class Field(NamedTuple):
    """A displacement field in voxels, landmarks in voxels, and the spacing in mm."""

    field: NDArray[np.float64]
    fixed: NDArray[np.float64]
    moving: NDArray[np.float64]
    spacing: NDArray[np.float64]


def fields(seed: int) -> Field:
    """Smooth and rough fields, isotropic and anisotropic, landmarks between voxels and on the border."""
    rng = np.random.default_rng(300 + seed)
    shape = tuple(rng.integers(8, 16, 3).tolist())
    field = rng.normal(0, rng.choice([0.0, 0.5, 3.0]), (*shape, 3))
    fixed = rng.uniform(0, 1, (10, 3)) * (np.array(shape) - 1)
    fixed[0] = 0
    fixed[1] = np.array(shape) - 1
    return Field(
        field, fixed, fixed + rng.normal(0, 1, fixed.shape), np.array([1.0, 1.0, float(rng.choice([1.0, 2.5]))])
    )


class Course(NamedTuple):
    """Times and events of a test set, risks, and a horizon."""

    observed: NDArray[np.float64]
    risk: NDArray[np.float64]
    time: float


def courses(seed: int) -> Course:
    """Follow-up of 20 to 900 people with ties in risks.

    Times do not tie: of events and censorings at one time, scikit-survival weights events by the share after the censorings.
    """
    rng = np.random.default_rng(400 + seed)
    number = int(rng.choice([20, 60, 700, 900]))
    times = rng.exponential(20, number)
    event = rng.random(number) < 0.6
    event[np.argmax(times)] = False
    risk = np.round(-times + rng.normal(0, 15, number), 0 if seed % 3 else 6)
    return Course(np.column_stack([times, event]), risk, float(np.quantile(times, 0.5)))


def documented(**values: Any) -> dict[str, Any]:
    """Numbers as JSON values with all digits."""
    return {name: float(value) for name, value in values.items()}
