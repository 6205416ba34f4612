"""Figures of undetected risk, and of the relation between confidence and quality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.figures.layout import Figure, figure, number, percent
from evaluation.figures.palette import colours, marks
from evaluation.figures.panels import beyond, panels
from evaluation.metrics.confidence_values import curve_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.metrics.values import FloatArray

    Answers = Mapping[str, tuple[FloatArray, FloatArray]]
    """Risks and confidences ``(n,)`` of every algorithm, the best first; minus infinity for a case that was rejected."""


def passed_risk(document: Mapping[str, Any], answers: Answers) -> Figure | None:
    """Draw for each algorithm how much risk, of all cases together, the cases that are kept bring along.

    The area below a curve, by straight lines between blocks of equal confidence, is its AUGRC.

    Returns
    -------
    dict or None
        ``None`` without any case.
    """
    palette, data = marks(document), []
    for name, (risk, confidence) in answers.items():
        if not len(risk):
            continue
        curve = curve_of(risk, confidence, np.ones((1, len(risk))))
        coverage = np.concatenate([[0.0], curve.coverage[0]])
        passed = np.concatenate([[0.0], curve.coverage[0] * curve.risk[0]])
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": coverage.tolist(),
                "y": passed.tolist(),
                "line": {"color": palette[name].colour, "dash": palette[name].dash, "width": 2},
                "text": [
                    f"{name}: with {percent(float(share))} of the cases kept, risk {number(float(overall_risk))} over all cases"
                    for share, overall_risk in zip(coverage, passed, strict=True)
                ],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    if not data:
        return None
    return figure(
        data,
        "How much risk slips through?",
        x={"title": "Coverage: share of the cases kept, the surest first", "range": [-0.01, 1.01]},
        y={"title": "Risk of the cases kept, over all cases", "rangemode": "tozero"},
        height=420,
        showlegend=True,
    )


def confidence_and_quality(document: Mapping[str, Any], answers: Answers, *, most: int) -> Figure | None:
    """Draw confidence against quality, 1 - risk, of each case; a panel for each algorithm.

    Returns
    -------
    dict or None
        ``None`` without any confidence.
    """
    from evaluation.metrics import confidence_spearman

    palette, drawn, remarks = colours(document), {}, beyond(list(answers), most)
    for name, (risk, confidence) in list(answers.items())[:most]:
        sent = np.isfinite(confidence)
        if not sent.any():
            remarks.append(f"{name}: no confidence that could be read.")
            continue
        dots = {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": (1 - risk[sent]).tolist(),
            "y": confidence[sent].tolist(),
            "marker": {"color": palette[name], "size": 6, "opacity": 0.75},
            "hovertemplate": "quality %{x:.3g}, confidence %{y:.4g}<extra></extra>",
        }
        drawn[name] = [dots]
        value = confidence_spearman(risk, confidence).value
        words = "no correlation can be said" if value is None else f"correlation of the ranks {number(value)}"
        absent = "" if sent.all() else f"; {(~sent).sum()} of {len(sent)} cases without a confidence are not drawn"
        remarks.append(f"{name}: {words}{absent}.")
    if not drawn:
        return None
    plot = panels(
        drawn,
        "Do confidences follow the quality?",
        x={"title": "Quality, 1 − risk"},
        y={"title": "Confidence"},
    )
    # Scales of confidences mean nothing beside each other.
    for key, settings in plot["layout"].items():
        if key.startswith("yaxis"):
            settings.pop("matches", None)
            settings["showticklabels"] = True
    return {**plot, "remarks": remarks}
