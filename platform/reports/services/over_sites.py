"""Benchmarking part of a phase that was evaluated at sites: pooled results and results per site."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.assessment import Assessment
from evaluation.boards.over_sites import over_sites
from evaluation.claims.ranking import sentences_of
from evaluation.ranking import describe
from evaluation.ranking.reading import entries, label, overall
from reports.domain.content import Ledger, Origin
from reports.exposure.queries.facts import PhaseFacts
from reports.services.benchmark import Benchmark, Draw, Figures, Recorder, findings, names_of


def build(
    phase: PhaseFacts,
    *,
    document: Mapping[str, Any],
    assessment: Assessment,
    ledger: Ledger,
    origins: Sequence[Origin],
    draw: Draw,
    figures: Figures,
) -> Benchmark:
    """Write it from the ranking document alone: the results of cases stay at the sites."""
    ranked_document = {**document, "rankings": [entry for entry in document["rankings"] if entry["algorithms"]]}
    every = [*overall(ranked_document), *entries(ranked_document)]
    words = names_of(assessment, (row["name"] for entry in every for row in entry["algorithms"]))
    benchmark = Benchmark(phase=phase)
    findings(benchmark, ranked_document, (), words, with_cases=False)

    def record() -> Recorder:
        return Recorder(ledger, origins, draw=draw, figures=figures, words=words)

    page = record()
    page.text(["The results of cases stay at the sites; what came from there are sums over many cases."])
    benchmark.exhibits["34"] = page.exhibits
    page = record()
    page.points(describe(assessment))
    for entry in every:
        page.heading(3, f"Ranking: {label(entry)}")
        page.text(sentences_of(entry, ranked_document, closed=phase.state == "closed"))
        page.table(("Rank", "Algorithm", "Rank set", "Score"), _rows(entry), caption=label(entry))
    benchmark.exhibits["35a"] = page.exhibits
    page = record()
    page.text(document["pooled"]["notes"])
    for ranking in over_sites(document, assessment):
        page.table(
            ("Site", "Cases", *ranking.algorithms, "Wins there", "Without it wins"),
            [(row.site, row.units, *row.places, row.winners, row.without) for row in ranking.sites],
            caption="Place of each algorithm at each site, and who wins when that site is left out",
        )
    benchmark.exhibits["35b"] = page.exhibits
    page = record()
    page.text(["Comparisons over groups of cases need the cases and are not made."])
    benchmark.exhibits["36"] = page.exhibits
    return benchmark


def _rows(entry: Mapping[str, Any]) -> list[tuple[object, ...]]:
    return [
        (row["rank"], row["name"], "–".join(f"{rank:g}" for rank in row["rank_set"] or ()), row["score"])
        for row in entry["algorithms"]
    ]
