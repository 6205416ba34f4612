"""The benchmarking part of a report: sections of the ranking report, recorded with their origins, and their figures."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any, Final

import pandas as pd

from evaluation.aggregation import ResultsError
from evaluation.analyses.sources import Sources
from evaluation.assessment import Assessment, RankingScheme
from evaluation.claims.costs import KEPT, NO_GROUPS
from evaluation.claims.ranking import sentences_of
from evaluation.documents import DocumentBuilder, Drawing, Kind
from evaluation.figures import interval_strip
from evaluation.figures.cases import case_map, hardest_first
from evaluation.figures.layout import number
from evaluation.ranking.comparison import across_schemes, alternative_schemes, without_pairwise
from evaluation.ranking.reading import entries, is_ranked, label, main_entry
from evaluation.reporting import (
    across_section,
    best_of,
    copies_section,
    costs_section,
    gaming_section,
    groups_section,
    hardness_section,
    kind_section,
    model_section,
    ranking_section,
    raw_section,
    stability_section,
)
from reports.domain.content import Exhibit, Ledger, Origin
from reports.exposure.domain.words import Names
from reports.exposure.queries.audience import Level
from reports.exposure.queries.facts import PhaseFacts
from reports.services import narrating
from reports.services.items.claims import hardest

MOST_SHOWN: Final = 30
"""Maximum number of ranks in figures; tables contain the whole field."""
MOST_TESTED: Final = 60
MOST_WITHHOLDING: Final = 30
MOST_FOLLOWED: Final = 3
"""Figures of single algorithms for the first ones of the consensus alone."""
MOST_PANELS: Final = 4
"""Maximum number of metric and region pairs in figures of raw data and tests.

The others are in the tables.
"""
HARDEST: Final = 8
_PART: Final = 9
"""Below all headings."""

Draw = Callable[[str, Mapping[str, Any], str], None]


@dataclass
class Benchmark:
    """Contribution of a phase to the results: exhibits by item, and findings that other items use."""

    phase: PhaseFacts
    exhibits: dict[str, list[Exhibit]] = field(default_factory=dict)
    headlines: list[str] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)
    worst_cases: list[dict[str, Any]] = field(default_factory=list)
    best_values: list[dict[str, Any]] = field(default_factory=list)
    metric_ranks: list[dict[str, Any]] = field(default_factory=list)
    characteristics: pd.DataFrame | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)


class Recorder(DocumentBuilder):
    """Sections of the ranking report as exhibits: with origins, names for readers, and figures drawn for print."""

    def __init__(
        self, ledger: Ledger, origins: Sequence[Origin], *, draw: Draw, figures: "Figures", words: Names
    ) -> None:
        super().__init__()
        self._kept: list[tuple[int, Exhibit]] = []
        self._keys = ledger.keys(*origins)
        self._draw = draw
        self._names = figures
        self._words = words
        self._part = ""

    @property
    def exhibits(self) -> list[Exhibit]:
        """Recorded exhibits, without headings that nothing follows."""
        filled_exhibits = []
        lowest = 0
        for level, exhibit in reversed(self._kept):
            # What follows a heading is a part of it, or a heading below it that has parts.
            if exhibit.kind != "heading" or lowest > level:
                filled_exhibits.append(exhibit)
                lowest = level
        return filled_exhibits[::-1]

    def heading(self, level: int, text: str) -> None:
        """Keep the headings of parts; they are all of one level below the item."""
        self._part = self._words.text(text)
        self._kept.append((level, Exhibit("heading", origins=self._keys, text=self._part)))

    def text(self, sentences: Iterable[str], *, kind: Kind = "text") -> None:  # noqa: ARG002 (all paragraphs of a report are alike)
        """Keep a paragraph."""
        joined = " ".join(sentence for sentence in sentences if sentence)
        if joined:
            self._keep(Exhibit("text", origins=self._keys, text=self._words.text(joined)))

    def points(self, sentences: Iterable[str]) -> None:
        """Keep a list."""
        items = tuple(self._words.text(sentence) for sentence in sentences)
        if items:
            self._keep(Exhibit("list", origins=self._keys, items=items))

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]], *, caption: str = "") -> None:
        """Record a table without its small drawings.

        The numbers that they show are in the neighbouring columns.
        """
        table_rows = [list(row) for row in rows]
        drawn = {index for row in table_rows for index, cell in enumerate(row) if isinstance(cell, Drawing)}
        places = [
            index
            for index in range(len(columns))
            if index not in drawn and (any(str(row[index]) for row in table_rows) or not table_rows)
        ]
        self._keep(
            Exhibit(
                "table",
                origins=self._keys,
                text=self._words.text(caption) or self._part,
                columns=tuple(self._words.text(columns[index]) for index in places),
                rows=tuple(tuple(self._words.text(_cell(row[index])) for index in places) for row in table_rows),
            )
        )

    def figure(self, figure: Mapping[str, Any], caption: str) -> None:
        """Draw a figure for print and keep its name; the question that it answers leads the caption.

        A figure that another part of the report has already is not drawn again.
        """
        name, words, is_new = self._drawn(figure, caption)
        if is_new:
            self._keep(Exhibit("figure", origins=self._keys, text=words, name=name))

    def named(self, figure: Mapping[str, Any], caption: str) -> tuple[str, str]:
        """Name and caption of a figure, drawn unless another part of the report has it."""
        return self._drawn(figure, caption)[:2]

    def _drawn(self, figure: Mapping[str, Any], caption: str) -> tuple[str, str, bool]:
        drawn = self._words.figure(figure)
        name, is_new = self._names.name_of(drawn)
        question = drawn["layout"].get("title", {}).get("text", "")
        stop = "" if not question or question[-1] in "?.!)" else "."
        words = f"{question}{stop} {self._words.text(caption)}".strip()
        if is_new:
            self._draw(name, drawn, words)
        return name, words, is_new

    def _keep(self, exhibit: Exhibit) -> None:
        self._kept.append((_PART, exhibit))


class Figures:
    """Names for the figures of a report, and which it has already."""

    def __init__(self) -> None:
        self._names = (f"figure-{number:02d}" for number in count(1))
        self._known: dict[str, str] = {}

    def name_of(self, figure: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the name of a figure, and True if the figure was not named before."""
        digest = sha256(json.dumps(figure, sort_keys=True).encode()).hexdigest()
        if digest in self._known:
            return self._known[digest], False
        self._known[digest] = next(self._names)
        return self._known[digest], True


