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
_BLOCKS_PAY_FROM: Final = 600
_CASES_A_DRAW: Final = 30
"""Cases in all and for each resample from which blocks are faster than matrices, measured with 500 to 3,000 cases."""


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
) -> Values:
    """Share of pairs in the right order; the later one of a pair is under observation for longer than the first.

    Parameters
    ----------
    first
        What each case weighs as the earlier one of a pair; 0 where it cannot be it, infinity where it has no weight.
    """
    first, lacks_weight = _finite(first, weights)
    is_long = len(risk) >= max(_BLOCKS_PAY_FROM, _CASES_A_DRAW * len(weights))
    count = _pairs_by_blocks if is_long else _pairs_by_matrix
    right, all_pairs = count(follow_up, risk, answered, weights, first)
    return _share(right, all_pairs, lacks_weight)


def _finite(first: FloatArray, weights: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Separate the cases without a defined weight; a mask of the resamples that contain any of them."""
    is_lost = ~np.isfinite(first)
    draws: NDArray[np.bool_] = np.any(weights[:, is_lost] > 0, axis=1)
    return np.where(is_lost, 0.0, first), draws


def _share(right: FloatArray, all_pairs: FloatArray, lacks_weight: NDArray[np.bool_]) -> Values:
    undefined = (all_pairs == 0) | lacks_weight
    return Values(ratio(right, all_pairs)).undefine(undefined, Outcome.DEGENERATE, Flag.REFERENCE)


def _pairs_by_matrix(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    first: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Count pairs in matrices of cases by cases, made once for all resamples."""
    # People with equal times, events and risks differ in nothing else: only those who can be first are gone through.
    earlier = np.flatnonzero(first > 0)
    right, all_pairs = np.zeros(len(weights)), np.zeros(len(weights))
    step = max(1, _PAIRS_AT_ONCE // max(1, len(risk)))
    for start in range(0, len(earlier), step):
        rows = earlier[start : start + step]
        later = follow_up.time[None] > follow_up.time[rows, None]
        later |= (follow_up.time[None] == follow_up.time[rows, None]) & ~follow_up.event[None]
        order = (risk[rows, None] > risk[None]) + 0.5 * (risk[rows, None] == risk[None])
        order *= answered[rows, None] & answered[None]
        weighted = weights[:, rows] * first[rows]
        right += np.einsum("bi,bi->b", weights @ (order * later).T, weighted)
        all_pairs += np.einsum("bi,bi->b", weights @ later.T.astype(np.float64), weighted)
    return right, all_pairs


def _pairs_by_blocks(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    first: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Count the same pairs by merging halves, in n (log n) steps for each resample.

    Cases are ordered by time, at one time events before censored cases, and equal ones by risk. Two neighbouring blocks of
    1, 2, 4, … cases are compared at a time: those of the first block with those of the second with a lower risk.
    """
    order = np.lexsort((risk, ~follow_up.event, follow_up.time))
    time, event, rank = follow_up.time[order], follow_up.event[order], _dense_ranks(risk)[order]
    times, share = weights[:, order], first[order]
    number = len(order)
    starts_group = np.append(True, (time[1:] != time[:-1]) | (event[1:] != event[:-1]))
    group = np.cumsum(starts_group) - 1
    end_of_group = np.append(np.flatnonzero(starts_group)[1:], number)[group]
    until = np.concatenate([np.zeros((len(times), 1)), np.cumsum(times, axis=1)], axis=1)
    all_pairs = np.einsum("bi,bi,i->b", times, until[:, -1:] - until[:, end_of_group], share)
    counted = times * answered[order]
    weighted = counted * share
    right = np.zeros(len(weights))
    by_risk = np.argsort(rank, kind="stable")
    for level in range((number - 1).bit_length()):
        block = by_risk >> level
        pair = np.argsort(block >> 1, kind="stable")
        place = by_risk[pair]
        is_second = (block[pair] & 1).astype(bool)
        cell = (place >> (level + 1)) * number + rank[place]
        starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
        which = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, number)))
        sums = np.add.reduceat(counted[:, place] * is_second, starts, axis=1)
        below = np.cumsum(sums, axis=1) - sums / 2
        # What blocks further left have summed up is the same number wherever a pair of blocks begins.
        opens = np.append(True, (cell[starts][1:] // number) != (cell[starts][:-1] // number))
        before = (np.cumsum(sums, axis=1) - sums)[:, np.maximum.accumulate(np.where(opens, np.arange(len(starts)), 0))]
        right += np.einsum("bi,bi->b", weighted[:, place] * ~is_second, (below - before)[:, which])
    # Events at one time are no pairs. Ordered by risk, they were counted, as half a pair, where their risks are equal.
    cell = group * number + rank
    starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    sums, squares = (np.add.reduceat(each, starts, axis=1) for each in (counted, counted**2))
    right -= ((sums**2 - squares) * share[starts]).sum(axis=1) / 4
    return right, all_pairs


def _dense_ranks(values: FloatArray) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def harrell_c(follow_up: Followed, risk: FloatArray, answered: NDArray[np.bool_], weights: FloatArray) -> Values:
    """Return Harrell's concordance over pairs of an event and a person observed for longer.

    All pairs have the same weight.
    """
    return _pairs(follow_up, risk, answered, weights, follow_up.event.astype(np.float64))


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
    return _pairs(follow_up, risk, answered, weights, _inverse(censoring.before(follow_up.time) ** 2, first))


def time_dependent_auc(
    follow_up: Followed,
    risk: FloatArray,
    answered: NDArray[np.bool_],
    weights: FloatArray,
    censoring: Censoring,
    *,
    time: float,
) -> Values:
    """Return the AUC over pairs of an event until a time and a person still under observation at that time.

    The pairs need no comparison one by one: all events are compared with the same people, in the order of risks.
    """
    first, lacks_weight = _finite(
        _inverse(censoring.before(follow_up.time), follow_up.event & (follow_up.time <= time)), weights
    )
    controls = follow_up.time > time
    all_pairs = (weights @ first) * (weights @ controls.astype(np.float64))
    order = np.argsort(risk)
    ordered = risk[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    counted = weights[:, order] * answered[order]
    events, people = (np.add.reduceat(counted * each[order], starts, axis=1) for each in (first, controls))
    right = np.einsum("bi,bi->b", events, np.cumsum(people, axis=1) - people / 2)
    return _share(right, all_pairs, lacks_weight)


def _inverse(probability: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    weight: FloatArray = np.where(chosen, ratio(1.0, probability), 0.0)
    return weight


def brier_terms(
    follow_up: Followed, survival: FloatArray, answered: NDArray[np.bool_], censoring: Censoring, time: float
) -> FloatArray:
    """Return the contribution of each case to the Brier score at a time.

    A case without an answer counts as the largest possible error. A term is not a number where no weight is defined:
    nobody is known to be under observation at the time, or before an event.
    """
    had_event = follow_up.event & (follow_up.time <= time)
    observed = follow_up.time > time
    error = np.where(observed, 1.0 - survival, survival)
    squared = np.where(answered, error**2, 1.0)
    remaining = float(censoring.at(time))
    if remaining <= 0:
        return np.full(len(squared), np.nan)
    weight = _inverse(censoring.before(follow_up.time), had_event) + observed / remaining
    terms: FloatArray = np.where(np.isfinite(weight), squared * np.where(np.isfinite(weight), weight, 0.0), np.nan)
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
    terms, lacks_weight = _finite(terms, weights)
    number = weights.sum(axis=1)
    undefined = (number == 0) | lacks_weight
    return Values(ratio(weights @ terms, number)).undefine(undefined, Outcome.DEGENERATE, Flag.REFERENCE)
