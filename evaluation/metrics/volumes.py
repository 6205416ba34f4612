"""Difference between the volumes of two masks, regardless of position.

All functions take the reference first and the prediction second, as those of `evaluation.metrics.overlap`. A prediction
of the right size in another position has no error here. Such a metric is therefore never used alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import PIXELS, declare
from evaluation.metrics.masks import Mask, pair
from evaluation.metrics.shared_options import EMPTY_MASKS
from evaluation.outcomes import Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

PER_ML: Final = 1000.0
"""Cubic millimetres."""


def most_voxels_off(reference: Mask) -> int:
    """By how many voxels a prediction can be wrong at most: it finds nothing, or takes the whole image for the region.

    Examples
    --------
    >>> most_voxels_off(Mask([[1, 1, 0, 0, 0]]))
    3
    """
    voxels = int(np.prod(reference.shape))
    return max(reference.count, voxels - reference.count)


def most_parts_off(reference: Mask) -> float:
    """Largest number of parts that an image can contain: single voxels with a gap between them.

    Examples
    --------
    >>> most_parts_off(Mask([[1, 1, 0, 0, 0]]))
    3.0
    """
    return float(np.prod([(size + 1) // 2 for size in reference.shape]))


def worst_difference(reference: Mask) -> float:
    """The largest difference in ml that a prediction of this case can have."""
    return most_voxels_off(reference) * voxel_volume(reference) / PER_ML


def worst_error(reference: Mask) -> float:
    """The same over the volume of the reference; an empty one counts as one voxel, so that the number is finite."""
    return most_voxels_off(reference) / max(reference.count, 1)


@declare(
    "Absolute Volume Difference",
    "AVD",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks spacing volume",
    unit="ml",
    worst_by_case=True,
    worst_of=worst_difference,
)
def absolute_volume_difference(
    reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None
) -> Result:
    """Absolute difference of volumes, | |B| - |A| | times the volume of a voxel, in ml.

    Parameters
    ----------
    reference, prediction
        Masks of one shape with three dimensions.
    spacing
        Size of a voxel along each array axis in mm; 1 if not given. Spacing of a file is that of its header, in 32 bits
        for NIfTI: a spacing of 0.8 mm is 0.800000012 mm, and the volume differs by less than 2e-7 of itself.

    Returns
    -------
    Result
        Value in [0, inf) ml, lower is better; always ``ok``: an empty mask has a volume of 0.

    Raises
    ------
    ValueError
        If the shapes differ, the spacing does not fit, or the masks have two dimensions: an area is no volume.

    Examples
    --------
    >>> absolute_volume_difference([[[1, 1, 1, 1]]], [[[1, 1, 0, 0]]], spacing=(10, 10, 5)).value
    1.0
    """
    masks = pair(reference, prediction, spacing)
    if len(masks.reference.shape) != 3:
        message = f"a volume needs 3 dimensions; these masks have {len(masks.reference.shape)}"
        raise ValueError(message)
    return ok(abs(masks.prediction.count - masks.reference.count) * voxel_volume(masks.reference) / PER_ML)


@declare(
    "Relative Volume Error",
    "RVE",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks",
    policy={"degenerate": "exclude"},
    worst_by_case=True,
    worst_of=worst_error,
)
def relative_volume_error(
    reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None
) -> Result:
    """Absolute difference of volumes over the volume of the reference, | |B| - |A| | / |A|.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    spacing
        Taken so that all mask metrics can be called alike; it does not change the value.

    Returns
    -------
    Result
        Value in [0, inf), lower is better; ``both_empty`` or ``ref_empty`` without a value. A prediction that is empty
        where the reference is not has the error 1.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> relative_volume_error([[1, 1, 1, 1]], [[1, 1, 1, 0]]).value
    0.25
    """
    masks = pair(reference, prediction, spacing)
    if masks.reference.count == 0:
        return undefined(Outcome.REF_EMPTY if masks.prediction.count else Outcome.BOTH_EMPTY)
    return ok(abs(masks.prediction.count - masks.reference.count) / masks.reference.count)


@declare(
    "Volume Similarity",
    "VS",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=EMPTY_MASKS,
)
def volume_similarity(
    reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None
) -> Result:
    """Volume similarity, 1 - | |A| - |B| | / (|A| + |B|) (FeTA).

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    spacing
        Taken so that all mask metrics can be called alike; it does not change the value.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value.

    Raises
    ------
    ValueError
        If the shapes differ.

    References
    ----------
    A. A. Taha and A. Hanbury, "Metrics for evaluating 3D medical image segmentation: analysis, selection, and tool", BMC
    Medical Imaging 15 (2015).

    Examples
    --------
    >>> volume_similarity([[1, 1, 1, 0]], [[0, 0, 0, 1]]).value
    0.5
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    one, other = masks.reference.count, masks.prediction.count
    return ok(1 - abs(one - other) / (one + other))


def voxel_volume(mask: Mask) -> float:
    """Volume of a voxel in mm³."""
    return float(np.prod(mask.spacing))
