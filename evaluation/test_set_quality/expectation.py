"""Expected references: for each voxel the probability of a label, learned from the votes and the images of the other cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.test_set_quality.agreement import Panel, vote_share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

FOLDS: Final = 4
"""Parts of the cases; the expected reference of a case is learned without its part."""
_SAMPLES: Final = 720
"""Voxels of a case from which is learned: five sixths near the labels, the others anywhere."""
_REACH: Final = 8
"""Distance from any vote or label in voxels up to which a reference is expected; beyond, the probability is 0."""
_RIDGE: Final = 2.0
_ITERATIONS: Final = 6
_PIECE: Final = 1 << 17


class Evidence:
    """Votes and image of one region in one case, as features of voxels.

    Parameters
    ----------
    masks
        Masks of the region by algorithm.
    panel
        The algorithms and their weights.
    image
        Intensities of the same shape, ``None`` without an image.
    """

    def __init__(self, masks: Mapping[str, NDArray[np.bool_]], panel: Panel, image: NDArray[Any] | None = None) -> None:
        from scipy import ndimage

        self.share = vote_share(masks, panel)
        self.shape = self.share.shape
        voted = np.logical_or.reduce(list(masks.values()))
        if image is None:
            near = ndimage.distance_transform_edt(~voted) <= _REACH if voted.any() else np.zeros(self.shape, bool)
        else:
            # Algorithms can miss what the image shows, so every voxel counts.
            near = np.ones(self.shape, bool)
        self.near: NDArray[np.bool_] = near
        share = self.share.astype(np.float32)
        groups = sorted(set(panel.groups))
        columns = [ndimage.gaussian_filter(share, width) for width in (0, 1, 2, 4)]
        for group in groups:
            names = [name for name, number in zip(panel.names, panel.groups, strict=True) if number == group]
            present = [masks[name] for name in names if name in masks]
            mean = np.mean(present, axis=0, dtype=np.float32) if present else share
            columns.append(ndimage.gaussian_filter(mean, 0.7))
        if image is not None:
            columns += _image_features(np.asarray(image, np.float32))
        self.features: NDArray[np.float16] = np.stack([column[near] for column in columns], axis=1).astype(np.float16)


def expected_references(
    evidence: Sequence[Evidence], references: Sequence[NDArray[np.bool_]], *, seed: int = 1
) -> list[NDArray[np.float32]]:
    """Return the probability that a voxel belongs to the region, for each case, learned from the other cases.

    Parameters
    ----------
    evidence
        Votes and images of all cases.
    references
        Masks of the region in the references, in the same order. A few wrong ones change little.
    seed
        Seed of folds and samples.

    Returns
    -------
    list of ndarray
        In [0, 1], of the shapes of the references.

    Notes
    -----
    Logistic regression with a ridge penalty on the features and their products, by iteratively reweighted least squares.
    Learning across cases that do not contain the case itself follows C. Northcutt et al. (2021), "Confident learning".
    """
    rng = np.random.default_rng(seed)
    samples = [_sample(item, mask, rng) for item, mask in zip(evidence, references, strict=True)]
    folds = np.empty(len(evidence), int)
    folds[rng.permutation(len(evidence))] = np.arange(len(evidence)) % min(FOLDS, len(evidence))
    expected: list[NDArray[np.float32]] = [np.zeros(0, np.float32)] * len(evidence)
    for fold in sorted(set(folds)):
        training = [sample for sample, number in zip(samples, folds, strict=True) if number != fold]
        features = np.concatenate([values for values, _ in training])
        labels = np.concatenate([values for _, values in training])
        model = _Logistic(features, labels)
        for index in map(int, np.flatnonzero(folds == fold)):
            item = evidence[index]
            image = np.zeros(item.shape, np.float32)
            image[item.near] = model.predict(item.features)
            expected[index] = image
    return expected


def _image_features(image: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    """Return intensities relative to the case and to the neighbourhood, and edges."""
    from scipy import ndimage

    low, high = np.percentile(image, [1, 99])
    values = np.clip((image - low) / (high - low + 1e-9), -0.2, 1.2)
    fine = ndimage.gaussian_filter(values, 1)
    wide = [ndimage.gaussian_filter(values, width) for width in (2, 4, 10)]
    spread = np.sqrt(np.maximum(ndimage.gaussian_filter((values - wide[2]) ** 2, 10), 0)) + 0.02
    slope = ndimage.gaussian_gradient_magnitude(values, 1)
    return [fine, fine - wide[0], wide[0] - wide[1], (fine - wide[2]) / spread, slope]


def _sample(
    item: Evidence, mask: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return features and labels of sampled voxels."""
    from scipy import ndimage

    labels = mask[item.near]
    close = ((item.share > 0.01) | ndimage.binary_dilation(mask, iterations=3))[item.near]
    places = np.flatnonzero(close)
    chosen = rng.choice(places, min(_SAMPLES * 5 // 6, len(places)), replace=False)
    anywhere = rng.integers(0, len(labels), _SAMPLES // 6) if len(labels) else np.zeros(0, int)
    index = np.concatenate([chosen, anywhere]).astype(int)
    return item.features[index].astype(np.float32), labels[index]


class _Logistic:
    """Logistic regression with products of features."""

    def __init__(self, features: NDArray[np.float32], labels: NDArray[np.bool_]) -> None:
        self.middle = features.mean(axis=0)
        self.scale = features.std(axis=0) + 1e-3
        terms = self._terms(features)
        target = labels.astype(np.float32)
        weights = np.zeros(terms.shape[1], np.float32)
        penalty = np.full(terms.shape[1], _RIDGE, np.float32)
        penalty[0] = 1e-3
        for _ in range(_ITERATIONS):
            margin = np.clip(terms @ weights, -12, 12)
            probability = 1 / (1 + np.exp(-margin))
            curvature = np.maximum(probability * (1 - probability), 1e-4)
            gradient = terms.T @ (target - probability) - penalty * weights
            hessian = (terms * curvature[:, None]).T @ terms + np.diag(penalty)
            weights = weights + np.linalg.solve(hessian.astype(float), gradient.astype(float)).astype(np.float32)
        self.weights = weights

    def predict(self, features: NDArray[Any]) -> NDArray[np.float32]:
        """Return probabilities, in pieces, so that memory does not grow with the image."""
        result = np.empty(len(features), np.float32)
        for start in range(0, len(features), _PIECE):
            terms = self._terms(features[start : start + _PIECE].astype(np.float32))
            result[start : start + _PIECE] = 1 / (1 + np.exp(-np.clip(terms @ self.weights, -30, 30)))
        return result

    def _terms(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a constant, the standardized features, and their products."""
        values = np.clip((features - self.middle) / self.scale, -6, 6)
        rows, columns = np.triu_indices(values.shape[1])
        products = values[:, rows] * values[:, columns]
        return np.concatenate([np.ones((len(values), 1), np.float32), values, products], axis=1)
