"""Quality against cost: a point for each algorithm, and who is beaten in both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.costs import FRONT, Plane
from evaluation.figures.layout import Figure, figure, number
from evaluation.figures.palette import marks

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMED: Final = 6
"""Maximum number of algorithms with names next to their points.

More names would cover each other; points then have numbers.
"""
_LONG: Final = 24
"""Maximum characters of a name next to a point on a small screen; with a longer name, all have numbers."""


@dataclass(frozen=True)
class Axis:
    """The values of algorithms in one metric.

    Attributes
    ----------
    title
        What is measured, how values of cases became one, and the unit.
    higher
        Whether a higher value is better.
    values
        By algorithm; ``None`` for one without a value.
    ranges
        By algorithm the resampling range of the value, where there is one.
    """

    title: str
    higher: bool
    values: Mapping[str, float | None]
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def plane_of(quality: Axis, cost: Axis) -> Plane:
    """Both values of each algorithm."""
    return Plane({name: (value, cost.values.get(name)) for name, value in quality.values.items()}, quality.higher)


def quality_and_cost(document: Mapping[str, Any], quality: Axis, cost: Axis, *, question: str) -> Figure | None:
    """Draw the plane, the better quality on top and the lower cost on the left.

    Parameters
    ----------
    document
        Ranking document, for the colours.
    quality, cost
        What the axes show.
    question
        Which the figure answers.

    Returns
    -------
    dict or None
        ``None`` where no algorithm has both values.
    """
    plane = plane_of(quality, cost)
    if not plane.shown:
        return None
    palette, first = marks(document), set(plane.unbeaten)
    ordered = sorted(plane.shown, key=lambda name: (plane.shown[name][1], name))
    is_crowded = len(ordered) > _NAMED or max(map(len, ordered)) > _LONG
    numbers = {name: str(position) for position, name in enumerate(ordered, 1)} if is_crowded else {}
    middle = max(max(spent, cost.ranges.get(name, (0.0, 0.0))[1]) for name, (_, spent) in plane.shown.items()) / 2
    data: list[dict[str, Any]] = []
    for index, name in enumerate(ordered):
        good, spent = plane.shown[name]
        colour = palette[name].colour
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": name,
                "x": [spent],
                "y": [good],
                "text": [numbers.get(name, name)],
                # Neighbours have their names on different sides, so that they can be read; none runs out of the picture.
                "textposition": f"{('top', 'bottom')[index % 2]} {'right' if spent < middle else 'left'}",
                "error_x": _reach(spent, cost.ranges.get(name), colour),
                "error_y": _reach(good, quality.ranges.get(name), colour),
                "marker": {
                    "size": 11,
                    "symbol": palette[name].symbol + ("" if name in first else "-open"),
                    "color": colour,
                    "line": {"width": 2, "color": colour},
                },
                "hovertext": [f"{name}: {quality.title} {number(good)}, {cost.title} {number(spent)}"],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )
    plot = figure(
        data,
        question,
        x={"title": f"{cost.title}, cheaper to the left", "rangemode": "tozero"},
        y={"title": f"{quality.title}, better on top", **({} if quality.higher else {"autorange": "reversed"})},
        height=480,
    )
    key = [f"{number} {name}" for name, number in numbers.items()]
    remarks = [
        *FRONT.all(plane),
        *(["Numbers beside points: " + ", ".join(key)] if key else []),
    ]
    return {**plot, "remarks": remarks}


def _reach(value: float, ends: tuple[float, float] | None, colour: str) -> dict[str, Any]:
    if ends is None:
        return {"visible": False}
    low, high = ends
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, high - value)],
        "arrayminus": [max(0.0, value - low)],
        "thickness": 1,
        "width": 3,
        "color": colour,
    }
