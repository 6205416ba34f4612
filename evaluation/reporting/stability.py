"""Stability of the ranking: resamples, tests, and other ranking schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.aggregation import ResultsError
from evaluation.analyses.catalogue import BY_NAME
from evaluation.claims.comparisons import first_under_other_schemes, largest_move
from evaluation.claims.sections import DRAWN, MAPS, TESTS, UNITS_TESTED, Drawn, Tested
from evaluation.figures import (
    better_map,
    blob_plot,
    interval_strip,
    line_plot,
    significance_map,
    tau_table,
    violin_plot,
    with_order,
)
from evaluation.figures.layout import percent
from evaluation.ranking.comparison import across_schemes
from evaluation.ranking.names_of_tests import test_of_pairs
from evaluation.ranking.reading import Entry, entries, is_combined, label, overall
from evaluation.ranking.significance import can_be_significant
from evaluation.wording import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.documents import DocumentBuilder


def stability_section(
    page: DocumentBuilder,
    assessment: Assessment,
    document: Mapping[str, Any],
    results: pd.DataFrame,
    cases: pd.DataFrame | None,
    *,
    schemes: Mapping[str, RankingScheme] | None = None,
    most: int | None = None,
    comparisons: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Write how far the ranking depends on chance and on the ranking scheme.

    Parameters
    ----------
    schemes
        Other schemes to compare with; the usual ones if ``None``.
    most
        Number of rankings for which to draw that comparison, overall rankings first; all of them if ``None``.
    comparisons
        Comparisons with other schemes, if they have already been computed.
    """
    page.heading(2, "How stable is it?")
    resampled = [entry for entry in [*overall(document), *entries(document)] if entry["resampled"]]
    page.text(DRAWN.all(Drawn(document, len(resampled))))
    for entry in resampled:
        # A combined ranking is shown as the only one of its document: its keys may be those of a single ranking, too.
        entry_document = {**document, "overall": entry} if is_combined(entry) else document
        keys = () if is_combined(entry) else ("metric", "region", "task", "name")
        which = {key: entry.get(key) for key in keys}
        page.heading(3, f"{BY_NAME['blob'].title} {label(entry)}")
        page.figure(
            blob_plot(entry_document, **which),
            "The area of a circle is the share of resamples with that rank; crosses are medians, lines resampling ranges.",
        )
        if is_combined(entry):
            page.figure(interval_strip(entry_document, **which), "Ranks on all cases with their resampling ranges.")
    ordered = with_order(document)
    if any(entry["kendall_tau"] and entry["kendall_tau"]["median"] is not None for entry in entries(ordered)):
        page.heading(3, BY_NAME["agreement"].title)
        page.figure(violin_plot(ordered), "Kendall’s τ-b between the ranking and its resamples; bars are quartiles.")
        columns = ["Ranking", "Mean", "Median", "25 %", "75 %", "Undefined"]
        page.table(columns, [list(row.values()) for row in tau_table(ordered)])
    _winner_table(page, [*overall(document), *entries(document)])
    _pairs(page, document)
    tested = [entry for entry in entries(document) if entry["p_values"] is not None]
    if tested:
        page.heading(3, BY_NAME["significance"].title)
        _tests(page, tested, unit=document["resampling"]["unit"])
        for entry in tested:
            which = {key: entry.get(key) for key in ("metric", "region", "task", "name")}
            page.figure(
                significance_map(document, **which, adjusted=True),
                f"{label(entry)}: {test_of_pairs(entry)}s, adjusted by Holm’s method within this ranking.",
            )
    if comparisons is None:
        comparisons = _compared(assessment, results, cases, schemes)
    if comparisons:
        _schemes(page, document, comparisons, most)


