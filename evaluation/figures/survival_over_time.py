"""Figures of the quality of survival predictions at each time, and of their calibration at the last time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from scipy import stats

from evaluation.figures.bands import band, filled, words
from evaluation.figures.layout import LINE, Figure, number, percent
from evaluation.figures.palette import NEUTRAL, colours
from evaluation.figures.panels import beyond, panels
from evaluation.metrics.paired_values import average_ranks
from evaluation.metrics.survival_values import (
    Censoring,
    Followed,
    brier_at_time,
    event_free_survival,
    survival_reach,
    time_dependent_auc,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.metrics.values import FloatArray, Values

TENTHS: Final = 10
FEWEST: Final = 10
"""Minimum number of people in a group whose probabilities are compared with observations."""


class Foretold(NamedTuple):
    """Observed follow-up of people, and an algorithm's predictions for them.

    Attributes
    ----------
    risk
        Predicted risk, ``(n,)``.
    survival
        Probability of no event until each of the times, ``(n, times)``; ``None`` if the algorithm predicts none.
    answered, told
        Masks of the people with a risk, and of those with probabilities.
    draws
        Frequency of each person in each resample, ``(B, n)``.
    """

    known: Followed
    risk: FloatArray
    survival: FloatArray | None
    answered: NDArray[np.bool_]
    told: NDArray[np.bool_]
    draws: FloatArray
    censoring: Censoring


def usable_times(followed: Followed, censoring: Censoring, times: FloatArray) -> NDArray[np.bool_]:
    """Return a mask of the times at which there is a value.

    This requires an event until then, someone under observation, and weights that exist.
    """
    weighted = np.sort(followed.time[followed.event])
    lost = weighted[censoring.before(weighted) <= 0]
    first = weighted[0] if len(weighted) else np.inf
    usable = (times >= first) & (times < followed.time.max(initial=0.0)) & (censoring.at(times) > 0)
    if len(lost):
        usable &= times < lost[0]
    usable_mask: NDArray[np.bool_] = usable
    return usable_mask


def auc_over_time(
    assessment: Assessment, document: Mapping[str, Any], answers: Mapping[str, Foretold], *, unit: str, most: int
) -> Figure | None:
    """Draw AUC(t) of each algorithm with its band, over the times of events; a panel each.

    Returns
    -------
    dict or None
        ``None`` where there is no time at which it has a value.
    """
    chosen = {name: prediction for name, prediction in list(answers.items())[:most] if len(prediction.risk)}
    if not chosen:
        return None
    followed, censoring = next(iter(chosen.values()))[0], next(iter(chosen.values())).censoring
    events = followed.time[followed.event]
    times = np.unique(np.quantile(events, np.arange(1, TENTHS) / TENTHS)) if len(events) else events
    times = times[usable_times(followed, censoring, times)]
    if not len(times):
        return None

    def value(prediction: Foretold, weights: FloatArray, index: int) -> Values:
        return time_dependent_auc(
            prediction.known,
            prediction.risk,
            prediction.answered,
            weights,
            prediction.censoring,
            time=float(times[index]),
        )

    palette = colours(document)
    interval = assessment.uncertainty.interval
    drawn = {
        name: _over_time(prediction, times, value, name, palette[name], interval) for name, prediction in chosen.items()
    }
    for traces in drawn.values():
        traces.append(_level(times, 0.5, "an order by chance"))
    plot = panels(
        drawn,
        "How well does each algorithm tell at a time who has had the event?",
        x={"title": f"Time{f' ({unit})' if unit else ''}"},
        y={"title": "AUC(t)", "range": [0, 1.02]},
    )
    return {**plot, "remarks": [words(assessment), *beyond(list(answers), most)]}


def brier_over_time(
    assessment: Assessment, document: Mapping[str, Any], answers: Mapping[str, Foretold], *, unit: str, most: int
) -> Figure | None:
    """Draw the Brier score of each algorithm over time with its band, one panel each.

    The times are those at which probabilities are required.

    Returns
    -------
    dict or None
        ``None`` if there are no probabilities.
    """
    chosen, times, places = _with_probabilities(assessment, answers, most)
    if not chosen:
        return None
    first_prediction = next(iter(chosen.values()))
    everybody = event_free_survival(first_prediction.known)
    shared = np.concatenate([[1.0], everybody.survival])[np.searchsorted(everybody.times, times, side="right")]
    ones, all_of_them = np.ones((1, len(first_prediction.risk))), np.ones(len(first_prediction.risk), dtype=bool)
    plain = [
        float(
            brier_at_time(
                first_prediction.known,
                np.full(len(first_prediction.risk), s),
                all_of_them,
                ones,
                first_prediction.censoring,
                time=float(t),
            ).numbers[0]
        )
        for s, t in zip(shared, times, strict=True)
    ]

    def value(prediction: Foretold, weights: FloatArray, index: int) -> Values:
        assert prediction.survival is not None
        survival = prediction.survival[:, places[index]]
        return brier_at_time(
            prediction.known, survival, prediction.told, weights, prediction.censoring, time=float(times[index])
        )

    palette = colours(document)
    interval = assessment.uncertainty.interval
    drawn = {name: _over_time(each, times, value, name, palette[name], interval) for name, each in chosen.items()}
    for traces in drawn.values():
        line = {"color": LINE, "width": 1.5, "dash": "dash"}
        trace = {"type": "scatter", "mode": "lines", "name": "the same for everybody", "x": times.tolist(), "y": plain}
        traces.append({**trace, "line": line, "hoverinfo": "y+name"})
    plot = panels(
        drawn,
        "How far are the probabilities from what happened?",
        x={"title": f"Time{f' ({unit})' if unit else ''}"},
        y={"title": "Brier score", "rangemode": "tozero"},
    )
    return {**plot, "remarks": [words(assessment), *beyond(list(answers), most)]}


def calibration_at_horizon(
    assessment: Assessment, document: Mapping[str, Any], answers: Mapping[str, Foretold], *, unit: str, most: int
) -> Figure | None:
    """Draw what was observed until the last time against what was foretold for it, in groups of like probability; a panel each.

    What was observed in a group is 1 minus Kaplan and Meier's estimate at that time.

    Returns
    -------
    dict or None
        ``None`` without probabilities.
    """
    chosen, times, places = _with_probabilities(assessment, answers, most)
    if not chosen:
        return None
    horizon, horizon_index = float(times[-1]), int(places[-1])
    deviates = float(stats.norm.ppf((1 + assessment.uncertainty.interval) / 2))
    palette = colours(document)
    drawn: dict[str, list[dict[str, Any]]] = {}
    for name, prediction in chosen.items():
        assert prediction.survival is not None
        foretold = 1.0 - prediction.survival[prediction.told, horizon_index]
        followed = Followed(prediction.known.time[prediction.told], prediction.known.event[prediction.told])
        points = [observed(followed, foretold, members, horizon, deviates) for members in like_groups(foretold)]
        drawn[name] = [
            {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [0, 1], "hoverinfo": "skip"}
            | {"line": {"color": NEUTRAL, "width": 1, "dash": "dash"}},
            _group_trace(points, palette[name]),
        ]
    plot = panels(
        drawn,
        f"Do the probabilities come true until {number(horizon)}{f' {unit}' if unit else ''}?",
        x={"title": "Probability of the event, foretold", "range": [0, 1]},
        y={"title": "Share with the event, observed", "range": [0, 1.02]},
    )
    remark = (
        f"Groups of people with like probabilities, up to ten of at least {FEWEST}; vertical lines are "
        f"{percent(assessment.uncertainty.interval)} intervals of what was observed."
    )
    return {**plot, "remarks": [remark, *beyond(list(answers), most)]}


class Group(NamedTuple):
    """Mean of what was foretold for a group, what was observed with the ends of its interval, and how many people it has."""

    foretold: float
    observed: float
    low: float
    high: float
    people: int


def like_groups(foretold: FloatArray) -> list[NDArray[np.bool_]]:
    """Up to ten groups of like probability, of about one size; equal probabilities stay together.

    Examples
    --------
    >>> [int(group.sum()) for group in like_groups(np.arange(40) / 40)]
    [10, 10, 10, 10]
    """
    count = len(foretold)
    if not count:
        return []
    number_of_groups = min(TENTHS, max(1, count // FEWEST))
    quantiles = (average_ranks(foretold, np.ones((1, count)))[0] - 0.5) / count
    index = np.minimum((quantiles * number_of_groups).astype(int), number_of_groups - 1)
    return [index == each for each in range(number_of_groups) if (index == each).any()]


def observed(
    followed: Followed, foretold: FloatArray, members: NDArray[np.bool_], horizon: float, deviates: float
) -> Group:
    """Return the predicted and observed share of events of a group until the horizon, with its range."""
    group = Followed(followed.time[members], followed.event[members])
    survival, reach = event_free_survival(group), survival_reach(group, deviates)
    index = int(np.searchsorted(survival.times, horizon, side="right"))
    share, low, high = (
        float(np.concatenate([[start], values])[index])
        for start, values in ((1.0, survival.survival), (np.nan, reach.low), (np.nan, reach.high))
    )
    return Group(float(foretold[members].mean()), 1 - share, 1 - high, 1 - low, int(members.sum()))


def _with_probabilities(
    assessment: Assessment, answers: Mapping[str, Foretold], most: int
) -> tuple[dict[str, Foretold], FloatArray, NDArray[np.int64]]:
    """Algorithms with probabilities, and of which of the times they are looked at."""
    chosen = {
        name: prediction
        for name, prediction in answers.items()
        if prediction.survival is not None and prediction.told.any()
    }
    chosen = dict(list(chosen.items())[:most])
    times = np.asarray(assessment.settings["times"] or [], dtype=np.float64)
    if not chosen or not len(times):
        return {}, times, np.zeros(0, dtype=np.int64)
    first_prediction = next(iter(chosen.values()))
    places = np.flatnonzero(usable_times(first_prediction.known, first_prediction.censoring, times))
    return (chosen, times[places], places) if len(places) else ({}, times, places)


def _over_time(
    prediction: Foretold,
    times: FloatArray,
    value: Callable[[Foretold, FloatArray, int], Values],
    name: str,
    colour: str,
    interval: float,
) -> list[dict[str, Any]]:
    weights = np.concatenate([np.ones((1, len(prediction.risk))), prediction.draws])
    values = np.stack([value(prediction, weights, index).numbers for index in range(len(times))], axis=1)
    ends = band(values[1:], interval)
    traces = [] if ends is None else [filled(times, *ends, colour)]
    line = {"line": {"color": colour, "width": 2}, "marker": {"size": 6, "color": colour}}
    levels = [None if np.isnan(level) else float(level) for level in values[0]]
    trace = {"type": "scatter", "mode": "lines+markers", "name": name, "x": times.tolist(), "y": levels}
    hover = [f"{name}: {number(level)} at {number(float(time))}" for level, time in zip(levels, times, strict=True)]
    return [*traces, {**trace, **line, "text": hover, "hovertemplate": "%{text}<extra></extra>"}]


def _level(times: FloatArray, height: float, name: str) -> dict[str, Any]:
    ends = [float(times[0]), float(times[-1])]
    line = {"color": LINE, "width": 1.5, "dash": "dash"}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": ends,
        "y": [height] * 2,
        "line": line,
        "hoverinfo": "skip",
    }


def _group_trace(points: list[Group], colour: str) -> dict[str, Any]:
    reach = [
        (0.0 if np.isnan(p.high) else p.high - p.observed, 0.0 if np.isnan(p.low) else p.observed - p.low)
        for p in points
    ]
    above, below = ([float(max(0.0, pair[side])) for pair in reach] for side in (0, 1))
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [p.foretold for p in points],
        "y": [p.observed for p in points],
        "marker": {"size": 8, "color": colour},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": above,
            "arrayminus": below,
            "color": colour,
            "thickness": 1,
        },
        "text": [f"{p.people} people: {percent(p.foretold)} foretold, {percent(p.observed)} observed" for p in points],
        "hovertemplate": "%{text}<extra></extra>",
    }
