"""Further analyses of a report: groups of cases, what makes cases hard, and a ranking from a mixed model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from evaluation.analyses.case_groups import FEWEST_CASES as FEWEST_GROUPED
from evaluation.analyses.case_groups import MOST_CHARACTERISTICS
from evaluation.analyses.catalogue import BY_NAME
from evaluation.analyses.difficulty import MOST_ALGORITHMS as MOST_MODELLED
from evaluation.analyses.difficulty import MOST_ROWS, hits_of, values_of
from evaluation.analyses.sources import place_of, readable
from evaluation.claims.group_leads import group_lead
from evaluation.claims.sections import LEADS_BY_GROUP, SHOWN_GROUPS, SIZES, Groups
from evaluation.figures import forest_plot, quantile_plot
from evaluation.figures.layout import number, rank_words, stars
from evaluation.ranking.mixed_model import NoFitError, model_ranking
from evaluation.ranking.names_of_tests import tests_of_terms
from evaluation.ranking.reading import exact_end, main_entry, score_range, select
from evaluation.ranking.reading import label as label_of
from evaluation.rounding import bound_text, decimals_of, difference_texts, signed, to_decimals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.analyses.case_groups import Grouping
    from evaluation.analyses.sources import Sources
    from evaluation.claims.group_leads import GroupLead
    from evaluation.documents import DocumentBuilder

MOST_GROUPED: Final = 60
MOST_VALUE_TABLES: Final = 6
"""Metrics and regions whose values in groups are written as tables."""
FEWEST_ALGORITHMS: Final = 3
FEWEST_CASES: Final = 12
_WHY_NOT: Final = (
    f"Mixed models are fitted for {FEWEST_ALGORITHMS} to {MOST_MODELLED} algorithms, at least {FEWEST_CASES} cases and at "
    f"most {MOST_ROWS:,} values of a metric and region; this ranking lies outside of that."
)
_NO_VALUES: Final = (
    "Mixed models explain values of single cases; the metrics of this ranking have one value for all cases together."
)


def groups_section(page: DocumentBuilder, sources: Sources, *, asked: Sequence[str] = ()) -> None:
    """Write the ranking in groups of the cases, for every characteristic with groups of a useful size.

    Parameters
    ----------
    asked
        Characteristics for which the section explains why there are no groups; others are omitted without comment.
    """
    grouped = [] if sources.teams > MOST_GROUPED else sources.subgroups
    titles = {grouping.title for grouping in grouped}
    ungrouped = [name for name in asked if name.replace("_", " ") not in titles]
    if not grouped and not ungrouped:
        return
    page.heading(2, BY_NAME["groups"].title)
    if ungrouped:
        page.text(
            [
                (
                    f"Not grouped by {', '.join(ungrouped)}: there have to be two groups of at least {FEWEST_GROUPED} cases in "
                    f"which every metric can be ranked, at most {MOST_GROUPED} algorithms, and at most {MOST_CHARACTERISTICS} "
                    "characteristics."
                )
            ]
        )
    main = main_entry(sources.document)
    for grouping in grouped:
        page.heading(3, f"Groups by {grouping.title}")
        ranks = {label: _ranks(document) for label, document in grouping.documents.items()}
        visible_groups = grouping.shown_first()
        leads = {label: group_lead(main_entry(document), document) for label, document in grouping.documents.items()}
        sizes = {label: document["rankings"][0]["cases"] for label, document in grouping.documents.items()}
        facts = Groups(sizes, sum(lead.first is not None for lead in leads.values()), len(visible_groups))
        words = [
            *SIZES.all(facts),
            *grouping.left_out,
            *grouping.problems,
            LEADS_BY_GROUP.first(facts),
            *SHOWN_GROUPS.all(facts),
        ]
        page.text(words)
        rows = [
            (a["name"], rank_words(a["rank"]), *(rank_words(ranks[label].get(a["name"])) for label in visible_groups))
            for a in main["algorithms"]
        ]
        page.table(
            ["Algorithm", "All cases", *visible_groups], rows, caption=f"Observed ranks in groups by {grouping.title}"
        )
        _group_leads(page, grouping.title, {label: leads[label] for label in visible_groups}, sizes)
        for entry in _pooled(sources)[:MOST_VALUE_TABLES]:
            _group_values(page, sources, grouping, entry, visible_groups)


def _group_leads(page: DocumentBuilder, title: str, leads: Mapping[str, GroupLead], sizes: Mapping[str, int]) -> None:
    """Write the first place of each group with the interval of its lead."""
    rows = [(label, sizes[label], lead.first_text, lead.over or "–", lead.lead_text) for label, lead in leads.items()]
    columns = ["Group", "Cases", "First place", "Ahead of", "Lead over the best of the others"]
    page.table(columns, rows, caption=f"First places in groups by {title}")


def _pooled(sources: Sources) -> list[Mapping[str, Any]]:
    """Return the entries of the first ranking whose metric has one value for the whole data set."""
    levels = {metric.name: metric.level for metric in sources.assessment.metrics}
    first = sources.assessment.rankings[0].name
    return [
        entry
        for entry in sources.document["rankings"]
        if entry.get("name") == first and levels.get(entry["metric"]) == "dataset"
    ]


def _group_values(
    page: DocumentBuilder,
    sources: Sources,
    grouping: Grouping,
    entry: Mapping[str, Any],
    labels: Sequence[str],
) -> None:
    """Write the values of one metric on all cases and in each group, with their intervals."""
    selected = {key: entry.get(key) for key in ("name", "metric", "region", "task")}
    by_group = {
        label: {row["name"]: row for row in select(grouping.documents[label], **selected)["algorithms"]}
        for label in labels
    }
    rows = [
        (row["name"], _value(row), *(_value(by_group[label].get(row["name"])) for label in labels))
        for row in entry["algorithms"]
    ]
    caption = f"{readable(label_of(entry), sources.assessment)} in groups by {grouping.title}, with intervals"
    page.table(["Algorithm", "All cases", *labels], rows, caption=caption)


def _value(row: Mapping[str, Any] | None) -> str:
    """Return a score with its interval; "undefined" where the metric has no value on these cases."""
    if row is None:
        return "–"
    if row["score"] is None:
        return "undefined"
    exact = exact_end(row)
    if exact is not None:
        which, end, _ = exact
        return f"{number(row['score'], 3)} ({which} {bound_text(end, is_lower=which == 'at least')}, one-sided)"
    interval = score_range(row, covers=False)
    if interval is None:
        return f"{number(row['score'], 3)} (no interval)"
    score, ends = difference_texts(row["score"], interval)
    return f"{score} ({ends[0]} to {ends[1]})" if ends else score


def hardness_section(page: DocumentBuilder, sources: Sources, *, most: int | None = None) -> None:
    """Write what makes cases hard for the field: a mixed model of all values.

    The model has random intercepts for case and units.

    Parameters
    ----------
    most
        Number of pairs of metric and region to analyse; all of them if ``None``.
    """
    if not sources.known:
        return
    page.heading(2, BY_NAME["hardness"].title)
    page.text(
        [
            (
                "Values of all algorithms are explained by characteristics of the cases, numbers in standard deviations, with "
                "random intercepts for the case and the registered units above it. That a characteristic goes with bad values "
                "does not say why."
            )
        ]
    )
    for what, data in _explained(sources, most):
        page.heading(3, f"Characteristics and {what}")
        if why_not := _why_not(data):
            page.text([why_not])
            continue
        try:
            analysis, left_out = sources.difficulty.analysis(data)
        except NoFitError as error:
            page.text([f"No fit: {error}."])
            continue
        _effects(page, analysis, left_out, what)


def _explained(sources: Sources, most: int | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Values of cases of the first metrics and regions, or hits in trials where a metric counts, by what they are of."""
    first = sources.assessment.rankings[0].name
    for entry in [one for one in sources.document["rankings"] if one.get("name") == first][:most]:
        raw = sources.raw.get(place_of(entry))
        if raw is not None:
            yield _title(raw), values_of(raw)
            continue
        counted = {"metric": entry["metric"], "region": entry["region"] or ""}
        hits = hits_of(sources.assessment, sources.counted_evidence, **counted)
        if hits is not None:
            yield _title(entry), hits


