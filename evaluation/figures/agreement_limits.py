"""Bland–Altman plots: differences between predicted numbers and the reference, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats

from evaluation.figures.layout import CLEAR, LINE, Figure, number
from evaluation.figures.palette import NEUTRAL, colours
from evaluation.figures.panels import beyond, panels
from evaluation.metrics.paired_values import NORMAL_95

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evaluation.metrics.values import FloatArray

_SURE = 0.975


class Answers(NamedTuple):
    """Numbers of the reference and of an algorithm, each ``(n,)``; what was not answered has the number that it counts as."""

    reference: FloatArray
    answer: FloatArray
    answered: NDArray[np.bool_]
    cases: tuple[str, ...]


class Limits(NamedTuple):
    """Bias and limits of agreement, each with its 95 % interval.

    Attributes
    ----------
    bias, lower, upper
        Mean difference, and 1.96 standard deviations below and above it.
    bias_reach, limit_reach
        Half the width of the interval of the bias, and of each limit.
    """

    bias: float
    lower: float
    upper: float
    bias_reach: float
    limit_reach: float


def limits_of_agreement(difference: FloatArray) -> Limits | None:
    """Bias and limits of differences ``(n,)``.

    The intervals take the differences for normal: the standard error of a limit is s √(1/n + 1.96²/(2 (n - 1))).

    Returns
    -------
    Limits or None
        ``None`` for fewer than two differences, which have no spread.

    Examples
    --------
    >>> found = limits_of_agreement(np.array([-1.0, 0.0, 1.0]))
    >>> found.bias, found.upper
    (0.0, 1.96)
    """
    count = len(difference)
    if count < 2:
        return None
    bias, spread = float(difference.mean()), float(difference.std(ddof=1))
    factor = float(stats.t.ppf(_SURE, count - 1))
    of_limit = float(np.sqrt(1 / count + NORMAL_95**2 / (2 * (count - 1))))
    return Limits(
        bias,
        bias - NORMAL_95 * spread,
        bias + NORMAL_95 * spread,
        factor * spread / float(np.sqrt(count)),
        factor * spread * of_limit,
    )


def agreement_plot(
    document: Mapping[str, Any], answers: Mapping[str, Answers], *, what: str, unit: str, most: int
) -> Figure | None:
    """Draw the difference of every case over its mean with the reference, and the limits.

    Each algorithm has a panel.

    Parameters
    ----------
    document
        Ranking document, for the colours.
    answers
        Answers by algorithm, the best first.
    what, unit
        The predicted quantity and its unit; both may be empty.
    most
        Number of algorithms to draw, from the first.

    Returns
    -------
    dict or None
        ``None`` if there is no case.
    """
    palette = colours(document)
    chosen = {name: points for name, points in list(answers.items())[:most] if len(points.reference)}
    if not chosen:
        return None
    drawn = {name: _traces(points, palette[name]) for name, points in chosen.items()}
    behind = f" ({unit})" if unit else ""
    plot = panels(
        drawn,
        f"How far do the predicted numbers lie from the reference?{f' {what}' if what else ''}",
        x={"title": f"Mean of both{behind}"},
        y={"title": f"Prediction − reference{behind}"},
    )
    remarks = beyond(list(answers), most)
    for name, points in chosen.items():
        limits = limits_of_agreement(points.answer - points.reference)
        if limits is None:
            remarks.append(f"{name}: a single case has no limits of agreement.")
            continue
        remarks.append(
            f"{name}: bias {_with_interval(limits.bias, limits.bias_reach)}, limits of agreement "
            f"{_with_interval(limits.lower, limits.limit_reach)} and {_with_interval(limits.upper, limits.limit_reach)}"
            f"{f' {unit}' if unit else ''}."
        )
    if any(not points.answered.all() for points in chosen.values()):
        remarks.append("A cross is a case without an answer, with the number that it counts as.")
    return {**plot, "remarks": remarks}


def against_reference(
    document: Mapping[str, Any], answers: Mapping[str, Answers], *, what: str, unit: str, most: int
) -> Figure | None:
    """Draw the prediction of every case over its reference, and the line on which both are the same.

    Parameters
    ----------
    document, answers, what, unit, most
        As for `agreement_plot`.

    Returns
    -------
    dict or None
        ``None`` without any case.
    """
    palette = colours(document)
    chosen = {name: points for name, points in list(answers.items())[:most] if len(points.reference)}
    if not chosen:
        return None
    numbers = np.concatenate([np.concatenate([points.reference, points.answer]) for points in chosen.values()])
    ends = [float(numbers.min()), float(numbers.max())]
    same = {"type": "scatter", "mode": "lines", "name": "the same", "x": ends, "y": ends, "hoverinfo": "skip"}
    line = same | {"line": {"color": LINE, "width": 1, "dash": "dot"}}
    behind = f" ({unit})" if unit else ""
    plot = panels(
        {
            name: [line, *_dots(points, points.reference, points.answer, palette[name])]
            for name, points in chosen.items()
        },
        f"Do predictions follow the reference?{f' {what}' if what else ''}",
        x={"title": f"Reference{behind}"},
        y={"title": f"Prediction{behind}"},
    )
    remarks = beyond(list(answers), most)
    for name, points in chosen.items():
        above = int((points.answer > points.reference).sum())
        below = int((points.answer < points.reference).sum())
        remarks.append(
            f"{name}: above the reference in {above} and below it in {below} of {len(points.reference)} cases."
        )
    if any(not points.answered.all() for points in chosen.values()):
        remarks.append("A cross is a case without an answer, with the number that it counts as.")
    return {**plot, "remarks": remarks}


def _dots(points: Answers, x: FloatArray, y: FloatArray, colour: str) -> list[dict[str, Any]]:
    """A mark for every case, of another form where there was no answer."""
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": x[chosen].tolist(),
            "y": y[chosen].tolist(),
            "marker": {"color": colour, "size": 6, "symbol": symbol},
            "text": [case for case, is_own in zip(points.cases, chosen, strict=True) if is_own],
            "hovertemplate": "%{text}: %{y:.4g}<extra></extra>",
        }
        for chosen, symbol, name in (
            (points.answered, "circle", "answers"),
            (~points.answered, "x", "without an answer"),
        )
        if chosen.any()
    ]


def _with_interval(value: float, reach: float) -> str:
    return f"{number(value)} ({number(value - reach)} to {number(value + reach)})"


def _traces(points: Answers, colour: str) -> list[dict[str, Any]]:
    middle, difference = (points.reference + points.answer) / 2, points.answer - points.reference
    ends = [float(middle.min()), float(middle.max())]
    traces: list[dict[str, Any]] = []
    limits = limits_of_agreement(difference)
    if limits is not None:
        lines = (
            ("bias", limits.bias, limits.bias_reach, "solid"),
            ("lower limit", limits.lower, limits.limit_reach, "dash"),
            ("upper limit", limits.upper, limits.limit_reach, "dash"),
        )
        for name, height, reach, dash in lines:
            band = {"x": [*ends, *ends[::-1]], "y": [height - reach] * 2 + [height + reach] * 2, "fill": "toself"}
            traces.append(
                {"type": "scatter", "mode": "none", "name": f"interval of the {name}", "hoverinfo": "skip"}
                | band
                | {"fillcolor": "rgb(128,128,128)", "opacity": 0.2, "line": {"width": 0, "color": CLEAR}}
            )
            traces.append(
                {"type": "scatter", "mode": "lines", "name": name, "x": ends, "y": [height, height]}
                | {"line": {"color": NEUTRAL, "width": 1.5, "dash": dash}, "hoverinfo": "y+name"}
            )
    zero = {"type": "scatter", "mode": "lines", "name": "no difference", "x": ends, "y": [0, 0], "hoverinfo": "skip"}
    traces.append(zero | {"line": {"color": LINE, "width": 1, "dash": "dot"}})
    return [*traces, *_dots(points, middle, difference, colour)]