def build(
    phase: PhaseFacts, *, sources: Sources, ledger: Ledger, origins: Sequence[Origin], draw: Draw, figures: Figures
) -> Benchmark:
    """Write the benchmarking part of a phase, in the order of a reader's questions.

    Parameters
    ----------
    sources
        The ranking document of the current version, and the data from which it was computed.
    draw
        Called with name, Plotly description and caption of every figure.
    figures
        Names for the figures, shared by all phases of a report.
    """
    assessment = sources.assessment
    benchmark = Benchmark(phase=phase)
    with_cases = phase.level is Level.ALL
    full = sources.document if with_cases else without_cases(sources.document)
    best_document = best_of(full, MOST_SHOWN)
    raw = [values for values in sources.raw.values() if is_ranked(sources.document, values)]
    words = names_of(assessment, (a["name"] for entry in full["rankings"] for a in entry["algorithms"]))

    def record() -> Recorder:
        return Recorder(ledger, origins, draw=draw, figures=figures, words=words)

    findings(benchmark, full, raw, words, with_cases=with_cases)
    if with_cases:
        benchmark.characteristics = sources.characteristics

    page = record()
    if with_cases:
        raw_section(
            page,
            _only(best_document, raw[:MOST_PANELS]),
            raw[:MOST_PANELS],
            weighted=bool(sources.assessment.interaction_weights),
        )
        for entry in raw[:MOST_PANELS]:
            page.figure(
                case_map(best_document, entry),
                "Every value as a cell; a row that is dark from side to side is a case on which all fail.",
            )
        _panels_left(page, raw)
        page.text([*KEPT.all(sources.kept), *NO_GROUPS.all(sources.kept)])
        # A report may be read by whoever reads the bundle, and some of these figures are made of the references.
        kind_section(
            page,
            assessment,
            best_document,
            sources.counted_evidence,
            sources.results,
            cases=sources.characteristics,
            tells_references=phase.bundle_is_public,
            length_unit=sources.length_unit,
        )
    else:
        page.text(
            ["Results by case are published when the phase has closed; until then this part stays out of the report."]
        )
    benchmark.exhibits["34"] = page.exhibits

    page = record()
    if main_entry(full)["resampled"]:
        page.figure(interval_strip(best_document), "Ranks on all cases with their resampling ranges.")
    ranking_section(
        page,
        assessment,
        full,
        raw,
        justification="Item 30c states why this scheme was chosen.",
        evidence=sources.counted_evidence if with_cases else None,
    )
    benchmark.exhibits["35a"] = page.exhibits

    page = record()
    schemes = alternative_schemes(assessment.rankings[0])
    if len(main_entry(full)["algorithms"]) > MOST_TESTED:
        schemes = without_pairwise(schemes)
    comparisons = _compared(sources, schemes)
    stability_section(
        page,
        assessment,
        _few(best_document),
        sources.results,
        sources.cases,
        most=MOST_PANELS,
        comparisons=comparisons,
    )
    benchmark.exhibits["35b"] = page.exhibits

    page = record()
    across_section(page, full, most=MOST_FOLLOWED)
    costs_section(page, sources, most=MOST_PANELS)
    if with_cases:
        groups_section(page, sources)
        hardness_section(page, sources, most=MOST_PANELS)
        model_section(page, sources, most=MOST_PANELS)
        if len(main_entry(full)["algorithms"]) <= MOST_WITHHOLDING:
            gaming_section(page, assessment, sources.results, sources.cases)
            copies_section(page, assessment, sources.results, sources.cases)
    benchmark.exhibits["36"] = page.exhibits
    benchmark.parts = narrating.parts_of(
        narrating.NarrativeSource(
            document=full,
            shown=best_document,
            raw=raw if with_cases else (),
            comparisons=comparisons,
            closed=phase.state == "closed",
            words=words,
            figure=record().named,
        )
    )
    return benchmark


