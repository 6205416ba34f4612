"""From an assessment and results to the sections of a report, in the order in which a reader asks."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evaluation.analyses.sources import Sources
from evaluation.claims.differences import caption_of
from evaluation.claims.ranking import headline_of, letters_of, sentences_of, why_without_letters
from evaluation.claims.sections import FOLLOWED, LEFT_OUT, RANGES, VALUES, Followed, LeftOut, Ranges, Values
from evaluation.documents import Block, DocumentBuilder, Drawing
from evaluation.documents.html import as_html
from evaluation.figures import (
    difference_forest,
    dot_and_box_plot,
    interval_svg,
    parallel_cases,
    podium_plot,
    ranking_heatmap,
    summary_table,
)
from evaluation.figures.layout import alike, interval_words, number, percent, rank_words, shared_firsts
from evaluation.problems import kind_of
from evaluation.ranking import describe, rank
from evaluation.ranking.counted import AS_MEASURED, counted_results, load_evidence, recomputable
from evaluation.ranking.raw import raw_values
from evaluation.ranking.reading import (
    Entry,
    entries,
    exact_end,
    is_combined,
    is_ranked,
    label,
    main_entry,
    overall,
    score_intervals_cover,
    score_range,
)
from evaluation.ranking.schemes import get_scheme
from evaluation.reporting.analyses import (
    across_section,
    copies_section,
    gaming_section,
    reproduction_section,
)
from evaluation.reporting.costs import costs_section
from evaluation.reporting.further import groups_section, hardness_section, model_section
from evaluation.reporting.kinds import kind_section
from evaluation.reporting.stability import stability_section
from evaluation.reporting.subset import best_of
from evaluation.rounding import bound_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.scoring.evidence import Evidence

_PODIUM_CASES, _PODIUM_ALGORITHMS = 150, 10
_SHOWN_PAIRS = 30


def report_blocks(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    title: str = "Ranking report",
    cases: pd.DataFrame | None = None,
    evidence: Any = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    top: int | None = None,
    characteristics: Sequence[str] = (),
    subgroups: Sequence[str] = (),
    mixed_model: bool = False,
    justification: str = "",
    today: dt.date | None = None,
    document: Mapping[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Block]:
    """Write a report as blocks, from which `evaluation.documents` makes every kind of file.

    Parameters
    ----------
    assessment, results, cases, evidence, bootstrap, seed, progress
        As for `evaluation.ranking.rank`.
    title
        Title of the report.
    top
        Number of ranks whose algorithms are shown; all numbers still come from the whole field.
    characteristics
        Columns of the case table whose effect on the values is analysed.
    subgroups
        Columns of the case table; a separate ranking is computed for each of their values.
    mixed_model
        True to add a ranking from a mixed model.
    justification
        Justification of the ranking scheme, written by the organizers.
    today
        Date of the report.
    document
        The ranking document, if it has already been computed from the same input.

    Returns
    -------
    list of Block
        Blocks in the order of a reader's questions.
    """
    full = document or rank(
        assessment, results, cases=cases, evidence=evidence, bootstrap=bootstrap, seed=seed, progress=progress
    )
    document = full if top is None else best_of(full, top)
    raw = raw_values(assessment, results)
    page = DocumentBuilder()
    _head(page, title, document, today)
    counted = load_evidence(evidence)
    if counted is not None and assessment.exclusions:
        counted = counted_results(assessment, results, cases=cases, evidence=counted).evidence
    ranking_section(page, assessment, document, raw, justification=justification, top=top, evidence=counted)
    raw_section(page, document, raw, weighted=bool(assessment.interaction_weights))
    kind_section(page, assessment, document, counted, results, cases=cases)
    stability_section(page, assessment, document, results, cases)
    across_section(page, document)
    plain = Sources(document=full, assessment=assessment, results=results, cases=cases)
    costs_section(page, plain)

    def sources(columns: Sequence[str]) -> Sources:
        """Return the sources of the report, with the characteristics of cases limited to `columns`."""
        case_columns = None if cases is None else cases[list(dict.fromkeys(["case", *columns]))]
        return Sources(
            document=full,
            assessment=assessment,
            results=results,
            cases=cases,
            characteristics=case_columns,
            read_evidence=lambda: load_evidence(evidence),
        )

    if subgroups:
        groups_section(page, sources(subgroups), asked=subgroups)
    if mixed_model:
        model_section(page, sources(()))
    gaming_section(page, assessment, results, cases)
    copies_section(page, assessment, results, cases)
    if characteristics:
        # Registered units explain nothing, they are random effects.
        units = [name for name in assessment.aggregation.random if cases is not None and name in cases]
        hardness_section(page, sources([*characteristics, *units]))
    reproduction_section(page, full, has_follow_up=kind_of(assessment).evidence.has_follow_up)
    return page.blocks


def build_report(
    assessment: Assessment, results: pd.DataFrame, *, title: str = "Ranking report", **options: Any
) -> str:
    """Write a report as one HTML document with everything inside; parameters as for `report_blocks`."""
    return as_html(report_blocks(assessment, results, title=title, **options), title=title)


def _head(page: DocumentBuilder, title: str, document: Mapping[str, Any], today: dt.date | None) -> None:
    date = (today or dt.datetime.now(dt.UTC).date()).isoformat()
    page.heading(1, title)
    page.text([f"{date}, Podium {document['versions']['podium']}"], kind="remark")
    page.text([headline_of(main_entry(document), document)], kind="lead")


def ranking_section(
    page: DocumentBuilder,
    assessment: Assessment,
    document: Mapping[str, Any],
    raw: Sequence[Mapping[str, Any]],
    *,
    justification: str = "",
    top: int | None = None,
    evidence: Evidence | None = None,
) -> None:
    """Write the ranking scheme in sentences, and every ranking with its sentences, data and table.

    Parameters
    ----------
    evidence
        Evidence of the cases that count, for statements about the data of some kinds.
    """
    page.heading(2, "The ranking")
    page.heading(3, "How the winner is determined")
    page.points(describe(_as_resampled(assessment, document)))
    page.text([justification] if justification else ["No reason for this choice of scheme was given."], kind="remark")
    page.text(LEFT_OUT.all(LeftOut(top=top)))
    spreads = {(r["task"], r["metric"], r["region"]): {s["name"]: s for s in summary_table(r)} for r in raw}
    for entry in [*overall(document), *entries(document)]:
        page.heading(3, f"Ranking: {label(entry)}")
        page.text(sentences_of(entry, document))
        if not is_combined(entry):
            page.text([*VALUES.all(Values(entry)), *_followed(assessment, evidence, entry)])
        spread = spreads.get((entry.get("task"), entry.get("metric"), entry.get("region")), {})
        _ranking_table(page, entry, spread, level=document["resampling"]["interval"])
        page.text([why_without_letters(entry)], kind="remark")
        _differences(page, assessment, document, entry)
        _inserted(page, entry)


def _followed(assessment: Assessment, evidence: Evidence | None, entry: Entry) -> list[str]:
    """Return a sentence on events and follow-up, for kinds whose references are times to events."""
    of_kind = kind_of(assessment).evidence
    if not of_kind.has_follow_up or assessment.metric(entry["metric"]).level != "dataset":
        return []  # costs of a run do not depend on times to an event
    unit = str(assessment.settings.get("unit") or "")
    if evidence is None or not recomputable(entry["metric"], evidence):
        return list(FOLLOWED.all(Followed(None, None, None, unit)))
    for row in entry["algorithms"]:
        try:
            follow_up = of_kind.follow_up(evidence.select(entry["metric"], row["name"], entry.get("region") or ""))
        except KeyError:  # an algorithm without any answer
            continue
        if follow_up is not None:
            return list(FOLLOWED.all(Followed(*follow_up, unit)))
    return list(FOLLOWED.all(Followed(None, None, None, unit)))


def _as_resampled(assessment: Assessment, document: Mapping[str, Any]) -> Assessment:
    """Return the assessment with the number of resamples of the document, which may be another one than registered."""
    is_resampled = any(entry["resampled"] for entry in [*overall(document), *entries(document)])
    samples = document["bootstrap"] if is_resampled else 0
    return replace(assessment, uncertainty=replace(assessment.uncertainty, bootstrap=samples))


def _score_interval(row: Mapping[str, Any], *, covers: bool) -> str:
    """Return the interval that covers the score, or its resampling range."""
    exact = exact_end(row)
    if exact is not None:
        which, end, of_level = exact
        return f"{which} {bound_text(end, is_lower=which == 'at least')} (exact, one-sided {percent(of_level)})"
    ends = score_range(row, covers=covers)
    return "–" if ends is None else f"{number(ends[0])}–{number(ends[1])}"


def _ranking_table(
    page: DocumentBuilder, entry: Entry, spread: Mapping[str, Mapping[str, str]], *, level: float
) -> None:
    places = len(entry["algorithms"][0]["rank_frequencies"] or entry["algorithms"])
    drawn = any(a["rank_interval"] for a in entry["algorithms"])
    covers = score_intervals_cover(entry)
    columns = [
        "Rank",
        "Algorithm",
        "Score",
        f"{percent(level)} interval of the score" if covers else "Resampling range of the score",
        "Rank set",
        "Letters",
        "Resampling range",
        *(["Range drawn"] if drawn else []),
        "First in",
        "Missing",
    ]
    if spread:
        columns += ["Median", "Quartiles"]
    rows = []
    scores = alike([a["score"] for a in entry["algorithms"]])
    for a, letters, own_score in zip(entry["algorithms"], letters_of(entry), scores, strict=True):
        score = _score_interval(a, covers=covers)
        drawing = Drawing("", svg=interval_svg(a, places)) if a["rank_interval"] else "–"
        row: list[object] = [
            rank_words(a["rank"]),
            a["name"],
            own_score,
            score,
            interval_words(a["rank_set"]),
            letters or "–",
            interval_words(a["rank_interval"]),
            *([drawing] if drawn else []),
            percent(a["share_first"]),
            a["missing"],
        ]
        if spread:
            summary = spread.get(a["name"], {"median": "–", "iqr": "–"})
            row += [summary["median"], summary["iqr"]]
        rows.append(row)
    page.table(columns, rows)
    page.text([*RANGES.all(Ranges(entry)), shared_firsts(entry["algorithms"])], kind="remark")


def _differences(page: DocumentBuilder, assessment: Assessment, document: Mapping[str, Any], entry: Entry) -> None:
    """Draw the differences of all algorithms from the leader, if the ranking has any."""
    if is_combined(entry):
        return
    keys = ("metric", "region", "task", "name")
    scheme = next(one for one in assessment.rankings if one.name == entry.get("name"))
    unit = assessment.metric(entry["metric"]).unit if get_scheme(scheme.scheme).aggregates_values else None
    drawn = difference_forest(document, unit=unit, **{key: entry.get(key) for key in keys})
    if drawn is not None:
        page.figure(drawn, caption_of(entry, document))


def _inserted(page: DocumentBuilder, entry: Entry) -> None:
    inserted = entry.get("inserted", [])
    if inserted:
        rows = [(pair["case"], pair["algorithm"]) for pair in inserted[:_SHOWN_PAIRS]]
        more = f" (the first {_SHOWN_PAIRS} of {len(inserted)})" if len(inserted) > _SHOWN_PAIRS else ""
        page.table(["Case", "Algorithm"], rows, caption=f"Inserted as missing{more}")


def raw_section(
    page: DocumentBuilder, document: Mapping[str, Any], raw: Sequence[Mapping[str, Any]], *, weighted: bool = False
) -> None:
    """Write the value of every algorithm on every case.

    Values appear as measured, even if the ranking weights levels of interaction.
    """
    if not raw:
        return
    page.heading(2, "The raw data")
    if weighted:
        page.text([AS_MEASURED])
    for values in raw:
        if not is_ranked(document, values):
            continue
        cases, algorithms = len(values["cases"]), len(values["algorithms"])
        what = ", ".join(str(values[key]) for key in ("task", "metric", "region") if values[key])
        page.heading(3, f"Values: {what}")
        page.figure(
            dot_and_box_plot(document, values),
            "Every case as a dot; boxes show quartiles, whiskers reach 1.5 interquartile ranges. "
            "Missing values stand there as what the policy counts them for.",
        )
        page.figure(
            ranking_heatmap(document, values),
            "Number of cases on which an algorithm has a rank; ties share the better one.",
        )
        if cases <= _PODIUM_CASES and algorithms <= _PODIUM_ALGORITHMS:
            page.figure(
                podium_plot(document, values),
                "A line joins the values of one case; ties within a case are broken at random, in this figure only.",
            )
        else:
            page.text(LEFT_OUT.all(LeftOut(podium=(cases, algorithms))), kind="remark")
        page.figure(
            parallel_cases(document, values), "One line a case; those on which the algorithms differ most are named."
        )
