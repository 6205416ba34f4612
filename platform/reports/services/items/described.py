"""Methods as the teams describe them: descriptions, additional training data, code."""

from collections.abc import Callable, Mapping
from statistics import median
from typing import Final

from reports.domain.content import Exhibit, Item, Origin
from reports.exposure.domain.words import counted
from reports.exposure.queries.audience import Audience
from reports.exposure.queries.facts import PhaseFacts
from reports.services.items.source import Source
from submissions.domain.method_entries import parameters

SUMMARY: Final = ("architecture_base", "loss_function", "optimizer", "ensembling", "framework")
"""Facts that distinguish methods at a glance; the text below the table contains all facts."""
MOST_TOLD: Final = 30
"""Maximum number of descriptions in full; the table contains all of them."""


def methods(item: Item, source: Source) -> None:
    """Write 33b: the number of teams that describe their methods, a table, and the descriptions."""
    for phase in source.facts.main_phases():
        if phase.ranking is None:
            continue
        origin = _origin(phase, source)
        teams = len(phase.ranking.teams)
        if not phase.methods:
            words = (
                f"{source.named(phase)}: no description of the {counted(teams, 'ranked team')} may be read by the readers of "
                "this report."
            )
            item.text.append((source.ledger.say(words, origin),))
            continue
        shares = sorted(100 * method["filled"] / max(method["required"], 1) for method in phase.methods)
        words = (
            f"{source.named(phase)}: {len(phase.methods)} of {counted(teams, 'ranked team')} describe their methods here, with "
            f"a median of {median(shares):.0f} % of the required facts ({shares[0]:.0f} to {shares[-1]:.0f} %)."
        )
        item.text.append((source.ledger.say(words, origin),))
        unsure = [method["team"] for method in phase.methods if method["consent"] in ("", "anonymously", "not_public")]
        if unsure and source.facts.audience is Audience.ORGANIZERS:
            item.prompt = (
                f"Teams that did not consent to be named with their method: {', '.join(unsure)}. Leave theirs out."
            )
        item.exhibits.append(_summary(phase, source, origin))
        item.exhibits += _told(phase, source, origin)


def _summary(phase: PhaseFacts, source: Source, origin: Origin) -> Exhibit:
    names = [name for name in SUMMARY if any(name in method["entries"] for method in phase.methods)]
    rows = []
    for method in phase.methods:
        gaps = ", ".join(method["missing"][:4]) + (
            f" and {len(method['missing']) - 4} more" if len(method["missing"]) > 4 else ""
        )
        entry_words = [method["entries"].get(name, {}).get("words", "–") for name in names]
        rows.append(
            (
                method["team"],
                f"{method['filled']} of {method['required']}",
                *map(_first_words, entry_words),
                gaps or "nothing",
            )
        )
    return Exhibit(
        "table",
        topic="methods",
        origins=source.ledger.keys(origin),
        text=f"Methods of the teams, {source.named(phase)}",
        columns=("Team", "Facts given", *(parameters()[name].label for name in names), "Missing facts"),
        rows=tuple(rows),
    )


def _told(phase: PhaseFacts, source: Source, origin: Origin) -> list[Exhibit]:
    keys = source.ledger.keys(origin)
    exhibits: list[Exhibit] = []
    for method in phase.methods[:MOST_TOLD]:
        exhibits.append(Exhibit("heading", origins=keys, text=method["team"]))
        lines = tuple(
            f"{parameter.label}: {method['entries'][name]['words']}"
            for name, parameter in parameters().items()
            if name in method["entries"] and name not in ("team_identifier", "submission_number")
        )
        if lines:
            exhibits.append(Exhibit("list", origins=keys, items=lines))
        else:
            exhibits.append(Exhibit("text", origins=keys, text="The team has given no facts of its method yet."))
    if len(phase.methods) > MOST_TOLD:
        words = (
            f"Written out are the first {MOST_TOLD} of {len(phase.methods)} descriptions; the table has all of them."
        )
        exhibits.append(Exhibit("text", origins=keys, text=words))
    return exhibits


def extra_data(item: Item, source: Source) -> None:
    """9b: training data from outside of the challenge, as the teams declare them."""
    _column(
        item,
        source,
        "additional_training_data",
        caption="Further training data as declared by the teams",
        column="Declared",
        none="no team declares further training data",
    )


def code(item: Item, source: Source) -> None:
    """14b: links to the teams' code, and how many there are."""
    for phase in _told_of(source):
        linked = [method for method in phase.methods if method["entries"].get("code_url", {}).get("provided")]
        words = f"{source.named(phase)}: {len(linked)} of {counted(len(phase.methods), 'described method')} link their code."
        item.text.append((source.ledger.say(words, _origin(phase, source)),))
        if linked:
            rows = tuple(
                (
                    method["team"],
                    method["entries"]["code_url"]["words"],
                    method["entries"].get("code_license", {}).get("words", "–"),
                )
                for method in linked
            )
            keys = source.ledger.keys(_origin(phase, source))
            caption = f"Code of the teams, {source.named(phase)}"
            columns = ("Team", "Address", "Licence")
            item.exhibits.append(Exhibit("table", topic="code", origins=keys, text=caption, columns=columns, rows=rows))


def resources(item: Item, source: Source) -> None:
    """39c: run time and memory as the teams state them."""
    _column(
        item,
        source,
        "runtime_and_memory",
        caption="Run time and memory as stated by the teams",
        column="Stated",
        none="",
    )


def _column(item: Item, source: Source, name: str, *, caption: str, column: str, none: str) -> None:
    for phase in _told_of(source):
        given = [method for method in phase.methods if method["entries"].get(name, {}).get("provided")]
        origin = _origin(phase, source)
        if given:
            rows = tuple((method["team"], method["entries"][name]["words"]) for method in given)
            text = f"{caption}, {source.named(phase)}"
            item.exhibits.append(
                Exhibit(
                    "table",
                    topic=name,
                    origins=source.ledger.keys(origin),
                    text=text,
                    columns=("Team", column),
                    rows=rows,
                )
            )
        elif none:
            item.text.append((source.ledger.say(f"{source.named(phase)}: {none}.", origin),))


def _told_of(source: Source) -> list[PhaseFacts]:
    return [phase for phase in source.facts.main_phases() if phase.methods]


def _origin(phase: PhaseFacts, source: Source) -> Origin:
    return Origin("platform", f"Descriptions of methods, as their teams wrote them: {source.named(phase)}")


def _first_words(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80].rsplit(' ', 1)[0]} …"


ADDITIONS: Final[Mapping[str, Callable[[Item, Source], None]]] = {"9b": extra_data, "14b": code, "33b": methods}
