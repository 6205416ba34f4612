"""Overlap against folding: whether labels fit because the field is good, or because it tears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.figures.layout import Figure, figure, number, percent
from evaluation.figures.palette import marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LEAST: Final = 0.01
"""The axis reaches at least so far, a voxel in a hundred, so that nearly nothing does not look like much."""


def overlap_and_folding(
    document: Mapping[str, Any], values: Mapping[str, Sequence[tuple[str, float, float]]], *, overlap: str
) -> Figure | None:
    """Draw a point for each algorithm and case.

    Parameters
    ----------
    values
        By algorithm, the best first: name of the case, its overlap, and the share of voxels where the field folds.
    overlap
        What the overlap is called.

    Returns
    -------
    dict or None
        ``None`` without any point.
    """
    palette = marks(document)
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [folded for _, _, folded in cases],
            "y": [fits for _, fits, _ in cases],
            "marker": {"color": palette[name].colour, "symbol": palette[name].symbol, "size": 8, "opacity": 0.75},
            "text": [
                f"{name}, {case}: {overlap} {number(fits, 3)}, {percent(folded)} folded" for case, fits, folded in cases
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for name, cases in values.items()
        if cases
    ]
    if not data:
        return None
    # Fields that hardly fold lie in the first permille, all of it at the left end of a whole axis.
    reach = max([_LEAST, *(folded for cases in values.values() for _, _, folded in cases)])
    return figure(
        data,
        "Do labels fit without tearing the image?",
        x={
            "title": "Share of voxels where the field folds",
            "range": [-0.03 * reach, 1.03 * reach],
            "tickformat": ".2%",
        },
        y={"title": f"{overlap}, mean of the regions"},
        height=420,
        showlegend=True,
    )
