"""Figures of possible ranks: intervals for tables, as a figure and as small drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import Figure, figure, interval_words, percent, rank_words, ranks_axis, side
from evaluation.figures.palette import colours
from evaluation.ranking.reading import names, select

if TYPE_CHECKING:
    from collections.abc import Mapping

_WIDTH, _HEIGHT, _MARGIN = 160.0, 18.0, 8.0
_SET, _RANGE, _OWN = "#cfe0e0", "#0c5c68", "#a35c00"


def interval_strip(document: Mapping[str, Any], **which: str | None) -> Figure:
    """Show rank and resampling range of every algorithm, best at the top; `which` as in `select`."""
    entry = select(document, **which)
    algorithms, palette = entry["algorithms"], colours(document)
    if not entry["resampled"]:
        message = "the ranking was not resampled"
        raise ValueError(message)
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [a["rank"]],
            "y": [position],
            "name": a["name"],
            "marker": {"color": palette[a["name"]], "size": 11},
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [max(0, a["rank_interval"][1] - a["rank"])],
                "arrayminus": [max(0, a["rank"] - a["rank_interval"][0])],
                "color": palette[a["name"]],
                "thickness": 3,
            },
            "text": [_words(a)],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for position, a in enumerate(algorithms)
    ]
    return figure(
        data,
        "Between which ranks does each algorithm lie?",
        x=ranks_axis(len(algorithms), title="Rank, with its resampling range"),
        y={
            "tickmode": "array",
            "tickvals": list(range(len(algorithms))),
            "ticktext": names(entry),
            "range": [len(algorithms) - 0.4, -0.6],
        },
        height=side(len(algorithms), smallest=220, each=24, around=140),
    )


def rank_forest(document: Mapping[str, Any], *, highlight: str = "", **which: str | None) -> Figure:
    """Show every algorithm's rank, rank set (band) and resampling range (line), best at the top.

    Parameters
    ----------
    highlight
        An algorithm to highlight; the others then have no name.
    which
        Selection of the ranking, as in `select`.
    """
    entry = select(document, **which)
    algorithms = entry["algorithms"]
    data = []
    for position, a in enumerate(algorithms):
        if a["rank"] is None:
            continue
        low, high = a["rank_set"] or (a["rank"], a["rank"])
        if a["rank_set"] is not None:
            data.append(_line(position, low - 0.3, high + 0.3, _SET, 11))
        tone = _OWN if a["name"] == highlight else _RANGE
        if a["rank_interval"] is not None and a["rank_interval"][0] != a["rank_interval"][1]:
            left, right = a["rank_interval"]
            data.append(_line(position, left, right, tone, 2))
        point = {"color": tone, "size": 9}
        words = f"{a['name']}: rank {rank_words(a['rank'])}, could be {interval_words(a['rank_set'])}"
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [a["rank"]],
                "y": [position],
                "showlegend": False,
                "marker": point,
                "text": [words if highlight in ("", a["name"]) else rank_words(a["rank"])],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    return figure(
        data,
        "Which ranks can each algorithm truly have?",
        x=ranks_axis(len(algorithms), title="Rank"),
        y={
            "tickmode": "array",
            "tickvals": list(range(len(algorithms))),
            "ticktext": [name if highlight in ("", name) else " " for name in names(entry)],
            "range": [len(algorithms) - 0.4, -0.6],
        },
        height=side(len(algorithms), smallest=150, each=19, around=80),
    )


def _line(position: int, low: float, high: float, colour: str, width: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [position, position],
        "line": {"color": colour, "width": width},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def interval_svg(algorithm: Mapping[str, Any], places: int, *, css_class: str = "rank-interval") -> str:
    """Draw the rank and resampling range of one algorithm as an SVG element for a table cell.

    Parameters
    ----------
    algorithm
        An entry of ``algorithms`` in a ranking document.
    places
        Number of algorithms.
    css_class
        Class of the element; colours are left to style sheets (``currentColor`` without any), so that a strict content
        security policy holds.

    Examples
    --------
    >>> interval_svg({"rank": 2, "rank_interval": [1, 3]}, 3).startswith('<svg class="rank-interval"')
    True
    """
    low, high = algorithm["rank_interval"] or (algorithm["rank"], algorithm["rank"])
    words = f"rank {rank_words(algorithm['rank'])}"
    if algorithm["rank_interval"] is not None:
        words += f", resampling range {interval_words(algorithm['rank_interval'])} of {places}"
    middle = _HEIGHT / 2
    left, right, dot = (_x(value, places) for value in (low, high, algorithm["rank"]))
    return (
        f'<svg class="{css_class}" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="{_WIDTH:g}" height="{_HEIGHT:g}" '
        f'role="img" aria-label="{words}"><title>{words}</title>'
        f'<line class="{css_class}__scale" x1="{_MARGIN:g}" x2="{_WIDTH - _MARGIN:g}" y1="{middle:g}" y2="{middle:g}" '
        'stroke="currentColor" stroke-opacity="0.2" stroke-width="1"/>'
        f'<line class="{css_class}__range" x1="{left:.1f}" x2="{right:.1f}" y1="{middle:g}" y2="{middle:g}" '
        'stroke="currentColor" stroke-width="4" stroke-linecap="round" stroke-opacity="0.55"/>'
        f'<circle class="{css_class}__rank" cx="{dot:.1f}" cy="{middle:g}" r="4.5" fill="currentColor"/></svg>'
    )


def _words(algorithm: Mapping[str, Any]) -> str:
    rank_text = f"rank {rank_words(algorithm['rank'])} ({interval_words(algorithm['rank_interval'])})"
    return f"{algorithm['name']}: {rank_text}, first in {percent(algorithm['share_first'])} of resamples"


def _x(rank: float, places: int) -> float:
    return _MARGIN + (_WIDTH - 2 * _MARGIN) * (rank - 1) / max(places - 1, 1)