def _tests(page: DocumentBuilder, tested: Sequence[Entry], *, unit: str) -> None:
    """Write how pairs were tested and how many units a significant test needs.

    Rankings of different sizes are listed separately.
    """
    page.text(TESTS.all(tested))
    alike: dict[tuple[int, ...], list[Entry]] = {}
    for entry in tested:
        tests = entry["tests"]
        key = (tests["units"], len(entry["algorithms"]), tests["cases_needed"], int(tests["stratified"]))
        alike.setdefault(key, []).append(entry)
    for group in alike.values():
        which = "; ".join(label(entry) for entry in group) if len(alike) > 1 else ""
        page.text(UNITS_TESTED.all(Tested(group, unit, which)))
    for number, alpha in sorted(
        {(e["tests"]["units"], e["tests"]["alpha"]) for e in tested if not e["tests"]["stratified"]}
    ):
        rows = [
            (row["algorithms"], row["tests"], row["needed"], "yes" if row["possible"] else "no")
            for row in can_be_significant(number, alpha=alpha)
        ]
        page.table(["Algorithms", "Tests", f"Differing {plural(unit)} needed", f"Possible with {number}"], rows)


def _pairs(page: DocumentBuilder, document: Mapping[str, Any]) -> None:
    """Write which algorithms are significantly better than which others, by the ranking statistic."""
    compared = [
        entry
        for entry in [*overall(document), *entries(document)]
        if entry["sets"]["reason"] is None and entry["shown_better"] is not None and len(entry["algorithms"]) > 1
    ]
    if not compared:
        return
    page.heading(3, BY_NAME["better"].title)
    page.text(MAPS.all(compared))
    for entry in compared:
        entry_document = {**document, "overall": entry} if is_combined(entry) else document
        keys = () if is_combined(entry) else ("metric", "region", "task", "name")
        page.figure(
            better_map(entry_document, **{key: entry.get(key) for key in keys}),
            f"Who is shown to be better: {label(entry)}.",
        )


def _winner_table(page: DocumentBuilder, rankings: Sequence[Entry]) -> None:
    rows = []
    for entry in rankings:
        left_out = entry.get("leave_one_out")
        changed = "–"
        if left_out is not None:
            names = [", ".join(cases) for cases in left_out["changed_by"]]
            changed = (
                "none"
                if not names
                else str(len(names))
                if not names[0]
                else ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            )
        rows.append(
            [
                label(entry),
                ", ".join(entry["winners"]),
                percent(entry["winner_stays"]),
                _of_others(entry, "others_first"),
                _of_others(entry, "others_first_1_percent"),
                percent(left_out["winner_stays"]) if left_out else "–",
                changed,
            ]
        )
    page.heading(3, "Does the first place hold?")
    columns = [
        "Ranking",
        "First",
        "Stays first in resamples",
        "Others ever first",
        "Others first in ≥ 1 %",
        "Stays first, one case left out",
        "Cases whose removal changes who is first",
    ]
    page.table(columns, rows)


def _of_others(entry: Entry, key: str) -> str:
    """A share of the algorithms that are not first, as a count."""
    others = len(entry["algorithms"]) - len(entry["winners"])
    share: float | None = entry[key]
    return "–" if share is None or not others else f"{round(share * others)} of {others}"


def _compared(
    assessment: Assessment,
    results: pd.DataFrame,
    cases: pd.DataFrame | None,
    schemes: Mapping[str, RankingScheme] | None,
) -> Sequence[Mapping[str, Any]]:
    try:
        return across_schemes(assessment, results, cases=cases, schemes=schemes)
    except ResultsError:
        return ()


def _schemes(
    page: DocumentBuilder, document: Mapping[str, Any], comparisons: Sequence[Mapping[str, Any]], most: int | None
) -> None:
    page.heading(3, BY_NAME["schemes"].title)
    for comparison in sorted(comparisons, key=lambda entry: not entry.get("overall"))[:most]:
        what = "overall" if comparison.get("overall") else label(comparison)
        page.figure(
            line_plot(document, comparison),
            f"{what}: ranks under several schemes, the registered one in bold. {first_under_other_schemes(comparison)} {largest_move(comparison)}",
        )
