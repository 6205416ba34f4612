"""Generated sets of cases, landmarks and scores on which values are compared with published programs.

>>> len(data_sets()), len(landmark_sets()), len(score_sets())
(28, 28, 28)
"""
# ruff: noqa: INP001

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import ndimage

from docs.correctness.mask_cases import mask_cases

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS = 28
"""Sets of each kind."""


class LabelPair(NamedTuple):
    """Labels 0, 1 and 2 of one patient with the size of a voxel in mm."""

    reference: NDArray[np.uint8]
    prediction: NDArray[np.uint8]
    spacing: tuple[float, ...]


class DataSet(NamedTuple):
    """Patients, and a name of what is special about the set."""

    name: str
    pairs: list[LabelPair]

    @property
    def has_one_spacing(self) -> bool:
        """Return whether all voxels have the same size."""
        return len({pair.spacing for pair in self.pairs}) == 1


def _labelled(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Smooth parts, some of label 1 and some of label 2; parts of both labels can touch."""
    parts = [ndimage.gaussian_filter(rng.normal(size=shape), 1.2) for _ in range(2)]
    labels = np.zeros(shape, dtype=np.uint8)
    for label, noise in enumerate(parts, start=1):
        labels[noise > np.quantile(noise, 1 - rng.uniform(0.03, 0.2))] = label
    return labels


def _patient(rng: np.random.Generator, shape: tuple[int, ...], spacing: tuple[float, ...]) -> LabelPair:
    """Return a reference and a prediction that is moved, worn and sometimes without a label."""
    reference = _labelled(rng, shape)
    prediction = np.roll(reference, int(rng.integers(-1, 2)), axis=int(rng.integers(len(shape))))
    prediction[rng.random(shape) < 0.05] = 0
    prediction[rng.random(shape) < 0.01] = rng.integers(1, 3)
    for side in (reference, prediction):
        if rng.random() < 0.3:
            side[side == rng.integers(1, 3)] = 0
    return LabelPair(reference, prediction, spacing)


def _without(labels: NDArray[np.uint8], label: int) -> NDArray[np.uint8]:
    """Return labels with one of them removed."""
    return np.where(labels == label, np.uint8(0), labels)


def _not_in_references(pairs: list[LabelPair], label: int) -> list[LabelPair]:
    """Return patients whose references lack a label."""
    return [pair._replace(reference=_without(pair.reference, label)) for pair in pairs]


def _not_in_predictions(pairs: list[LabelPair], label: int) -> list[LabelPair]:
    """Return patients whose predictions lack a label."""
    return [pair._replace(prediction=_without(pair.prediction, label)) for pair in pairs]


def _touching(dimensions: int) -> LabelPair:
    """Blocks that touch at a corner, an edge and the end of the image; the labels change with each half."""
    name = next(case for case in mask_cases() if case.name.startswith(f"touching-{dimensions}"))
    sides = [side.astype(np.uint8) for side in (name.reference, name.prediction)]
    for side in sides:
        side[7:] *= 2
    return LabelPair(sides[0], sides[1], name.spacing)


def data_sets() -> list[DataSet]:
    """Images and volumes; voxels are cubes or not, have one size or one per patient; labels are absent or touch."""
    spacings = ((1.0, 1.0, 1.0), (0.8, 0.8, 2.5), (1.25, 0.5, 3.0))
    sets = []
    for index in range(SETS - 8):
        rng = np.random.default_rng(700 + index)
        dimensions = 2 if index % 4 == 3 else 3
        shape = (22, 20) if dimensions == 2 else (14, 12, 10)
        pairs = []
        for patient in range(int(rng.integers(2, 7))):
            spacing = spacings[(index + (patient if index >= 14 else 0)) % 3][:dimensions]
            pairs.append(_patient(rng, shape, spacing))
        sets.append(DataSet(f"patients-{index}", pairs))
    several = [_patient(np.random.default_rng(790 + index), (14, 12, 10), spacings[1]) for index in range(3)]
    nothing = np.zeros((14, 12, 10), dtype=np.uint8)
    return [
        *sets,
        DataSet("no-reference-1", _not_in_references(several, 1)),
        DataSet("no-reference-2", _not_in_references(several, 2)),
        DataSet("no-prediction-1", _not_in_predictions(several, 1)),
        DataSet("no-prediction-2", _not_in_predictions(several, 2)),
        DataSet("all-empty", [LabelPair(nothing, nothing, spacings[0])] * 2),
        DataSet("equal", [pair._replace(prediction=pair.reference) for pair in several]),
        DataSet("touching-2", [_touching(2)]),
        DataSet("touching-3", [_touching(3), _touching(3)]),
    ]


class LandmarkSet(NamedTuple):
    """Landmarks of the moving image and the moved ones of the fixed image, in voxels, with the size of a voxel in mm."""

    moving: NDArray[np.float64]
    moved: NDArray[np.float64]
    spacing: NDArray[np.float64]


def landmark_sets() -> list[LandmarkSet]:
    """Landmarks in images and volumes, voxels that are cubes or not, one landmark, exact ones, and equal errors."""
    sets = []
    for index in range(SETS):
        rng = np.random.default_rng(800 + index)
        dimensions = 2 if index % 3 == 2 else 3
        number = 1 if index % 9 == 4 else int(rng.integers(2, 40))
        moving = rng.uniform(0, 30, (number, dimensions))
        errors = rng.normal(0, rng.choice([0.3, 2.0, 12.0]), moving.shape)
        if index % 7 == 5:
            errors[:] = 0
        elif index % 7 == 6:
            errors[:] = errors[0]
        spacing = np.array([(1.0, 1.0, 1.0), (1.5, 1.0, 2.5)][index % 2][:dimensions])
        sets.append(LandmarkSet(moving, moving + errors, spacing))
    return sets


class ScoreSet(NamedTuple):
    """Scores of the positive class, of all classes, and the true classes of each."""

    binary: NDArray[np.float64]
    is_positive: NDArray[np.int64]
    scores: NDArray[np.float64]
    classes: NDArray[np.int64]
    bins: int


def score_sets() -> list[ScoreSet]:
    """Scores that are calibrated or not, with ties or one class only; none lies on the end of a bin."""
    sets = []
    for index in range(SETS):
        rng = np.random.default_rng(900 + index)
        bins = (15, 10, 7, 1)[index % 4]
        number = (1, 12, 150, 500)[index // 7]
        binary = _between_ends(rng.beta(0.6, 0.8, number), bins, ties=index % 3 == 1)
        chance = binary if index % 2 else binary**2
        positive = (rng.random(number) < chance).astype(np.int64)
        if index % 7 == 6:
            positive[:] = index % 2
        scores = rng.dirichlet(np.full(4, 0.5), number)
        # The winning score is kept off the ends of bins, and the others share what is left.
        winner = scores.argmax(axis=1)
        top = _between_ends(scores.max(axis=1), bins, ties=False)
        rest = np.where(np.arange(4) == winner[:, None], 0, scores)
        rest *= ((1 - top) / np.maximum(rest.sum(axis=1), 1e-12))[:, None]
        scores = np.where(np.arange(4) == winner[:, None], top[:, None], rest)
        classes = np.where(rng.random(number) < top, winner, rng.integers(0, 4, number))
        sets.append(ScoreSet(binary, positive, scores, classes, bins))
    return sets


def _between_ends(scores: NDArray[np.float64], bins: int, *, ties: bool) -> NDArray[np.float64]:
    """Move scores away from the ends of bins; with `ties`, to the middle of their third of the bin."""
    place = np.clip(scores, 0, 1 - 1e-9) * bins
    inside = place - np.floor(place)
    inside = (np.floor(3 * inside) + 0.5) / 3 if ties else 0.02 + 0.96 * inside
    return np.asarray((np.floor(place) + inside) / bins)
