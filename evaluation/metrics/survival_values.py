"""Times to an event, perhaps censored, against predicted risks and survival probabilities, under multiplicities.

The censoring survival G is estimated once from all references, or from other people, and kept in resamples: intervals hold
given that estimate. At a time with events and censorings the events leave first, and an event at T has the weight 1/G(T-).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_PAIRS_AT_ONCE: Final = 1 << 23


class Censoring(NamedTuple):
    """Probability of being still under observation: a step function, from each time on until the next.

    Attributes
    ----------
    times, survival
        Ascending, and the value from each on; 1 before the first.
    last
        Last time at which anybody was under observation.
    """

    times: FloatArray
    survival: FloatArray
    last: float

    def at(self, time: ArrayLike) -> FloatArray:
        """G(t), right-continuous."""
        return self._of(np.searchsorted(self.times, time, side="right"))

    def before(self, time: ArrayLike) -> FloatArray:
        """G(t-), its limit from the left."""
        return self._of(np.searchsorted(self.times, time, side="left"))

    def _of(self, index: NDArray[np.int64] | np.int64) -> FloatArray:
        values: FloatArray = np.concatenate([[1.0], self.survival])[index]
        return values


class Followed(NamedTuple):
    """Follow-up of people: time under observation, and whether it ended with the event; each ``(n,)``."""

    time: FloatArray
    event: NDArray[np.bool_]


def followed(reference: ArrayLike) -> Followed:
    """Check times and events.

    Raises
    ------
    ValueError
        For another shape than ``(n, 2)``, times that are not finite and above 0, or events other than 0 and 1.
    """
    table = np.asarray(reference, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != 2:
        message = f"reference of shape {table.shape}; expected time and event of each case, (n, 2)"
        raise ValueError(message)
    if not (np.isfinite(table).all() and (table[:, 0] > 0).all() and np.isin(table[:, 1], (0, 1)).all()):
        message = "times have to be finite and above 0, events 0 or 1"
        raise ValueError(message)
    return Followed(table[:, 0], table[:, 1] == 1)


def censoring_survival(follow_up: Followed) -> Censoring:
    """Kaplan and Meier's estimate for the time of censoring."""
    times, time_index = np.unique(follow_up.time, return_inverse=True)
    events = np.bincount(time_index, weights=follow_up.event, minlength=len(times))
    leaving = np.bincount(time_index, minlength=len(times))
    at_risk = len(follow_up.time) - np.concatenate([[0], np.cumsum(leaving)[:-1]])
    staying = at_risk - events
    factor: FloatArray = 1.0 - ratio(leaving - events, np.where(staying > 0, staying, 1))
    survival: FloatArray = np.asarray(np.cumprod(factor), dtype=np.float64)
    return Censoring(np.asarray(times, dtype=np.float64), survival, float(times.max(initial=0.0)))


class Survivors(NamedTuple):
    """Share of people without the event: a step function, from each time on until the next; 1 before the first.

    Attributes
    ----------
    times
        Of every end of an observation, ascending.
    survival
        The share from each time on.
    at_risk
        How many were under observation until each time.
    """

    times: FloatArray
    survival: FloatArray
    at_risk: FloatArray


def event_free_survival(follow_up: Followed) -> Survivors:
    """Kaplan and Meier's estimate for the time of the event.

    Examples
    --------
    >>> event_free_survival(followed([[1, 1], [2, 0], [3, 1], [4, 1]])).survival.tolist()
    [0.75, 0.75, 0.375, 0.0]
    """
    times, time_index = np.unique(follow_up.time, return_inverse=True)
    events = np.bincount(time_index, weights=follow_up.event, minlength=len(times))
    leaving = np.bincount(time_index, minlength=len(times))
    at_risk = np.asarray(len(follow_up.time) - np.concatenate([[0], np.cumsum(leaving)])[:-1], dtype=np.float64)
    survival: FloatArray = np.asarray(np.cumprod(1.0 - ratio(events, at_risk)), dtype=np.float64)
    return Survivors(np.asarray(times, dtype=np.float64), survival, at_risk)


class Reach(NamedTuple):
    """Ends of the interval of an estimated survival, from each time on; not a number where it is still 1 or already 0."""

    low: FloatArray
    high: FloatArray


def survival_reach(follow_up: Followed, deviates: float) -> Reach:
    """Interval of Kaplan and Meier's estimate: Greenwood's variance on the scale of log(-log), which stays within 0 and 1.

    Parameters
    ----------
    deviates
        Of the normal distribution, such as 1.96 for 95 %.
    """
    estimate = event_free_survival(follow_up)
    times, time_index = np.unique(follow_up.time, return_inverse=True)
    events = np.bincount(time_index, weights=follow_up.event, minlength=len(times))
    left = estimate.at_risk - events
    variance = np.cumsum(ratio(events, estimate.at_risk * left))
    inside = (estimate.survival > 0) & (estimate.survival < 1)
    logarithm = np.log(np.where(inside, estimate.survival, 0.5))
    spread = np.where(inside, deviates * np.sqrt(variance) / np.abs(logarithm), np.nan)
    start = np.where(inside, estimate.survival, np.nan)
    return Reach(start ** np.exp(spread), start ** np.exp(-spread))


