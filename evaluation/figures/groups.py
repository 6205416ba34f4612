"""Do the ranks hold in every group of cases, and in which group is each algorithm at its worst?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.figures.layout import LINE, Figure, axis, figure, interval_words, number, rank_words, side
from evaluation.figures.markup import BREAK
from evaluation.figures.palette import BETTER, NEUTRAL, QUALITATIVE, colours
from evaluation.ranking.reading import names, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.ranking.reading import Entry

_GAP: Final = 0.02
_WORST: Final = QUALITATIVE[3]


def small_multiples(
    document: Mapping[str, Any],
    groups: Mapping[str, Mapping[str, Any]],
    *,
    characteristic: str,
    **selection: str | None,
) -> Figure:
    """Show the rank of every algorithm with its interval, one panel a group, algorithms in the order of all cases.

    Parameters
    ----------
    document
        Ranking of all cases.
    groups
        Ranking document of every group of cases, by what the group is called.
    characteristic
        By what the cases are grouped.
    **selection
        Which ranking, as for `evaluation.ranking.reading.select`.
    """
    order = names(select(document, **selection))
    positions = {name: index for index, name in enumerate(reversed(order))}
    palette = colours(document)
    count = len(groups)
    width = (1.0 - _GAP * (count - 1)) / count
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    for index, (label, ranked) in enumerate(groups.items()):
        entry = select(ranked, **selection)
        rows = [row for row in entry["algorithms"] if row["name"] in positions]
        suffix = "" if index == 0 else str(index + 1)
        start = index * (width + _GAP)
        axes[f"xaxis{suffix}"] = axis(
            domain=[start, min(start + width, 1.0)],
            range=[0.4, len(order) + 0.6],
            tickmode="array",
            tickvals=_few_ranks(len(order)),
            anchor="y",
        ) | {
            "title": {"text": f"{label.replace(' (', f'{BREAK}(')}{BREAK}{entry['cases']} cases", "font": {"size": 11}}
        }
        data.append(_panel(rows, positions, palette, label, suffix))
    plot = figure(
        data,
        f"Do the ranks hold in every group? {characteristic}",
        x={},
        y={
            "tickmode": "array",
            "tickvals": list(positions.values()),
            "ticktext": list(positions),
            "range": [-0.6, len(order) - 0.4],
            "title": f"Groups by {characteristic}",
        },
        height=side(len(order), smallest=300, each=22, around=170),
    )
    plot["layout"] |= axes
    return plot


def worst_groups(
    document: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]], **selection: str | None
) -> Figure | None:
    """Show for every algorithm its score on all cases, and on its worst and best groups.

    Parameters
    ----------
    document, groups, **selection
        As for `small_multiples`; groups of several characteristics can be combined.

    Returns
    -------
    dict or None
        ``None`` if a group has no score.
    """
    entry = select(document, **selection)
    higher = entry["score_direction"] == "higher"
    scores = {
        label: {row["name"]: row["score"] for row in select(ranked, **selection)["algorithms"]}
        for label, ranked in groups.items()
    }
    rows = []
    for row in entry["algorithms"]:
        group_scores = [
            (by_name[row["name"]], label) for label, by_name in scores.items() if by_name.get(row["name"]) is not None
        ]
        if row["score"] is None or not group_scores:
            return None
        low, high = min(group_scores), max(group_scores)
        rows.append((row["name"], row["score"], low if higher else high, high if higher else low))
    rows.sort(key=lambda row: row[2][0], reverse=not higher)
    places = list(range(len(rows)))
    unit = f" in {entry['unit']}" if entry.get("unit") else ""
    lines = {
        "type": "scatter",
        "mode": "lines",
        "x": [x for _, _, worst, best in rows for x in (worst[0], best[0], None)],
        "y": [y for position in places for y in (position, position, None)],
        "line": {"color": LINE, "width": 2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    dots = [
        _dots("worst group", [row[2] for row in rows], places, _WORST, "square"),
        _dots("all cases", [(row[1], "all cases") for row in rows], places, NEUTRAL, "line-ns-open"),
        _dots("best group", [row[3] for row in rows], places, BETTER, "circle"),
    ]
    return figure(
        [lines, *dots],
        "In which group is each algorithm at its worst?",
        x={"title": f"Score{unit} ({entry['score_direction']} is better)"},
        y={
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [row[0] for row in rows],
            "range": [-0.6, len(rows) - 0.4],
            "title": "Algorithm, the one with the best worst group at the top",
        },
        height=side(len(rows), smallest=300, each=24, around=170),
        showlegend=True,
    )


def _panel(
    rows: Sequence[Entry], positions: Mapping[str, int], palette: Mapping[str, str], label: str, suffix: str
) -> dict[str, Any]:
    low = [0 if row["rank_interval"] is None else row["rank"] - row["rank_interval"][0] for row in rows]
    high = [0 if row["rank_interval"] is None else row["rank_interval"][1] - row["rank"] for row in rows]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": label,
        "x": [row["rank"] for row in rows],
        "y": [positions[row["name"]] for row in rows],
        "xaxis": f"x{suffix}",
        "yaxis": "y",
        "marker": {"size": 9, "color": [palette[row["name"]] for row in rows]},
        # Around a rank that the resamples do not favour the interval may lie on one side alone.
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [max(0, width) for width in high],
            "arrayminus": [max(0, width) for width in low],
            "color": LINE,
            "thickness": 1.5,
            "width": 3,
        },
        "text": [
            f"{row['name']}, {label}: rank {rank_words(row['rank'])} ({interval_words(row['rank_interval'])}), "
            f"score {number(row['score'])}"
            for row in rows
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _dots(
    title: str, points: Sequence[tuple[float, str]], places: Sequence[int], colour: str, symbol: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "x": [value for value, _ in points],
        "y": list(places),
        "marker": {"color": colour, "size": 11, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "text": [f"{title}: {number(value)} ({label})" for value, label in points],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _few_ranks(highest: int) -> list[int]:
    """A few round ranks: a panel is narrow."""
    step = max(1, -(-highest // 4))
    return [1, *range(1 + step, highest + 1, step)]
