"""Figures of factors that make cases hard: forest plots of mixed models, and checks of their residuals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import LINE, Figure, figure, number, stars
from evaluation.figures.palette import NEUTRAL, QUALITATIVE
from evaluation.ranking.names_of_tests import tests_of_terms

if TYPE_CHECKING:
    from collections.abc import Mapping

HELPS, HARMS = QUALITATIVE[0], QUALITATIVE[3]


def forest_plot(analysis: Mapping[str, Any], algorithm: str | None = None) -> Figure:
    """Show the effect of every characteristic with its interval, the most harmful at the top.

    Parameters
    ----------
    analysis
        From `evaluation.ranking.mixed_model.strengths_and_weaknesses`.
    algorithm
        Show the fit of this algorithm alone; of all together if ``None``.
    """
    fit = analysis["all"] if algorithm is None else analysis["by_algorithm"][algorithm]
    wanted = set(analysis["characteristics"])
    terms = [term for term in fit["terms"] if term["term"].split(": ")[0] in wanted]
    terms.sort(key=lambda term: term["estimate"], reverse=True)
    unit = "log odds ratio" if fit["odds"] else "effect"
    data: list[dict[str, Any]] = []
    for tone, side in ((HELPS, 1), (HARMS, -1)):
        chosen = [(position, term) for position, term in enumerate(terms) if (term["estimate"] >= 0) == (side > 0)]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "helps" if side > 0 else "harms",
                "x": [term["estimate"] for _, term in chosen],
                "y": [position for position, _ in chosen],
                "marker": {"color": tone, "size": 10, "symbol": "circle" if side > 0 else "square"},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [term["interval"][1] - term["estimate"] for _, term in chosen],
                    "arrayminus": [term["estimate"] - term["interval"][0] for _, term in chosen],
                    "color": tone,
                    "thickness": 1.5,
                },
                "text": [_words(term, fit) for _, term in chosen],
                "hovertemplate": "%{text}<extra></extra>",
                "showlegend": True,
            }
        )
    whom = "" if algorithm is None else f" for {algorithm}"
    zero = {"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": LINE, "dash": "dot"}}
    return figure(
        data,
        f"What makes cases hard{whom}?",
        x={"title": f"{unit[0].upper() + unit[1:]} with its interval (left of 0: harmful)"},
        y={
            "tickmode": "array",
            "tickvals": list(range(len(terms))),
            "ticktext": [f"{term['term']} {stars(term.get('p_adjusted', term['p']))}".strip() for term in terms],
            "range": [-0.6, len(terms) - 0.4],
        },
        height=220 + 34 * len(terms),
        showlegend=True,
        shapes=[zero],
    )


def quantile_plot(fit: Mapping[str, Any]) -> Figure:
    """Show whether residuals are normal: the points should follow the line.

    Raises
    ------
    ValueError
        For a fit without residuals on a common scale, such as one of hits in trials.
    """
    if fit["residuals"] is None:
        message = "a model of hits in trials has no normal residuals"
        raise ValueError(message)
    points = fit["residuals"]["quantiles"]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    mean = sum(ys) / len(ys)
    slope = sum(x * (y - mean) for x, y in points) / sum(x * x for x in xs)
    low, high = min(xs), max(xs)
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [mean + slope * low, mean + slope * high],
        "line": {"color": LINE, "dash": "dot"},
        "hoverinfo": "skip",
    }
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": xs,
        "y": ys,
        "marker": {"color": NEUTRAL, "size": 5},
        "hovertemplate": "%{x:.2f}, %{y:.3g}<extra></extra>",
    }
    return figure(
        [line, dots],
        "Are the residuals normal?",
        x={"title": "Quantile of the normal distribution"},
        y={"title": "Residual"},
        height=380,
    )


def _words(term: Mapping[str, Any], fit: Mapping[str, Any]) -> str:
    low, high = term["interval"]
    adjusted = f", {term['p_adjusted']:.2g} adjusted by Holm’s method" if "p_adjusted" in term else ""
    words = (
        f"{term['term']}: {number(term['estimate'], 3)} ({number(low, 3)} to {number(high, 3)}), "
        f"{tests_of_terms(fit).removesuffix('s')}: p = {term['p']:.2g} unadjusted{adjusted}"
    )
    return f"{words}, odds ratio {number(math.exp(term['estimate']), 3)}" if fit["odds"] else words
