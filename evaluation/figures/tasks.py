"""Figures across tasks: who is good where, and which tasks rank alike?"""

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
from evaluation.figures.palette import NEUTRAL, QUALITATIVE, colours
from evaluation.ranking.reading import entries, label

if TYPE_CHECKING:
    from collections.abc import Mapping


def _what(document: Mapping[str, Any]) -> str:
    """Return the noun for the rankings of a document: "tasks" if only tasks differ, else "rankings"."""
    told_apart = [
        key for key in ("name", "task", "metric", "region") if len({e.get(key) for e in entries(document)}) > 1
    ]
    return "tasks" if told_apart == ["task"] else "rankings"


def blob_across_tasks(document: Mapping[str, Any], across: Mapping[str, Any]) -> Figure:
    """Show how often each algorithm has which rank over the tasks; algorithms in the order of the consensus.

    Parameters
    ----------
    document
        A ranking document, for the colours.
    across
        From `evaluation.ranking.tasks.across_tasks`.
    """
    palette, consensus, what = colours(document), across["consensus"], _what(document)
    places, tasks = len(consensus), len(across["tasks"])
    biggest = max(10.0, min(44.0, 620.0 / places))
    data: list[dict[str, Any]] = [_diagonal(places)]
    for position, entry in enumerate(consensus):
        counts: dict[float, list[str]] = {}
        for task, rank in zip(across["tasks"], entry["ranks"], strict=True):
            counts.setdefault(rank, []).append(task)
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": entry["name"],
                "x": [position] * len(counts),
                "y": list(counts),
                "marker": {
                    "color": palette[entry["name"]],
                    "opacity": 0.85,
                    "size": [len(tasks_at_rank) / tasks for tasks_at_rank in counts.values()],
                    "sizemode": "area",
                    "sizeref": 2.0 / biggest**2,
                },
                "text": [
                    f"{len(tasks_at_rank)} of {tasks} {what}: {', '.join(tasks_at_rank[:6])}"
                    for tasks_at_rank in counts.values()
                ],
                "hovertemplate": "%{fullData.name}<br>rank %{y} in %{text}<extra></extra>",
            }
        )
    data.append(
        _medians(
            [entry["median"] for entry in consensus],
            [entry["range"] for entry in consensus],
            [entry["name"] for entry in consensus],
        )
    )
    labels = [f"{entry['name']}{BREAK}{bold(rank_words(entry['rank']))}" for entry in consensus]
    return figure(
        data,
        f"How does each algorithm rank over the {what}?",
        x=names_axis([entry["name"] for entry in consensus], labels, title="Algorithm, with its consensus rank"),
        y=ranks_axis(places, down=True, title=f"Rank in one of the {what}"),
        height=side(places),
    )


def blob_by_algorithm(document: Mapping[str, Any], algorithm: str) -> Figure:
    """Show the resampled ranks of one algorithm in every task: where is it strong, where weak?"""
    resampled = [entry for entry in entries(document) if entry["resampled"]]
    if not resampled:
        message = "no ranking of the document was resampled"
        raise ValueError(message)
    rows = [next(a for a in entry["algorithms"] if a["name"] == algorithm) for entry in resampled]
    tone = colours(document)[algorithm]
    places = max(len(entry["algorithms"]) for entry in resampled)
    xs, ys, sizes = [], [], []
    for position, row in enumerate(rows):
        total = sum(row["rank_frequencies"])
        for rank, count in enumerate(row["rank_frequencies"], start=1):
            if count:
                xs.append(position)
                ys.append(rank)
                sizes.append(count / total)
    blobs = {
        "type": "scatter",
        "mode": "markers",
        "x": xs,
        "y": ys,
        "marker": {"color": tone, "opacity": 0.85, "size": sizes, "sizemode": "area", "sizeref": 2.0 / 36**2},
        "text": [percent(share) for share in sizes],
        "hovertemplate": "rank %{y} in %{text} of resamples<extra></extra>",
    }
    labels = [label(entry) for entry in resampled]
    medians = _medians([a["rank_median"] for a in rows], [a["rank_interval"] for a in rows], labels)
    return figure(
        [blobs, medians],
        f"Where is {algorithm} strong, and how surely?",
        x=names_axis(labels),
        y=ranks_axis(places, down=True, title="Rank in the resamples"),
        height=side(places, each=18),
    )


