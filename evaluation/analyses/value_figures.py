"""Figures of the values of single cases, and the cases on which the field did worst."""

from collections.abc import Mapping
from typing import Any

from evaluation import figures
from evaluation.analyses.sources import Figure, Order, Sources
from evaluation.figures.cases import case_map

MOST_DOTS = 30_000
"""A figure with more single values than this is heavier than a browser likes."""
MOST_LINES = 5_000


def _of_values(figure: Figure, order: Order) -> Figure:
    """Call the metric on the axis and on the bar of colours as the table does."""
    layout = figure["layout"]
    bars = [trace["colorbar"] for trace in figure["data"] if "colorbar" in trace]
    for part in (layout["yaxis"], *bars):
        title = part.get("title")
        if title and title["text"].split(" ")[0] == order["metric"]:
            title["text"] = " ".join([order["title"], *title["text"].split(" ")[1:]])
    return figure


def dots(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Every case as a dot."""
    raw = sources.raw_of(order, most=MOST_DOTS)
    return _of_values(figures.dot_and_box_plot(sources.document, raw), order) if raw else None


def podium(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the ranks of the teams on each case."""
    raw = sources.raw_of(order, most=MOST_LINES)
    return _of_values(figures.podium_plot(sources.document, raw), order) if raw else None


def parallel(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Every case followed across the teams."""
    raw = sources.raw_of(order, most=MOST_LINES)
    return _of_values(figures.parallel_cases(sources.document, raw), order) if raw else None


def case_ranks(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """On how many cases each team has each rank."""
    raw = sources.raw_of(order, most=MOST_DOTS)
    return figures.ranking_heatmap(sources.document, raw) if raw else None


def hard_cases(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Every value as a cell."""
    raw = sources.raw_of(order, most=MOST_DOTS)
    return _of_values(case_map(sources.document, raw), order) if raw else None
