"""Names of teams in rankings: the one place that decides whether a reader sees the name of a team or its pseudonym.

Rankings are stored with pseudonyms wherever the registered policy does not name every team. `shown` returns a ranking
version as it may be shown now: by the registered policy of the phase, the choice that each team made in its newest
method description, and the final ranks where only the first ranks are named. Facts that identify a team (its number of
submissions, dates, marks) are absent from the rows of teams that are not named.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final

from challenges.models import PSEUDONYM, Phase, Team
from datastore.uploads.storage import load_json
from leaderboards.models import OverallRanking, Pseudonym, RankingRequest, RankingVersion, Standing
from leaderboards.queries.current import current_standing
from submissions.queries.methods import CONSENT, UNNAMED, declared, said

PSEUDONYMOUS: Final = "pseudonyms"
"""Key of `RankingVersion.inputs` that marks versions computed with pseudonyms."""
PER_PHASE: Final = "phase"
_WORD: Final = re.compile(rf"{PSEUDONYM} [0-9a-f]{{8}}(?![0-9a-f])")
_METHOD: Final = re.compile(r" \(method \d+\)$")
_TEXTS: Final = frozenset({str, dict, list, tuple})
_DAY: Final = len("2027-01-27")
_PERSONAL: Final = {"submissions": None, "handed_in": None, "outcomes": ""}
"""Columns of a stored table that identify a team, with their value for a team that is not named."""


def uses_pseudonyms(phase: Phase) -> bool:
    """Return whether rankings of the phase use pseudonyms, because not every team can be named."""
    return phase.announcement != Phase.Announcement.ALL


def is_pseudonym(name: str) -> bool:
    """Return whether a name in a ranking is a pseudonym of an unnamed team."""
    return name.startswith(f"{PSEUDONYM} ")


def named_teams(phase: Phase, teams: Iterable[int]) -> frozenset[int]:
    """Teams, by primary key, that may be named in public now."""
    teams, policy = frozenset(teams), phase.announcement
    if policy == Phase.Announcement.ALL:
        return teams
    if policy == Phase.Announcement.TOP:
        return teams & _on_first_ranks(phase)
    entries = declared(phase)
    consents = {team: said(entries.get(team), CONSENT) for team in teams}
    if policy == Phase.Announcement.AGREED:
        return frozenset(team for team, consent in consents.items() if consent == "under_team_name")
    return frozenset(team for team, consent in consents.items() if consent not in UNNAMED)


def _on_first_ranks(phase: Phase) -> frozenset[int]:
    """Teams up to the announced rank in any deciding order of the final ranking; none before that ranking is there."""
    if not phase.ranks_finally or not phase.announced_ranks or not is_final(phase):
        return frozenset()
    standing = current_standing(phase)
    if standing is None:
        return frozenset()
    table = standing.version.table
    deciding = [order for order in table["orders"] if order["metric"] is None] or table["orders"]
    first = {
        name
        for order in deciding
        for name, rank in zip(table["teams"], order["rank"], strict=True)
        if rank is not None and rank <= phase.announced_ranks
    }
    return frozenset(entry["team"] for entry in standing.version.inputs["teams"] if entry["name"] in first)


def is_final(phase: Phase) -> bool:
    """Return whether the closing ranking of the phase has been computed.

    A phase that never closes has no such ranking and returns True.
    """
    if phase.stays_open and not phase.is_closed:
        return True
    request = RankingRequest.objects.filter(phase=phase).first()
    closes = request is not None and request.is_due and request.cause == Standing.Cause.CLOSED
    return phase.ended_at is not None and not closes


def shown_names(phase: Phase) -> dict[str, str]:
    """Pseudonym → name of the teams that may be named in a phase now; empty where rankings contain names."""
    if not uses_pseudonyms(phase):
        return {}
    rows = list(Pseudonym.objects.filter(phase=phase, over_tasks=False).select_related("team"))
    named = named_teams(phase, {row.team_id for row in rows})
    return {row.word: row.team.name for row in rows if row.team_id in named}


def shown_names_over_tasks(phases: Iterable[Phase]) -> dict[str, str]:
    """The same for rankings over tasks: a team is named where the phase of every task may name it."""
    phases = list(phases)
    rows = list(Pseudonym.objects.filter(phase__in=phases, over_tasks=True).select_related("team"))
    named = {row.team_id for row in rows}
    for phase in phases:
        named &= named_teams(phase, named)
    return {row.word: row.team.name for row in rows if row.team_id in named}


def substitute(value: Any, names: Mapping[str, str], *, is_markup: bool = False) -> Any:
    """Replace the pseudonyms of named teams in JSON values: in texts, in keys, at any depth.

    Parameters
    ----------
    is_markup
        Whether texts are markup, as in figures that are ready for Plotly: names are escaped then.

    Examples
    --------
    >>> substitute({"teams": ["Anonymous 0123abcd (method 2)"], "rank": [1]}, {"Anonymous 0123abcd": "Uma"})
    {'teams': ['Uma (method 2)'], 'rank': [1]}
    """
    if not names:
        return value
    if isinstance(value, str):
        if PSEUDONYM not in value:
            return value
        written = {word: escape(name, quote=False) for word, name in names.items()} if is_markup else names
        return _WORD.sub(lambda match: written.get(match[0], match[0]), value)
    if isinstance(value, Mapping):
        return {
            substitute(key, names, is_markup=is_markup): substitute(part, names, is_markup=is_markup)
            for key, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        # Long rows of numbers contain no text.
        if _TEXTS.isdisjoint(map(type, value)):
            return value
        return [substitute(part, names, is_markup=is_markup) for part in value]
    return value


def read(version: RankingVersion, name: str) -> Any:
    """Read a stored JSON file of a version with the names that the version shows."""
    return substitute(load_json(name), version.shown_names)


def is_open(version: RankingVersion) -> bool:
    """Return whether every reader of the ranking can see this version.

    A version computed with names is withheld as soon as one of its teams must no longer be named.
    """
    phase = version.phase
    if not uses_pseudonyms(phase) or version.inputs.get(PSEUDONYMOUS) == PER_PHASE:
        return True
    teams = frozenset(entry["team"] for entry in version.inputs["teams"])
    return named_teams(phase, teams) == teams


def is_open_over_tasks(ranking: OverallRanking, phases: Iterable[Phase]) -> bool:
    """The same for a ranking over tasks: one that contains names is withheld where a task does not name every team."""
    return ranking.inputs.get(PSEUDONYMOUS) == PER_PHASE or not any(uses_pseudonyms(phase) for phase in phases)


def shown(version: RankingVersion) -> RankingVersion:
    """A version with the names that may be shown now. The copy is for output and is never saved."""
    if not uses_pseudonyms(version.phase):
        return version
    names = shown_names(version.phase)
    view = copy.copy(version)
    view.shown_names = names  # type: ignore[misc]  # of this copy
    for field in ("inputs", "table", "sentences"):
        if field in view.__dict__:
            setattr(view, field, substitute(getattr(version, field), names))
    if "table" in view.__dict__:
        view.table = without_personal_facts(view.table)
    analysis = version._state.fields_cache.get("analysis")  # noqa: SLF001 (Django's)
    if analysis is not None:
        view._state.fields_cache["analysis"] = _shown_analysis(analysis, names)  # noqa: SLF001
    return view


def shown_table(phase: Phase, table: Mapping[str, Any]) -> dict[str, Any]:
    """A stored table of a phase with the names that may be shown now."""
    if not uses_pseudonyms(phase):
        return dict(table)
    return without_personal_facts(substitute(table, shown_names(phase)))


def _shown_analysis(analysis: Any, names: Mapping[str, str]) -> Any:
    view = copy.copy(analysis)
    view.sentences = substitute(analysis.sentences, names)
    view.findings = substitute(analysis.findings, names)
    return view


def shown_history(standings: list[Standing]) -> list[Standing]:
    """Rankings of one phase over time with the changes that may be shown now.

    Changes name only teams that may be named: how often an unnamed team has a new result would be its number of
    submissions.
    """
    if not standings or not uses_pseudonyms(standings[0].phase):
        return standings
    names = shown_names(standings[0].phase)
    allowed = frozenset(names.values())
    for standing in standings:
        changes = substitute(standing.changes, names)
        lists = {
            key: [name for name in value if without_method(name) in allowed]
            for key, value in changes.items()
            if isinstance(value, list)
        }
        standing.changes = {**changes, **lists}
    return standings


def without_personal_facts(table: Mapping[str, Any]) -> dict[str, Any]:
    """A stored table without what identifies teams that are not named: submissions, dates and marks. Dates have no time of day."""
    shown_table = dict(table)
    unnamed = [is_pseudonym(team) for team in table["teams"]]
    for column, absent in _PERSONAL.items():
        if column in table:
            cells = zip(unnamed, table[column], strict=True)
            shown_table[column] = [absent if hidden else value for hidden, value in cells]
    if "handed_in" in table:
        shown_table["handed_in"] = [value and value[:_DAY] for value in shown_table["handed_in"]]
    if "marks" in table:
        shown_table["marks"] = [[] if hidden else marks for hidden, marks in zip(unnamed, table["marks"], strict=True)]
    return shown_table


def without_method(name: str) -> str:
    """Return the name or pseudonym of the team from a name that also contains the method."""
    return _METHOD.sub("", name)


def name_in(version: RankingVersion, team: Team | None) -> str | None:
    """The name or pseudonym of a team in a version; None where it is not ranked."""
    if team is None:
        return None
    return next((entry["name"] for entry in version.inputs["teams"] if entry["team"] == team.pk), None)


def names_of_teams(phase: Phase) -> dict[int, str]:
    """Name or pseudonym of the teams of a phase by primary key; teams that are neither named nor ranked are absent."""
    teams = {team.pk: team.name for team in phase.challenge.teams.all()}
    if not uses_pseudonyms(phase):
        return teams
    named = named_teams(phase, teams)
    words = dict(Pseudonym.objects.filter(phase=phase, over_tasks=False).values_list("team", "word"))
    return {
        team: name if team in named else words[team] for team, name in teams.items() if team in named or team in words
    }


def pseudonyms_in(version: RankingVersion) -> list[tuple[str, str]]:
    """Pseudonym and name of the teams of a version that are not named, for its organizers alone."""
    teams = Team.objects.in_bulk([entry["team"] for entry in version.inputs["teams"]])
    return sorted(
        (entry["name"], teams[entry["team"]].name)
        for entry in version.inputs["teams"]
        if entry["team"] in teams and is_pseudonym(entry["name"])
    )


def labels_in_tables(phases: Iterable[Phase], teams: Iterable[Team]) -> dict[tuple[int, int], str]:
    """(phase, team) → label of the team in the stored tables of the phase, in at most one query."""
    phases, teams = list(phases), list(teams)
    pseudonymous = [phase for phase in phases if uses_pseudonyms(phase)]
    rows = Pseudonym.objects.filter(phase__in=pseudonymous, team__in=teams, over_tasks=False) if pseudonymous else ()
    words = {(row.phase_id, row.team_id): row.word for row in rows}
    return {
        (phase.pk, team.pk): words.get((phase.pk, team.pk), "") if uses_pseudonyms(phase) else team.name
        for phase in phases
        for team in teams
    }


def own_labels(phases: Iterable[Phase], teams: Iterable[str]) -> dict[tuple[int, str], str]:
    """(phase, team name) → pseudonym of teams of the same challenge in the stored tables of phases with pseudonyms."""
    pseudonymous = [phase.pk for phase in phases if uses_pseudonyms(phase)]
    if not pseudonymous:
        return {}
    rows = Pseudonym.objects.filter(phase__in=pseudonymous, team__name__in=list(teams), over_tasks=False)
    return {(phase, name): word for phase, name, word in rows.values_list("phase", "team__name", "word")}
