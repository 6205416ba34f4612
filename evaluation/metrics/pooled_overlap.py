"""Overlap of the masks of all cases together.

A pooled value counts voxels or mm³ of the whole data set instead of averaging values of cases. Large structures weigh more,
and a case without the structure needs no rule: its false-positive voxels enter the sum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import PIXELS, declare
from evaluation.metrics.masks import pair
from evaluation.metrics.options import Option
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.masks import Mask

MM3: Final = "mm3"
"""Value of the option ``size_unit`` for physical sizes."""


@declare(
    "Aggregated Dice Similarity Coefficient",
    "DSCagg",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks spacing",
    optional="spacing",
    options=(
        Option(
            "size_unit",
            "enum",
            "voxels",
            "Sizes that are summed: voxels, or mm3 (mm² in images), as the programs of HECKTOR and HNTS-MRG have it.",
            choices=("voxels", MM3),
            stands_where_set=True,
        ),
    ),
    evidence="overlap",
    whole_data_set=True,
)
def aggregated_dsc(
    reference: Sequence[ArrayLike | Mask],
    prediction: Sequence[ArrayLike | Mask],
    *,
    spacing: Sequence[Sequence[float]] | None = None,
    size_unit: str = "voxels",
) -> Result:
    """Aggregated Dice of a data set, 2 Σ |A ∩ B| / Σ (|A| + |B|) over all cases (HECKTOR, HNTS-MRG).

    The published formula counts voxels. The programs of both challenges sum mm³, which is the same if all voxels have one size.

    Parameters
    ----------
    reference, prediction
        One mask per case, in the same order; the two masks of a case have one shape.
    spacing
        Size of a voxel of each case in mm, read with ``size_unit`` ``mm3`` only; by default that of a `Mask`, or 1.
    size_unit
        ``voxels`` or ``mm3``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` if all masks of a side are
        empty.

    Raises
    ------
    ValueError
        If there are not as many predictions or sizes of voxels as references, shapes differ, or the unit is unknown.

    References
    ----------
    V. Andrearczyk et al., "Overview of the HECKTOR challenge at MICCAI 2022", LNCS 13626 (2023);
    github.com/voreille/hecktor, notebooks/evaluate_segmentation2022.ipynb of commit 0117ff1.

    Examples
    --------
    >>> aggregated_dsc([[[1, 1, 0]], [[0, 0, 0]]], [[[1, 0, 0]], [[1, 0, 0]]]).value
    0.5
    >>> masks = [[[1, 1, 0]], [[1, 1, 0]]], [[[1, 1, 0]], [[0, 0, 1]]]
    >>> aggregated_dsc(*masks, size_unit="mm3", spacing=[(2, 1), (1, 1)]).value
    0.7272727272727273
    """
    if size_unit not in ("voxels", MM3):
        message = f"size_unit: voxels or {MM3}, not {size_unit!r}"
        raise ValueError(message)
    given = [None] * len(reference) if spacing is None or size_unit != MM3 else spacing
    pairs = [pair(truth, guess, size) for truth, guess, size in zip(reference, prediction, given, strict=True)]
    counts = [(masks.intersection, masks.reference.count, masks.prediction.count) for masks in pairs]
    sizes = [math.prod(masks.reference.spacing) if size_unit == MM3 else 1.0 for masks in pairs]
    return dsc_of_counts(np.array(counts, dtype=float).reshape(-1, 3), np.array([sizes]).reshape(1, -1)).result()


def overlap_counts(reference: ArrayLike | Mask, prediction: ArrayLike | Mask) -> tuple[int, int, int]:
    """Voxels of a case that are in both masks, in the reference and in the prediction.

    Examples
    --------
    >>> overlap_counts([[1, 1, 0]], [[0, 1, 1]])
    (1, 2, 2)
    """
    masks = pair(reference, prediction)
    return masks.intersection, masks.reference.count, masks.prediction.count


def dsc_of_counts(counts: FloatArray, multiplicities: FloatArray) -> Values:
    """Aggregated Dice of resamples, from the counts of cases.

    Parameters
    ----------
    counts
        Voxels in both masks, in the reference and in the prediction, ``(cases, 3)``.
    multiplicities
        How often each resample contains each case, ``(B, cases)``; times the size of a voxel where mm³ are summed.
    """
    common, truth, guess = (multiplicities @ counts[:, column] for column in range(3))
    values = Values(ratio(2 * common, truth + guess)).undefine(truth + guess == 0, Outcome.BOTH_EMPTY)
    return values.undefine(truth == 0, Outcome.REF_EMPTY).undefine(guess == 0, Outcome.PRED_EMPTY)
