"""Would another way of ranking have crowned someone else? Lines over schemes, metrics or subgroups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import Figure, figure, rank_words, ranks_axis, side
from evaluation.figures.markup import bold
from evaluation.figures.palette import marks

if TYPE_CHECKING:
    from collections.abc import Mapping


def line_plot(document: Mapping[str, Any], comparison: Mapping[str, Any], *, by: str = "scheme") -> Figure:
    """Show the rank of every algorithm under several ways of ranking; level lines mean no dependence.

    Parameters
    ----------
    document
        A ranking document, for the colours.
    comparison
        From `evaluation.ranking.comparison`.
    by
        Property that distinguishes the ways: scheme, metric, annotator, site.
    """
    palette = marks(document)
    labels = comparison["labels"]
    places = [index for index, name in enumerate(comparison["algorithms"]) if name in palette]
    algorithms = [comparison["algorithms"][index] for index in places]
    ranks = [[row[index] for index in places] for row in comparison["ranks"]]
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": list(range(len(labels))),
            "y": [row[index] for row in ranks],
            "line": {"color": palette[name].colour, "dash": palette[name].dash, "width": 2},
            "marker": {"color": palette[name].colour, "symbol": palette[name].symbol, "size": 8},
            "text": [
                f"{name}: rank {rank_words(row[index])}, {label}" for row, label in zip(ranks, labels, strict=True)
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for index, name in enumerate(algorithms)
    ]
    last = ranks[-1]
    lowest = int(max(max(row) for row in comparison["ranks"]))
    notes = [
        {
            "x": len(labels) - 1,
            "y": rank,
            "text": name,
            "showarrow": False,
            "xanchor": "left",
            "xshift": 10,
            "font": {"size": 11 if len(algorithms) <= 20 else 8},
        }
        for rank, name in _labels_at(last, algorithms)
    ]
    return figure(
        data,
        f"Would another {by} have crowned someone else?",
        x={
            "tickmode": "array",
            "tickvals": list(range(len(labels))),
            "ticktext": [bold(label) if label == comparison["reference"] else label for label in labels],
            "range": [-0.3, len(labels) - 0.2],
            "showgrid": True,
        },
        y=ranks_axis(lowest, down=True, title="Rank"),
        height=side(lowest, each=22),
        annotations=notes,
        margin={"l": 60, "r": 150, "t": 60, "b": 60},
    )


def _labels_at(ranks: list[float], algorithms: list[str]) -> list[tuple[float, str]]:
    """Names at the end of the lines, those that share a rank in one label."""
    shared: dict[float, list[str]] = {}
    for rank, name in zip(ranks, algorithms, strict=True):
        shared.setdefault(rank, []).append(name)
    return [
        (rank, ", ".join(names) if len(names) <= 3 else f"{', '.join(names[:2])} and {len(names) - 2} more")
        for rank, names in shared.items()
    ]
