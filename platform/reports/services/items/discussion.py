"""Items that authors complete: drafts and prompts for front matter and discussion.

The conclusion is written by the authors alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from evaluation.claims.reports import REACHED, Reached
from evaluation.designs.document.words import cell_words
from evaluation.wording import joined
from reports.domain.content import Exhibit, Item, Origin
from reports.domain.phrases import table_words
from reports.exposure.domain.words import capitalized, term
from reports.exposure.queries.facts import DesignFacts
from reports.exposure.services import Cover
from reports.services.items import claims, described
from reports.services.items.registered import ended, table_of
from reports.services.items.source import Source

if TYPE_CHECKING:
    from evaluation.designs.catalogue import Parameter
    from reports.services.benchmark import Benchmark

MOST_TOLD: Final = 6
MOST_CHARACTERISTICS: Final = 4


def title(item: Item, source: Source) -> None:
    """1: a proposal in which challenge, category and modality occur."""
    item.text.clear()
    name = source.entry("challenge_name").value or source.facts.title
    terms = {key: _labels(source, key) for key in ("task_category", "imaging_modality")}
    origins = [source.registered(key) for key, labels in terms.items() if labels]
    if not origins:
        words = f"{name}: a biomedical image analysis challenge."
        item.text.append((source.ledger.say(words, Origin("platform", "Title of the challenge")),))
    else:
        category = " and ".join(term(label) for label in terms["task_category"][:2])
        modality = " and ".join(term(label) for label in terms["imaging_modality"][:2])
        what = " in ".join(part for part in (category, modality) if part)
        item.text.append(
            (
                source.ledger.say(
                    f"{name}: a biomedical image analysis challenge on {what}.",
                    source.registered("challenge_name"),
                    *origins,
                ),
            )
        )
    item.prompt = "Choose the title. It should say that this is a challenge, and name the task and the modality."


def abstract(item: Item, source: Source) -> None:
    """2: background, methods and results, each under its name; the conclusion is left open."""
    item.text.clear()
    ledger = source.ledger
    if objective := source.entry("primary_objective").value:
        item.text.append((ledger.say(f"Background: {ended(objective)}", source.registered("primary_objective")),))
    elif source.facts.summary:
        words = f"Background: {ended(source.facts.summary)}"
        item.text.append((ledger.say(words, Origin("platform", "Summary of the challenge")),))
    several = len(source.benchmarks) > 1
    ranked, led = [], []
    for benchmark in source.benchmarks:
        phase = benchmark.phase
        name = source.named(phase)
        origin = source.ranking(phase)
        facts = claims.Named(name, phase, source.parsed(phase))
        ranked += [ledger.say(words, origin, source.assessment(phase)) for words in claims.RANKED.all(facts)]
        lead = f"{name}: " if several else ""
        led += [ledger.say(f"{lead}{words}", origin) for words in benchmark.headlines[:1]]
    for title, sentences in (("Methods", ranked), ("Results", led)):
        if sentences:
            first = replace(sentences[0], text=f"{title}: {sentences[0].text}")
            item.text.append((first, *sentences[1:]))
    item.prompt = "Finish the abstract: the design in a sentence, and the main conclusion."


def contributions(item: Item, source: Source) -> None:
    """16: a draft from the roles of the organizers."""
    parameter: Parameter | None = source.parameter("organizing_team")
    if parameter is not None:
        fields = {field.key: field for field in parameter.item_fields}
        rows = [
            (str(row.get("name", "")), cell_words(fields["role"], row.get("role")))
            for row in source.entry("organizing_team").value or ()
            if isinstance(row, dict) and row.get("name") and "role" in fields
        ]
        if rows:
            sentences = [f"{name}: {role or 'organizer'}." for name, role in rows]
            item.text.append(source.ledger.paragraph(sentences, source.registered("organizing_team")))
    item.prompt = "Say what each author contributed."


def results_in_short(item: Item, source: Source) -> None:
    """37: the sentences of the rankings."""
    for benchmark in source.benchmarks:
        item.text.append(source.ledger.paragraph(benchmark.headlines[:MOST_TOLD], source.ranking(benchmark.phase)))
    item.prompt = "Sum up the main results in your own words."


def biomedical(item: Item, source: Source) -> None:  # noqa: ARG001 (all additions are called alike)
    """Set the prompt of 38a, which the authors write; the motivation is in the introduction."""
    item.prompt = "What do the results change for patients, care or research?"


def technical(item: Item, source: Source) -> None:  # noqa: ARG001 (all additions are called alike)
    """Set the prompt of 38b, which the authors write; the motivation is in the introduction."""
    item.prompt = "What do the results change for the methods of the field?"


def solved(item: Item, source: Source) -> None:
    """Write 39a: the best results and the stated error sources of the reference."""
    for benchmark in source.benchmarks:
        best = [
            sentence
            for best_value in benchmark.best_values[:MOST_TOLD]
            for sentence in REACHED.all(Reached(best_value["what"], best_value["names"], best_value["score"]))
        ]
        item.text.append(source.ledger.paragraph(best, source.ranking(benchmark.phase)))
    parameter = source.parameter("annotation_error_sources")
    for values in source.views:
        error_sources = values.get("annotation_error_sources")
        if error_sources and parameter is not None:
            table = table_of(parameter, values.entry(parameter.id), source)
            words = table_words(table.text, table.columns, table.rows, topic=parameter.id)
            item.text.append((source.ledger.say(words, source.registered(parameter.id)),))
            break
    item.prompt = "Is the task solved? Compare the errors of the best methods with those of annotators."


def hard_cases(item: Item, source: Source) -> None:
    """39b: the cases with the worst median over the teams."""
    for benchmark in source.benchmarks:
        if not benchmark.worst_cases:
            continue
        keys = source.ledger.keys(source.ranking(benchmark.phase))
        titles, characteristics = _known(benchmark)
        rows = tuple(
            (
                row["what"],
                row["case"],
                row["median"],
                row["best"],
                *characteristics.get(row["case"], ("–",) * len(titles)),
            )
            for row in benchmark.worst_cases
        )
        columns = ("Metric and region", "Case", "Median over the teams", "Best team", *titles)
        caption = f"Cases with the worst median over the teams, {source.named(benchmark.phase)}"
        item.exhibits.append(
            Exhibit("table", topic="hard_cases", origins=keys, text=caption, columns=columns, rows=rows)
        )
    item.prompt = "Look at these cases: what do they have in common, and why do methods fail on them?"


def methods(item: Item, source: Source) -> None:
    """39c: who is better by one metric than by another."""
    for benchmark in source.benchmarks:
        ranks: dict[str, list[tuple[float, str]]] = {}
        for row in benchmark.metric_ranks:
            if row["rank"] is not None:
                ranks.setdefault(row["name"], []).append((row["rank"], row["what"]))
        spread = sorted(
            (claims.Spread(team, min(team_ranks), max(team_ranks)) for team, team_ranks in ranks.items()),
            key=lambda row: (row.best[0] - row.worst[0], row.team),
        )
        sentences = [sentence for row in spread[:MOST_TOLD] for sentence in claims.DEPENDS.all(row)]
        if sentences:
            lead = f"{source.named(benchmark.phase)}: teams whose rank depends most on metric and region."
            item.text.append(source.ledger.paragraph([lead, *sentences], source.ranking(benchmark.phase)))
    described.resources(item, source)
    item.prompt = "Discuss advantages and disadvantages of the methods, with run time and memory where they are known."


def limits(item: Item, source: Source) -> None:
    """40: open warnings of the design, deviations, and what was not covered."""
    ledger, facts = source.ledger, source.facts
    uncovered = [finding for finding in source.exposure if finding.cover is Cover.UNCOVERED]
    if uncovered:
        origin = Origin("platform", "Exposure report of this challenge, decided from its facts")
        sentences = [
            f"{finding.identity} ({finding.attack[0].lower()}{finding.attack[1:]}): {finding.conclusion}"
            for finding in uncovered
        ]
        item.text.append(ledger.paragraph(["Not covered by design or platform:", *sentences], origin))
    for phase in source.shown:
        for deviation in phase.deviations:
            origin = Origin("registration", f"Deviations of {source.named(phase)}", deviation["executed_digest"] or "")
            item.text.append(
                (ledger.say(f"{source.named(phase)}: {deviation['what']}. {deviation['reason']}", origin),)
            )
    if facts.design is not None and facts.design.warnings:
        _warnings(item, source, facts.design)
    item.prompt = "Say what these limits mean for the results."


def _warnings(item: Item, source: Source, design: DesignFacts) -> None:
    """Warnings of the design's checks: first those that the organizers answered, with the answer."""
    origin = Origin("parameter", f"Checks of {design.label}", design.digest, design.address)
    answered = [warning for warning in design.warnings if warning["answer"]]
    for warning in answered:
        where = f"{warning['task']}: " if warning["task"] else ""
        words = f"A check of the design warns: {where}{warning['message']} The organizers answer: {warning['answer']}"
        item.text.append((source.ledger.say(words, origin),))
    open_ones: dict[str, list[str]] = {}
    for warning in design.warnings:
        if not warning["answer"]:
            open_ones.setdefault(warning["message"], []).append(warning["task"])
    # What warns of several tasks is one warning that names them.
    sentences = [f"{joined(tasks)}: {message}" if any(tasks) else message for message, tasks in open_ones.items()]
    if sentences:
        more = len(sentences) - MOST_TOLD
        tail = [f"Further open warnings: {more}."] if more > 0 else []
        item.text.append(
            source.ledger.paragraph(["The checks of the design warn:", *sentences[:MOST_TOLD], *tail], origin)
        )


