"""What else the results say: across rankings, about withheld cases, about what makes cases hard; and how to repeat it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.aggregation import ResultsError, check_results
from evaluation.claims.comparisons import entering_copies
from evaluation.figures import (
    blob_across_tasks,
    blob_by_algorithm,
    dendrogram,
    forest_plot,
    quantile_plot,
    stacked_frequencies,
)
from evaluation.figures.layout import number, rank_words, stars
from evaluation.figures.selection import entries
from evaluation.ranking import digest
from evaluation.ranking.characteristics import characteristics_of
from evaluation.ranking.copies import copies_check
from evaluation.ranking.difficulty import Difficulty, hits_of, values_of
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.mixed_model import NoFitError
from evaluation.ranking.raw import raw_values
from evaluation.ranking.tasks import across_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.documents import DocumentBuilder
    from evaluation.scoring.evidence import Evidence

_REFERENCES = (
    "Maier-Hein et al., Why rankings of biomedical image analysis competitions should be interpreted with care, 2018.",
    "Wiesenfarth et al., Methods and open-source toolkit for analyzing and visualizing challenge results, 2021.",
    "Holm, A simple sequentially rejective multiple test procedure, 1979.",
    "Kendall, The treatment of ties in ranking problems, 1945.",
    "Wilcoxon, Individual comparisons by ranking methods, 1945.",
)


def across_section(page: DocumentBuilder, document: Mapping[str, Any], *, most: int | None = None) -> None:
    """The rankings of several metrics, regions and tasks seen together; figures of single algorithms for the first `most`."""
    if len(entries(document)) < 2:
        return
    page.heading(2, "Across rankings")
    try:
        across = across_tasks(document)
    except ResultsError as error:
        page.text([f"{error}."])
        return
    words = (
        "The consensus is the mean of fractional ranks over all rankings. Only ranks enter it: rankings may agree although "
        "one metric or task is far harder than another."
    )
    page.text([words])
    rows = [(rank_words(entry["rank"]), entry["name"], f"{entry['mean_rank']:.3f}") for entry in across["consensus"]]
    page.table(["Rank", "Algorithm", "Mean rank"], rows)
    page.figure(blob_across_tasks(document, across), "Area: share of the rankings; crosses are medians over them.")
    if any(entry["resampled"] for entry in entries(document)):
        for entry in across["consensus"][:most]:
            page.figure(
                blob_by_algorithm(document, entry["name"]), f"{entry['name']}: resampled ranks in every ranking."
            )
            page.figure(
                stacked_frequencies(document, entry["name"]),
                f"{entry['name']}: ranks over all resamples; dotted lines mark ranks on all cases.",
            )
    if across["dendrograms"] is None:
        page.text(["For a dendrogram there have to be more than two rankings."], kind="remark")
        return
    for method in ("complete", "average"):
        page.figure(dendrogram(across, method), "Where distances tie, the order of merging is arbitrary.")


def gaming_section(
    page: DocumentBuilder, assessment: Assessment, results: pd.DataFrame, cases: pd.DataFrame | None
) -> None:
    try:
        checks = gaming_check(assessment, results, cases=cases)
    except ResultsError:
        return
    page.heading(2, "Would withholding cases have paid?")
    words = (
        "Each algorithm in turn is ranked as if it had withheld its worst 5, 10 and 20 % of cases: once as registered, "
        "once with missing cases ignored."
    )
    page.text([words])
    rows = []
    for check in checks:
        what = ", ".join(str(check[key]) for key in ("task", "metric", "region") if check[key])
        rows.append(
            [
                what,
                ", ".join(check["gain_registered"]) or "no one",
                ", ".join(check["gain_ignored"]) or "no one",
                ", ".join(check["could_have_won_ignored"]) or "no one",
            ]
        )
    page.table(
        ["Ranking", "Would have risen as registered", "Would have risen if ignored", "Could have won if ignored"], rows
    )


def copies_section(
    page: DocumentBuilder, assessment: Assessment, results: pd.DataFrame, cases: pd.DataFrame | None
) -> None:
    """Whether an algorithm would have risen with copies of itself; nothing where they cannot be entered everywhere."""
    try:
        check = copies_check(assessment, results, cases=cases)
    except ResultsError:
        return
    page.heading(2, "Would entering copies have paid?")
    page.text([entering_copies(check)])
    if not check["possible"]:
        return
    rows = []
    for entry in check["rankings"]:
        what = ", ".join(str(entry[key]) for key in ("task", "metric", "region") if entry.get(key))
        rows.append(
            [what or "overall", ", ".join(entry["gain"]) or "no one", ", ".join(entry["could_have_won"]) or "no one"]
        )
    page.table(["Ranking", "Would have risen with copies", "Could have won with copies"], rows)


def characteristics_section(
    page: DocumentBuilder,
    assessment: Assessment,
    results: pd.DataFrame,
    cases: pd.DataFrame | None,
    characteristics: Sequence[str],
    evidence: Evidence | None = None,
) -> None:
    """What makes cases hard, by every metric with values of cases, or that counts hits in trials."""
    if not characteristics or cases is None:
        return
    page.heading(2, "What makes cases hard?")
    units = assessment.aggregation.random
    wanted = [entry for entry in characteristics_of(assessment, cases) if entry.name in {*characteristics, *units}]
    difficulty = Difficulty(assessment, wanted)
    for what, data in _explained(assessment, results, evidence):
        page.heading(3, f"Characteristics: {what}")
        try:
            analysis, left_out = difficulty.analysis(data)
        except NoFitError as error:
            page.text([f"No fit: {error}."])
            continue
        fit = analysis["all"]
        page.text(
            [
                f"Model: {fit['model']}, fitted by {fit['method']} to {fit['rows']} values.",
                f"{analysis['looked_at']}.",
                *(f"{w}." for w in [*left_out, *fit["warnings"]]),
            ]
        )
        page.figure(forest_plot(analysis), "Effects over all algorithms; stars mark adjusted p ≤ 0.05, 0.01 and 0.001.")
        terms = [t for t in fit["terms"] if t["term"].split(": ")[0] in analysis["characteristics"]]
        page.table(
            ["Characteristic", "Effect", "Interval", "p", "adjusted p", ""],
            [
                (
                    t["term"],
                    number(t["estimate"]),
                    f"{number(t['interval'][0])}–{number(t['interval'][1])}",
                    f"{t['p']:.2g}",
                    f"{t['p_adjusted']:.2g}",
                    stars(t["p_adjusted"]),
                )
                for t in terms
            ],
        )
        if fit.get("residuals"):
            page.figure(
                quantile_plot(fit), "Residuals on the line are normal; far from it, intervals and p-values are rough."
            )


def _explained(
    assessment: Assessment, results: pd.DataFrame, evidence: Evidence | None
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Values of cases, and hits in trials, by what they are of."""
    for raw in raw_values(assessment, results):
        yield ", ".join(str(raw[key]) for key in ("task", "metric", "region") if raw[key]), values_of(raw)
    counted = check_results(results)
    whole = counted[counted["case"] == ""]
    for metric, region in sorted(set(zip(whole["metric"], whole["region"], strict=True))):
        hits = hits_of(assessment, evidence, metric=metric, region=region)
        if hits is not None:
            yield ", ".join(filter(None, [metric, region])), hits


def reproduction_section(page: DocumentBuilder, document: Mapping[str, Any]) -> None:
    page.heading(2, "To compute it again")
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    resampling = document["resampling"]
    drawn = (
        f"Seed {document['seed']}, {document['bootstrap']:,} bootstrap samples, resampling algorithm "
        f"{resampling['version']}, drawn: {', then '.join(resampling['resample'])}."
    )
    page.points(
        [
            drawn,
            f"Digest of the assessment: {document['assessment']}",
            f"Digest of the ranking: {digest(document)}",
            f"Software: {versions}.",
        ]
    )
    page.heading(2, "References")
    page.points(_REFERENCES)