def _why_not(data: pd.DataFrame) -> str:
    """Return why no model can explain these values; empty if one can."""
    algorithms, cases = data["algorithm"].nunique(), data["case"].nunique()
    fits = FEWEST_ALGORITHMS <= algorithms <= MOST_MODELLED and cases >= FEWEST_CASES and len(data) <= MOST_ROWS
    return "" if fits else _WHY_NOT


def _effects(page: DocumentBuilder, analysis: Mapping[str, Any], left_out: Sequence[str], what: str) -> None:
    fit, names = analysis["all"], analysis["characteristics"]
    page.text(
        [
            f"Model: {fit['model']}, fitted by {fit['method']} to {fit['rows']:,} values.",
            f"{analysis['looked_at']}.",
            *map(_sentence, [*left_out, *fit["warnings"]]),
        ]
    )
    page.figure(
        forest_plot(analysis),
        f"By {what}, over all algorithms. Stars mark p ≤ 0.05, 0.01 and 0.001 ({tests_of_terms(fit)}, adjusted by Holm’s method).",
    )
    terms = [term for term in fit["terms"] if term["term"].split(": ")[0] in names]
    page.table(
        ["Characteristic", "Log odds ratio" if fit["odds"] else "Effect", "95 % interval", "p, unadjusted", "p, Holm"],
        [
            (
                term["term"],
                *_with_interval(term["estimate"], term["interval"]),
                f"{term['p']:.2g}",
                f"{term['p_adjusted']:.2g} {stars(term['p_adjusted'])}".strip(),
            )
            for term in terms
        ],
        caption=(
            f"Effects of characteristics of the cases on {what}; below 0 is harmful. p-values are those of {tests_of_terms(fit)}, "
            "unadjusted and adjusted by Holm’s method"
        ),
    )
    if fit["residuals"] is not None:
        page.figure(
            quantile_plot(fit),
            f"By {what}; residuals on the line are normal, far from it intervals and p-values are rough.",
        )


