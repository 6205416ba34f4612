"""Figures of the values of single cases, from a document and the values it ranks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.figures.layout import GRID, Figure, figure, names_axis, number, percent, rank_words, ranks_axis, side
from evaluation.figures.markup import BREAK, bold
from evaluation.figures.palette import QUALITATIVE, colours, marks, scale
from evaluation.ranking.reading import Entry, names, select

Raw = Mapping[str, Any]
_FEW = 400
_LEGEND = 20


def dot_and_box_plot(document: Mapping[str, Any], raw: Raw) -> Figure:
    """Show every case as a dot next to a box of quartiles, best algorithm left.

    Parameters
    ----------
    document
        A ranking document.
    raw
        An entry of `evaluation.ranking.raw.raw_values`.

    Notes
    -----
    Dots are spread sideways only, by a fixed pattern, which makes the figure reproducible. `parallel_cases` follows a
    case across algorithms; this figure does not.
    """
    entry = _entry(document, raw)
    palette, order = colours(document), _columns(entry, raw)
    data: list[dict[str, Any]] = []
    spread = random.Random(1)  # noqa: S311  (decoration)
    jitter = [spread.uniform(-0.28, 0.28) for _ in raw["cases"]]
    for position, (name, column) in enumerate(order):
        values = [row[column] for row in raw["values"]]
        data.append(
            {
                "type": "box",
                "name": name,
                "x": [position] * len(values),
                "y": values,
                "boxpoints": False,
                "width": 0.7,
                "line": {"color": palette[name], "width": 1.5},
                "fillcolor": "rgba(128,128,128,0.12)",
                "hoverinfo": "y",
            }
        )
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": name,
                "x": [position + offset for offset in jitter],
                "y": values,
                "text": raw["cases"],
                "marker": {"color": palette[name], "size": 5 if len(values) <= _FEW else 3, "opacity": 0.55},
                "hovertemplate": "%{fullData.name}, case %{text}: %{y:.4g}<extra></extra>",
            }
        )
    return figure(
        data,
        f"What values does each algorithm reach? ({_what(raw)})",
        x=names_axis([name for name, _ in order], _labels(entry), title="Algorithm, with its rank"),
        y={"title": _value_title(raw)},
        height=460,
    )


def podium_plot(document: Mapping[str, Any], raw: Raw, *, seed: int = 1) -> Figure:
    """Show which algorithm is on which place of each case's podium, a line for every case.

    Ties within a case are broken at random here and nowhere else, so that no place is empty; the seed makes it the same
    every time. For few cases and algorithms; `ranking_heatmap` serves many.
    """
    entry = _entry(document, raw)
    palette, order = marks(document), _columns(entry, raw)
    places = len(order)
    shuffle = random.Random(seed)  # noqa: S311  (decoration)
    higher = raw["direction"] == "higher"
    dots: dict[str, tuple[list[float], list[float], list[str]]] = {name: ([], [], []) for name, _ in order}
    lines_x: list[float | None] = []
    lines_y: list[float | None] = []
    counts = {name: [0] * places for name, _ in order}
    for case, values in zip(raw["cases"], raw["values"], strict=True):
        standing = []
        for index, (name, column) in enumerate(order):
            value = values[column]
            if value is not None:
                standing.append((-value if higher else value, shuffle.random(), index, name, value))
        standing.sort()
        for podium, (_, _, index, name, value) in enumerate(standing):
            x = podium + (index + 1) / (places + 1)
            xs, ys, texts = dots[name]
            xs.append(x)
            ys.append(value)
            texts.append(case)
            counts[name][podium] += 1
            lines_x.append(x)
            lines_y.append(value)
        lines_x.append(None)
        lines_y.append(None)
    thin = {"color": "rgba(128,128,128,0.22)", "width": 1}
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": lines_x,
            "y": lines_y,
            "line": thin,
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]
    for index, (name, _) in enumerate(order):
        xs, ys, texts = dots[name]
        common = {"name": name, "legendgroup": name}
        data.append(
            {
                **common,
                "type": "scatter",
                "mode": "markers",
                "x": xs,
                "y": ys,
                "text": texts,
                "marker": {"color": palette[name].colour, "symbol": palette[name].symbol, "size": 5},
                "showlegend": True,
                "hovertemplate": "%{fullData.name}, case %{text}: %{y:.4g}<extra></extra>",
            }
        )
        data.append(
            {
                **common,
                "type": "bar",
                "x": [podium + (index + 1) / (places + 1) for podium in range(places)],
                "y": counts[name],
                "width": 0.9 / (places + 1),
                "marker": {"color": palette[name].colour},
                "yaxis": "y2",
                "showlegend": False,
                "hovertemplate": "%{fullData.name}: %{y} cases<extra></extra>",
            }
        )
    edges = [
        {"type": "line", "x0": edge, "x1": edge, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": GRID}}
        for edge in range(1, places)
    ]
    figure_ = figure(
        data,
        f"Who is on which place of the podium, case by case? ({_what(raw)})",
        x={
            "title": "Rank on the case",
            "tickmode": "array",
            "tickvals": [podium + 0.5 for podium in range(places)],
            "ticktext": [str(podium + 1) for podium in range(places)],
            "range": [0, places],
            "showgrid": False,
            "anchor": "y2",
        },
        y={"title": _value_title(raw), "domain": [0.3, 1]},
        height=580,
        showlegend=places <= _LEGEND,
        shapes=edges,
        bargap=0,
        barmode="overlay",
    )
    figure_["layout"]["yaxis2"] = {
        "title": {"text": "Cases"},
        "domain": [0, 0.24],
        "anchor": "x",
        "range": [0, len(raw["cases"])],
        "gridcolor": GRID,
    }
    return figure_


def ranking_heatmap(document: Mapping[str, Any], raw: Raw) -> Figure:
    """Show on how many cases each algorithm has each rank, ties sharing the better one; rank 1 on top."""
    entry = _entry(document, raw)
    order = _columns(entry, raw)
    places = len(raw["algorithms"])
    counts = [[0] * len(order) for _ in range(places)]
    for row in raw["ranks"]:
        for x, (_, column) in enumerate(order):
            if row[column] is not None:
                counts[int(row[column]) - 1][x] += 1
    cases = len(raw["cases"])
    cells = [[count or None for count in row] for row in counts]
    hover = [
        [
            f"{name}: rank {y + 1} on {counts[y][x]} of {cases} cases ({percent(counts[y][x] / cases)})"
            for x, (name, _) in enumerate(order)
        ]
        for y in range(places)
    ]
    heatmap = {
        "type": "heatmap",
        "x": list(range(len(order))),
        "y": list(range(1, places + 1)),
        "z": cells,
        "zmin": 0,
        "zmax": cases,
        "colorscale": scale(),
        "colorbar": {"title": {"text": "Cases"}, "outlinewidth": 0},
        "xgap": 1,
        "ygap": 1,
        "text": hover,
        "hovertemplate": "%{text}<extra></extra>",
    }
    if places <= 15:
        heatmap |= {"texttemplate": "%{z}"}
    return figure(
        [heatmap],
        f"How do the cases rank the algorithms? ({_what(raw)})",
        x=names_axis([name for name, _ in order], _labels(entry), title="Algorithm, with its rank"),
        y=ranks_axis(places, down=True, title="Rank on the case", showgrid=False),
        height=side(places),
    )


def parallel_cases(document: Mapping[str, Any], raw: Raw, *, highlight: int = 5) -> Figure:
    """Follow every case across the algorithms, those on which the algorithms differ most in colour."""
    entry = _entry(document, raw)
    order = _columns(entry, raw)
    spread = []
    for values in raw["values"]:
        present_values = [values[column] for _, column in order if values[column] is not None]
        spread.append(max(present_values) - min(present_values) if present_values else 0.0)
    loud = sorted(range(len(spread)), key=lambda index: (-spread[index], raw["cases"][index]))[:highlight]
    tones = dict(zip(loud, QUALITATIVE, strict=False))
    data = []
    for index in sorted(range(len(spread)), key=lambda index: index in tones):
        emphasised = index in tones
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers" if emphasised else "lines",
                "name": str(raw["cases"][index]),
                "x": list(range(len(order))),
                "y": [raw["values"][index][column] for _, column in order],
                "line": {
                    "color": tones.get(index, "rgba(128,128,128,0.25)"),
                    "width": 2 if emphasised else 1,
                },
                "showlegend": emphasised,
                "hovertemplate": "case %{fullData.name}: %{y:.4g}<extra></extra>",
            }
        )
    return figure(
        data,
        f"Which cases are hard, and for whom? ({_what(raw)})",
        x=names_axis([name for name, _ in order], _labels(entry), title="Algorithm, with its rank"),
        y={"title": _value_title(raw)},
        height=460,
        showlegend=True,
        legend={"title": {"text": "Cases that divide most"}},
    )


def _entry(document: Mapping[str, Any], raw: Raw) -> Entry:
    return select(document, metric=raw["metric"], region=raw["region"], task=raw["task"])


def _columns(entry: Entry, raw: Raw) -> list[tuple[str, int]]:
    """Algorithms in the order of the ranking, each with its column."""
    column = {name: index for index, name in enumerate(raw["algorithms"])}
    return [(name, column[name]) for name in names(entry)]


def _labels(entry: Entry) -> Sequence[str]:
    return [f"{a['name']}{BREAK}{bold(rank_words(a['rank']))}" for a in entry["algorithms"]]


def _value_title(raw: Raw) -> str:
    unit = f" in {raw['unit']}" if raw["unit"] else ""
    return f"{raw['metric']}{unit} ({raw['direction']} is better)"


def _what(raw: Raw) -> str:
    return ", ".join(str(raw[key]) for key in ("task", "metric", "region") if raw[key])


def summary_table(raw: Raw) -> list[dict[str, str]]:
    """Return median and quartiles of every algorithm as text: the spread next to every aggregate."""
    rows = []
    for column, name in enumerate(raw["algorithms"]):
        values = sorted(row[column] for row in raw["values"] if row[column] is not None)
        quartiles = [_quantile(values, share) for share in (0.25, 0.5, 0.75)] if values else [None] * 3
        rows.append(
            {"name": name, "median": number(quartiles[1]), "iqr": f"{number(quartiles[0])}–{number(quartiles[2])}"}
        )
    return rows


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = (len(ordered) - 1) * share
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)
