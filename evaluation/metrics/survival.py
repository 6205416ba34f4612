"""Predicted risks and survival probabilities against times to an event, some of them censored.

All functions take the reference first, ``(n, 2)``: the time under observation and whether it ended with the event (1) or with
censoring (0). Risks are any finite numbers, a larger one for an earlier event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evaluation.metrics import survival_values as values_of
from evaluation.metrics.declaration import TIMES, declare
from evaluation.metrics.options import Option
from evaluation.metrics.survival_values import Censoring, Followed, censoring_survival, followed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evaluation.metrics.values import FloatArray
    from evaluation.outcomes import Result

_TIME = Option("time", "number", None, "Horizon t.", unit="of the time", exclusive_minimum=0, required=True)


def _risks(follow_up: Followed, risk: ArrayLike) -> FloatArray:
    values = np.asarray(risk, dtype=np.float64)
    if values.shape != follow_up.time.shape or not np.isfinite(values).all():
        message = f"risks of shape {values.shape}; expected one finite number for each of {len(follow_up.time)} cases"
        raise ValueError(message)
    return values


def _probabilities(follow_up: Followed, survival: ArrayLike, times: int | None) -> FloatArray:
    values = np.asarray(survival, dtype=np.float64)
    shape = follow_up.time.shape if times is None else (*follow_up.time.shape, times)
    if values.shape != shape or not ((values >= 0) & (values <= 1)).all():
        message = f"survival probabilities of shape {values.shape}; expected numbers from 0 to 1 of shape {shape}"
        raise ValueError(message)
    return values


def _everybody(follow_up: Followed) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], FloatArray]:
    return np.ones(len(follow_up.time), dtype=bool), np.ones((1, len(follow_up.time)))


def _censoring(follow_up: Followed, censoring: ArrayLike | None) -> Censoring:
    return censoring_survival(follow_up if censoring is None else followed(censoring))


@declare(
    "Harrell's Concordance Index",
    "C",
    categories=TIMES,
    direction="higher",
    range=(0, 1),
    family="survival",
    needs="times",
    evidence="survival",
    whole_data_set=True,
    policy={"degenerate": "exclude"},
)
def harrell_c(reference: ArrayLike, risk: ArrayLike) -> Result:
    """Return Harrell's concordance index.

    It is the share of comparable pairs in which the earlier event has the higher risk.

    Parameters
    ----------
    reference
        Time and event of each case, ``(n, 2)``.
    risk
        Larger for an earlier event, ``(n,)``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better, 0.5 for a guess. Equal risks count half. ``degenerate`` with the flag
        ``reference`` if no pair can be compared.

    Raises
    ------
    ValueError
        If the shapes of the arrays do not match, or a time, event or risk is invalid.

    Notes
    -----
    A pair consists of an event at T and a person observed for longer, or observed until T and censored then. Two events at
    the same time are not a pair. The value depends on how the test set is censored. Across years, `uno_c` is more comparable.

    Examples
    --------
    >>> harrell_c([[2, 1], [3, 1], [5, 0]], [0.9, 0.2, 0.4]).value
    0.6666666666666666
    """
    follow_up = followed(reference)
    return values_of.harrell_c(follow_up, _risks(follow_up, risk), *_everybody(follow_up)).result()


@declare(
    "Uno's Concordance Index",
    "C_Uno",
    categories=TIMES,
    direction="higher",
    range=(0, 1),
    family="survival",
    needs="times",
    evidence="survival",
    whole_data_set=True,
    policy={"degenerate": "exclude"},
    options=(
        Option(
            "tau",
            "number",
            None,
            "Only events before this time count; null = all.",
            unit="of the time",
            exclusive_minimum=0,
        ),
    ),
)
def uno_c(
    reference: ArrayLike, risk: ArrayLike, *, tau: float | None = None, censoring: ArrayLike | None = None
) -> Result:
    """Uno's concordance: the pairs of `harrell_c`, weighted by how likely it was to observe their event.

    Parameters
    ----------
    reference, risk
        As for `harrell_c`.
    tau
        Only events before this time are the earlier one of a pair.
    censoring
        Times and events of other people, ``(m, 2)``, from whom the censoring is estimated; from ``reference`` by default.

    Returns
    -------
    Result
        As `harrell_c`.

    Examples
    --------
    >>> uno_c([[2, 1], [3, 1], [5, 0]], [0.9, 0.2, 0.4], tau=4).value
    0.6666666666666666
    """
    follow_up = followed(reference)
    return values_of.uno_c(
        follow_up, _risks(follow_up, risk), *_everybody(follow_up), _censoring(follow_up, censoring), tau=tau
    ).result()


@declare(
    "Cumulative/Dynamic AUC",
    "AUC(t)",
    categories=TIMES,
    direction="higher",
    range=(0, 1),
    family="survival",
    needs="times",
    evidence="survival",
    whole_data_set=True,
    policy={"degenerate": "exclude"},
    label="AUC({time:g})",
    options=(_TIME,),
)
def time_dependent_auc(
    reference: ArrayLike, risk: ArrayLike, *, time: float, censoring: ArrayLike | None = None
) -> Result:
    """Return the AUROC of events until a time against people still under observation.

    It is weighted for censoring.

    Parameters
    ----------
    reference, risk, censoring
        As for `uno_c`.
    time
        The horizon.

    Returns
    -------
    Result
        Value in [0, 1], higher is better, 0.5 for a guess. ``degenerate`` with the flag ``reference`` if there is no event
        before the horizon, or no person is under observation after it.

    Examples
    --------
    >>> time_dependent_auc([[2, 1], [3, 1], [5, 0]], [0.9, 0.2, 0.4], time=4).value
    0.5
    """
    follow_up = followed(reference)
    return values_of.time_dependent_auc(
        follow_up, _risks(follow_up, risk), *_everybody(follow_up), _censoring(follow_up, censoring), time=time
    ).result()


@declare(
    "Brier Score at a Time",
    "BS(t)",
    categories=TIMES,
    direction="lower",
    range=(0, None),
    family="survival",
    needs="times scores",
    evidence="survival",
    whole_data_set=True,
    policy={"degenerate": "exclude", "missing": 1.0},
    label="BS({time:g})",
    options=(
        Option(
            "time", "number", None, "One of settings.times.", unit="of the time", exclusive_minimum=0, required=True
        ),
    ),
)
def brier_at_time(
    reference: ArrayLike, survival: ArrayLike, *, time: float, censoring: ArrayLike | None = None
) -> Result:
    """Mean squared error of the survival probability at a time, weighted for censoring.

    Parameters
    ----------
    reference, censoring
        As for `uno_c`.
    survival
        Probability of no event until the time, ``(n,)``.
    time
        The horizon.

    Returns
    -------
    Result
        Value of 0 or more, lower is better; 0.25 for 0.5 as every answer where nothing is censored. ``degenerate`` with
        the flag ``reference`` without any case.

    Raises
    ------
    ValueError
        As `harrell_c`, and for probabilities outside [0, 1].

    Examples
    --------
    >>> brier_at_time([[2, 1], [3, 1], [5, 1]], [0.5, 0.5, 0.5], time=4).value
    0.25
    """
    follow_up = followed(reference)
    values = _probabilities(follow_up, survival, None)
    return values_of.brier_at_time(
        follow_up, values, *_everybody(follow_up), _censoring(follow_up, censoring), time=time
    ).result()


@declare(
    "Integrated Brier Score",
    "IBS",
    categories=TIMES,
    direction="lower",
    range=(0, None),
    family="survival",
    needs="times scores",
    evidence="survival",
    whole_data_set=True,
    policy={"degenerate": "exclude", "missing": 1.0},
)
def integrated_brier_score(
    reference: ArrayLike, survival: ArrayLike, *, times: ArrayLike, censoring: ArrayLike | None = None
) -> Result:
    """Brier score over a span of time: trapezoids of `brier_at_time` at several times, divided by last minus first.

    Parameters
    ----------
    reference, censoring
        As for `uno_c`.
    survival
        Probability of no event until each time, ``(n, times)``.
    times
        Ascending, two at least.

    Returns
    -------
    Result
        Value of 0 or more, lower is better.

    Raises
    ------
    ValueError
        As `brier_at_time`, and for times that do not ascend.

    Examples
    --------
    >>> integrated_brier_score([[2, 1], [3, 1], [5, 1]], [[0.5, 0.5]] * 3, times=[1, 4]).value
    0.25
    """
    follow_up, grid = followed(reference), np.asarray(times, dtype=np.float64)
    if grid.ndim != 1 or len(grid) < 2 or not (np.diff(grid) > 0).all():
        message = "times are two ascending numbers at least"
        raise ValueError(message)
    values = _probabilities(follow_up, survival, len(grid))
    return values_of.integrated_brier_score(
        follow_up, values, *_everybody(follow_up), _censoring(follow_up, censoring), times=grid
    ).result()