def stacked_frequencies(document: Mapping[str, Any], algorithm: str) -> Figure:
    """Show the share of all resamples with each rank, stacked by task; dotted lines mark the full-data ranks."""
    resampled = [entry for entry in entries(document) if entry["resampled"]]
    if not resampled:
        message = "no ranking of the document was resampled"
        raise ValueError(message)
    places = max(len(entry["algorithms"]) for entry in resampled)
    data: list[dict[str, Any]] = []
    lines = []
    total = 0
    for entry in resampled:
        row = next(a for a in entry["algorithms"] if a["name"] == algorithm)
        total += sum(row["rank_frequencies"])
    for index, entry in enumerate(resampled):
        row = next(a for a in entry["algorithms"] if a["name"] == algorithm)
        tone = QUALITATIVE[index % len(QUALITATIVE)]
        data.append(
            {
                "type": "bar",
                "name": label(entry),
                "x": list(range(1, len(row["rank_frequencies"]) + 1)),
                "y": [100 * count / total for count in row["rank_frequencies"]],
                "marker": {"color": tone, "pattern": {"shape": ["", "/", ".", "x"][(index // len(QUALITATIVE)) % 4]}},
                "hovertemplate": "%{fullData.name}: rank %{x} in %{y:.1f} % of all resamples<extra></extra>",
            }
        )
        lines.append(
            {
                "type": "line",
                "x0": row["rank"],
                "x1": row["rank"],
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": tone, "dash": "dot", "width": 1.5},
            }
        )
    return figure(
        data,
        f"Which ranks does {algorithm} take over the {_what(document)}?",
        x=ranks_axis(places, title="Rank", showgrid=False),
        y={"title": f"Percent of resamples, all {_what(document)}"},
        barmode="stack",
        shapes=lines,
        showlegend=True,
        height=380,
        legend={"orientation": "h", "y": -0.25} if len(resampled) > 8 else {},
    )


def dendrogram(across: Mapping[str, Any], method: str = "complete") -> Figure:
    """Show the tasks that rank the algorithms similarly, as a dendrogram.

    The height of a bracket is the distance at which tasks merge. Only ranks enter: tasks next to each other may differ
    widely in difficulty.

    Raises
    ------
    ValueError
        For fewer than three tasks.
    """
    if across["dendrograms"] is None:
        message = "a dendrogram needs more than two tasks"
        raise ValueError(message)
    tree = across["dendrograms"][method]
    data = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [(x - 5) / 10 for x in line["x"]],
            "y": line["y"],
            "line": {"color": NEUTRAL, "width": 2},
            "hovertemplate": "distance %{y:.3g}<extra></extra>",
        }
        for line in tree["lines"]
    ]
    return figure(
        data,
        f"Which tasks rank the algorithms alike? ({method} linkage)",
        x=names_axis(tree["order"]),
        y={"title": "Spearman’s footrule", "rangemode": "tozero"},
        height=380,
    )


def _diagonal(places: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [0, places - 1],
        "y": [1, places],
        "line": {"color": LINE, "dash": "dot", "width": 1},
        "hoverinfo": "skip",
    }


def _medians(medians: list[float], ranges: list[list[float]], names: list[str]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(len(medians))),
        "y": medians,
        "marker": {"symbol": "x-thin", "size": 9, "line": {"color": NEUTRAL, "width": 2}},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [high - median for median, (_, high) in zip(medians, ranges, strict=True)],
            "arrayminus": [median - low for median, (low, _) in zip(medians, ranges, strict=True)],
            "color": NEUTRAL,
            "thickness": 1.5,
            "width": 3,
        },
        "text": [
            f"{name}: median {rank_words(median)}, {interval_words(interval)}"
            for name, median, interval in zip(names, medians, ranges, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
