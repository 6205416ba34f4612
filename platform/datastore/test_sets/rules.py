"""Permissions on the cases of a phase, on sealing test sets, and on access to a reference itself.

`access_to_phase`, `access_to_results` and `access_of` apply the visibility policy
(`datastore.test_sets.domain.case_access`).
"""

from typing import Any

import rules

from challenges.models import Challenge, Member, Phase
from challenges.rules import is_named_organizer, is_organizer, is_owner, is_participant, is_reader
from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets.domain.case_access import NOTHING, CaseAccess, PhaseFacts, Reader, access, without_consent
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.queries.dry_runs import are_public
from reviews.models import Assignment


def access_of(reader: Reader, phase: Phase, *, is_algorithm: bool = False) -> CaseAccess:
    """Return what a kind of reader may see of the cases of a phase of a challenge that the person sees.

    Parameters
    ----------
    is_algorithm
        Whether the results are those of an algorithm, which a phase may have accepted before its design was changed.
    """
    is_released = phase.is_revealed
    facts = PhaseFacts(
        runs_algorithms=is_algorithm or bool(phase.algorithms),
        shows_own_values=not is_released and phase.results == Phase.Results.CASES and not keeps_decoys(phase),
        reveals_references=phase.reveals_cases,
        is_released=is_released,
        has_public_cases=are_public(phase),
    )
    return access(reader, facts)


def access_to_phase(user: Any, phase: Phase) -> CaseAccess:
    """Return what a person may see of the cases of a phase, apart from the results of their own teams."""
    reader = _organizer(user, phase.challenge)
    if reader is None:
        if not is_reader(user, phase.challenge):
            return NOTHING
        reader = Reader.PARTICIPANT if is_participant(user, phase.challenge) else Reader.PUBLIC
    return access_of(reader, phase)


def access_to_results(
    user: Any, phase: Phase, *, team: int, is_algorithm: bool = False, case: str | None = None
) -> CaseAccess:
    """Return what a person may see of the results of a team: nothing for other teams, whose pages do not exist for them.

    Parameters
    ----------
    team
        Key of the team that the results belong to.
    case
        Name of a single case, of which less is visible after its consent was withdrawn.
    """
    reader = _organizer(user, phase.challenge) or _member(user, phase.challenge, team)
    if reader is None:
        return NOTHING
    allowed = access_of(reader, phase, is_algorithm=is_algorithm)
    is_withdrawn = case is not None and case in withdrawn_cases(phase.challenge)
    return without_consent(reader, allowed) if is_withdrawn else allowed


def takes_reports(user: Any, phase: Phase) -> bool:
    """Return whether a person may report cases of a phase: only where teams know their names, else the answer confirms a guess."""
    return access_to_phase(user, phase).names or access_of(Reader.PARTICIPANT, phase).names


def _organizer(user: Any, challenge: Challenge) -> Reader | None:
    if is_named_organizer(user, challenge):
        return Reader.ORGANIZER
    return Reader.ADMINISTRATOR if is_organizer(user, challenge) else None


def _member(user: Any, challenge: Challenge, team: int) -> Reader | None:
    if not user.is_authenticated or not is_reader(user, challenge):
        return None
    return Reader.TEAM if Member.objects.filter(team=team, user=user).exists() else None


@rules.predicate
def has_reviewed(user: Any, challenge: Challenge | None) -> bool:
    """Reviews or reviewed the design that the challenge is run from."""
    if challenge is None or not user.is_authenticated:
        return False
    rows = Assignment.objects.filter(reviewer__user=user, removed_at=None)
    return rows.filter(filing__registration__projection__challenge=challenge).exists()


rules.add_perm("test_sets.seal_test_set", is_owner)
rules.add_perm("test_sets.answer_case_report", is_organizer)
# Administrators belong to nobody of these; what they see, they can tell the organizers.
rules.add_rule("test_sets.report_case", is_participant | is_named_organizer | has_reviewed)
# A rule and not a permission: Django grants every permission to administrators.
rules.add_rule("test_sets.download_references", is_named_organizer)
