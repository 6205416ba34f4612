"""Figures of significant differences between algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import LINE, Figure, figure, names_axis, rank_words, side
from evaluation.figures.markup import BREAK, bold
from evaluation.figures.palette import BETTER, NEUTRAL, QUIET
from evaluation.ranking.names_of_tests import own_test, test_of_pairs
from evaluation.ranking.reading import entries, label, names, select

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


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

    Both axes run in the order of the ranking, the best at the left and on top. A clear ranking fills the triangle
    below the diagonal. The map does not depend on the bootstrap. Without a metric the first ranking is shown.

    Parameters
    ----------
    document, metric, region, task, name
        Which ranking; see `evaluation.ranking.reading.select`.
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
    places = range(len(entry["algorithms"]))
    return _map(
        entry,
        better=[[_is_below(p_values[winner][loser], alpha) for loser in places] for winner in places],
        words=lambda winner, loser: _words(entry, p_values, winner, loser, adjusted=adjusted),
        title="Who is significantly better than whom?",
        legend=(
            f"significantly better (Wilcoxon, p ≤ {alpha:g} {'after Holm' if adjusted else 'unadjusted'})",
            "not significantly better",
        ),
    )


def better_map(document: Mapping[str, Any], **which: str | None) -> Figure:
    """Show for every two algorithms whether the ranking's own statistic shows one of them to be better.

    All cells hold together: the comparisons are those behind the rank sets and letters. A cross marks a cell where
    Wilcoxon's signed rank test finds the lower ranked algorithm significantly better, so that the two contradict.

    Parameters
    ----------
    document, which
        Which ranking; see `evaluation.ranking.reading.select`.

    Raises
    ------
    LookupError
        If there is no such ranking.
    ValueError
        If pairs cannot be compared, or are too many to be listed.
    """
    entry = select(document, **which)
    better, p_own = entry["shown_better"], entry["p_own"]
    if better is None or p_own is None or entry["sets"]["reason"] is not None:
        message = f"the ranking {label(entry)} compares no pairs"
        raise ValueError(message)
    algorithm_names = names(entry)

    def words(winner: int, loser: int) -> str:
        if winner == loser:
            return algorithm_names[winner]
        p_value = p_own[winner][loser]
        p_words = "" if p_value is None else f" ({own_test(entry)}, p = {p_value:.2g} unadjusted)"
        verb = "shown to be better than" if better[winner][loser] else "not shown to be better than"
        return f"{algorithm_names[winner]} {verb} {algorithm_names[loser]}{p_words}"

    return _map(
        entry,
        better=better,
        words=words,
        title="Who is shown to be better than whom?",
        legend=("shown to be better", "not shown to be better"),
    )


def _map(
    entry: Mapping[str, Any],
    *,
    better: Sequence[Sequence[bool]],
    words: Callable[[int, int], str],
    title: str,
    legend: tuple[str, str],
) -> Figure:
    """A cell for every two algorithms, the candidate winner on the x axis, with crosses where test and ranking disagree."""
    algorithms = entry["algorithms"]
    places = len(algorithms)
    heatmap = {
        "type": "heatmap",
        "x": list(range(places)),
        "y": list(range(places)),
        "z": [
            [None if winner == loser else int(better[winner][loser]) for winner in range(places)]
            for loser in range(places)
        ],
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, QUIET], [0.5, QUIET], [0.5, BETTER], [1, BETTER]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "text": [[words(winner, loser) for winner in range(places)] for loser in range(places)],
        "hovertemplate": "%{text}<extra></extra>",
    }
    keys = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": meaning,
            "x": [None],
            "y": [None],
            "marker": {"color": colour, "symbol": "square", "size": 12},
            "showlegend": True,
        }
        for meaning, colour in zip(legend, (BETTER, QUIET), strict=True)
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
        [heatmap, diagonal, *keys, *_crosses(entry)],
        title,
        x=names_axis(names(entry), labels, title="Better algorithm, with its rank"),
        # The first stands on top, as in every figure.
        y=names_axis(names(entry), title="Worse algorithm", tickangle=0, range=[places - 0.4, -0.6]),
        height=side(places),
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )


def _crosses(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Marks where Wilcoxon's test contradicts the order; none where it never does."""
    # Here, since the sentences import how figures write ranges and numbers.
    from evaluation.claims.resamples import crosses

    pairs = crosses(entry)
    if not pairs:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "Wilcoxon’s test contradicts the order",
            "x": [low for low, _, _ in pairs],
            "y": [high for _, high, _ in pairs],
            "marker": {"color": NEUTRAL, "symbol": "x", "size": 11, "line": {"color": "#ffffff", "width": 1}},
            "text": [why for _, _, why in pairs],
            "hovertemplate": "%{text}<extra></extra>",
            "showlegend": True,
        }
    ]


def _is_below(p_value: float | None, alpha: float) -> bool:
    return p_value is not None and p_value <= alpha


def _words(entry: Mapping[str, Any], p_values: Any, winner: int, loser: int, *, adjusted: bool) -> str:
    algorithms = entry["algorithms"]
    if winner == loser:
        return str(algorithms[winner]["name"])
    value = p_values[winner][loser]
    p_text = "undefined" if value is None else f"{value:.2g}"
    how = "adjusted by Holm’s method" if adjusted else "unadjusted"
    return f"{algorithms[winner]['name']} better than {algorithms[loser]['name']}: {test_of_pairs(entry)}, p = {p_text} {how}"
