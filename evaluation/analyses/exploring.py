"""Figures that look behind a ranking: groups of cases, what makes cases hard, withholding, and what the metrics share."""

from collections.abc import Mapping
from statistics import median
from typing import Any

import pandas as pd

from evaluation import figures
from evaluation.analyses.case_groups import MOST_CHARACTERISTICS, beyond_words
from evaluation.analyses.difficulty import FEWEST_CASES, MOST_ROWS, hits_of, values_of
from evaluation.analyses.sources import (
    Figure,
    Order,
    Sources,
    place_of,
    readable,
    selection,
    titled,
)
from evaluation.assessment.model import Assessment
from evaluation.claims.sections import GROUPS_ARE_EXPLORATORY
from evaluation.figures import contrasts, groups
from evaluation.figures.cases import hardest_first
from evaluation.ranking import ResultsError
from evaluation.ranking.characteristics import indicator_columns
from evaluation.ranking.comparison import across_rankings
from evaluation.ranking.mixed_model import NoFitError
from evaluation.ranking.reading import Entry
from evaluation.ranking.relative import relative_strengths
from evaluation.ranking.tasks import across_tasks

MOST_ALONG = 24
"""Maximum number of characteristics, or values of names, shown side by side."""
HARDEST = 10
"""Number of hardest cases that are listed."""


