"""Metrics against each other, withholding against honesty, one algorithm against the field."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from evaluation import problems
from evaluation.catalogue import get
from evaluation.figures.layout import LINE, Figure, axis, figure, names_axis, number, rank_words, ranks_axis, side
from evaluation.figures.palette import BETTER, NEUTRAL, QUALITATIVE, marks
from evaluation.ranking.reading import entries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment, MetricUse

DIVERGING: Final = [[0.0, QUALITATIVE[3]], [0.5, "#f0ede6"], [1.0, QUALITATIVE[0]]]
"""Diverging scale from brick over neutral to blue.

Its ends can be distinguished under every colour vision, and lightness shows the distance from the middle.
"""
DETECTION, SEGMENTATION, CLASSIFICATION = "detection", "segmentation", "classification"
_OUTLINES: Final = frozenset({"overlap", "boundary"})
_FOUND: Final = frozenset({"detection_quality", "recognition_quality"})
_OUTLINED: Final = frozenset({"segmentation_quality"})
_BOTH: Final = frozenset({"panoptic_quality"})


def tau_map(comparison: Mapping[str, Any]) -> Figure:
    """Show the agreement of every two rankings by Kendall's τ-b: do two metrics agree?

    Parameters
    ----------
    comparison
        Result of `evaluation.ranking.comparison.across_rankings`.
    """
    labels = comparison["labels"]
    values = comparison["tau"]
    heatmap = {
        "type": "heatmap",
        "x": list(range(len(labels))),
        "y": list(range(len(labels))),
        "z": values,
        "zmin": -1,
        "zmax": 1,
        "colorscale": DIVERGING,
        "colorbar": {"title": {"text": "τ"}, "outlinewidth": 0},
        "text": [
            [f"{first} and {second}: τ = {number(value, 2)}" for second, value in zip(labels, row, strict=True)]
            for first, row in zip(labels, values, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "xgap": 1,
        "ygap": 1,
    }
    places = {"tickmode": "array", "tickvals": list(range(len(labels))), "ticktext": labels, "showgrid": False}
    return figure(
        [heatmap],
        "Which metrics say the same?",
        x=names_axis(labels),
        y={**places, "range": [len(labels) - 0.4, -0.6]},
        height=side(len(labels), smallest=360, each=26, around=220),
    )


def kind_of(metric: MetricUse, problem: str) -> str | None:
    """Return the single part of a task that a metric assesses: finding, outlining or naming objects.

    Returns
    -------
    str or None
        ``None`` for a metric that mixes these parts, or a task that has only one part.
    """
    if not problems.get(problem).metrics.rates_objects or metric.id in _BOTH or metric.id == "value":
        return None
    if metric.id in _FOUND or "localization_criterion" in metric.options:
        return DETECTION
    if metric.id in _OUTLINED or get(metric.id).family in _OUTLINES:
        return SEGMENTATION
    return CLASSIFICATION if get(metric.id).family in ("multi_class_counting", "multi_threshold") else DETECTION


def disentangled(document: Mapping[str, Any], assessment: Assessment) -> Figure | None:
    """Show scores for finding, outlining and naming objects against each other, one panel per pair.

    One number for all parts cannot distinguish a weak detector from a weak outline; this figure separates them.

    Returns
    -------
    dict or None
        ``None`` unless the assessment has metrics for at least two of the parts.
    """
    chosen: dict[str, Mapping[str, Any]] = {}
    for entry in entries(document):
        kind = kind_of(assessment.metric(entry["metric"]), assessment.problem)
        if kind is not None and kind not in chosen:
            chosen[kind] = entry
    pairs = list(combinations([kind for kind in (DETECTION, SEGMENTATION, CLASSIFICATION) if kind in chosen], 2))
    if not pairs:
        return None
    palette = marks(document)
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    width = 1.0 / len(pairs)
    for index, (first, second) in enumerate(pairs):
        suffix = "" if index == 0 else str(index + 1)
        domain = [index * width + (0.08 if index else 0.0), (index + 1) * width]
        axes[f"xaxis{suffix}"] = axis(_score_title(first, chosen[first]), domain=domain) | _better_end(chosen[first])
        anchor = {"anchor": f"x{suffix}"}
        axes[f"yaxis{suffix}"] = axis(_score_title(second, chosen[second]), **anchor) | _better_end(chosen[second])
        across, up = (_scores(chosen[kind]) for kind in (first, second))
        shared = [name for name in across if name in up]
        data.append(
            {
                "type": "scatter",
                "mode": "markers+text" if len(shared) <= 20 else "markers",
                "x": [across[name] for name in shared],
                "y": [up[name] for name in shared],
                "xaxis": f"x{suffix}",
                "yaxis": f"y{suffix}",
                "text": shared,
                "textposition": "top center",
                "textfont": {"size": 10},
                "marker": {
                    "size": 11,
                    "color": [palette[name].colour for name in shared],
                    "symbol": [palette[name].symbol for name in shared],
                },
                "customdata": [
                    f"{name}: {first} {number(across[name])}, {second} {number(up[name])}" for name in shared
                ],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        )
    plot = figure(data, "Who finds, who outlines, who names?", x={}, y={}, height=480)
    plot["layout"] |= axes
    return plot


def withholding_plot(check: Mapping[str, Any]) -> Figure:
    """Show each algorithm's rank, and the best one that withholding its worst cases would have brought.

    Parameters
    ----------
    check
        An entry of `evaluation.ranking.gaming.gaming_check`.
    """
    rows = list(reversed(check["algorithms"]))
    places = list(range(len(rows)))
    best = {
        key: [min(rows[position]["attempts"], key=lambda attempt: attempt[key]) for position in places]
        for key in ("rank_registered", "rank_ignored")
    }
    lines = {
        "type": "scatter",
        "mode": "lines",
        "x": [
            x
            for position in places
            for x in (rows[position]["rank"], best["rank_ignored"][position]["rank_ignored"], None)
        ],
        "y": [y for position in places for y in (position, position, None)],
        "line": {"color": LINE, "width": 2},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    series = (
        ("registered rule, nothing withheld", [row["rank"] for row in rows], NEUTRAL, "circle"),
        (
            "registered rule, worst cases withheld",
            [attempt["rank_registered"] for attempt in best["rank_registered"]],
            QUALITATIVE[0],
            "line-ns-open",
        ),
        (
            "if missing cases were ignored",
            [attempt["rank_ignored"] for attempt in best["rank_ignored"]],
            BETTER,
            "diamond-open",
        ),
    )
    dots = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": title,
            "x": values,
            "y": places,
            "marker": {"color": colour, "size": 11, "symbol": symbol, "line": {"width": 2, "color": colour}},
            "text": [
                f"{row['name']}, {title}: rank {rank_words(value)}" for row, value in zip(rows, values, strict=True)
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for title, values, colour, symbol in series
    ]
    return figure(
        [lines, *dots],
        "Would withholding bad cases have paid?",
        x=ranks_axis(len(rows), title="Rank (1 is first)"),
        y={
            "tickmode": "array",
            "tickvals": places,
            "ticktext": [row["name"] for row in rows],
            "range": [-0.6, len(rows) - 0.4],
        },
        height=side(len(rows), smallest=320, each=24, around=190),
        showlegend=True,
        legend={"orientation": "h", "y": -0.2},
    )


def relative_strengths(analysis: Mapping[str, Any]) -> Figure:
    """Show where each algorithm does better or worse than the field does on the same cases.

    Parameters
    ----------
    analysis
        From `evaluation.ranking.relative.relative_strengths`.
    """
    teams, characteristics, values = analysis["algorithms"], analysis["characteristics"], analysis["correlation"]
    heatmap = {
        "type": "heatmap",
        "x": list(range(len(characteristics))),
        "y": list(range(len(teams))),
        "z": values,
        "zmin": -1,
        "zmax": 1,
        "colorscale": DIVERGING,
        "colorbar": {"title": {"text": "ρ"}, "outlinewidth": 0},
        "text": [
            [_relative_words(team, what, value) for what, value in zip(characteristics, row, strict=True)]
            for team, row in zip(teams, values, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "xgap": 1,
        "ygap": 1,
    }
    return figure(
        [heatmap],
        "Where is each algorithm better than the field?",
        x=names_axis(characteristics, title="Characteristic of the case", tickangle=-35),
        y={
            "tickmode": "array",
            "tickvals": list(range(len(teams))),
            "ticktext": teams,
            "range": [len(teams) - 0.4, -0.6],
            "showgrid": False,
        },
        height=side(len(teams), smallest=320, each=22, around=200),
    )


def _relative_words(team: str, characteristic: str, value: float | None) -> str:
    if value is None:
        return f"{team}, {characteristic}: not defined"
    side_words = "better" if value > 0 else "worse"
    return f"{team}: {side_words} than the field where {characteristic} is high (ρ = {number(value, 2)})"


def _scores(entry: Mapping[str, Any]) -> dict[str, float]:
    return {row["name"]: row["score"] for row in entry["algorithms"] if row["score"] is not None}


def _score_title(kind: str, entry: Mapping[str, Any]) -> str:
    region = f", {entry['region']}" if entry["region"] else ""
    return f"{kind.capitalize()}: {entry['metric']}{region}"


def _better_end(entry: Mapping[str, Any]) -> dict[str, Sequence[Any] | str]:
    """Return axis settings that put the better end at the right or top, for either metric direction."""
    return {"autorange": "reversed"} if entry["score_direction"] == "lower" else {}
