"""Teams' method descriptions: their content, who may read them, and who may be ranked and named because of them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from challenges.models import Phase, Team
from challenges.queries.people import terms_of
from evaluation.designs.document import Entry, State
from submissions.domain.method_entries import Requirement, from_json, parameters
from submissions.models import MethodDescription, Submission

CODE: Final = "code_url"
LEVEL: Final = "interaction_level"
CONSENT: Final = "consent_result_publication"
UNNAMED: Final = ("anonymously", "not_public")


def method_of(submission: Submission) -> MethodDescription | None:
    """The description of a submission itself."""
    return MethodDescription.objects.filter(submission=submission).first()


def last_method(submission: Submission) -> MethodDescription | None:
    """Return the description that a new one is copied from.

    It belongs to the team's last earlier submission to the same task. If an older submission is described
    after a newer one, the description of the next newer submission is used.
    """
    rows = MethodDescription.objects.filter(
        submission__team=submission.team_id, submission__phase__task=submission.phase.task_id
    ).select_related("submission")
    earlier = rows.filter(submission__created_at__lt=submission.created_at).order_by("-submission__created_at").first()
    return earlier or rows.exclude(submission=submission.pk).order_by("submission__created_at").first()


def is_public(method: MethodDescription) -> bool:
    """Return whether everyone who sees the challenge may read a description.

    The design must publish descriptions, the results must be released, the challenge must have readers, and the
    team must have consented.
    """
    phase = method.submission.phase
    entry = from_json(method.entries).get("consent_result_publication")
    consents = entry is not None and entry.state is State.PROVIDED and entry.value != "not_public"
    return consents and phase.publishes_methods and phase.is_revealed and phase.challenge.is_for_readers


def is_anonymous(entries: Mapping[str, Entry]) -> bool:
    """Return whether the team requests that its results are published without its name."""
    entry = entries.get("consent_result_publication")
    return entry is not None and entry.value == "anonymously"


def asks_for_anonymity(submission: Submission) -> bool:
    """Return whether the team's newest description for the task requests that its name is not published."""
    return said(declared(submission.phase).get(submission.team_id), CONSENT) in UNNAMED


def methods_of(submissions: Iterable[Any]) -> dict[Any, MethodDescription]:
    """Public descriptions by primary key of their submission, for a leaderboard to link to; one query."""
    rows = MethodDescription.objects.filter(submission__in=list(submissions)).select_related(
        "submission__phase__task__challenge"
    )
    return {row.submission_id: row for row in rows if is_public(row)}


def description_needed(phase: Phase) -> bool:
    """Return whether the final ranking requires a complete description, by the registered phase or the terms."""
    if phase.requires_method or phase.requires_code:
        return True
    terms = terms_of(phase.challenge)
    return terms is not None and terms.requires_method


def requirement_of(phase: Phase) -> Requirement:
    """Return the registered requirement of a phase for descriptions."""
    return Requirement(tuple(phase.method_facts), phase.method_link)


def described_teams(phase: Phase) -> set[int]:
    """Return the teams with a complete description of a submission to the phase's task.

    If the phase requires code, the address of the code must be stated too.
    """
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id)
    requirement = requirement_of(phase)
    if requirement == Requirement():
        complete = set(rows.filter(is_complete=True).values_list("submission__team", flat=True))
    else:
        said_by_team = rows.values_list("submission__team", "entries")
        complete = {team for team, entries in said_by_team if not requirement.missing(from_json(entries))}
    return complete & teams_with_code(phase) if phase.requires_code else complete


def undescribed(phase: Phase) -> list[Team]:
    """Teams with a scored submission that still lack a complete description."""
    scored = Submission.objects.filter(phase=phase, state=Submission.State.SCORED).values("team")
    return list(Team.objects.filter(pk__in=scored).exclude(pk__in=described_teams(phase)).order_by("name"))


class Lacking(NamedTuple):
    """A team with a scored submission, and the needed answers that it has not given."""

    team: Team
    facts: list[str]


def lacking_facts(phase: Phase) -> list[Lacking]:
    """The teams that still lack a complete description, each with what is missing."""
    teams = undescribed(phase)
    facts = missing_facts(phase, teams) if teams else {}
    return [Lacking(team, facts[team.pk]) for team in teams]


def missing_facts(phase: Phase, teams: Iterable[Team]) -> dict[int, list[str]]:
    """Labels of the needed answers that each team has not given, in the description that lacks the fewest; two queries."""
    requirement, coded = requirement_of(phase), teams_with_code(phase) if phase.requires_code else None
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id, submission__team__in=list(teams))
    fewest: dict[int, list[str]] = {}
    for team, entries in rows.values_list("submission__team", "entries"):
        labels = [parameter.label for parameter in requirement.missing(from_json(entries))]
        if team not in fewest or len(labels) < len(fewest[team]):
            fewest[team] = labels
    everything = [parameter.label for parameter in requirement.parameters]
    code = parameters()[CODE].label
    return {
        team.pk: [
            *fewest.get(team.pk, everything),
            *(
                [code]
                if coded is not None and team.pk not in coded and code not in fewest.get(team.pk, everything)
                else []
            ),
        ]
        for team in teams
    }


def declared(phase: Phase) -> dict[int, dict[str, Entry]]:
    """The entries of each team's newest description of a submission to the phase's task, by team."""
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id).order_by("submission__created_at")
    return {team: from_json(entries) for team, entries in rows.values_list("submission__team", "entries")}


def said(entries: Mapping[str, Entry] | None, parameter: str) -> Any:
    """Return the value of an entry; ``None`` if the description is missing, or the value is absent or withheld."""
    entry = (entries or {}).get(parameter)
    return entry.value if entry is not None and entry.state is State.PROVIDED else None


def description_decides(phase: Phase) -> bool:
    """Return whether the content of a description, not only its presence, can change who is ranked or named."""
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
    """Return the teams that state the address of their code in a description for the phase's task."""
    rows = MethodDescription.objects.filter(submission__phase__task=phase.task_id)
    return {team for team, entries in rows.values_list("submission__team", "entries") if said(from_json(entries), CODE)}
