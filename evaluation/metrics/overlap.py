"""Overlap of two masks: how many voxels they share.

All functions take the reference first and the prediction second, as arrays of 2 or 3 dimensions (anything that is not
0 is foreground) or as `evaluation.metrics.masks.Mask`, and return value and outcome. Reference: M. Maier-Hein, A.
Reinke et al., "Metrics reloaded: recommendations for image analysis validation", Nature Methods 21 (2024).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from evaluation.metrics.declaration import MASKS, OBJECTS, computes, declare
from evaluation.metrics.masks import joint_box, pair
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import EMPTY_MASKS, INCLUDE_BACKGROUND_OF_MASKS
from evaluation.metrics.skeletons import isotropic, skeleton_of
from evaluation.outcomes import Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.metrics.masks import Mask

_SMALL: Final = 65_536
"""Number of voxels up to which whole arrays are compared rather than boxes."""


@declare(
    "Dice Similarity Coefficient",
    "DSC",
    categories=MASKS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=(INCLUDE_BACKGROUND_OF_MASKS, *EMPTY_MASKS),
)
def dsc(reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None) -> Result:
    """Dice similarity coefficient, 2 |A ∩ B| / (|A| + |B|).

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

    Examples
    --------
    >>> dsc([[1, 1, 0]], [[0, 1, 1]])
    Result(value=0.5, outcome=<Outcome.OK: 'ok'>)
    """
    small = _small(reference, prediction) if spacing is None else None
    if small is not None:
        # Boxes cost more than they save here.
        one, other = np.count_nonzero(small[0]), np.count_nonzero(small[1])
        if one and other:
            return ok(2 * int(np.count_nonzero(small[0] & small[1])) / (int(one) + int(other)))
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(2 * masks.intersection / (masks.reference.count + masks.prediction.count))


@declare(
    "Intersection over Union",
    "IoU",
    categories=MASKS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=(INCLUDE_BACKGROUND_OF_MASKS, *EMPTY_MASKS),
)
def iou(reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None) -> Result:
    """Intersection over union, |A ∩ B| / |A ∪ B|; equals DSC / (2 - DSC).

    Parameters and outcomes are those of `dsc`.

    Examples
    --------
    >>> iou([[1, 1, 0]], [[0, 1, 1]]).value
    0.3333333333333333
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    union = masks.reference.count + masks.prediction.count - masks.intersection
    return ok(masks.intersection / union)


@computes("semantic_segmentation")
def fbeta(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    beta: float = 1.0,
    spacing: Sequence[float] | None = None,
) -> Result:
    """F-beta score of voxels, (1 + β²) TP / ((1 + β²) TP + β² FN + FP); β = 1 gives DSC.

    Parameters
    ----------
    reference, prediction, spacing
        As for `dsc`.
    beta
        Above 0; above 1 a missed voxel costs more than a false one, below 1 less.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; outcomes as for `dsc`.

    Examples
    --------
    >>> fbeta([[1, 1, 1, 1]], [[1, 1, 0, 0]], beta=2).value
    0.5555555555555556
    """
    if not beta > 0:
        message = f"beta is a number above 0, not {beta}"
        raise ValueError(message)
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    weight = beta * beta
    # (1 + β²) TP + β² FN + FP, with FN = |A| - TP and FP = |B| - TP.
    return ok((1 + weight) * masks.intersection / (weight * masks.reference.count + masks.prediction.count))


@declare(
    "Centerline Dice Similarity Coefficient",
    "clDice",
    categories=MASKS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=(
        Option(
            "skeleton_method",
            "enum",
            "auto",
            "Thinning algorithm; auto = Zhang-Suen in 2D, Lee in 3D.",
            choices=("auto", "zhang", "lee"),
        ),
        Option("make_isotropic", "boolean", False, "Resample masks to isotropic spacing before thinning."),
        *EMPTY_MASKS,
    ),
)
def cldice(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    skeleton_method: Literal["auto", "zhang", "lee"] = "auto",
    make_isotropic: bool = False,
    spacing: Sequence[float] | None = None,
) -> Result:
    """Centreline Dice: harmonic mean of the shares of each centreline inside the other mask.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    skeleton_method
        Thinning: ``zhang`` (2D only), ``lee``, or ``auto`` (the former in 2D, the latter in 3D).
    make_isotropic
        Resample both masks to the smallest spacing along all axes before thinning.
    spacing
        Size of a voxel along each array axis in mm; used only with ``make_isotropic``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; outcomes as for `dsc`.

    Raises
    ------
    ValueError
        If shapes differ or the method does not support volumes.

    References
    ----------
    S. Shit et al., "clDice: a novel topology-preserving loss function for tubular structure segmentation", CVPR 2021.

    Examples
    --------
    >>> cldice([[1, 1, 1, 1]], [[1, 1, 0, 0]]).value
    0.6666666666666666
    """
    plain = skeleton_method in ("auto", "zhang") and not make_isotropic and spacing is None
    small = _small(reference, prediction) if plain else None
    if small is not None and small[0].ndim == 2 and min(small[0].shape) > 1:
        skeletons = [skeleton_of(mask, "zhang") for mask in small]
        if skeletons[0].any() and skeletons[1].any():
            return _cldice(*small, *skeletons)
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    box = joint_box(masks.reference, masks.prediction)
    one, other = (mask.within(box) for mask in (masks.reference, masks.prediction))
    if make_isotropic:
        one, other = isotropic(one, masks.reference.spacing), isotropic(other, masks.reference.spacing)
    thin = tuple(axis for axis, size in enumerate(masks.reference.shape) if size == 1)
    if one.ndim - len(thin) >= 2:
        one, other = one.squeeze(axis=thin), other.squeeze(axis=thin)
    return _cldice(one, other, skeleton_of(one, skeleton_method), skeleton_of(other, skeleton_method))


def _small(reference: object, prediction: object) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Both masks, if they are plain arrays of one valid shape and so small that a single pass is the fastest."""
    if not isinstance(reference, np.ndarray) or not isinstance(prediction, np.ndarray):
        return None
    alike = reference.dtype == prediction.dtype == bool and reference.shape == prediction.shape
    return (reference, prediction) if alike and reference.ndim in (2, 3) and 0 < reference.size <= _SMALL else None


def _cldice(
    one: NDArray[np.bool_],
    other: NDArray[np.bool_],
    skeleton: NDArray[np.bool_],
    other_skeleton: NDArray[np.bool_],
) -> Result:
    length, other_length = np.count_nonzero(skeleton), np.count_nonzero(other_skeleton)
    sensitivity = np.count_nonzero(skeleton & other) / length
    precision = np.count_nonzero(other_skeleton & one) / other_length
    total = sensitivity + precision
    return ok(2 * sensitivity * precision / total if total else 0.0)


@declare(
    "Intersection over Reference",
    "IoR",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
)
def ior(reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None) -> Result:
    """Intersection over reference, |A ∩ B| / |A|: the share of the reference that was covered.

    Parameters and outcomes are those of `dsc`. A prediction that covers everything gets 1, so it decides hits of
    objects and does not rate outlines.

    Examples
    --------
    >>> ior([[1, 1, 0]], [[0, 1, 1]]).value
    0.5
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(masks.intersection / masks.reference.count)
