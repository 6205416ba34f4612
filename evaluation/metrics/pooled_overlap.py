"""Overlap of the masks of all cases together.

A pooled value counts voxels of the whole data set instead of averaging values of cases. Large structures weigh more,
and a case without the structure needs no rule: its false-positive voxels enter the sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evaluation.metrics.declaration import PIXELS, declare
from evaluation.metrics.masks import pair
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.masks import Mask


@declare(
    "Aggregated Dice Similarity Coefficient",
    "DSCagg",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    evidence="overlap",
    whole_data_set=True,
)
def aggregated_dsc(reference: Sequence[ArrayLike | Mask], prediction: Sequence[ArrayLike | Mask]) -> Result:
    """Aggregated Dice of a data set, 2 Σ |A ∩ B| / Σ (|A| + |B|) over all cases (HECKTOR, HNTS-MRG).

    Voxels are counted. The programs of both challenges sum mm³, which is the same if all voxels have one size.

    Parameters
    ----------
    reference, prediction
        One mask per case, in the same order; the two masks of a case have one shape.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` if all masks of a side are
        empty.

    Raises
    ------
    ValueError
        If there are not as many predictions as references, or shapes differ.

    References
    ----------
    V. Andrearczyk et al., "Overview of the HECKTOR challenge at MICCAI 2022", LNCS 13626 (2023);
    github.com/voreille/hecktor, notebooks/evaluate_segmentation2022.ipynb of commit 0117ff1.

    Examples
    --------
    >>> aggregated_dsc([[[1, 1, 0]], [[0, 0, 0]]], [[[1, 0, 0]], [[1, 0, 0]]]).value
    0.5
    """
    counts = [overlap_counts(*masks) for masks in zip(reference, prediction, strict=True)]
    return dsc_of_counts(np.array(counts, dtype=float).reshape(-1, 3), np.ones((1, len(counts)))).result()


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
        How often each resample contains each case, ``(B, cases)``.
    """
    common, truth, guess = (multiplicities @ counts[:, column] for column in range(3))
    values = Values(ratio(2 * common, truth + guess)).undefine(truth + guess == 0, Outcome.BOTH_EMPTY)
    return values.undefine(truth == 0, Outcome.REF_EMPTY).undefine(guess == 0, Outcome.PRED_EMPTY)
