"""Figures of the order: how stable it is, who is better than whom, and what it would be by other schemes, metrics or references."""

import math
from collections.abc import Mapping
from typing import Any

from evaluation import figures
from evaluation.analyses.case_groups import is_of
from evaluation.analyses.sources import Figure, Order, Sources, readable, selection, titled
from evaluation.figures.palette import BETTER, sequence
from evaluation.ranking.comparison import across_rankings, compare_documents
from evaluation.ranking.reading import label, overall

MERGED = "merged"
"""Name of the references used by the ranking itself, in contrast to those of single annotators."""
MOST_TEAMS_FOLLOWED = 40
MOST_DAYS_LABELLED = 8


def blob(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Draw the stability of each rank."""
    return figures.blob_plot(sources.document, **selection(order)) if entry["resampled"] else None


def significance(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Draw the pairs of teams with a significant difference."""
    return figures.significance_map(sources.document, **selection(order)) if entry.get("p_values") else None


def differences(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Draw the difference of each team from the leader, with its interval."""
    if not any(algorithm.get("difference_from_first") for algorithm in entry["algorithms"]):
        return None
    return figures.difference_forest(sources.document, unit=order["unit"], **selection(order))


def better(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Draw the pairs with a significantly better team.

    All pairs are tested together, by the statistic that ranks.
    """
    if entry["shown_better"] is None or entry["p_own"] is None or entry["sets"]["reason"] is not None:
        return None
    return figures.better_map(sources.document, **selection(order))


def schemes(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Ranks under other schemes."""
    comparison = sources.scheme_comparison(order)
    return figures.line_plot(sources.document, comparison) if comparison and len(comparison["labels"]) > 1 else None


def annotators(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Ranks under the references of each annotator."""
    if not sources.annotated:
        return None
    deciding = sources.deciding_annotator
    others = {name: document for name, document in sources.annotated.items() if name != deciding}
    comparisons = compare_documents({deciding or MERGED: sources.document} | others)
    comparison = next((one for one in comparisons if is_of(one, order)), None)
    return None if comparison is None else figures.line_plot(sources.document, comparison, by="annotator")


def agreement(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the variation of the whole order between resamples, for every metric and region."""
    enough = figures.with_order(sources.document)
    defined = any(e["kendall_tau"] and e["kendall_tau"]["median"] is not None for e in enough["rankings"])
    if order["metric"] is not None or not defined:
        return None
    figure = figures.violin_plot(enough)
    axis = figure["layout"]["xaxis"]
    axis["ticktext"] = [readable(label, sources.assessment) for label in axis["ticktext"]]
    return figure


def left_out(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """For how many cases leaving out a single one changes who is first, for every ranking of the document."""
    entries = [*overall(sources.document), *sources.document["rankings"]]
    leave_one_outs = [(one, one["leave_one_out"]) for one in entries if one["resampled"] and one.get("leave_one_out")]
    if not leave_one_outs:
        return None
    cases = max(one["cases"] for one, _ in leave_one_outs)
    changes = [len(leave_one_out["changed_by"]) for _, leave_one_out in leave_one_outs]
    return figures.layout.figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "x": changes,
                "y": list(range(len(leave_one_outs))),
                "marker": {"color": BETTER},
                "text": [
                    f"{number} of {one['cases']}" for (one, _), number in zip(leave_one_outs, changes, strict=True)
                ],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": "%{text} cases<extra></extra>",
            }
        ],
        "Does a single case decide who is first?",
        x={"title": "Cases that decide the first place alone", "range": [0, 1.1 * max(*changes, cases / 4)]},
        y={
            "tickmode": "array",
            "tickvals": list(range(len(leave_one_outs))),
            "ticktext": [readable(label(one), sources.assessment) for one, _ in leave_one_outs],
            "range": [len(leave_one_outs) - 0.4, -0.6],
            "showgrid": False,
        },
        height=figures.layout.side(len(leave_one_outs), smallest=200, around=110),
    )


def metrics(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Ranks by each metric and region."""
    comparison = across_rankings(sources.document) if order["metric"] is None else None
    if comparison is None:
        return None
    return figures.line_plot(sources.document, titled(comparison, sources.assessment), by="metric")


def over_time(standings: list[tuple[str, Mapping[str, Any]]]) -> Figure:
    """Follow each team's rank through successive rankings, the oldest first.

    The horizontal axis has one step per ranking, and a label where the day changes: several rankings of one day
    would overlap on an axis of time.

    Parameters
    ----------
    standings
        Day from which it was current (ISO 8601) and stored table of each ranking.
    """
    last = standings[-1][1]
    ranks = dict(zip(last["teams"], last["orders"][0]["rank"], strict=True))
    teams = sorted(ranks, key=lambda team: (ranks[team] is None, ranks[team], team))[:MOST_TEAMS_FOLLOWED]
    places = [dict(zip(table["teams"], table["orders"][0]["rank"], strict=True)) for _, table in standings]
    palette = dict(zip(teams, sequence(len(teams)), strict=True))
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": team,
            "x": list(range(1, len(standings) + 1)),
            "customdata": [day for day, _ in standings],
            "y": [rank_by_team.get(team) for rank_by_team in places],
            "line": {"shape": "hv", "width": 2, "color": palette[team].colour, "dash": palette[team].dash},
            "marker": {"size": 6, "color": palette[team].colour, "symbol": palette[team].symbol},
            "hovertemplate": "%{fullData.name}: rank %{y} from %{customdata}<extra></extra>",
        }
        for team in teams
    ]
    changes = [at for at, (day, _) in enumerate(standings) if at == 0 or day != standings[at - 1][0]]
    labelled = changes[:: math.ceil(len(changes) / MOST_DAYS_LABELLED)]
    most = max(rank for rank_by_team in places for rank in rank_by_team.values() if rank is not None)
    layout = {
        "xaxis": {
            "title": {"text": "Ranking, with the day (UTC) from which it was current"},
            "automargin": True,
            "tickmode": "array",
            "tickvals": [at + 1 for at in labelled],
            "ticktext": [standings[at][0] for at in labelled],
            "range": [0.5, len(standings) + 0.5],
        },
        "yaxis": {
            "title": {"text": "Rank"},
            "range": [most + 0.6, 0.4],
            "automargin": True,
            "dtick": 1 if most <= 20 else 5,
        },
        "showlegend": True,
        "hovermode": "closest",
        "height": max(360, min(900, 140 + 24 * int(most))),
    }
    return {"data": data, "layout": layout}
