"""Forest plots of the differences of all algorithms from the leader, as a figure and as an SVG element."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from evaluation.figures.layout import LINE, Figure, figure, side
from evaluation.figures.outward import outward, text
from evaluation.figures.palette import BETTER, NEUTRAL, NOT_BETTER, QUIET
from evaluation.ranking.reading import select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST_ROWS: Final = 30
"""Maximum number of algorithms in a figure."""
QUESTION: Final = "How far is the leader ahead of the others?"
VERDICTS: Final = {
    "better": "the leader is significantly better",
    "equivalent": "equivalent to the leader",
    "undecided": "no significant difference",
    "descriptive": "exploratory: no statement of significance",
}
"""Meaning of the verdicts of differences."""
DESCRIPTIVE: Final = "descriptive"
"""Verdict of a difference in an exploratory ranking, which has no statement of significance."""
_TONES: Final = {
    "better": (BETTER, "circle"),
    "equivalent": (NEUTRAL, "diamond"),
    "undecided": (NOT_BETTER, "square"),
    "descriptive": (NEUTRAL, "circle"),
}
ROW: Final = 24
HEAD: Final = 8
_FOOT: Final = 46
_PADDING: Final = 0.06
_MOST_TICKS: Final = 6


@dataclass(frozen=True)
class DifferenceRow:
    """Difference of one algorithm from the leader, positive where the leader is better.

    Attributes
    ----------
    low, high
        Ends of the interval, or None.
    verdict
        ``better``, ``equivalent``, ``undecided``, ``descriptive`` in an exploratory ranking, or ``leader`` for the leader itself.
    words
        The difference with its interval as text.
    """

    name: str
    estimate: float
    low: float | None
    high: float | None
    verdict: str
    words: str


def difference_forest(document: Mapping[str, Any], *, unit: str | None = None, **which: str | None) -> Figure | None:
    """Draw the difference of every algorithm from the leader, best at the top.

    Parameters
    ----------
    unit
        Unit of the scores.
    which
        Selection of the ranking, as in `select`.

    Returns
    -------
    dict or None
        ``None`` if the ranking has no differences from its leader.
    """
    entry = select(document, **which)
    margin = entry.get("margin") or 0.0
    rows = _rows(entry, margin)
    if not rows:
        return None
    drawn = rows[: MOST_ROWS - 1]
    leader = next(a["name"] for a in entry["algorithms"] if not a.get("difference_from_first"))
    labels = [leader, *(row.name for row in drawn)]
    height = len(labels)
    data: list[dict[str, Any]] = []
    if margin:
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [-margin, margin, margin, -margin],
                "y": [-0.6, -0.6, height - 0.4, height - 0.4],
                "fill": "toself",
                "fillcolor": QUIET,
                "line": {"color": QUIET, "width": 0},
                "opacity": 0.5,
                "name": "registered margin",
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    for verdict, (tone, symbol) in _TONES.items():
        chosen = [(position, row) for position, row in enumerate(drawn, start=1) if row.verdict == verdict]
        if chosen:
            data.append(_trace(chosen, VERDICTS[verdict], tone, symbol))
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": [0.0],
            "y": [0],
            "marker": {"color": NEUTRAL, "size": 9, "symbol": "cross"},
            "text": [leader],
            "hovertemplate": "%{text}<extra></extra>",
            "showlegend": False,
        }
    )
    drawing = figure(
        data,
        QUESTION,
        x={"title": f"← leader worse{_in(unit)}leader better →"},
        y={
            "tickmode": "array",
            "tickvals": list(range(height)),
            "ticktext": labels,
            "range": [height - 0.4, -0.6],
            "showgrid": False,
        },
        height=side(height, smallest=220, each=24, around=150),
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
        shapes=[
            {
                "type": "line",
                "x0": 0,
                "x1": 0,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": LINE, "dash": "solid"},
            }
        ],
    )
    others = len(rows) - len(drawn)
    return drawing | {"remarks": [f"and {others} more in the table"]} if others else drawing


def _in(unit: str | None) -> str:
    return f" · difference in {unit} · " if unit else " · difference · "


def _rows(entry: Mapping[str, Any], margin: float) -> list[DifferenceRow]:
    rows = []
    for algorithm in entry["algorithms"]:
        difference = algorithm.get("difference_from_first")
        if not difference:
            continue
        low, high = difference["interval"] or (None, None)
        interval = None if low is None or high is None else (low, high)
        is_better = difference["verdict"] == "better"
        words = outward(difference["estimate"], interval, margin=margin, is_better=is_better).joined
        verdict = difference["verdict"] or DESCRIPTIVE
        rows.append(DifferenceRow(algorithm["name"], difference["estimate"], low, high, verdict, words))
    return rows


def _trace(chosen: Sequence[tuple[int, DifferenceRow]], name: str, tone: str, symbol: str) -> dict[str, Any]:
    rows = [row for _, row in chosen]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [row.estimate for row in rows],
        "y": [position for position, _ in chosen],
        "marker": {"color": tone, "size": 9, "symbol": symbol},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0.0 if row.high is None else max(0.0, row.high - row.estimate) for row in rows],
            "arrayminus": [0.0 if row.low is None else max(0.0, row.estimate - row.low) for row in rows],
            "color": tone,
            "thickness": 2,
        },
        "text": [f"{row.name}: {row.words}" for row in rows],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": True,
    }


def difference_svg(
    rows: Sequence[DifferenceRow], *, margin: float | None, unit: str | None, label: str, description: str
) -> str:
    """Draw differences from the leader as an SVG element that is as wide as its place, a row of `ROW` pixels for each.

    Positions are percentages, so that text keeps its size on a narrow screen. Colours are left to style sheets, so that a
    strict content security policy holds. Names and numbers belong beside it: `HEAD` pixels are above the first row.

    Parameters
    ----------
    rows
        The leader and the algorithms after it.
    margin
        Difference that does not matter.
    unit
        Unit of the differences.
    label, description
        Title and description for readers who cannot see the figure.
    """
    foot = HEAD + len(rows) * ROW
    axis = _Axis.of(rows, margin)
    band = ""
    if margin:
        left, right = axis.at(-margin), axis.at(margin)
        band = f'<rect class="differences__margin" x="{left:.2f}%" width="{right - left:.2f}%" y="0" height="{foot}"/>'
    ticks = "".join(
        f'<line class="differences__tick{"" if tick else " differences__tick--zero"}" x1="{axis.at(tick):.2f}%" '
        f'x2="{axis.at(tick):.2f}%" y1="0" y2="{foot}"/>'
        f'<text class="differences__number" x="{axis.at(tick):.2f}%" y="{foot + 15}">{text(tick, axis.decimals)}</text>'
        for tick in axis.ticks
    )
    unit_text = f", {escape(unit)}" if unit else ""
    ends = (
        f'<text class="differences__end" x="0" y="{foot + 35}">← leader worse</text>'
        f'<text class="differences__end differences__end--right" x="100%" y="{foot + 35}">leader better{unit_text} →</text>'
    )
    marks = "".join(_mark(row, position, axis) for position, row in enumerate(rows))
    return (
        f'<svg class="differences__plot" width="100%" height="{foot + _FOOT}" role="img" '
        'aria-labelledby="differences-title differences-text">'
        f'<title id="differences-title">{escape(label)}</title><desc id="differences-text">{escape(description)}</desc>'
        f"{band}{ticks}{marks}{ends}</svg>"
    )


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    ticks: tuple[float, ...]
    decimals: int

    @classmethod
    def of(cls, rows: Sequence[DifferenceRow], margin: float | None) -> _Axis:
        ends = [0.0, -(margin or 0.0), margin or 0.0]
        for row in rows:
            ends += [value for value in (row.estimate, row.low, row.high) if value is not None]
        low, high = min(ends), max(ends)
        if high <= low:
            high = low + 1.0
        room = _PADDING * (high - low)
        low, high = low - room, high + room
        rough = (high - low) / _MOST_TICKS
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(size * power for size in (1, 2, 5, 10) if rough <= size * power * (1 + 1e-9))
        first, last = math.ceil(low / step), math.floor(high / step)
        return cls(
            low,
            high,
            tuple(number * step for number in range(first, last + 1)),
            max(0, -math.floor(math.log10(step) + 1e-9)),
        )

    def at(self, value: float) -> float:
        """Return the position of a value in percent of the width."""
        return 100.0 * (value - self.low) / (self.high - self.low)


def _middle(position: int) -> float:
    return HEAD + (position + 0.5) * ROW


def _mark(row: DifferenceRow, position: int, axis: _Axis) -> str:
    middle, x = _middle(position), f"{axis.at(row.estimate):.2f}%"
    line = ""
    if row.low is not None and row.high is not None:
        line = (
            f'<line class="differences__interval" x1="{axis.at(row.low):.2f}%" x2="{axis.at(row.high):.2f}%" '
            f'y1="{middle:g}" y2="{middle:g}"/>'
        )
    kind = row.verdict if row.verdict in (*VERDICTS, "leader") else "undecided"
    return (
        f'<g class="differences__row differences__row--{kind}"><title>{escape(row.name)}: {escape(row.words)}</title>{line}'
        f'<circle class="differences__point" cx="{x}" cy="{middle:g}" r="4.5"/></g>'
    )
