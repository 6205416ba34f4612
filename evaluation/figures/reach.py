"""Figures of point errors: the share of points within each distance, and the error of each point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.figures.boxes import beside
from evaluation.figures.layout import Figure, figure, number, percent
from evaluation.figures.palette import NEUTRAL, marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.metrics.values import FloatArray

_LAST: Final = 1.05
"""End of the axis of distances, as a multiple of the largest distance."""


def share_within(
    document: Mapping[str, Any], errors: Mapping[str, FloatArray], *, unit: str, radii: Sequence[float] = ()
) -> Figure | None:
    """Draw the share of points within each distance, a curve for each algorithm.

    Parameters
    ----------
    errors
        Distance of every point, by algorithm, the best first; infinite for a point that was not answered.
    radii
        Distances at which a registered metric counts points as found.

    Returns
    -------
    dict or None
        ``None`` without any distance.
    """
    answered = {name: np.sort(all_errors[np.isfinite(all_errors)]) for name, all_errors in errors.items()}
    ends = [float(sorted_errors[-1]) for sorted_errors in answered.values() if len(sorted_errors)]
    if not ends:
        return None
    end, palette = max([*ends, *radii]) * _LAST, marks(document)
    data = []
    for name, sorted_errors in answered.items():
        total = len(errors[name])
        if not total:
            continue
        distances = np.concatenate([[0.0], sorted_errors, [end]])
        shares = np.concatenate([np.arange(len(sorted_errors) + 1), [len(sorted_errors)]]) / total
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": name,
                "x": distances.tolist(),
                "y": shares.tolist(),
                "line": {"color": palette[name].colour, "dash": palette[name].dash, "width": 2, "shape": "hv"},
                "text": [
                    f"{name}: {percent(float(share))} within {number(float(distance))} {unit}".rstrip()
                    for distance, share in zip(distances, shares, strict=True)
                ],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    at_radii = [
        {
            "type": "line",
            "x0": radius,
            "x1": radius,
            "y0": 0,
            "y1": 1,
            "yref": "paper",
            "line": {"color": NEUTRAL, "width": 1, "dash": "dot"},
        }
        for radius in radii
    ]
    return figure(
        data,
        "How many points lie within a distance?",
        x={"title": _titled("Distance from the reference", unit), "rangemode": "tozero"},
        y={"title": "Share of all points", "range": [-0.01, 1.01]},
        height=420,
        showlegend=True,
        shapes=at_radii,
    )


def error_by_point(
    document: Mapping[str, Any], errors: Mapping[str, Mapping[str, FloatArray]], *, unit: str, most: int
) -> Figure | None:
    """Draw the errors of each point as boxes, with the first algorithms side by side.

    Parameters
    ----------
    errors
        Errors by algorithm, the best first, and point; only finite errors are shown.
    most
        Number of algorithms to draw.

    Returns
    -------
    dict or None
        ``None`` if there is no error.
    """
    points = sorted({point for by_point in errors.values() for point in by_point})
    return beside(
        document,
        {name: {point: by_point[point] for point in points if point in by_point} for name, by_point in errors.items()},
        "Which points are hard?",
        x="Point",
        y={"title": _titled("Error", unit), "rangemode": "tozero"},
        most=most,
    )


def _titled(words: str, unit: str) -> str:
    return f"{words} ({unit})" if unit else words
