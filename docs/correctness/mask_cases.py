"""Generated pairs of masks on which published evaluation programs and ours are compared.

>>> cases = mask_cases()
>>> len(cases), sum(case.reference.ndim == 2 for case in cases), sum(not case.reference.any() for case in cases)
(26, 6, 4)
"""
# ruff: noqa: INP001

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import ndimage

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MaskCase(NamedTuple):
    """A pair of masks with the size of a voxel in mm, and its name."""

    name: str
    reference: NDArray[np.bool_]
    prediction: NDArray[np.bool_]
    spacing: tuple[float, ...]


def _blobs(rng: np.random.Generator, shape: tuple[int, ...], share: float) -> NDArray[np.bool_]:
    """Smooth parts of different sizes that cover a share of the image."""
    noise = ndimage.gaussian_filter(rng.normal(size=shape), 1.4)
    return np.asarray(noise > np.quantile(noise, 1 - share))


def _another(rng: np.random.Generator, reference: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the reference moved and worn, with a part removed, a part added and single voxels."""
    moved = np.roll(reference, int(rng.integers(-1, 2)), axis=int(rng.integers(reference.ndim)))
    labels, count = ndimage.label(moved, np.ones((3,) * reference.ndim))
    if count > 1:
        moved &= labels != rng.integers(1, count + 1)
    moved |= _blobs(rng, reference.shape, 0.02)
    return np.asarray(moved ^ (rng.random(reference.shape) < 0.004))


def _touching(shape: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Blocks that touch at a corner, at an edge and at the image's edge; predictions one voxel apart."""
    reference, prediction = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for start, stop in ((0, 4), (4, 7), (8, 12)):
        reference[(slice(start, stop),) * len(shape)] = True
    prediction[(slice(1, 5),) * len(shape)] = True
    prediction[(slice(6, 8),) * len(shape)] = True
    reference[(slice(7, 9), slice(4, 7), *(slice(0, 3),) * (len(shape) - 2))] = True
    prediction[(-1,) * len(shape)] = True
    return reference, prediction


def parts(mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the parts of a mask as a label map; voxels that share a corner belong to one part."""
    labels, _ = ndimage.label(mask, np.ones((3,) * mask.ndim))
    return np.asarray(labels, dtype=np.int32)


def with_centrelines(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return a mask without the parts of which thinning by scikit-image leaves no voxel."""
    from skimage.morphology import skeletonize

    labels = parts(mask)
    kept = np.setdiff1d(np.unique(labels[np.asarray(skeletonize(mask), dtype=bool)]), [0])
    return np.asarray(np.isin(labels, kept))


def mask_cases() -> list[MaskCase]:
    """All cases: images and volumes, voxels that are cubes or not, empty sides, lesions that touch."""
    cases = []
    for index in range(4):
        rng = np.random.default_rng(100 + index)
        reference = _blobs(rng, (30, 26), 0.15)
        spacing = ((1.0, 1.0), (0.5, 0.8))[index % 2]
        cases.append(MaskCase(f"image-{index}", reference, _another(rng, reference), spacing))
    for index in range(12):
        rng = np.random.default_rng(200 + index)
        reference = _blobs(rng, (20, 18, 14), (0.04, 0.1, 0.2)[index % 3])
        spacing = ((1.0, 1.0, 1.0), (0.8, 0.8, 2.5), (1.25, 0.5, 3.0))[index // 4]
        cases.append(MaskCase(f"volume-{index}", reference, _another(rng, reference), spacing))
    for dimensions, spacing in ((2, (1.0, 2.0)), (3, (1.0, 1.0, 1.0)), (3, (2.0, 1.0, 0.7))):
        pair = _touching((14,) * dimensions)
        cases.append(MaskCase(f"touching-{dimensions}-{spacing[0]:g}", *pair, spacing))
    shape = (20, 18, 14)
    nothing, rng = np.zeros(shape, dtype=bool), np.random.default_rng(300)
    one = _blobs(rng, shape, 0.05)
    dot = nothing.copy()
    dot[3, 4, 5] = True
    cases += [
        MaskCase("both-empty", nothing, nothing, (1.0, 1.0, 1.0)),
        MaskCase("reference-empty", nothing, one, (1.0, 1.0, 1.0)),
        MaskCase("reference-empty-dot", nothing, dot, (0.8, 0.8, 2.5)),
        MaskCase("prediction-empty", one, nothing, (0.8, 0.8, 2.5)),
        MaskCase("dot-found", dot, dot, (1.0, 1.0, 1.0)),
        MaskCase("equal", one, one, (1.0, 1.0, 1.0)),
        MaskCase("image-both-empty", nothing[0], nothing[0], (1.0, 1.0)),
    ]
    return cases


def library_cases() -> list[MaskCase]:
    """Return the cases with both masks, and three more volumes with large parts.

    >>> len(library_cases())
    24
    """
    cases = [case for case in mask_cases() if case.reference.any() and case.prediction.any()]
    for index in range(3):
        rng = np.random.default_rng(400 + index)
        reference = _blobs(rng, (20, 18, 14), 0.3)
        cases.append(MaskCase(f"large-{index}", reference, _another(rng, reference), (1.0, 0.7, 2.0)))
    return cases