def model_section(page: DocumentBuilder, sources: Sources, *, most: int | None = None) -> None:
    """Write a ranking from the model value ~ algorithm + (1 | case), next to the registered ranking.

    The parameter `most` is as for `hardness_section`.
    """
    page.heading(2, "A ranking from a mixed model")
    entries = list(sources.raw.values())[:most]
    if not any(_fits(raw) for raw in entries):
        page.text([_WHY_NOT if entries else _NO_VALUES])
        return
    page.text(
        [
            (
                "An alternative analysis: each value is explained by its algorithm and by a random effect of its case. It gives a "
                "global test and pairwise contrasts, adjusted by Holm’s method, but assumes normal residuals, and it is about "
                "means whatever the registered scheme is."
            )
        ]
    )
    for raw in entries:
        if not _fits(raw):
            continue
        what = _title(raw)
        data = pd.DataFrame([row for row in _rows(raw) if row[2] is not None], columns=["algorithm", "case", "value"])
        page.heading(3, f"Mixed model of {what}")
        try:
            ranking = model_ranking(data, higher_is_better=raw["direction"] == "higher")
        except NoFitError as error:
            page.text([f"No fit: {error}."])
            continue
        test = ranking["global_test"]
        page.text(
            [
                (
                    f"Do the algorithms differ at all? Likelihood ratio test: χ² = {number(test['statistic'])} with {test['df']} "
                    f"degrees of freedom, p = {test['p']:.2g} (one test per metric and region, not adjusted)."
                ),
                *(_sentence(remark.replace(" (see the quantile plot)", "")) for remark in ranking["fit"]["warnings"]),
            ]
        )
        page.table(
            ["Rank", "Algorithm", "Estimated mean", "Standard error", "Not significantly worse than the first"],
            [
                (
                    rank_words(row["rank"]),
                    row["name"],
                    *_with_error(row["estimate"], row["std_error"]),
                    "yes" if row["group"] else "no",
                )
                for row in ranking["algorithms"]
            ],
            caption=(
                f"Ranking by a mixed model of {what}; the last column is by two-sided Wald tests at 5 %, adjusted by Holm’s method over "
                "all pairs"
            ),
        )


def _with_interval(estimate: float, interval: Sequence[float]) -> tuple[str, str]:
    """Return an estimate and its interval with the decimals that the width of the interval supports."""
    middle, ends = difference_texts(estimate, interval)
    return middle, f"{ends[0]} to {ends[1]}" if ends else "–"


def _with_error(estimate: float, error: float) -> tuple[str, str]:
    """Return an estimate and its standard error with two significant digits of the error.

    Examples
    --------
    >>> _with_error(0.87654, 0.0123), _with_error(12.3456, 0.7)
    (('0.877', '0.012'), ('12.35', '0.70'))
    """
    decimals = decimals_of(error)
    return signed(to_decimals(estimate, decimals)), signed(to_decimals(error, decimals))


def _title(raw: Mapping[str, Any]) -> str:
    """Metric and region of values, with the task where there are several."""
    return ", ".join(str(raw[key]) for key in ("task", "metric", "region") if raw[key])


def _sentence(remark: str) -> str:
    return f"{remark[:1].upper()}{remark[1:]}".rstrip(".") + "."


def _ranks(document: Mapping[str, Any]) -> dict[str, float | None]:
    return {algorithm["name"]: algorithm["rank"] for algorithm in main_entry(document)["algorithms"]}


def _fits(raw: Mapping[str, Any]) -> bool:
    cases, algorithms = len(raw["cases"]), len(raw["algorithms"])
    return (
        FEWEST_ALGORITHMS <= algorithms <= MOST_MODELLED and cases >= FEWEST_CASES and cases * algorithms <= MOST_ROWS
    )


def _rows(raw: Mapping[str, Any]) -> list[tuple[str, str, float | None]]:
    return [
        (str(name), str(case), value)
        for case, values in zip(raw["cases"], raw["values"], strict=True)
        for name, value in zip(raw["algorithms"], values, strict=True)
    ]
