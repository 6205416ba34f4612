"""What figures are drawn from: a ranking document with the results behind it, each derived table made once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from evaluation import figures
from evaluation.assessment import Assessment
from evaluation.claims.comparisons import OTHER_WAYS, WITHHOLDING, Schemes, Withholding
from evaluation.figures.cases import case_map
from evaluation.figures.palette import BETTER, sequence
from evaluation.figures.selection import label, main_entry
from evaluation.ranking import ResultsError, rank
from evaluation.ranking.case_groups import FEW_SAMPLES, MOST_TEAMS_RESAMPLED, Grouping, groupings, is_of
from evaluation.ranking.characteristics import Characteristic, characteristics_of
from evaluation.ranking.comparison import (
    across_rankings,
    across_schemes,
    alternative_schemes,
    compare_documents,
    without_pairwise,
)
from evaluation.ranking.difficulty import Difficulty
from evaluation.ranking.exclusions import counted_results
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.raw import raw_values
from leaderboards.domain.tables import combined_rankings, metric_title

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence

Figure = dict[str, Any]
Order = Mapping[str, Any]

MERGED = "merged"
"""What the references are called that the ranking itself is made of, beside those of single annotators."""
MOST_DOTS = 30_000
"""A figure with more single values than this is heavier than a browser likes."""
MOST_LINES = 5_000
MOST_TEAMS_TESTED = 60
"""Testing every pair of so many teams again for a comparison costs more than it tells."""
MOST_TEAMS_WITHHOLDING = 30
MOST_TEAMS_FOLLOWED = 40


@dataclass
class Sources:
    """Everything that a figure may need.

    Attributes
    ----------
    results
        Of all teams.
    cases
        The case metadata that the ranking depends on.
    characteristics
        All case metadata, for what it tells about the teams.
    length_unit
        What distances are measured in where the images do not tell their spacing.
    annotated_results
        By annotator the results of all teams under that annotator's references.
    annotated_evidence
        By annotator what their values of the whole data set are made of.
    deciding_annotator
        Whose references the ranking itself is made of, where nothing is merged.
    read_evidence
        Reads what values of the whole data set are made of.
    unranked
        Filled with `annotated`: by annotator why there is no ranking.
    """

    document: Mapping[str, Any]
    assessment: Assessment
    results: pd.DataFrame
    cases: pd.DataFrame | None
    characteristics: pd.DataFrame | None = None
    length_unit: str = "mm"
    annotated_results: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    annotated_evidence: "Mapping[str, Evidence]" = field(default_factory=dict)
    deciding_annotator: str = ""
    read_evidence: "Callable[[], Evidence | None]" = lambda: None
    unranked: dict[str, str] = field(default_factory=dict)

    @cached_property
    def raw(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """Values of single cases by metric, region and task."""
        found = raw_values(self.assessment, self.results)
        return {
            place_of(entry): entry | {"unit": self.length_unit if entry["unit"] == "mm" else entry["unit"]}
            for entry in found
        }

    @cached_property
    def schemes(self) -> dict[tuple[Any, ...] | None, Mapping[str, Any]]:
        """Comparison of the registered scheme with the usual ones, by metric, region and task; None for the overall one."""
        schemes = alternative_schemes(self.assessment.rankings[0])
        if self.teams > MOST_TEAMS_TESTED:
            schemes = without_pairwise(schemes)
        try:
            found = across_schemes(self.assessment, self.results, cases=self.cases, schemes=schemes)
        except (ResultsError, StopIteration):  # values of the whole data set, or a registered scheme that was left out
            return {}
        return {None if entry.get("overall") else place_of(entry): entry for entry in found}

    @cached_property
    def withholding(self) -> dict[tuple[Any, ...], Mapping[str, Any]]:
        """What withholding bad cases would have brought, by metric, region and task."""
        if self.teams > MOST_TEAMS_WITHHOLDING:
            return {}
        try:
            found = gaming_check(self.assessment, self.results, cases=self.cases)
        except ResultsError:
            return {}
        return {place_of(entry): entry for entry in found}

    @cached_property
    def subgroups(self) -> list[Grouping]:
        """The cases in groups by their characteristics, each group ranked on its own."""
        return groupings(self.assessment, self.results, self.cases, self.known)

    @cached_property
    def annotated(self) -> dict[str, Mapping[str, Any]]:
        """Ranking document under the references of each annotator, of those under which all can be ranked."""
        bootstrap = FEW_SAMPLES if self.teams > MOST_TEAMS_RESAMPLED else None
        found: dict[str, Mapping[str, Any]] = {}
        for name, table in self.annotated_results.items():
            # An annotator who left out a whole region has nothing to rank it by.
            try:
                found[name] = rank(
                    self.assessment,
                    table,
                    cases=self.cases,
                    evidence=self.annotated_evidence.get(name),
                    bootstrap=bootstrap,
                )
            except ResultsError as error:
                self.unranked[name] = str(error)
        return found

    @cached_property
    def known(self) -> list[Characteristic]:
        """Everything that is known of cases, each with its kind: declared, else used as a name, else guessed."""
        return characteristics_of(self.assessment, self.characteristics)

    @cached_property
    def evidence(self) -> "Evidence | None":
        """What values of the whole data set are made of."""
        return self.read_evidence()

    @cached_property
    def counted_evidence(self) -> "Evidence | None":
        """The same of the cases that count."""
        if self.evidence is None or not self.assessment.exclusions:
            return self.evidence
        # Single cases that do not count are gone from the results already: the evidence names all.
        whole = self.results[self.results["case"] == ""]
        return counted_results(self.assessment, whole, cases=self.cases, evidence=self.evidence).evidence

    @property
    def difficulty(self) -> Difficulty:
        """What may explain why cases are hard."""
        return Difficulty(self.assessment, self.known)

    @property
    def teams(self) -> int:
        return len(self.document["rankings"][0]["algorithms"])

    def is_first_ranking(self, order: Order) -> bool:
        """Whether an order belongs to the first of the registered rankings, which alone is compared with other ways."""
        return order["ranking"] == self.assessment.rankings[0].name

    def raw_of(self, order: Order, *, most: int) -> Mapping[str, Any] | None:
        """Values of single cases of an order, unless there are too many of them to draw."""
        raw = self.raw.get(place_of(order)) if order["metric"] and self.is_first_ranking(order) else None
        return raw if raw and len(raw["cases"]) * len(raw["algorithms"]) <= most else None

    def scheme_comparison(self, order: Order) -> Mapping[str, Any] | None:
        """The comparison of schemes that an order is about."""
        if not self.is_first_ranking(order):
            return None
        return self.schemes.get(place_of(order) if order["metric"] else None)


def place_of(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """Metric, region and task that an entry or an order is about."""
    return entry["metric"], entry["region"] or None, entry["task"] or None


def selection(order: Order) -> dict[str, Any]:
    """How the entry of an order is found in a document."""
    return {key: order[key] for key in ("metric", "region", "task")} | {"name": order["ranking"]}


def blob(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """How stable each rank is."""
    return figures.blob_plot(sources.document, **selection(order)) if entry["resampled"] else None


def significance(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Who is significantly better than whom."""
    return figures.significance_map(sources.document, **selection(order)) if entry.get("p_values") else None


