"""Values as boxes side by side: of each algorithm in each group, or of each algorithm before and after it did anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.claims.kinds import CHANGED, Change
from evaluation.figures.layout import LINE, Figure, figure, names_axis, number
from evaluation.figures.palette import NEUTRAL, colours
from evaluation.figures.panels import beyond

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.metrics.values import FloatArray

_ROOM: Final = 0.8
"""Of the width of a group, what its boxes take."""


def beside(
    document: Mapping[str, Any],
    values: Mapping[str, Mapping[str, FloatArray]],
    question: str,
    *,
    x: str,
    y: Mapping[str, Any],
    most: int,
    zero: bool = False,
) -> Figure | None:
    """Draw a box for every algorithm in every group, with the boxes of one group next to each other.

    Parameters
    ----------
    values
        Values by algorithm, the best first, and group. Only finite values are shown. Groups keep the order in which
        they first appear.
    question, x, y
        Title, title of the groups, and settings of the axis of values.
    most
        Number of algorithms to draw.
    zero
        Whether a line marks zero.

    Returns
    -------
    dict or None
        ``None`` if there is no value.
    """
    palette, chosen = colours(document), list(values)[:most]
    groups = list(dict.fromkeys(group for by_group in values.values() for group in by_group))
    wide = _ROOM / max(len(chosen), 1)
    data = []
    for index, name in enumerate(chosen):
        places, all_values = list[float](), list[float]()
        for group, group_values in values[name].items():
            finite = group_values[np.isfinite(group_values)]
            places += [groups.index(group) + (index - (len(chosen) - 1) / 2) * wide] * len(finite)
            all_values += finite.tolist()
        if all_values:
            data.append(_box(name, places, all_values, palette[name], 0.9 * wide))
    if not data:
        return None
    plot = figure(
        data,
        question,
        x=names_axis(groups, title=x),
        y=dict(y),
        height=420,
        showlegend=True,
        boxmode="overlay",
        shapes=[_line_at_zero()] if zero else [],
    )
    return {**plot, "remarks": beyond(list(values), most)}


class Pair(NamedTuple):
    """Values of the same cases without and with what an algorithm did, each ``(n,)``."""

    before: FloatArray
    after: FloatArray

    def worse(self, *, higher: bool) -> int:
        """In how many of them the algorithm made it worse."""
        gain = self.after - self.before
        return int((gain < 0).sum() if higher else (gain > 0).sum())


def before_and_after(
    document: Mapping[str, Any],
    pairs: Mapping[str, Pair],
    question: str,
    *,
    what: str,
    unit: str,
    higher: bool,
    most: int,
) -> Figure | None:
    """Draw two boxes for each algorithm: the values with nothing done, and those that it has.

    Parameters
    ----------
    pairs
        By algorithm, the best first.
    what, unit
        What the values are; the unit may be empty.
    higher
        Whether higher values are better.

    Returns
    -------
    dict or None
        ``None`` without any value.
    """
    palette = colours(document)
    chosen = {name: pair for name, pair in list(pairs.items())[:most] if len(pair.after)}
    if not chosen:
        return None
    places = {name: index for index, name in enumerate(chosen)}
    befores = [(places[name] - 0.2, value) for name, pair in chosen.items() for value in pair.before.tolist()]
    data = [_box("before", [x for x, _ in befores], [value for _, value in befores], NEUTRAL, 0.34)]
    for name, pair in chosen.items():
        data.append(_box(name, [places[name] + 0.2] * len(pair.after), pair.after.tolist(), palette[name], 0.34))
    plot = figure(
        data,
        question,
        x=names_axis(list(chosen), title="Algorithm: before, and after"),
        y={"title": f"{what} ({unit})" if unit else what, "rangemode": "tozero"},
        height=420,
        showlegend=False,
        boxmode="overlay",
    )
    remarks = beyond(list(pairs), most)
    for name, pair in chosen.items():
        before, after = (f"{number(float(np.median(values)))}{f' {unit}' if unit else ''}" for values in pair)
        remarks += CHANGED.all(Change(name, before, after, pair.worse(higher=higher), len(pair.after)))
    return {**plot, "remarks": remarks}


def _box(name: str, places: list[float], values: list[float], colour: str, width: float) -> dict[str, Any]:
    return {
        "type": "box",
        "name": name,
        "x": places,
        "y": values,
        "width": width,
        "hoverinfo": "name+y",
        "marker": {"color": colour, "size": 4},
        "line": {"width": 1.5},
        "boxpoints": "outliers",
    }


def _line_at_zero() -> dict[str, Any]:
    ends = {"x0": 0, "x1": 1, "xref": "paper", "y0": 0, "y1": 0}
    return {"type": "line", **ends, "line": {"color": LINE, "width": 1, "dash": "dot"}}
