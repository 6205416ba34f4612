"""Figures of the stability of each algorithm's rank: circles whose area is the share of resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import (
    LINE,
    Figure,
    figure,
    interval_words,
    names_axis,
    percent,
    rank_words,
    ranks_axis,
    side,
)
from evaluation.figures.markup import BREAK, bold
from evaluation.figures.palette import NEUTRAL, colours, scale
from evaluation.ranking.reading import label, names, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


MOST_CIRCLES = 25
"""Number of algorithms beyond which circles are too small to compare.

A map of cells then shows the same data; a darker cell means a higher frequency.
"""


def blob_plot(
    document: Mapping[str, Any],
    *,
    metric: str | None = None,
    region: str | None = None,
    task: str | None = None,
    name: str | None = None,
) -> Figure:
    """Show the ranks of every algorithm over the bootstrap samples of one ranking, or of the overall ranking.

    Algorithms appear in the order of the full-data ranking, whose rank is printed below each. The area of a circle is
    the share of samples with that rank. The cross marks the median, the line the resampling range. With more than
    `MOST_CIRCLES` algorithms, the figure is a map of cells: a stronger colour means a larger share.

    Raises
    ------
    LookupError
        If the ranking is not found.
    ValueError
        If it was not resampled.
    """
    entry = select(document, metric=metric, region=region, task=task, name=name)
    algorithms = entry["algorithms"]
    if not entry.get("resampled"):
        message = f"the ranking {label(entry)} was not resampled"
        raise ValueError(message)
    palette = colours(document)
    places, ranks = len(algorithms), len(algorithms[0]["rank_frequencies"])
    biggest = max(10.0, min(44.0, 620.0 / places))
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [0, places - 1],
            "y": [1, places],
            "line": {"color": LINE, "dash": "dot", "width": 1},
            "hoverinfo": "skip",
        }
    ]
    if places > MOST_CIRCLES:
        data.append(_heat(algorithms, ranks))
    for position, algorithm in enumerate(algorithms if places <= MOST_CIRCLES else ()):
        total = sum(algorithm["rank_frequencies"])
        shares = [count / total for count in algorithm["rank_frequencies"]]
        present = [index for index, share in enumerate(shares) if share > 0]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": algorithm["name"],
                "cliponaxis": False,
                "x": [position] * len(present),
                "y": [index + 1 for index in present],
                "marker": {
                    "color": palette[algorithm["name"]],
                    "opacity": 0.85,
                    "size": [shares[index] for index in present],
                    "sizemode": "area",
                    "sizeref": 2.0 / biggest**2,
                    "sizemin": 1.5,
                    "line": {"width": 0},
                },
                "customdata": [[percent(shares[index])] for index in present],
                "hovertemplate": "%{fullData.name}<br>rank %{y} in %{customdata[0]} of resamples<extra></extra>",
            }
        )
    data.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "median and interval",
            "x": list(range(places)),
            "y": [algorithm["rank_median"] for algorithm in algorithms],
            "marker": {"symbol": "x-thin", "size": 9, "line": {"color": NEUTRAL, "width": 2}},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [a["rank_interval"][1] - a["rank_median"] for a in algorithms],
                "arrayminus": [a["rank_median"] - a["rank_interval"][0] for a in algorithms],
                "color": NEUTRAL,
                "thickness": 1.5,
                "width": 3,
            },
            "text": [
                f"{a['name']}: median {rank_words(a['rank_median'])}, resampling range {interval_words(a['rank_interval'])}"
                for a in algorithms
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    labels = [f"{a['name']}{BREAK}{bold(rank_words(a['rank']))}" for a in algorithms]
    return figure(
        data,
        "How stable is each algorithm’s rank?",
        x=names_axis(names(entry), labels, title="Algorithm, with its rank on all cases"),
        y=ranks_axis(ranks, down=True, title="Rank in the resamples"),
        height=side(ranks),
    )


def _heat(algorithms: Sequence[Mapping[str, Any]], ranks: int) -> dict[str, Any]:
    """Cells instead of circles: for each algorithm and rank the share of the resamples; empty where there is none."""
    shares = [
        [count / sum(algorithm["rank_frequencies"]) or None for count in algorithm["rank_frequencies"]]
        for algorithm in algorithms
    ]
    return {
        "type": "heatmap",
        "x": list(range(len(algorithms))),
        "y": list(range(1, ranks + 1)),
        "z": [[row[rank] for row in shares] for rank in range(ranks)],
        "text": [[a["name"] for a in algorithms]] * ranks,
        "zmin": 0,
        "zmax": 1,
        "colorscale": scale(),
        "colorbar": {"title": {"text": "Share"}, "outlinewidth": 0},
        "hovertemplate": "%{text}<br>rank %{y} in %{z:.0%} of resamples<extra></extra>",
    }
