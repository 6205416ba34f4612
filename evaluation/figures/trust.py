"""Figures of prediction quality against the information in confidences.

They show which algorithms segment well and detect their own failures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.figures.bands import band
from evaluation.figures.layout import CLEAR, LINE, Figure, figure, number
from evaluation.figures.palette import marks
from evaluation.metrics.confidence_values import missed_order
from evaluation.metrics.values import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.metrics.values import FloatArray


_SIDES: Final = ("top right", "bottom right", "top left", "bottom left")
_NAMED: Final = 5
"""Maximum number of algorithms with names next to their points.

More names would cover each other; points then have numbers.
"""


class Trusted(NamedTuple):
    """Position of an algorithm in the figure, each value with the ends of its range.

    A value that does not exist is not a number.

    Attributes
    ----------
    risk
        Mean risk of all cases.
    missed
        Its nAURC: the amount of the best order that its confidences miss.
    """

    risk: float
    risk_range: tuple[float, float]
    missed: float
    missed_range: tuple[float, float]


def place_of(risk: FloatArray, confidence: FloatArray, draws: FloatArray, interval: float) -> Trusted:
    """Return the position of an algorithm by its risks and confidences ``(n,)``, with ranges.

    The ranges come from the resamples `draws`, ``(B, n)``.
    """
    weights = np.concatenate([np.ones((1, len(risk))), draws])
    means = ratio(weights @ risk, weights.sum(axis=1))
    missed = missed_order(risk, confidence, weights).numbers
    ends = band(np.stack([means[1:], missed[1:]], axis=1), interval)
    low, high = (np.full(2, np.nan), np.full(2, np.nan)) if ends is None else ends
    return Trusted(float(means[0]), (float(low[0]), float(high[0])), float(missed[0]), (float(low[1]), float(high[1])))


def unbeaten(places: Mapping[str, Trusted]) -> list[str]:
    """Return the algorithms that no other dominates.

    An algorithm dominates another if it is at least as good in both values and better in one of them.

    Examples
    --------
    >>> nan = (float("nan"),) * 2
    >>> unbeaten({"a": Trusted(0.1, nan, 0.9, nan), "b": Trusted(0.2, nan, 0.3, nan), "c": Trusted(0.2, nan, 0.5, nan)})
    ['a', 'b']
    """

    def beats(one: Trusted, other: Trusted) -> bool:
        no_worse = one.risk <= other.risk and one.missed <= other.missed
        return no_worse and (one.risk < other.risk or one.missed < other.missed)

    comparable = {name: trusted for name, trusted in places.items() if np.isfinite(trusted.missed)}
    return [
        name for name, trusted in comparable.items() if not any(beats(other, trusted) for other in comparable.values())
    ]


def sentence(name: str, trusted: Trusted, others: Sequence[Trusted]) -> str:
    """Describe the position of one algorithm.

    Of its range, only the location is described, since each range belongs to one algorithm alone.
    """
    better = sum(other.risk < trusted.risk for other in others)
    ordinal = "lowest" if better == 0 else f"number {better + 1}"
    risk = f"{name}: mean risk {number(trusted.risk, 3)} ({ordinal} of {len(others)})"
    if not np.isfinite(trusted.missed):
        return f"{risk}; all its risks are equal, so that no confidence could tell them apart."
    low, high = trusted.missed_range
    missed = f"nAURC {number(trusted.missed, 2)}"
    if np.allclose([trusted.missed, low, high], 1.0, atol=1e-9):
        return f"{risk}; its confidences are all equal and tell nothing ({missed})."
    if not np.isfinite(low) or np.isclose(low, high):
        return f"{risk}; {missed}, without a range."
    if high < 1:
        where = "all below 1: its confidences put bad cases behind good ones"
    elif low > 1:
        where = "all above 1: its confidences put good cases behind bad ones"
    else:
        where = "which holds 1: its confidences may tell nothing"
    return f"{risk}; {missed}, range {number(low, 2)} to {number(high, 2)}, {where}."


def quality_and_trust(document: Mapping[str, Any], places: Mapping[str, Trusted]) -> Figure | None:
    """Draw the plane of mean quality and of what confidences miss.

    Parameters
    ----------
    document
        Ranking document, for the colours.
    places
        By algorithm, the best first.

    Returns
    -------
    dict or None
        ``None`` where no algorithm has both.
    """
    plotted = {name: trusted for name, trusted in places.items() if np.isfinite(trusted.missed)}
    if not plotted:
        return None
    palette, first = marks(document), unbeaten(plotted)
    data: list[dict[str, Any]] = []
    numbers = {name: str(position) for position, name in enumerate(places, 1)} if len(plotted) > _NAMED else {}
    for name, trusted in plotted.items():
        quality = 1 - trusted.risk
        # Neighbours have their names on different sides, so that they can be read.
        index = sorted(plotted, key=lambda each: plotted[each].risk).index(name)
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": name,
                "x": [quality],
                "y": [trusted.missed],
                "text": [numbers.get(name, name)],
                "textposition": _SIDES[index % len(_SIDES)],
                "error_x": _reach(quality, 1 - trusted.risk_range[1], 1 - trusted.risk_range[0], palette[name].colour),
                "error_y": _reach(trusted.missed, *trusted.missed_range, palette[name].colour),
                "marker": {
                    "size": 11,
                    "symbol": palette[name].symbol + ("" if name in first else "-open"),
                    "color": palette[name].colour,
                    "line": {"width": 2, "color": palette[name].colour},
                },
                "hovertext": [f"{name}: mean quality {number(quality, 3)}, nAURC {number(trusted.missed, 3)}"],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )
    highest = max(
        [
            1.1,
            *(
                end
                for trusted in plotted.values()
                for end in (trusted.missed, trusted.missed_range[1])
                if np.isfinite(end)
            ),
        ]
    )
    plot = figure(
        data,
        "Who segments well and knows when it fails?",
        x={"title": "Mean quality: 1 − mean risk"},
        y={"title": "Order missed by the confidences (nAURC; 0 is best)", "range": [highest * 1.05, -0.05]},
        height=520,
        shapes=[
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 1,
                "y1": 1,
                "line": {"color": LINE, "width": 1, "dash": "dash"},
            }
        ],
        annotations=[
            {
                "text": "an order that tells nothing",
                "xref": "paper",
                "x": 0,
                "y": 1,
                "xanchor": "left",
                "yanchor": "top",
                "showarrow": False,
                "bgcolor": CLEAR,
            }
        ],
    )
    everybody = list(places.values())
    remarks = [
        f"{numbers[name]} {words}" if name in numbers else words
        for name, trusted in places.items()
        for words in [sentence(name, trusted, everybody)]
    ]
    return {**plot, "remarks": [f"Beaten by no other in both: {', '.join(first)}.", *remarks]}


def _reach(value: float, low: float, high: float, colour: str) -> dict[str, Any]:
    if not (np.isfinite(low) and np.isfinite(high)):
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, high - value)],
        "arrayminus": [max(0.0, value - low)],
        "thickness": 1,
        "width": 3,
        "color": colour,
    }
