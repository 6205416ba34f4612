"""Who is significantly better than whom?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import LINE, Figure, figure, names_axis, rank_words, side
from evaluation.figures.markup import BREAK, bold
from evaluation.figures.palette import BETTER, NOT_BETTER
from evaluation.figures.selection import entries, label, names, select

if TYPE_CHECKING:
    from collections.abc import Mapping


def significance_map(
    document: Mapping[str, Any],
    *,
    metric: str | None = None,
    region: str | None = None,
    task: str | None = None,
    name: str | None = None,
    adjusted: bool = True,
) -> Figure:
    """Show every comparison of two algorithms: is the one on the x axis better than the one on the y axis?

    Both axes run in the order of the ranking, the best at the left and at the bottom. A clear ranking fills the
    triangle above the diagonal. The map does not depend on the bootstrap. Without a metric the first ranking is shown.

    Parameters
    ----------
    document, metric, region, task, name
        Which ranking; see `evaluation.figures.selection.select`.
    adjusted
        Whether p-values are adjusted for the number of comparisons by Holm's method.

    Raises
    ------
    LookupError
        If there is no such ranking.
    ValueError
        If its values cannot be tested, as for metrics over the whole data set.
    """
    first = entries(document)[0]["metric"] if metric is None and region is None else metric
    entry = select(document, metric=first, region=region, task=task, name=name)
    if entry["p_values"] is None:
        message = f"the ranking {label(entry)} has no tests"
        raise ValueError(message)
    p_values = entry["p_adjusted" if adjusted else "p_values"]
    alpha = entry["tests"]["alpha"]
    algorithms = entry["algorithms"]
    places = len(algorithms)
    grid: list[list[int | None]] = [
        [None if winner == loser else int(_is_below(p_values[winner][loser], alpha)) for winner in range(places)]
        for loser in range(places)
    ]
    hover = [
        [_words(algorithms, p_values, winner, loser, adjusted=adjusted) for winner in range(places)]
        for loser in range(places)
    ]
    heatmap = {
        "type": "heatmap",
        "x": list(range(places)),
        "y": list(range(places)),
        "z": grid,
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, NOT_BETTER], [0.5, NOT_BETTER], [0.5, BETTER], [1, BETTER]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "text": hover,
        "hovertemplate": "%{text}<extra></extra>",
    }
    legend = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": words,
            "x": [None],
            "y": [None],
            "marker": {"color": colour, "symbol": "square", "size": 12},
            "showlegend": True,
        }
        for words, colour in (
            (f"significantly better (p ≤ {alpha:g})", BETTER),
            ("not significantly better", NOT_BETTER),
        )
    ]
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [-0.5, places - 0.5],
        "y": [-0.5, places - 0.5],
        "line": {"color": LINE, "width": 1},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    labels = [f"{a['name']}{BREAK}{bold(rank_words(a['rank']))}" for a in algorithms]
    return figure(
        [heatmap, diagonal, *legend],
        "Who is significantly better than whom?",
        x=names_axis(names(entry), labels, title="Better algorithm, with its rank"),
        y=names_axis(names(entry), title="Worse algorithm", tickangle=0),
        height=side(places),
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )


def _is_below(p_value: float | None, alpha: float) -> bool:
    return p_value is not None and p_value <= alpha


def _words(algorithms: Any, p_values: Any, winner: int, loser: int, *, adjusted: bool) -> str:
    if winner == loser:
        return str(algorithms[winner]["name"])
    value = p_values[winner][loser]
    kind = "p (Holm)" if adjusted else "p"
    shown = "undefined" if value is None else f"{value:.2g}"
    return f"{algorithms[winner]['name']} better than {algorithms[loser]['name']}: {kind} = {shown}"
