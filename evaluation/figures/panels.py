"""Algorithms side by side, a panel each, in rows of three with the same axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.figures.layout import Figure, axis, figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ACROSS: Final = 3
_GAP_X, _GAP_Y, _EACH = 0.03, 0.16, 300


def panels(
    drawn: Mapping[str, Sequence[Mapping[str, Any]]],
    question: str,
    *,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    **layout: Any,
) -> Figure:
    """Put the traces of each algorithm in its panel, named above it.

    Parameters
    ----------
    drawn
        Traces by algorithm, without axes.
    x, y
        Settings of the axes as for `evaluation.figures.layout.axis`, the same in every panel.
    """
    across = min(ACROSS, len(drawn))
    rows = -(-len(drawn) // across)
    wide, high = (1 - _GAP_X * (across - 1)) / across, (1 - _GAP_Y * (rows - 1)) / rows
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    titles = []
    for index, (name, traces) in enumerate(drawn.items()):
        row, column = divmod(index, across)
        suffix = "" if index == 0 else str(index + 1)
        left, top = column * (wide + _GAP_X), 1 - row * (high + _GAP_Y)
        is_lowest = index + across >= len(drawn)
        sides = {"title": x.get("title") if is_lowest else None, "anchor": f"y{suffix}"}
        axes[f"xaxis{suffix}"] = axis(**{**x, **sides}, domain=[left, min(1.0, left + wide)])
        ends = {"title": y.get("title") if column == 0 else None, "anchor": f"x{suffix}"}
        axes[f"yaxis{suffix}"] = axis(
            **{**y, **ends},
            domain=[max(0.0, top - high), top],
            showticklabels=column == 0,
            matches="y" if suffix else None,
        )
        data += [{**trace, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"} for trace in traces]
        titles.append(
            {
                "text": name,
                "xref": "paper",
                "yref": "paper",
                "x": left,
                "y": top,
                "xanchor": "left",
                "yanchor": "bottom",
                "showarrow": False,
            }
        )
    plot = figure(data, question, x={}, y={}, height=120 + _EACH * rows, annotations=titles, **layout)
    plot["layout"] |= axes
    return plot


def beyond(names: Sequence[str], most: int) -> list[str]:
    """State how many algorithms are shown, if a figure has room only for the first ones."""
    if len(names) <= most:
        return []
    return [f"Shown are the first {most} of {len(names)} in the order of the ranking."]
