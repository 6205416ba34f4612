"""Results: who took part, what they reached, and how sure that is."""

from collections.abc import Callable, Mapping
from typing import Final

from evaluation.claims.reports import REACHED, Reached
from leaderboards.queries.names import is_pseudonym, without_method
from reports.domain.content import Exhibit, Item
from reports.exposure.queries.facts import PhaseFacts
from reports.services.items import claims
from reports.services.items.source import Source


def registrations(item: Item, source: Source) -> None:
    """32a: teams and people."""
    names = [source.named(phase) for phase in source.facts.phases]
    [words] = claims.PEOPLE.all(claims.Run(source.facts, names))
    item.text.append((source.ledger.say(words, source.counted("teams of the challenge")),))


def valid_teams(item: Item, source: Source) -> None:
    """Write 32b: the number of teams with an accepted submission, by phase.

    No other result of a sealed phase is shown.
    """
    rows = tuple(
        (
            source.named(phase),
            phase.state if phase.level != "nothing" else f"{phase.state}, sealed",
            str(phase.submitting_teams),
            str(len(phase.ranking.teams)) if phase.ranking else "–",
        )
        for phase in source.facts.phases
    )
    if rows:
        columns = ("Phase", "State", "Teams with an accepted submission", "Teams ranked")
        keys = source.ledger.keys(source.counted("submissions by phase"))
        item.exhibits.append(
            Exhibit("table", topic="teams_by_phase", origins=keys, text="Teams by phase", columns=columns, rows=rows)
        )


def reported_teams(item: Item, source: Source) -> None:
    """32c: how many of them this report covers."""
    for phase in source.facts.main_phases():
        if phase.ranking is None:
            continue
        ranked = len(phase.ranking.teams)
        [words] = claims.COVERED.all(claims.Named(source.named(phase), phase))
        item.text.append((source.ledger.say(words, source.ranking(phase)),))
        if ranked < phase.submitting_teams:
            item.prompt = "Say why some teams are not covered."


def team_names(item: Item, source: Source) -> None:
    """33a: the teams as they are named in rankings."""
    for phase in source.facts.main_phases():
        if phase.ranking is None:
            continue
        rows = tuple((team["name"], _taken(phase, team["name"])) for team in phase.ranking.teams)
        keys = source.ledger.keys(source.ranking(phase))
        caption = f"Teams, {source.named(phase)}"
        item.exhibits.append(
            Exhibit(
                "table", topic="teams", origins=keys, text=caption, columns=("Team", "Submissions taken"), rows=rows
            )
        )


def _taken(phase: PhaseFacts, name: str) -> str:
    """Return the number of submissions of a team as text; a dash for a team that is not named."""
    return "–" if is_pseudonym(name) else str(phase.made_by.get(without_method(name), 0))


def values(item: Item, source: Source) -> None:
    """34: what was reached, in numbers and figures."""
    for benchmark in source.benchmarks:
        origin = source.ranking(benchmark.phase)
        sentences = [
            sentence
            for best_value in benchmark.best_values
            for sentence in REACHED.all(Reached(best_value["what"], best_value["names"], best_value["score"]))
        ]
        lead = f"{source.named(benchmark.phase)}: best score by metric and region."
        item.text.append(source.ledger.paragraph([lead, *sentences], origin))
    _exhibits(item, source, "34")


def rankings(item: Item, source: Source) -> None:
    """35a: every ranking with intervals, and the version that it is."""
    for benchmark in source.benchmarks:
        ranking = benchmark.phase.ranking
        if ranking is None:
            continue
        origin = source.ranking(benchmark.phase)
        [words] = claims.VERSION.all(claims.Named(source.named(benchmark.phase), benchmark.phase))
        item.text.append(source.ledger.paragraph([words, *benchmark.headlines[:1]], origin))
    _exhibits(item, source, "35a")


def stability(item: Item, source: Source) -> None:
    """35b: bootstrap, tests, agreement, other schemes."""
    for benchmark in source.benchmarks:
        item.text.append(source.ledger.paragraph(benchmark.headlines[1:], source.ranking(benchmark.phase)))
    item.text = [paragraph for paragraph in item.text if paragraph]
    _exhibits(item, source, "35b")


def further(item: Item, source: Source) -> None:
    """36: across metrics and tasks, and whether withholding cases would have paid."""
    _exhibits(item, source, "36")
    item.prompt = (
        "Say what the figures mean, and report the analyses that were planned: ensembles, differences between methods, "
        "effects of image characteristics."
    )


ADDITIONS: Final[Mapping[str, Callable[[Item, Source], None]]] = {
    "32a": registrations,
    "32b": valid_teams,
    "32c": reported_teams,
    "33a": team_names,
    "34": values,
    "35a": rankings,
    "35b": stability,
    "36": further,
}


def _exhibits(item: Item, source: Source, number: str) -> None:
    several = len(source.benchmarks) > 1
    for benchmark in source.benchmarks:
        if several:
            keys = source.ledger.keys(source.ranking(benchmark.phase))
            item.exhibits.append(Exhibit("heading", origins=keys, text=source.named(benchmark.phase)))
        item.exhibits += benchmark.exhibits.get(number, [])
