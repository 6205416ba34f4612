"""Publication of a challenge after its end: whether data are published, and which."""

from typing import Any

from challenges.models import Challenge, Member, Phase, Team
from challenges.queries.projections import projection_of, public_document
from datastore.datasets import hooks
from datastore.datasets.hooks import Choice
from datastore.datasets.models import PublicationConsent
from evaluation.designs.catalogue import shipped
from evaluation.designs.document.words import entry_words

PARAMETER = "data_after_challenge"
WITHDRAWN = "consent_withdrawn"


def registered_choice(challenge: Challenge) -> Choice | None:
    """Return the registered choice to publish, with the teams that consent now; None to publish nothing."""
    projection = projection_of(challenge)
    if projection is None:
        return None
    values = public_document(projection.version).values()
    registered_value: dict[str, Any] = values.get(PARAMETER) or {}
    wanted = {key: bool(registered_value.get(key)) for key in ("references", "predictions", "case_results")}
    if not any(wanted.values()):
        return None
    return Choice(
        **wanted,
        licence=str(
            registered_value.get("licence") or entry_words(shipped()["data_license"], values.entry("data_license"))
        ),
        teams=consenting_teams(challenge),
        without_cases=withdrawn_cases(challenge),
    )


def consenting_teams(challenge: Challenge) -> frozenset[int]:
    """Teams of which something may be published."""
    rows = PublicationConsent.objects.filter(team__challenge=challenge, is_given=True)
    return frozenset(rows.exclude(team__standing__in=Team.OUTSIDE).values_list("team", flat=True))


def withheld_words(challenge: Challenge, choice: Choice) -> list[str]:
    """Return sentences about files that the registered choice names and that are not published."""
    return [sentence for provider in hooks.withheld for sentence in provider(challenge, choice)]


def withdrawn_cases(challenge: Challenge) -> frozenset[str]:
    """Return the cases that were excluded because consent to the use of their data was withdrawn; one query."""
    phases = Phase.objects.filter(task__challenge=challenge)
    return frozenset(
        case for phase in phases for case, reason in phase.assessment.exclusions.cases.items() if reason == WITHDRAWN
    )


def unrevealed_phases(challenge: Challenge) -> list[Phase]:
    """Phases whose results are not released yet: nothing is published before the last of them is."""
    rows = Phase.objects.filter(task__challenge=challenge, is_dry_run=False).select_related("task")
    return [phase for phase in rows if not phase.is_revealed]


def led_teams(user: Any, challenge: Challenge) -> list[tuple[Team, bool]]:
    """Teams of which a person is the captain, each with whether it consents."""
    if not user.is_authenticated:
        return []
    rows = Member.objects.filter(challenge=challenge, user=user, role=Member.Role.CAPTAIN).select_related("team")
    teams = [row.team for row in rows]
    given = set(PublicationConsent.objects.filter(team__in=teams, is_given=True).values_list("team", flat=True))
    return [(team, team.pk in given) for team in teams]


__all__ = [
    "consenting_teams",
    "led_teams",
    "registered_choice",
    "unrevealed_phases",
    "withdrawn_cases",
    "withheld_words",
]
