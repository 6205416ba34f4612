"""Catalogue of the figures of a ranking.

It defines the tab of each figure, whether the figure shows single cases, and the function that draws it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from evaluation import problems
from evaluation.analyses import exploring, order_figures, value_figures
from evaluation.analyses.costs import drawing, question_of
from evaluation.analyses.sentences import copies_sentence, scheme_sentence, withholding_sentence
from evaluation.analyses.sources import Figure, Order, Sources
from evaluation.assessment.costs import METRICS, CostMetric
from evaluation.assessment.model import Assessment
from evaluation.claims.catalogue import Said
from evaluation.claims.ranking import sentences_of
from evaluation.problems.kind_figures import KindFigure
from evaluation.ranking.counted import AS_MEASURED
from evaluation.ranking.reading import Entry, overall


@dataclass(frozen=True)
class Picture:
    """One kind of figure, answering one question.

    It is drawn for every order of the table that has the required data.

    Attributes
    ----------
    name
        Name of the figure in its address.
    tab
        Name of the tab that contains it.
    reading
        Explanation for readers who see the figure for the first time.
    draw
        Function of `evaluation.analyses.sources`.
    shows_cases
        Whether it shows single cases, which must not be disclosed before the phase closes.
    tells_references
        Whether it is computed from the references of the cases.
    alone
        Whether it is about all metrics and regions at once. Its title then names none.
    test
        The test that it shows where a tab lets the reader choose; empty for the default.
    is_slow
        Whether it is drawn after the others because its computation is slow.
    problem
        The only kind of problem that has it; empty if every kind may.
    of_region
        Whether it is identical for every metric of a region.
    cost
        Id of the run cost that it shows; it is drawn if an assessment has that cost.
    as_measured
        Whether it is computed from values of single cases as measured, before levels of interaction are weighted.
    of_each_metric
        Whether it is shown for every metric and region of a combined ranking that has none.
    """

    name: str
    tab: str
    title: str
    reading: str
    draw: Callable[[Sources, Order, Entry], Figure | None]
    shows_cases: bool = False
    tells_references: bool = False
    alone: bool = False
    is_slow: bool = False
    test: str = ""
    size: Literal["small", "", "large"] = ""
    problem: str = ""
    of_region: bool = False
    cost: str = ""
    as_measured: bool = False
    of_each_metric: bool = False


@dataclass(frozen=True)
class Tab:
    """Figures that belong together.

    Attributes
    ----------
    needs_cases
        Whether they are made of values of single cases.
    """

    name: str
    label: str
    needs_cases: bool = False


TABS = (
    Tab("stability", "Stability"),
    Tab("pairs", "Who beats whom"),
    Tab("answers", "Answers"),
    Tab("costs", "Quality and cost"),
    Tab("data", "Raw data", needs_cases=True),
    Tab("schemes", "Other schemes", needs_cases=True),
    Tab("cases", "Cases", needs_cases=True),
    Tab("groups", "Subgroups", needs_cases=True),
    Tab("metrics", "Metrics"),
    Tab("gaming", "Gaming check", needs_cases=True),
    Tab("strengths", "Strengths", needs_cases=True),
    Tab("tasks", "Consensus"),
)
_OF_ALL_KINDS = (
    Picture(
        name="blob",
        tab="stability",
        title="How stable is each team’s rank?",
        reading="The larger a circle, the more often the team had that rank when the cases were drawn again. The cross is "
        "the median, the line the resampling range. A sharp ranking is a thin diagonal. "
        "With many teams cells stand for circles: the stronger the colour, the more often.",
        draw=order_figures.blob,
        size="large",
    ),
    Picture(
        name="agreement",
        tab="stability",
        title="How far does the whole order change between resamples?",
        reading="For each metric and region the distribution of Kendall’s τ between the ranking and its resamples: 1 is the "
        "same order, 0 none in common. Boxes hold the middle half.",
        draw=order_figures.agreement,
        alone=True,
    ),
    Picture(
        name="left-out",
        tab="stability",
        title="Does a single case decide who is first?",
        reading="For how many of the cases somebody else would be first, or share the first place, had this one case not "
        "been there. 0 is best.",
        draw=order_figures.left_out,
        alone=True,
        size="small",
    ),
    Picture(
        name="differences",
        tab="pairs",
        title="How far is the leader ahead of the others?",
        reading="Difference of each team from the leader, with its interval. To the right of 0 the leader is better. A shaded band is the "
        "registered margin. The table contains the same values, and the help states which intervals apply together.",
        draw=order_figures.differences,
        of_each_metric=True,
    ),
    Picture(
        name="better",
        tab="pairs",
        title="Who is shown to be better than whom?",
        reading="A cell is amber where the team below it is shown to be better than the team beside it by the statistic "
        "that ranks, for all pairs together. A cross marks a cell where Wilcoxon’s test contradicts the order.",
        draw=order_figures.better,
    ),
    Picture(
        name="significance",
        tab="pairs",
        title="Who is significantly better than whom?",
        reading="A cell is amber where the team below it is significantly better than the team beside it, by Wilcoxon’s "
        "signed rank test on the same cases with Holm’s adjustment for all comparisons. It asks who is better case by case, "
        "not on average; a cross marks where that contradicts the order.",
        draw=order_figures.significance,
        test="wilcoxon",
    ),
    Picture(
        name="schemes",
        tab="schemes",
        title="Would another scheme have crowned someone else?",
        reading="The rank of each team under the usual ways to rank the same results; level lines do not depend on it. The "
        "one in bold is registered and decides; the others are not registered.",
        draw=order_figures.schemes,
    ),
    Picture(
        name="by-annotator",
        tab="schemes",
        title="Would another annotator’s references have crowned someone else?",
        reading="The rank of each team against the references that decide (in bold) and against those of each annotator alone; "
        "level lines do not depend on whose references are taken.",
        draw=order_figures.annotators,
        is_slow=True,
    ),
    Picture(
        name="metrics",
        tab="metrics",
        title="Do the metrics agree?",
        reading="The rank of each team overall and by each metric and region on its own; lines that cross are teams that one "
        "metric prefers and another does not.",
        draw=order_figures.metrics,
        alone=True,
    ),
    Picture(
        name="tau",
        tab="metrics",
        title="Which metrics say the same?",
        reading="Kendall’s τ between the rankings by each metric and region: blue where two of them order the teams alike, "
        "so that counting both counts one thing twice; brick where they contradict each other.",
        draw=exploring.metric_tau,
        alone=True,
    ),
    Picture(
        name="disentangled",
        tab="metrics",
        title="Who finds, who outlines, who names?",
        reading="A single score for all of it cannot tell a weak detector from a weak outline. A team to the right finds "
        "more, a team further up outlines (or names) better what it has found.",
        draw=exploring.disentangled,
        alone=True,
    ),
    Picture(
        name="consensus",
        tab="tasks",
        title="How does each team rank over the metrics and regions?",
        reading="The larger a circle, the more metrics and regions give the team that rank. Teams stand in the order of "
        "their mean rank over all of them, whatever the registered way of combining is.",
        draw=exploring.consensus,
        alone=True,
    ),
    Picture(
        name="clusters",
        tab="tasks",
        title="Which metrics and regions rank the teams alike?",
        reading="The lower two of them are joined, the more alike they rank (Spearman’s footrule, complete linkage). Only "
        "ranks enter; how hard they are does not.",
        draw=exploring.clusters,
        alone=True,
    ),
    Picture(
        name="withholding",
        tab="gaming",
        title="Would withholding bad cases have paid?",
        reading="For each team the rank that it has, the best one had it withheld its worst 5, 10 or 20 % of cases, and the "
        "best one had missing cases been ignored. Under a sound rule the first two never differ to its advantage.",
        draw=exploring.withholding,
    ),
    Picture(
        name="dots",
        tab="data",
        title="What did each team reach on each case?",
        reading="A dot is a case; the box holds the middle half of them, the line in it is the median. Values after the "
        "registered rules for missing and undefined ones.",
        draw=value_figures.dots,
        shows_cases=True,
        as_measured=True,
        size="large",
    ),
    Picture(
        name="podium",
        tab="data",
        title="Who stands where on each case’s podium?",
        reading="Each line is a case, from its best team on the left to its worst on the right; ties within a case are drawn "
        "in random order. The bars count how often a team had each place.",
        draw=value_figures.podium,
        shows_cases=True,
        as_measured=True,
        size="large",
    ),
    Picture(
        name="ranks",
        tab="data",
        title="On how many cases has each team each rank?",
        reading="Dark cells on the diagonal: the cases agree on the order.",
        draw=value_figures.case_ranks,
        shows_cases=True,
        as_measured=True,
    ),
    Picture(
        name="hard",
        tab="cases",
        title="On which cases do all fail?",
        reading="A row is a case, the hardest at the top; a dark row is a case on which all teams did badly, a single dark "
        "cell the failure of one team.",
        draw=value_figures.hard_cases,
        shows_cases=True,
        as_measured=True,
        size="large",
    ),
    Picture(
        name="parallel",
        tab="cases",
        title="On which cases do the teams differ most?",
        reading="Each line follows a case across the teams; the cases with the widest spread are in colour.",
        draw=value_figures.parallel,
        shows_cases=True,
        as_measured=True,
        size="large",
    ),
    Picture(
        name="groups",
        tab="groups",
        title="Do the ranks hold in every group of cases?",
        reading="Rank and resampling range in each group of the characteristic on which the order depends most; teams stand in "
        "the order on all cases. A dot that leaves the diagonal is a team that is better or worse on these cases.",
        draw=exploring.group_ranks,
        shows_cases=True,
        is_slow=True,
    ),
    Picture(
        name="worst",
        tab="groups",
        title="In which group is each team at its worst?",
        reading="The square is the team’s worst group over all characteristics, the circle its best one, the line between "
        "them its score on all cases. A short line is a method that can be relied on.",
        draw=exploring.worst_group,
        shows_cases=True,
        is_slow=True,
    ),
    Picture(
        name="relative",
        tab="strengths",
        title="Where is each team better than the field?",
        reading="Blue where a team gains on the field as the characteristic grows (or where it holds), brick where it falls back; what is hard "
        "for all is taken off before (Spearman’s ρ with the distance from the median of all teams on the same case).",
        draw=exploring.relative,
        shows_cases=True,
        as_measured=True,
        is_slow=True,
    ),
    Picture(
        name="hardness",
        tab="strengths",
        title="What makes cases hard?",
        reading="Effect of each characteristic on the values of all teams: of a number for one standard deviation more of it, of "
        "yes against no, of a name against the first one. From a mixed model with random intercepts for the case and the "
        "registered units above it; where a metric counts, of hits in trials. Left of 0 is harmful; an interval across 0 says nothing.",
        draw=exploring.hardness,
        shows_cases=True,
        as_measured=True,
        is_slow=True,
    ),
)


def _of_kind(problem: str, figure: KindFigure) -> Picture:
    """Return the figure of a kind of problem, visible to readers to whom it discloses nothing hidden."""

    def draw(sources: Sources, order: Order, entry: Entry) -> Figure | None:
        if sources.assessment.problem != problem or not sources.is_first_ranking(order):
            return None
        return figure.of_entry(
            sources.assessment,
            sources.counted_evidence,
            sources.document,
            entry,
            results=sources.results,
            cases=sources.characteristics,
            length_unit=sources.length_unit,
        )

    return Picture(
        name=figure.name,
        tab="answers",
        title=figure.title,
        reading=figure.reading,
        draw=draw,
        shows_cases=figure.shows != "values",
        tells_references=figure.shows == "references",
        size="large",
        problem=problem,
        of_region=True,
    )


def _of_cost(cost: CostMetric) -> Picture:
    """Return the figure of quality against run cost.

    Its scores over all cases disclose no single case.
    """
    return Picture(
        name=f"quality-and-{cost.id.removeprefix('run_').replace('_', '-')}",
        tab="costs",
        title=question_of(cost),
        reading="The higher a point, the better the output; the further to the left, the less its runs took. Lines are resampling "
        "ranges, each of one team taken alone. A filled point is beaten by no other: no other is at least as good by both and better by "
        "at least one. A failed case counts as the registered limit.",
        draw=drawing(cost),
        cost=cost.id,
        size="large",
    )


PICTURES = (
    *_OF_ALL_KINDS,
    *(_of_cost(cost) for cost in METRICS if cost.can_be_registered),
    *(_of_kind(problem.id, figure) for problem in problems.all_problems() for figure in problem.evidence.figures),
)
BY_NAME = {picture.name: picture for picture in PICTURES}


def pictures_of(assessment: Assessment) -> list[Picture]:
    """The pictures that a ranking by an assessment may have: by its kind of problem, and by the costs that it measures."""
    costs = {use.options["id"] for use in assessment.by_run}
    return [
        picture
        for picture in PICTURES
        if (not picture.problem or picture.problem == assessment.problem)
        and (not picture.cost or picture.cost in costs)
    ]


def drawn(picture: Picture, sources: Sources, table: Mapping[str, Any]) -> Iterator[tuple[str, Figure]]:
    """Draw a figure for every order that has what it needs, and a single one if it is about all of them.

    Yields
    ------
    tuple
        Key of the order, figure.
    """
    for order, entry in orders_of(sources.document, table):
        figure = picture.draw(sources, order, entry)
        if figure is not None:
            if picture.as_measured and sources.assessment.interaction_weights:
                figure = {**figure, "remarks": [*figure.get("remarks", ()), AS_MEASURED.rstrip(".")]}
            yield order["key"], figure
            if picture.alone:
                return


def sentences(document: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, list[Said]]:
    """Return the plain sentences about each order."""
    return {order["key"]: sentences_of(entry, document) for order, entry in orders_of(document, table)}


def further_sentences(sources: Sources, table: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the sentences that compare each order with other rankings."""
    return {
        order["key"]: [
            *scheme_sentence(sources, order),
            *withholding_sentence(sources, order),
            *copies_sentence(sources, order),
        ]
        for order, _ in orders_of(sources.document, table)
    }


def orders_of(document: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[tuple[Order, Entry]]:
    """Pair the orders of a table with the entries of the document that they were made of."""
    return zip(table["orders"], [*overall(document), *document["rankings"]], strict=True)
