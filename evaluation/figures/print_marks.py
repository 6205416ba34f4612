"""Colours, dashes and symbols of a Plotly figure as Matplotlib draws them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

MOST_OUTLINES: Final = 400
"""A trace of more markers than this is drawn as dots of the picture: as outlines it would make files of ten megabytes."""
SYMBOLS: Final = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "P",
    "x": "X",
    "x-thin": "x",
    "line-ew": "_",
    "triangle-up": "^",
    "triangle-down": "v",
}
DASHES: Final[dict[str, Any]] = {
    "dot": ":",
    "dash": "--",
    "dashdot": "-.",
    "solid": "-",
    "longdash": (0, (8, 3)),
    "longdashdot": (0, (8, 2, 1, 2)),
    "12px,3px,2px,3px,2px,3px": (0, (8, 2, 1, 2, 1, 2)),
}


def colour_of(colour: Any) -> Any:
    """A CSS colour as Matplotlib reads it; lists are taken one by one."""
    if isinstance(colour, (list, tuple)):
        return [colour_of(one) for one in colour]
    if isinstance(colour, str) and colour.startswith("rgb"):
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
        return (*(part / 255 for part in parts[:3]), parts[3] if len(parts) > 3 else 1.0)
    return colour


def numbers(values: Sequence[Any]) -> Any:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def points(
    axes: Axes,
    x: Any,
    y: Any,
    marker: Mapping[str, Any],
    tone: Any,
    scale: float,
    *,
    label: str | None,
    opacity: float | None,
) -> None:
    """Draw the points of a trace, each with its symbol.

    Hollow symbols carry the same information as full ones.
    """
    sizes = _sizes(marker, len(x), scale)
    names = marker.get("symbol", "circle")
    chosen = [names] * len(x) if isinstance(names, str) else list(names)
    edge = colour_of(marker.get("line", {}).get("color", tone))
    for name in dict.fromkeys(chosen):
        at = np.array([symbol_name == name for symbol_name in chosen])
        symbol, hollow = SYMBOLS[name.removesuffix("-open")], name.endswith("-open")
        thin = symbol in ("x", "_")
        filled = edge if thin and isinstance(edge, str) else tone
        if isinstance(filled, list) and len(filled) == len(at):
            filled = [colour for colour, is_drawn in zip(filled, at, strict=True) if is_drawn]
        fill: dict[str, Any] = {"facecolors": "none", "edgecolors": filled} if hollow and not thin else {"c": filled}
        axes.scatter(
            x[at],
            y[at],
            s=sizes[at] ** 2,
            marker=symbol,
            alpha=opacity,
            linewidths=marker.get("line", {}).get("width", 2) * scale if thin or hollow else 0,
            label=label if name == chosen[0] else None,
            zorder=3,
            rasterized=len(x) > MOST_OUTLINES,
            **fill,
        )


def _sizes(marker: Mapping[str, Any], number: int, scale: float) -> Any:
    """Diameters in points."""
    size = marker.get("size", 6)
    sizes = np.full(number, float(size)) if isinstance(size, (int, float)) else numbers(size)
    if marker.get("sizemode") == "area":
        sizes = np.maximum(np.sqrt(2 * sizes / marker["sizeref"]), marker.get("sizemin", 0))
    return sizes * scale
