"""What the teams of a phase declare in their method descriptions, and who of them may be ranked and named."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from challenges.models import Phase, Team
from evaluation.designs.document import Entry, State
from submissions.domain.method_entries import from_json
from submissions.models import MethodDescription

CODE: Final = "code_url"
LEVEL: Final = "interaction_level"
CONSENT: Final = "consent_result_publication"
UNNAMED: Final = ("anonymously", "not_public")


def declared(phase: Phase) -> dict[int, dict[str, Entry]]:
    """The entries of each team's newest description of a submission to the phase's task, by team."""
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id).order_by("submission__created_at")
    return {team: from_json(entries) for team, entries in rows.values_list("submission__team", "entries")}


def said(entries: Mapping[str, Entry] | None, parameter: str) -> Any:
    """The value of an entry; ``None`` where a description is missing, or says nothing or keeps it back."""
    entry = (entries or {}).get(parameter)
    return entry.value if entry is not None and entry.state is State.PROVIDED else None


def description_decides(phase: Phase) -> bool:
    """Whether what a description says can change who is ranked or named, beyond that it is there."""
    named = phase.announcement in (Phase.Announcement.AGREED, Phase.Announcement.NOT_REFUSED)
    return bool(named or phase.requires_code or phase.interaction or phase.interaction_levels)


def teams_of_other_levels(phase: Phase) -> set[int]:
    """Teams whose description names a level of interaction that may not be ranked finally."""
    allowed = set(phase.interaction_levels)
    if not allowed:
        return set()
    return {
        team for team, entries in declared(phase).items() if (level := said(entries, LEVEL)) and level not in allowed
    }


def levels_of(phase: Phase) -> dict[int, str]:
    """The level of interaction that each team's description names, by team."""
    return {team: str(level) for team, entries in declared(phase).items() if (level := said(entries, LEVEL))}


def teams_with_code(phase: Phase) -> set[int]:
    """Teams that say in a description of a submission to the phase's task where their code is."""
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id)
    return {team for team, entries in rows.values_list("submission__team", "entries") if said(from_json(entries), CODE)}


def names_in_public(phase: Phase, teams: Iterable[Team], *, first: frozenset[int] = frozenset()) -> dict[int, str]:
    """What stands for each team in public by the registered policy: its name, or its pseudonym.

    Parameters
    ----------
    first
        Teams on the ranks that are announced, where only those are.
    """
    teams = list(teams)
    policy = phase.announcement
    if policy == Phase.Announcement.ALL:
        return {team.pk: team.name for team in teams}
    if policy == Phase.Announcement.TOP:
        return {team.pk: team.name if team.pk in first else team.pseudonym for team in teams}
    entries = declared(phase)
    consents = {team.pk: said(entries.get(team.pk), CONSENT) for team in teams}
    if policy == Phase.Announcement.AGREED:
        return {team.pk: team.name if consents[team.pk] == "under_team_name" else team.pseudonym for team in teams}
    return {team.pk: team.pseudonym if consents[team.pk] in UNNAMED else team.name for team in teams}