def future(item: Item, source: Source) -> None:  # noqa: ARG001 (all additions are called alike)
    """41: the registered plan is there; the rest is for the authors."""
    item.prompt = "What should be done next, and who keeps challenge, data and code alive?"


def conclusion(item: Item, source: Source) -> None:  # noqa: ARG001 (all additions are called alike)
    """42: left to the authors."""
    item.prompt = "Conclude from the results; this item is written by the authors alone."


ADDITIONS: Final[Mapping[str, Callable[[Item, Source], None]]] = {
    "1": title,
    "2": abstract,
    "16": contributions,
    "37": results_in_short,
    "38a": biomedical,
    "38b": technical,
    "39a": solved,
    "39b": hard_cases,
    "39c": methods,
    "40": limits,
    "41": future,
    "42": conclusion,
}


def _known(benchmark: "Benchmark") -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Characteristics of the cases: their names, and what is known of each case."""
    table = benchmark.characteristics
    if table is None or "case" not in table:
        return (), {}
    names = [name for name in table.columns if name != "case"][:MOST_CHARACTERISTICS]
    titles = tuple(capitalized(str(name).replace("_", " ")) for name in names)
    lines = table[["case", *names]].astype(object).where(table[["case", *names]].notna(), "–")
    return titles, {str(row[0]): tuple(map(str, row[1:])) for row in lines.itertuples(index=False)}


def _labels(source: Source, identity: str) -> list[str]:
    parameter = source.parameter(identity)
    labels: list[str] = []
    for values in source.views:
        for value in values.get(identity) or ():
            word = parameter.label_of(value) if parameter else str(value)
            if word not in labels:
                labels.append(word)
    return labels
