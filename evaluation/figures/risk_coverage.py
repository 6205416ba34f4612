"""Does an algorithm know when it fails? Mean risk of the surest cases, from a few of them to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.figures.layout import Figure, figure, number, percent
from evaluation.figures.palette import NEUTRAL, colours
from evaluation.metrics.confidence_values import curve_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.metrics.values import FloatArray

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
    palette = colours(document)
    data = []
    for name, (risk, confidence) in drawn.items():
        data.append(
            _curve(name, *points(risk, confidence)) | {"line": {"color": palette[name], "width": 2, "shape": STEP}}
        )
    remarks = []
    risks = [np.sort(risk) for risk, _ in drawn.values()]
    if all(np.array_equal(risks[0], other) for other in risks[1:]):
        # The best order takes equal risks one after another.
        data.append(_bound("best order", *points(risks[0], -np.arange(len(risks[0]), dtype=np.float64)), "dot"))
        mean = float(risks[0].mean())
        data.append(_bound("no order", np.array([0.0, 1.0]), np.array([mean, mean]), "dash"))
    else:
        remarks.append("The best order differs by algorithm, since the risks do, and is not drawn.")
    made = figure(
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
    return {**made, "remarks": remarks} if remarks else made


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
