"""Does an algorithm know when it fails? Mean risk of the surest cases, from a few of them to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.figures.bands import band, filled, words
from evaluation.figures.layout import Figure, figure, number, percent
from evaluation.figures.palette import NEUTRAL, colours, marks
from evaluation.figures.panels import beyond, panels
from evaluation.metrics.confidence_values import curve_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.metrics.values import FloatArray

MOST_PLACES: Final = 100
"""Coverages at which a band is drawn."""
_SLACK: Final = 1e-12
STEP: Final = "hv"
"""From the place before it on, a point of the curve holds up to itself: the area below is that of the rule ``step``."""


def risk_coverage(
    document: Mapping[str, Any],
    answers: Mapping[str, tuple[FloatArray, FloatArray]],
    *,
    working_points: Sequence[float] = (),
) -> Figure | None:
    """Draw the curve of every algorithm, and what the best order and no order at all would give.

    Parameters
    ----------
    document
        Ranking document, for the colours.
    answers
        Risks and confidences ``(n,)`` of every algorithm, the best first; minus infinity for a case that was rejected.
    working_points
        Coverages at which a registered metric reads the curve.

    Returns
    -------
    dict or None
        ``None`` without any case.
    """
    drawn = {name: pair for name, pair in answers.items() if len(pair[0])}
    if not drawn:
        return None
    palette = marks(document)
    data = []
    for name, (risk, confidence) in drawn.items():
        line = {"color": palette[name].colour, "dash": palette[name].dash, "width": 2, "shape": STEP}
        data.append(_curve(name, *points(risk, confidence)) | {"line": line})
    remarks = []
    risks = [np.sort(risk) for risk, _ in drawn.values()]
    if all(np.array_equal(risks[0], other) for other in risks[1:]):
        # The best order takes equal risks one after another.
        data.append(_bound("best order", *points(risks[0], -np.arange(len(risks[0]), dtype=np.float64)), "dot"))
        mean = float(risks[0].mean())
        data.append(_bound("no order", np.array([0.0, 1.0]), np.array([mean, mean]), "dash"))
    else:
        remarks.append("The best order differs by algorithm, since the risks do, and is not drawn.")
    plot = figure(
        data,
        "Does each algorithm know when it fails?",
        x={"title": "Coverage: share of the cases kept, the surest first", "range": [-0.01, 1.01]},
        y={"title": "Mean risk of the cases kept", "rangemode": "tozero"},
        height=420,
        showlegend=True,
        shapes=[
            {
                "type": "line",
                "x0": coverage,
                "x1": coverage,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": NEUTRAL, "width": 1},
            }
            for coverage in working_points
        ],
    )
    return {**plot, "remarks": remarks} if remarks else plot


def risk_coverage_of_each(
    assessment: Assessment,
    document: Mapping[str, Any],
    answers: Mapping[str, tuple[FloatArray, FloatArray]],
    draws: Mapping[str, FloatArray],
    *,
    most: int,
) -> Figure | None:
    """Draw the curve of each algorithm with its band, its best order and its mean risk, one panel each.

    Parameters
    ----------
    answers
        Risks and confidences ``(n,)`` of every algorithm, the best first.
    draws
        Frequency of each case in each resample, ``(B, n)``, by algorithm.
    most
        Number of algorithms to draw, from the first.

    Returns
    -------
    dict or None
        ``None`` if there is no case.
    """
    chosen = {name: pair for name, pair in list(answers.items())[:most] if len(pair[0])}
    if not chosen:
        return None
    palette = colours(document)
    drawn: dict[str, list[dict[str, Any]]] = {}
    for name, (risk, confidence) in chosen.items():
        traces = []
        ends = band_of(risk, confidence, draws[name], assessment.uncertainty.interval)
        if ends is not None:
            traces.append(filled(*ends, palette[name]))
        line = {"line": {"color": palette[name], "width": 2, "shape": STEP}}
        traces.append(_curve(name, *points(risk, confidence)) | line)
        traces.append(_bound("best order", *points(np.sort(risk), -np.arange(len(risk), dtype=np.float64)), "dot"))
        traces.append(_bound("no order", np.array([0.0, 1.0]), np.full(2, risk.mean()), "dash"))
        drawn[name] = traces
    plot = panels(
        drawn,
        "How sure is the curve of each algorithm?",
        x={"title": "Coverage", "range": [-0.01, 1.01]},
        y={"title": "Mean risk of the cases kept", "rangemode": "tozero"},
    )
    return {**plot, "remarks": [words(assessment), *beyond(list(answers), most)]}


def band_of(
    risk: FloatArray, confidence: FloatArray, draws: FloatArray, interval: float
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Coverages, and the ends of the range of the mean risk at each of them under resampling; ``None`` without draws.

    At a coverage, the mean risk is that of the fewest cases that reach it, as `risk_at_coverage` has it.
    """
    if len(draws) < 2:
        return None
    grid = (
        np.arange(1, MOST_PLACES + 1) / MOST_PLACES
        if len(risk) > MOST_PLACES
        else np.arange(1, len(risk) + 1) / len(risk)
    )
    curve = curve_of(risk, confidence, draws)
    coverage, mean = curve.coverage, curve.risk
    places = np.stack([np.searchsorted(row, grid - _SLACK) for row in coverage])
    values = np.take_along_axis(mean, np.minimum(places, mean.shape[1] - 1), axis=1)
    ends = band(values, interval)
    return None if ends is None else (grid, *ends)


def points(risk: FloatArray, confidence: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coverage and mean risk behind each block of equal confidence, ascending in coverage."""
    curve = curve_of(risk, confidence, np.ones((1, len(risk))))
    return curve.coverage[0], curve.risk[0]


def _curve(name: str, coverage: FloatArray, risk: FloatArray) -> dict[str, Any]:
    # A level holds from the coverage before it on, so that each stands where its step begins.
    starts = np.concatenate([[0.0], coverage])
    levels = np.concatenate([risk, risk[-1:]])
    ends = np.concatenate([coverage, coverage[-1:]])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": starts.tolist(),
        "y": levels.tolist(),
        "text": [
            f"{name}: mean risk {number(float(level))} when {percent(float(end))} of the cases are kept"
            for level, end in zip(levels, ends, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _bound(name: str, coverage: FloatArray, risk: FloatArray, dash: str) -> dict[str, Any]:
    trace = _curve(name, coverage, risk)
    return trace | {"line": {"color": NEUTRAL, "width": 1.5, "dash": dash, "shape": STEP}}
