"""Named points: distances between predicted and reference landmarks, and rates of detection.

All functions take the reference first and the prediction second: one row per landmark, in the same order, with the
coordinates in mm (or pixels) as columns. A row that is not a number is a missing landmark. The penalty of one missing
landmark in a case must be specified: without the image, the error of a lost point is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import LANDMARKS, declare
from evaluation.metrics.options import Option
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

OPERATORS: Final = ("mean", "median", "max")


def distances(reference: ArrayLike, prediction: ArrayLike) -> NDArray[np.float64]:
    """Euclidean distance of each predicted landmark from its own, shape ``(n,)``; not a number where either is not there.

    Raises
    ------
    ValueError
        If the shapes differ, or are not those of points.

    Examples
    --------
    >>> distances([[0, 0, 0], [0, 0, 10]], [[0, 3, 4], [np.nan, np.nan, np.nan]])
    array([ 5., nan])
    """
    truth, guess = np.asarray(reference, dtype=float), np.asarray(prediction, dtype=float)
    if truth.ndim != 2 or truth.shape != guess.shape:
        message = f"landmarks are rows of coordinates, as many on both sides, not {truth.shape} and {guess.shape}"
        raise ValueError(message)
    errors: NDArray[np.float64] = np.sqrt(((guess - truth) ** 2).sum(axis=1))
    return errors


@declare(
    "Radial Error",
    "RE",
    categories=LANDMARKS,
    direction="lower",
    range=(0, None),
    family="landmarks",
    needs="landmarks",
    unit="mm",
    options=(Option("operator", "enum", "mean", "How the points of one case become one number.", choices=OPERATORS),),
    policy={"both_empty": "exclude", "degenerate": "exclude"},
    worst_by_case=True,
)
def radial_error(
    reference: ArrayLike, prediction: ArrayLike, *, operator: str = "mean", penalty: float | None = None
) -> Result:
    """Euclidean distance between predicted and reference landmarks, combined over a case.

    A landmark that the reference lacks is excluded; a landmark that the prediction lacks counts as ``penalty``. The
    mean radial error of the literature is the mean over cases of this value with ``operator`` ``mean`` over all
    landmarks.

    Parameters
    ----------
    reference, prediction
        ``(n, 2)`` or ``(n, 3)``, in mm or pixels; see the module.
    operator
        ``mean``, ``median`` or ``max``.
    penalty
        Error of a landmark that is not predicted, in the same unit.

    Returns
    -------
    Result
        Value in [0, ∞), lower is better; ``degenerate`` with the flag ``reference`` without a landmark in the
        reference, ``pred_empty`` if none of them is predicted.

    Raises
    ------
    ValueError
        If some landmarks are not predicted and there is no penalty, or for shapes that do not fit.

    Examples
    --------
    >>> radial_error([[0, 0, 0], [0, 0, 10], [0, 10, 0]], [[0, 3, 4], [0, 0, 12], [0, 4.4, 0]]).value
    4.2
    """
    if operator not in OPERATORS:
        message = f"operator is one of {', '.join(OPERATORS)}, not {operator!r}"
        raise ValueError(message)
    in_reference = ~np.isnan(np.asarray(reference, dtype=float)).any(axis=1)
    errors = distances(reference, prediction)[in_reference]
    if not errors.size:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    lost = np.isnan(errors)
    if lost.all():
        return undefined(Outcome.PRED_EMPTY)
    if lost.any():
        if penalty is None:
            message = f"{int(lost.sum())} landmarks are not predicted; say what they count as (penalty)"
            raise ValueError(message)
        errors = np.where(lost, penalty, errors)
    return ok(combined(errors, operator))


def combined(errors: NDArray[np.float64], operator: str) -> float:
    """Errors of several points as one number: their ``mean``, ``median`` or ``max``."""
    if operator == "mean":
        return float(errors.mean())
    return float(np.median(errors)) if operator == "median" else float(errors.max())


def count_found(reference: ArrayLike, prediction: ArrayLike, *, radius: float) -> tuple[int, int]:
    """Return the number of landmarks within a radius (≤) of their reference, and the number in the reference.

    Both numbers are of one case.
    """
    in_reference = ~np.isnan(np.asarray(reference, dtype=float)).any(axis=1)
    errors = distances(reference, prediction)
    return int((errors[in_reference] <= radius).sum()), int(in_reference.sum())


def count_identified(
    reference: ArrayLike, prediction: ArrayLike, *, radius: float, among: ArrayLike | None = None
) -> tuple[int, int]:
    """Landmarks of one case within a radius of their own and nearer to no other, and how many the reference has.

    Parameters
    ----------
    among
        All landmarks of the reference of the case, also those outside the group; those of `reference` if not given.
    """
    truth, guess = np.asarray(reference, dtype=float), np.asarray(prediction, dtype=float)
    in_reference = ~np.isnan(truth).any(axis=1)
    others = truth if among is None else np.asarray(among, dtype=float)
    others = others[~np.isnan(others).any(axis=1)]
    errors = distances(truth, guess)
    hits = 0
    for index in np.flatnonzero(in_reference & (errors <= radius)).tolist():
        nearest = float(np.sqrt(((others - guess[index]) ** 2).sum(axis=1)).min())
        hits += errors[index] <= nearest
    return int(hits), int(in_reference.sum())


def _share(counts: Sequence[tuple[int, int]]) -> Result:
    hits, total = sum(hit for hit, _ in counts), sum(number for _, number in counts)
    return ok(hits / total) if total else undefined(Outcome.DEGENERATE, Flag.REFERENCE)


@declare(
    "Success Detection Rate",
    "SDR",
    categories=LANDMARKS,
    direction="higher",
    range=(0, 1),
    family="landmarks",
    needs="landmarks",
    options=(
        Option(
            "radius",
            "number",
            None,
            "A landmark is found if its radial error is at most this.",
            unit="mm",
            exclusive_minimum=0,
            required=True,
        ),
    ),
    evidence="landmarks",
    whole_data_set=True,
    policy={"both_empty": "exclude", "degenerate": "exclude"},
    label="SDR {radius:g}",
)
def success_detection_rate(
    references: Sequence[ArrayLike], predictions: Sequence[ArrayLike], *, radius: float
) -> Result:
    """Share of the reference's landmarks, pooled over cases, with a prediction at most ``radius`` away.

    "At most" is the rule of the cephalometric challenge (Wang et al., Medical Image Analysis 31, 2016); some scripts
    use "less than". A landmark that is not predicted is not detected.

    Parameters
    ----------
    references, predictions
        One array per case; see the module.
    radius
        Radius in the unit of the coordinates.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` without any landmark.

    Examples
    --------
    >>> reference = [[0, 0, 0], [0, 0, 10], [0, 10, 0]]
    >>> success_detection_rate([reference], [[[0, 3, 4], [0, 0, 12], [0, 4.4, 0]]], radius=5)[0]
    0.6666666666666666
    """
    return _share([count_found(a, b, radius=radius) for a, b in zip(references, predictions, strict=True)])


@declare(
    "Identification Rate",
    "ID rate",
    categories=LANDMARKS,
    direction="higher",
    range=(0, 1),
    family="landmarks",
    needs="landmarks all_landmarks",
    options=(
        Option(
            "radius",
            "number",
            20.0,
            "Largest radial error of an identified landmark.",
            unit="mm",
            exclusive_minimum=0,
        ),
    ),
    evidence="landmarks",
    whole_data_set=True,
    policy={"both_empty": "exclude", "degenerate": "exclude"},
    label="ID rate {radius:g}",
)
def identification_rate(
    references: Sequence[ArrayLike], predictions: Sequence[ArrayLike], *, radius: float = 20.0
) -> Result:
    """Share of the reference's landmarks that are predicted within ``radius`` and are the nearest landmark.

    A predicted point must not be nearer to another reference landmark of the case. This is the rule of VerSe
    (Sekuboyina et al., Medical Image Analysis 73, 2021); equally near counts as identified. Compare
    `success_detection_rate`, which ignores other landmarks.

    Parameters
    ----------
    references, predictions
        One array per case; see the module.
    radius
        Radius in the unit of the coordinates.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` without any landmark.

    Examples
    --------
    >>> reference = [[0, 0, 0], [0, 0, 10], [0, 10, 0]]
    >>> identification_rate([reference], [[[0, 3, 4], [0, 0, 12], [0, 4.4, 0]]])[0]
    0.6666666666666666
    """
    return _share([count_identified(a, b, radius=radius) for a, b in zip(references, predictions, strict=True)])