def group_ranks(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Ranks in the groups of the characteristic that the order of the teams depends on most."""
    groupings = sources.subgroups
    if not groupings:
        return None
    grouping = max(groupings, key=lambda one: one.change(order))
    first = {label: grouping.documents[label] for label in grouping.shown_first(order)}
    figure = groups.small_multiples(sources.document, first, characteristic=grouping.title, **selection(order))
    remarks = [f"{len(groupings)} characteristics were looked at; this is the one with the largest change"] * (
        len(groupings) > 1
    )
    if len(groupings) == MOST_CHARACTERISTICS and (beyond := beyond_words(sources.known)):
        remarks.append(beyond)
    remarks += [sentence.rstrip(".") for sentence in (*grouping.folded, *grouping.left_out, *grouping.problems)]
    remarks.append(GROUPS_ARE_EXPLORATORY.first(None).rstrip("."))
    return _with_remarks(figure, remarks)


def worst_group(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """The worst group of every team, over all characteristics."""
    if not order["metric"] or not sources.subgroups:
        return None
    every = {
        f"{one.title}: {label}": document for one in sources.subgroups for label, document in one.documents.items()
    }
    figure = groups.worst_groups(sources.document, every, **selection(order))
    if figure is not None:
        # Along a short axis its title would be cut; the sentence above the figure says it.
        figure["layout"]["yaxis"].pop("title", None)
        return _with_remarks(figure, [*figure.get("remarks", ()), GROUPS_ARE_EXPLORATORY.first(None).rstrip(".")])
    return figure


def metric_tau(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the similarity of the rankings of single metrics and regions."""
    comparison = across_rankings(sources.document)
    return None if comparison is None else contrasts.tau_map(titled(comparison, sources.assessment))


def disentangled(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Finding, outlining and naming against each other."""
    return contrasts.disentangled(sources.document, sources.assessment)


def withholding(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the effect of withholding the worst cases."""
    if not order["metric"] or not sources.is_first_ranking(order):
        return None
    check = sources.withholding.get(place_of(order))
    return None if check is None else contrasts.withholding_plot(check)


def hardness(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the effects of case characteristics on difficulty.

    The effects are from a mixed model of all teams' values, or of their hits.
    """
    raw = sources.raw_of(order, most=MOST_ROWS)
    data = values_of(raw) if raw is not None else _hits(sources, order)
    if data is None:
        return None
    try:
        analysis, left_out = sources.difficulty.analysis(data)
    except NoFitError:  # effects that cannot be estimated are no picture
        return None
    remarks = [analysis["all"]["model"], analysis["looked_at"], *left_out, *analysis["all"]["warnings"]]
    return _with_remarks(figures.forest_plot(analysis), remarks)


def _hits(sources: Sources, order: Order) -> pd.DataFrame | None:
    if not order["metric"] or not sources.is_first_ranking(order):
        return None
    excluded = [entry["case"] for entry in sources.document.get("excluded", ())]
    region = order["region"] or ""
    return hits_of(sources.assessment, sources.evidence, metric=order["metric"], region=region, excluded=excluded)


def relative(sources: Sources, order: Order, entry: Entry) -> Figure | None:
    """Draw the case characteristics for which each team is better or worse than the field."""
    raw = sources.raw_of(order, most=10 * MOST_ROWS)
    if raw is None or not sources.known or len(raw["algorithms"]) < 3 or len(raw["cases"]) < FEWEST_CASES:
        return None
    units = set(sources.assessment.aggregation.random)
    characteristics = [characteristic for characteristic in sources.known if characteristic.name not in units]
    along = indicator_columns(characteristics, [str(case) for case in raw["cases"]])
    along = dict(list(along.items())[:MOST_ALONG])
    if not along:
        return None
    strengths = relative_strengths(raw, along)
    ranked = [row["name"] for row in entry["algorithms"]]
    rows = dict(zip(strengths["algorithms"], strengths["correlation"], strict=True))
    figure = contrasts.relative_strengths(
        strengths | {"algorithms": ranked, "correlation": [rows[name] for name in ranked]}
    )
    compared = len(ranked) * len(along)
    return _with_remarks(
        figure,
        [
            f"{compared:,} correlations are shown; of so many, some are strong by chance alone, and none of them is a test",
        ],
    )


def consensus(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the ranks of the teams over the metrics and regions, or tasks."""
    across = _across(sources)
    if across is None:
        return None
    figure = figures.blob_across_tasks(sources.document, across)
    figure["layout"]["yaxis"]["title"] = {"text": "Rank by a metric in a region"}
    for trace in figure["data"]:
        trace["cliponaxis"] = False  # a circle at the edge is a whole circle
    return figure


def clusters(sources: Sources, order: Order, entry: Entry) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Draw the metrics and regions, or tasks, that rank similarly."""
    across = _across(sources)
    return None if across is None or across["dendrograms"] is None else figures.dendrogram(across)


def _across(sources: Sources) -> Mapping[str, Any] | None:
    if len(sources.document["rankings"]) < 2:
        return None
    try:
        return _named(across_tasks(sources.document), sources.assessment)
    except ResultsError:  # tasks with other teams have no consensus
        return None


def _named(across: Mapping[str, Any], assessment: Assessment) -> dict[str, Any]:
    """Metrics and regions by the names that people write."""
    trees = across["dendrograms"] and {
        method: tree | {"order": [readable(label, assessment) for label in tree["order"]]}
        for method, tree in across["dendrograms"].items()
    }
    return {**across, "tasks": [readable(label, assessment) for label in across["tasks"]], "dendrograms": trees}


def _with_remarks(figure: Figure, remarks: list[str]) -> Figure:
    """Add remarks on the model of a figure and its problems.

    The page shows them below the figure in full length.
    """
    return {**figure, "remarks": remarks}


def hardest(sources: Sources, order: Order) -> list[dict[str, Any]]:
    """The cases on which the field did worst: what the median, the best and the worst team reached."""
    raw = sources.raw_of(order, most=10**9)
    if raw is None:
        return []
    higher = raw["direction"] == "higher"
    rows = []
    for number in hardest_first(raw)[:HARDEST]:
        reached = [
            (value, name)
            for value, name in zip(raw["values"][number], raw["algorithms"], strict=True)
            if value is not None
        ]
        if not reached:
            continue
        reached.sort(reverse=higher)
        rows.append(
            {
                "case": raw["cases"][number],
                "median": median(value for value, _ in reached),
                "best": reached[0],
                "worst": reached[-1],
            }
        )
    return rows