def _compared(sources: Sources, schemes: Mapping[str, RankingScheme]) -> list[dict[str, Any]]:
    try:
        return across_schemes(sources.assessment, sources.results, cases=sources.cases, schemes=schemes)
    except ResultsError:
        return []


def names_of(assessment: Assessment, teams: Iterable[str]) -> Names:
    """The metrics as the field writes them; the names of teams stay as they are."""
    return Names({metric.name: metric.title for metric in assessment.metrics}, but=frozenset(teams))


def without_cases(document: Mapping[str, Any]) -> dict[str, Any]:
    """A ranking document that names no single case: for a phase that is still open."""

    def stripped(entry: Mapping[str, Any]) -> dict[str, Any]:
        return {**entry, "leave_one_out": None, "inserted": []}

    overall = document.get("overall")
    stripped_overall: Any = overall
    if isinstance(overall, list):
        stripped_overall = [stripped(entry) for entry in overall]
    elif overall:
        stripped_overall = stripped(overall)
    return {**document, "rankings": [stripped(entry) for entry in document["rankings"]], "overall": stripped_overall}


def findings(
    benchmark: Benchmark,
    document: Mapping[str, Any],
    raw: Sequence[Mapping[str, Any]],
    words: Names,
    *,
    with_cases: bool,
) -> None:
    main = main_entry(document)
    closed = benchmark.phase.state == "closed"
    benchmark.headlines = [words.text(sentence) for sentence in sentences_of(main, document, closed=closed)]
    lacking: dict[str, int] = {}
    for entry in document["rankings"]:
        for algorithm in entry["algorithms"]:
            if algorithm.get("missing") is not None:
                lacking[algorithm["name"]] = max(lacking.get(algorithm["name"], 0), algorithm["missing"])
    benchmark.missing = [(name, str(number)) for name, number in lacking.items()]
    for entry in entries(document):
        first = entry["algorithms"][0]
        benchmark.best_values.append(
            {
                "what": words.text(label(entry)),
                "names": entry["winners"],
                "score": first["score"],
                "metric": entry["metric"],
            }
        )
        for algorithm in entry["algorithms"]:
            benchmark.metric_ranks.append(
                {"what": words.text(label(entry)), "name": algorithm["name"], "rank": algorithm["rank"]}
            )
    if with_cases:
        for entry in raw[:MOST_PANELS]:
            benchmark.worst_cases += _worst(entry, words)


def _worst(entry: Mapping[str, Any], words: Names) -> list[dict[str, Any]]:
    """The cases on which the field did worst; none where another case has the same median as the last of them."""
    named = hardest(entry, HARDEST)
    what = words.text(", ".join(str(entry[key]) for key in ("task", "metric", "region") if entry[key]))
    rows = []
    for index in hardest_first(entry)[: len(named)]:
        values = sorted(value for value in entry["values"][index] if value is not None)
        if values:
            middle = values[len(values) // 2] if len(values) % 2 else sum(values[len(values) // 2 - 1 :][:2]) / 2
            best = values[-1] if entry["direction"] == "higher" else values[0]
            rows.append(
                {"what": what, "case": str(entry["cases"][index]), "median": number(middle), "best": number(best)}
            )
    return rows


def _only(document: Mapping[str, Any], raw: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rankings of some metrics and regions alone."""
    wanted = {(entry["metric"], entry["region"], entry["task"]) for entry in raw}
    return {
        **document,
        "rankings": [
            entry for entry in document["rankings"] if (entry["metric"], entry["region"], entry["task"]) in wanted
        ],
    }


def _few(document: Mapping[str, Any]) -> dict[str, Any]:
    """The rankings that are drawn one by one; all of them where there are few."""
    return {**document, "rankings": document["rankings"][:MOST_PANELS]}


def _panels_left(page: DocumentBuilder, raw: Sequence[Mapping[str, Any]]) -> None:
    if len(raw) > MOST_PANELS:
        page.text(
            [
                f"Drawn are the first {MOST_PANELS} of {len(raw)} pairs of metric and region; the tables have all of them."
            ]
        )


def _cell(cell: object) -> str:
    return "–" if cell is None or cell == "" else str(cell)