def _pairs(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    first: FloatArray,
    *,
    controls: NDArray[np.bool_] | None,
) -> Values:
    """Share of pairs in the right order.

    Parameters
    ----------
    first
        What each case weighs as the earlier one of a pair; 0 where it cannot be it.
    controls
        The later ones of all pairs; those who are under observation for longer than the first if ``None``.
    """
    # People with equal times, events and risks differ in nothing else: only those who can be first are gone through.
    earlier = np.flatnonzero(first > 0)
    right, all_pairs = np.zeros(len(weights)), np.zeros(len(weights))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(risk)))
    for start in range(0, len(earlier), step):
        rows = earlier[start : start + step]
        if controls is None:
            later = follow_up.time[None] > follow_up.time[rows, None]
            later |= (follow_up.time[None] == follow_up.time[rows, None]) & ~follow_up.event[None]
        else:
            later = np.broadcast_to(controls[None], (len(rows), len(risk)))
        order = (risk[rows, None] > risk[None]) + 0.5 * (risk[rows, None] == risk[None])
        order *= answered[rows, None] & answered[None]
        weighted = weights[:, rows] * first[rows]
        right += np.einsum("bi,bi->b", weights @ (order * later).T, weighted)
        all_pairs += np.einsum("bi,bi->b", weights @ later.T.astype(np.float64), weighted)
    return Values(ratio(right, all_pairs)).undefine(all_pairs == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def harrell_c(follow_up: Followed, risk: FloatArray, answered: NDArray[np.bool_], weights: FloatArray) -> Values:
    """Return Harrell's concordance over pairs of an event and a person observed for longer.

    All pairs have the same weight.
    """
    return _pairs(follow_up, risk, answered, weights, follow_up.event.astype(np.float64), controls=None)


def uno_c(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    censoring: Censoring,
    *,
    tau: float | None = None,
) -> Values:
    """The same pairs, of events before ``tau``, weighted by G(T-) to the power of -2."""
    first = follow_up.event & (follow_up.time < (np.inf if tau is None else tau))
    return _pairs(
        follow_up, risk, answered, weights, _inverse(censoring.before(follow_up.time) ** 2, first), controls=None
    )


def time_dependent_auc(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    censoring: Censoring,
    *,
    time: float,
) -> Values:
    """Return the AUC over pairs of an event until a time and a person still under observation at that time."""
    first = _inverse(censoring.before(follow_up.time), follow_up.event & (follow_up.time <= time))
    return _pairs(follow_up, risk, answered, weights, first, controls=follow_up.time > time)


def _inverse(probability: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    weight: FloatArray = np.where(chosen, ratio(1.0, probability), 0.0)
    return weight


def brier_terms(
    follow_up: Followed, survival: FloatArray, answered: NDArray[np.bool_], censoring: Censoring, time: float
) -> FloatArray:
    """Return the contribution of each case to the Brier score at a time.

    A case without an answer counts as the largest possible error.
    """
    had_event = follow_up.event & (follow_up.time <= time)
    observed = follow_up.time > time
    error = np.where(observed, 1.0 - survival, survival)
    squared = np.where(answered, error**2, 1.0)
    weight = _inverse(censoring.before(follow_up.time), had_event) + observed * (1.0 / censoring.at(time))
    terms: FloatArray = squared * weight
    return terms


def brier_at_time(
    follow_up: Followed,
    survival: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    censoring: Censoring,
    *,
    time: float,
) -> Values:
    """Mean of the terms; ``survival`` is ``(n,)``."""
    return _mean(brier_terms(follow_up, survival, answered, censoring, time), weights)


def integrated_brier_score(
    follow_up: Followed,
    survival: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    censoring: Censoring,
    *,
    times: FloatArray,
) -> Values:
    """Trapezoids of the Brier score over times, divided by their span; ``survival`` is ``(n, times)``."""
    terms = [brier_terms(follow_up, survival[:, index], answered, censoring, float(t)) for index, t in enumerate(times)]
    area = np.trapezoid(np.stack(terms, axis=1), times, axis=1) / (times[-1] - times[0])
    return _mean(area, weights)


def _mean(terms: FloatArray, weights: FloatArray) -> Values:
    number = weights.sum(axis=1)
    return Values(ratio(weights @ terms, number)).undefine(number == 0, Outcome.DEGENERATE, Flag.REFERENCE)
