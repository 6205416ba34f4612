"""Several yes/no findings of each case, assessed together.

A finding that is unknown in the reference is excluded. The metrics of `evaluation.metrics.classification` assess single
findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import LABELS, declare
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evaluation.outcomes import Result


def subset_values(is_known: NDArray[np.bool_], wrong: NDArray[np.bool_], weights: FloatArray) -> Values:
    """Share of cases with no wrong decision, of those of which anything is known; arrays ``(n, labels)``."""
    counted = is_known.any(axis=1).astype(np.float64)
    right = counted * ~(wrong & is_known).any(axis=1)
    return _share(weights @ right, weights @ counted)


def hamming_values(is_known: NDArray[np.bool_], wrong: NDArray[np.bool_], weights: FloatArray) -> Values:
    """Share of known decisions that are wrong."""
    return _share(weights @ (wrong & is_known).sum(axis=1), weights @ is_known.sum(axis=1))


def _share(part: FloatArray, whole: FloatArray) -> Values:
    return Values(ratio(part, whole)).undefine(whole == 0, Outcome.DEGENERATE, Flag.REFERENCE)


TOGETHER: Final = {"subset_accuracy": subset_values, "hamming_loss": hamming_values}
"""Metrics of all labels at once: whether they are known and wrong, each ``(n, labels)``, and multiplicities."""


def _arrays(reference: ArrayLike, decisions: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.bool_], FloatArray]:
    truth, answer = np.asarray(reference, dtype=np.float64), np.asarray(decisions, dtype=np.float64)
    if truth.ndim != 2 or truth.shape != answer.shape:
        message = f"reference of shape {truth.shape} and decisions of shape {answer.shape}; expected (cases, labels)"
        raise ValueError(message)
    is_known = ~np.isnan(truth)
    if not (np.isin(truth[is_known], (0, 1)).all() and np.isin(answer, (0, 1)).all()):
        message = "references are 0, 1 or not a number, decisions 0 or 1"
        raise ValueError(message)
    return is_known, truth != answer, np.ones((1, len(truth)))


@declare(
    "Subset Accuracy (exact match)",
    "EMR",
    categories=LABELS,
    direction="higher",
    range=(0, 1),
    family="multi_label",
    needs="labels",
    evidence="labels",
    whole_data_set=True,
)
def subset_accuracy(reference: ArrayLike, decisions: ArrayLike) -> Result:
    """Share of cases of which every known label is decided rightly.

    Parameters
    ----------
    reference
        1, 0 or not a number for a label that is not known, ``(n, labels)``.
    decisions
        1 or 0, ``(n, labels)``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if nothing is known.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or hold other numbers.

    Examples
    --------
    >>> subset_accuracy([[1, 0], [0, 1]], [[1, 0], [1, 1]]).value
    0.5
    """
    return subset_values(*_arrays(reference, decisions)).result()


@declare(
    "Hamming Loss",
    "HL",
    categories=LABELS,
    direction="lower",
    range=(0, 1),
    family="multi_label",
    needs="labels",
    evidence="labels",
    whole_data_set=True,
)
def hamming_loss(reference: ArrayLike, decisions: ArrayLike) -> Result:
    """Share of all known labels that are decided wrongly.

    Parameters are those of `subset_accuracy`. Where most labels are absent, deciding against all of them looks good.

    Returns
    -------
    Result
        Value in [0, 1], lower is better; outcomes of `subset_accuracy`.

    Examples
    --------
    >>> hamming_loss([[1, 0], [0, 1]], [[1, 0], [1, 1]]).value
    0.25
    """
    return hamming_values(*_arrays(reference, decisions)).result()
