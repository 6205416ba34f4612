"""Do the people to whom an algorithm gives high risks have the event earlier? Observed survival by thirds of predicted risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from scipy import stats

from evaluation.figures.bands import filled
from evaluation.figures.layout import Figure, number, percent
from evaluation.figures.palette import NEUTRAL, QUALITATIVE
from evaluation.figures.panels import beyond, panels
from evaluation.metrics.paired_values import average_ranks
from evaluation.metrics.survival_values import Followed, Survivors, event_free_survival, survival_reach

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evaluation.metrics.values import FloatArray

LOW, MIDDLE, HIGH, WITHOUT = "low risk", "middle risk", "high risk", "without an answer"
_COLOURS: Final = {LOW: QUALITATIVE[0], MIDDLE: QUALITATIVE[2], HIGH: QUALITATIVE[3], WITHOUT: NEUTRAL}
_DASHES: Final = {LOW: "solid", MIDDLE: "dash", HIGH: "solid", WITHOUT: "dot"}


class Predicted(NamedTuple):
    """Observed follow-up of people, and the risk that an algorithm predicts for each of them; ``(n,)``."""

    known: Followed
    risk: FloatArray
    answered: NDArray[np.bool_]


def thirds(risk: FloatArray, answered: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """Return the members of each third of the answered cases by risk.

    Equal risks stay together: the order of the cases does not matter. Cases without an answer form a separate group.

    Examples
    --------
    >>> {name: int(own.sum()) for name, own in thirds(np.arange(6.0), np.ones(6, dtype=bool)).items()}
    {'low risk': 2, 'middle risk': 2, 'high risk': 2}
    """
    quantiles = np.zeros(len(risk))
    count = int(answered.sum())
    if count:
        # The middle of each rank's stretch of (0, 1).
        quantiles[answered] = (average_ranks(risk[answered], np.ones((1, count)))[0] - 0.5) / count
    groups = {
        LOW: answered & (quantiles <= 1 / 3),
        MIDDLE: answered & (quantiles > 1 / 3) & (quantiles <= 2 / 3),
        HIGH: answered & (quantiles > 2 / 3),
        WITHOUT: ~answered,
    }
    return {name: members for name, members in groups.items() if members.any()}


def survival_by_risk(
    answers: Mapping[str, Predicted], *, unit: str, most: int, interval: float = 0.95
) -> Figure | None:
    """Draw Kaplan and Meier's estimate for each third of the predicted risk, one panel per algorithm.

    Parameters
    ----------
    answers
        Predictions by algorithm, the best first.
    unit
        Unit of the times; may be empty.
    most
        Number of algorithms to draw, from the first.
    interval
        Confidence level of the bands.

    Returns
    -------
    dict or None
        ``None`` if there is no case.
    """
    deviates = float(stats.norm.ppf((1 + interval) / 2))
    chosen = {name: predicted for name, predicted in list(answers.items())[:most] if len(predicted.risk)}
    if not chosen:
        return None
    drawn: dict[str, list[dict[str, Any]]] = {}
    words = f"A band is the {percent(interval)} interval of a line by Greenwood's formula, at each time by itself."
    remarks = [words, *beyond(list(answers), most)]
    named: set[str] = set()
    first = next(iter(chosen))
    for name, predicted in chosen.items():
        groups = thirds(predicted.risk, predicted.answered)
        drawn[name] = []
        for label, members in groups.items():
            followed = Followed(predicted.known.time[members], predicted.known.event[members])
            survival, reach = event_free_survival(followed), survival_reach(followed, deviates)
            drawn[name].append(filled(survival.times, reach.low, reach.high, _COLOURS[label], shape="hv"))
            trace = _curve(label, survival, len(followed.time))
            drawn[name].append({**trace, "legendgroup": label, "showlegend": label not in named and name == first})
            named.add(label)
        if predicted.answered.any() and len(set(groups) - {WITHOUT}) < 3:
            remarks.append(f"{name}: too many risks are equal for three groups.")
    # The legend belongs to the first panel, also where it has nobody of a group.
    nobody = Survivors(*(np.zeros(0) for _ in range(3)))
    trace_names = {trace.get("name") for trace in drawn[first]}
    for label in _COLOURS:
        if label in named and label not in trace_names:
            trace = {**_curve(label, nobody, 0), "x": [None], "y": [None]}
            drawn[first].append({**trace, "legendgroup": label, "showlegend": True})
    last = max(float(predicted.known.time.max()) for predicted in chosen.values())
    plot = panels(
        drawn,
        "Do people with a high predicted risk have the event earlier?",
        x={"title": f"Time{f' ({unit})' if unit else ''}", "range": [0, last]},
        y={"title": "Share without the event", "range": [0, 1.02]},
        showlegend=True,
    )
    return {**plot, "remarks": remarks}


def _curve(label: str, survivors: Survivors, count: int) -> dict[str, Any]:
    times = [0.0, *survivors.times.tolist()]
    survival = [1.0, *survivors.survival.tolist()]
    at_risk = [count, *survivors.at_risk.astype(int).tolist()]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": label,
        "x": times,
        "y": survival,
        "line": {"color": _COLOURS[label], "dash": _DASHES[label], "width": 2, "shape": "hv"},
        "text": [
            f"{label}: {percent(share)} without the event from {number(time)} on; {people} under observation until then"
            for time, share, people in zip(times, survival, at_risk, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
