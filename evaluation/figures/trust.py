"""Quality of predictions against what confidences tell of it: who segments well and knows when it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.figures.bands import band
from evaluation.figures.layout import CLEAR, LINE, Figure, figure, number
from evaluation.figures.palette import colours
from evaluation.metrics.confidence_values import missed_order
from evaluation.metrics.values import ratio

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.metrics.values import FloatArray


_SIDES: Final = ("top right", "bottom right", "top left", "bottom left")


class Trusted(NamedTuple):
    """Where an algorithm stands, each value with the ends of its range; not a number where there is none.

    Attributes
    ----------
    risk
        Mean risk of all cases.
    missed
        `n_aurc`: how much of the best order its confidences miss.
    """

    risk: float
    risk_range: tuple[float, float]
    missed: float
    missed_range: tuple[float, float]


def place_of(risk: FloatArray, confidence: FloatArray, draws: FloatArray, interval: float) -> Trusted:
    """Where an algorithm stands by its risks and confidences ``(n,)``, and in draws ``(B, n)``."""
    weights = np.concatenate([np.ones((1, len(risk))), draws])
    means = ratio(weights @ risk, weights.sum(axis=1))
    missed = missed_order(risk, confidence, weights).numbers
    ends = band(np.stack([means[1:], missed[1:]], axis=1), interval)
    low, high = (np.full(2, np.nan), np.full(2, np.nan)) if ends is None else ends
    return Trusted(float(means[0]), (float(low[0]), float(high[0])), float(missed[0]), (float(low[1]), float(high[1])))


def unbeaten(places: Mapping[str, Trusted]) -> list[str]:
    """Who is beaten by nobody in both: no other is at least as good twice and better once.

    Examples
    --------
    >>> nan = (float("nan"),) * 2
    >>> unbeaten({"a": Trusted(0.1, nan, 0.9, nan), "b": Trusted(0.2, nan, 0.3, nan), "c": Trusted(0.2, nan, 0.5, nan)})
    ['a', 'b']
    """

    def beats(one: Trusted, other: Trusted) -> bool:
        no_worse = one.risk <= other.risk and one.missed <= other.missed
        return no_worse and (one.risk < other.risk or one.missed < other.missed)

    told = {name: own for name, own in places.items() if np.isfinite(own.missed)}
    return [name for name, own in told.items() if not any(beats(other, own) for other in told.values())]


def sentence(name: str, own: Trusted, others: Sequence[Trusted]) -> str:
    """What one algorithm's place says."""
    better = sum(other.risk < own.risk for other in others)
    place = "best" if better == 0 else f"as number {better + 1}"
    segments = f"{name}: segments {place} of {len(others)} (mean risk {number(own.risk, 3)})"
    if not np.isfinite(own.missed):
        return f"{segments}; all its risks are equal, so that no confidence could tell them apart."
    low, high = own.missed_range
    if np.allclose([own.missed, low, high], 1.0, atol=1e-9):
        knows = "its confidences are all equal and tell nothing"
    elif not np.isfinite(low):
        knows = "its confidences are rated without a range"
    elif high < 1:
        knows = "its confidences tell bad cases from good ones better than chance"
    elif low > 1:
        knows = "its confidences are worse than chance at telling bad cases from good ones"
    else:
        knows = "its confidences tell bad cases from good ones not clearly better than chance"
    is_shown = np.isfinite(low) and not np.isclose(low, high)
    ends = f", {number(low, 2)} to {number(high, 2)} under resampling" if is_shown else ""
    return f"{segments}; {knows} (n_aurc {number(own.missed, 2)}{ends})."


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
    shown = {name: own for name, own in places.items() if np.isfinite(own.missed)}
    if not shown:
        return None
    palette, first = colours(document), unbeaten(shown)
    data: list[dict[str, Any]] = []
    for name, own in shown.items():
        quality = 1 - own.risk
        # Neighbours have their names on different sides, so that they can be read.
        place = sorted(shown, key=lambda each: shown[each].risk).index(name)
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": name,
                "x": [quality],
                "y": [own.missed],
                "text": [name],
                "textposition": _SIDES[place % len(_SIDES)],
                "error_x": _reach(quality, 1 - own.risk_range[1], 1 - own.risk_range[0], palette[name]),
                "error_y": _reach(own.missed, *own.missed_range, palette[name]),
                "marker": {
                    "size": 11,
                    "symbol": "circle" if name in first else "circle-open",
                    "color": palette[name],
                    "line": {"width": 2, "color": palette[name]},
                },
                "hovertext": [f"{name}: mean quality {number(quality, 3)}, n_aurc {number(own.missed, 3)}"],
                "hovertemplate": "%{hovertext}<extra></extra>",
            }
        )
    highest = max(
        [1.1, *(end for own in shown.values() for end in (own.missed, own.missed_range[1]) if np.isfinite(end))]
    )
    made = figure(
        data,
        "Who segments well and knows when it fails?",
        x={"title": "Mean quality: 1 − mean risk"},
        y={"title": "Order missed by the confidences (n_aurc; 0 is best)", "range": [highest * 1.05, -0.05]},
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
    remarks = [sentence(name, own, everybody) for name, own in places.items()]
    return {**made, "remarks": [f"Beaten by nobody in both: {', '.join(first)}.", *remarks]}


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