def better(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:
    """Who is shown to be better than whom, all pairs at once, by the statistic that ranks."""
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
    found = compare_documents({deciding or MERGED: sources.document} | others)
    own = next((one for one in found if is_of(one, order)), None)
    return None if own is None else figures.line_plot(sources.document, own, by="annotator")


def agreement(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """How far the whole order changes between resamples, for every metric and region."""
    defined = any(e["kendall_tau"] and e["kendall_tau"]["median"] is not None for e in sources.document["rankings"])
    if order["metric"] is not None or not defined:
        return None
    figure = figures.violin_plot(sources.document)
    axis = figure["layout"]["xaxis"]
    axis["ticktext"] = [readable(label, sources.assessment) for label in axis["ticktext"]]
    return figure


def left_out(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """For how many cases leaving out a single one changes who is first, for every ranking of the document."""
    entries = [*combined_rankings(sources.document), *sources.document["rankings"]]
    shown = [(one, one["leave_one_out"]) for one in entries if one["resampled"] and one.get("leave_one_out")]
    if not shown:
        return None
    cases = max(one["cases"] for one, _ in shown)
    changes = [len(found["changed_by"]) for _, found in shown]
    return figures.layout.figure(
        [
            {
                "type": "bar",
                "orientation": "h",
                "x": changes,
                "y": list(range(len(shown))),
                "marker": {"color": BETTER},
                "text": [f"{number} of {one['cases']}" for (one, _), number in zip(shown, changes, strict=True)],
                "textposition": "outside",
                "cliponaxis": False,
                "hovertemplate": "%{text} cases<extra></extra>",
            }
        ],
        "Does a single case decide who is first?",
        x={"title": "Cases that decide the first place alone", "range": [0, 1.1 * max(*changes, cases / 4)]},
        y={
            "tickmode": "array",
            "tickvals": list(range(len(shown))),
            "ticktext": [readable(label(one), sources.assessment) for one, _ in shown],
            "range": [len(shown) - 0.4, -0.6],
            "showgrid": False,
        },
        height=figures.layout.side(len(shown), smallest=200, around=110),
    )


def metrics(sources: Sources, order: Order, entry: Mapping[str, Any]) -> Figure | None:  # noqa: ARG001 (all draw alike)
    """Ranks by each metric and region."""
    comparison = across_rankings(sources.document) if order["metric"] is None else None
    if comparison is None:
        return None
    return figures.line_plot(sources.document, titled(comparison, sources.assessment), by="metric")


def titled(comparison: Mapping[str, Any], assessment: Assessment) -> dict[str, Any]:
    """A comparison of metrics with their names as people write them."""
    labels = [readable(label, assessment) for label in comparison["labels"]]
    names = dict(zip(comparison["labels"], labels, strict=True))
    return {**comparison, "labels": labels, "reference": names[comparison["reference"]]}


def readable(label: str, assessment: Assessment) -> str:
    """The label of a ranking with the names of metrics as people write them."""
    titles = {metric.name: metric_title(metric) for metric in assessment.metrics}
    return ", ".join(titles.get(part, part) for part in label.split(", "))


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
    """Who stands where on each case's podium."""
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


def over_time(standings: list[tuple[str, Mapping[str, Any]]]) -> Figure:
    """Follow each team's rank through the rankings that stood, the oldest first.

    Parameters
    ----------
    standings
        Moment from which it stood (ISO 8601) and stored table of each ranking.
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
            "x": [moment for moment, _ in standings],
            "y": [place.get(team) for place in places],
            "line": {"shape": "hv", "width": 2, "color": palette[team]},
            "marker": {"size": 6, "color": palette[team]},
            "hovertemplate": "%{fullData.name}: rank %{y} from %{x}<extra></extra>",
        }
        for team in teams
    ]
    most = max(rank for place in places for rank in place.values() if rank is not None)
    layout = {
        "xaxis": {"title": {"text": "Time (UTC)"}, "automargin": True},
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


def scheme_sentence(sources: Sources, order: Order) -> list[str]:
    """Whether another common scheme would have crowned someone else."""
    comparison = sources.scheme_comparison(order)
    if not comparison or len(comparison["labels"]) < 2:
        return []
    return list(OTHER_WAYS.all(Schemes(comparison))[:1])


def withholding_sentence(sources: Sources, order: Order) -> list[str]:
    """Whether withholding bad cases would have paid."""
    if not sources.is_first_ranking(order):
        return []
    if order["metric"]:
        checks = [sources.withholding[place_of(order)]] if place_of(order) in sources.withholding else []
    else:
        checks = list(sources.withholding.values())
    if not checks:
        return []
    leaders = set() if order["metric"] else set(main_entry(sources.document)["winners"])
    facts = Withholding(
        gained=sorted({name for check in checks for name in check["gain_registered"]}),
        would_have_won=sorted({name for check in checks for name in check["could_have_won_ignored"]} - leaders),
        by_some_metric=len(checks) > 1 or not order["metric"],
    )
    return list(WITHHOLDING.all(facts))
