"""Further sections of a report: across rankings, withheld cases, difficulty of cases, and reproduction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.aggregation import ResultsError
from evaluation.analyses.catalogue import BY_NAME
from evaluation.claims.comparisons import entering_copies
from evaluation.claims.sections import AGAIN, CONSENSUS, NO_DENDROGRAM, Drawn
from evaluation.figures import (
    blob_across_tasks,
    blob_by_algorithm,
    dendrogram,
    stacked_frequencies,
)
from evaluation.figures.layout import rank_words
from evaluation.ranking import digest
from evaluation.ranking.copies import copies_check
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.reading import entries, exact_end, overall
from evaluation.ranking.tasks import across_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.documents import DocumentBuilder

_REFERENCES = (
    "Maier-Hein et al., Why rankings of biomedical image analysis competitions should be interpreted with care, 2018.",
    "Wiesenfarth et al., Methods and open-source toolkit for analyzing and visualizing challenge results, 2021.",
)
_FOLLOW_UP: Final = (
    "Schemper, Smith, A note on quantifying follow-up in studies of failure time, 1996 (median follow-up)."
)
_OF_METHODS: Final[tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...]] = (
    (
        "Mogstad, Romano, Shaikh, Wilhelm, Inference for ranks, 2024 (rank sets).",
        lambda entry: any(row["rank_set"] for row in entry["algorithms"]),
    ),
    (
        "Romano, Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, 2005 (sign flips).",
        lambda entry: entry["sets"]["flips"],
    ),
    (
        "Hall, On the removal of skewness by transformation, 1992 (differences, rank sets, intervals of scores).",
        lambda entry: (
            entry["sets"]["flips"] or any(row.get("score_confidence_interval") for row in entry["algorithms"])
        ),
    ),
    (
        "Efron, Tibshirani, An introduction to the bootstrap, 1993 (bootstrap-t of the lead).",
        lambda entry: entry["sets"]["flips"] and entry.get("lead"),
    ),
    (
        "Waudby-Smith, Ramdas, Estimating means of bounded random variables by betting, 2024 (confirmed winners).",
        lambda entry: entry["verdict"] == "confirmed",
    ),
    (
        "Piepho, An algorithm for a letter-based representation of all-pairwise comparisons, 2004 (letters).",
        lambda entry: any(row["letters"] for row in entry["algorithms"]),
    ),
    (
        "Clopper, Pearson, The use of confidence or fiducial limits, 1934 (exact bounds).",
        lambda entry: any(row["failure"] or exact_end(row) for row in entry["algorithms"]),
    ),
    (
        "Obuchowski, Lieber, Confidence bounds when the estimated ROC area is 1.0, 2002.",
        lambda entry: entry.get("metric") == "auroc" and any(exact_end(row) for row in entry["algorithms"]),
    ),
    (
        "Rubin, The Bayesian bootstrap, 1981 (probabilities about the lead).",
        lambda entry: (entry.get("false_claim_probability") or {}).get("method") == "bayesian_bootstrap",
    ),
    (
        "Learned-Miller, Thomas, A new confidence interval for the mean of a bounded random variable, 2020 (cautious p-value).",
        lambda entry: (entry.get("false_claim_probability") or {}).get("with_one_unseen_failure") is not None,
    ),
    ("Wilcoxon, Individual comparisons by ranking methods, 1945.", lambda entry: entry.get("tests")),
    (
        "Holm, A simple sequentially rejective multiple test procedure, 1979.",
        lambda entry: entry.get("tests") or entry.get("family"),
    ),
    ("Kendall, The treatment of ties in ranking problems, 1945.", lambda entry: entry.get("kendall_tau")),
)
"""Publications of the methods that statements of a report rest on, with the entries that use the method."""


def cited(document: Mapping[str, Any]) -> list[str]:
    """Return the publications of the methods that a ranking document uses."""
    used = [*overall(document), *entries(document)]
    return [publication for publication, uses in _OF_METHODS if any(uses(entry) for entry in used)]


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
    page.text(CONSENSUS.all(len(entries(document))))
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
        page.text(NO_DENDROGRAM.all(len(entries(document))), kind="remark")
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
    page.heading(2, BY_NAME["withholding"].title)
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
    """Write whether an algorithm would have risen by entering copies of itself.

    The section is omitted if copies cannot be entered everywhere.
    """
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


def reproduction_section(page: DocumentBuilder, document: Mapping[str, Any], *, has_follow_up: bool = False) -> None:
    """Write what is needed to compute the ranking again, and the publications of its methods.

    Parameters
    ----------
    has_follow_up
        Whether the report states a follow-up.
    """
    page.heading(2, "To compute it again")
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    resampled = sum(bool(entry["resampled"]) for entry in [*overall(document), *entries(document)])
    page.points(
        [
            *AGAIN.all(Drawn(document, resampled)),
            f"Digest of the assessment: {document['assessment']}",
            f"Digest of the ranking: {digest(document)}",
            f"Software: {versions}.",
        ]
    )
    page.heading(2, "References")
    page.points([*_REFERENCES, *cited(document), *([_FOLLOW_UP] if has_follow_up else [])])
