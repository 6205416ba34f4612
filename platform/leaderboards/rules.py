"""Permissions to see a ranking and its inputs."""

from typing import Any

import rules

from challenges.models import Phase
from challenges.rules import is_named_organizer, is_organizer, is_participant, is_reader
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.rules import access_to_phase
from evaluation.problems import kind_of
from executions.queries.costs import costs_in, kept_from
from leaderboards.models import SuspectReader


@rules.predicate
def organizes(user: Any, phase: Phase | None) -> bool:
    """Organizes the challenge of the phase."""
    return phase is not None and is_organizer(user, phase.challenge)


@rules.predicate
def reads_challenge(user: Any, phase: Phase | None) -> bool:
    """Return whether the person sees the challenge of the phase."""
    return phase is not None and is_reader(user, phase.challenge)


@rules.predicate
def is_revealed(user: Any, phase: Phase | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether the ranking is public: it was never sealed, or its phase has closed.

    With decoys it is secret until then, because a ranking reveals the cases on which it does not depend.
    This applies regardless of the leaderboard setting in a later version of the design.
    """
    return phase is not None and not phase.is_sealed and not keeps_decoys(phase)


@rules.predicate
def sees_cases(user: Any, phase: Phase | None) -> bool:
    """Sees what every team reached in every case."""
    return phase is not None and access_to_phase(user, phase).values


@rules.predicate
def sees_no_reference_unduly(user: Any, phase: Phase | None) -> bool:
    """Sees the references, or results that contain none.

    Values of a classification are computed from the class of every case: with them the reference itself becomes known.
    """
    if phase is None:
        return False
    return not kind_of(phase.assessment).evidence.reveals_references or access_to_phase(user, phase).references


@rules.predicate
def sees_evidence(user: Any, phase: Phase | None) -> bool:
    """Sees numbers of predictions, or the ranking is computed from none."""
    return phase is not None and (not phase.assessment.is_pooled or access_to_phase(user, phase).evidence)


@rules.predicate
def keeps_no_costs(user: Any, phase: Phase | None) -> bool:
    """Nothing that running took on single cases is kept from the person; a bundle holds the values of all of them."""
    return phase is not None and not kept_from(user, phase, costs_in(phase.assessment))


@rules.predicate
def sees_suspects(user: Any, phase: Phase | None) -> bool:
    """Is a named organizer of the challenge and in none of its teams: a suspect reveals something about its reference."""
    return phase is not None and is_named_organizer(user, phase.challenge) and not is_participant(user, phase.challenge)


@rules.predicate
def reads_suspects(user: Any, phase: Phase | None) -> bool:
    """Was invited to read suspect references, and is in no team of the challenge."""
    if phase is None or not user.is_authenticated or is_participant(user, phase.challenge):
        return False
    return SuspectReader.objects.filter(phase=phase, user=user).exists()


# The ranking: table, figures without single cases, ranking document, history.
rules.add_perm("leaderboards.view_ranking", (reads_challenge & is_revealed) | organizes)
# What every team reached in every case. Before the end it would tell the teams about hidden cases and about each other.
rules.add_perm("leaderboards.view_cases", sees_cases)
# Rules and not permissions: Django grants every permission to administrators.
rules.add_rule("leaderboards.view_what_tells_references", sees_cases & sees_no_reference_unduly & sees_evidence)
rules.add_rule("leaderboards.view_evidence", sees_evidence)
rules.add_rule("leaderboards.view_bundle", sees_cases & sees_no_reference_unduly & keeps_no_costs & sees_evidence)
rules.add_perm("leaderboards.request_ranking", organizes)
# Versions that contain names which the public may not see any more.
rules.add_perm("leaderboards.view_withheld", organizes)
# What came after the public ranking was frozen, and when it is frozen.
rules.add_perm("leaderboards.view_frozen", organizes)
rules.add_perm("leaderboards.freeze", organizes)
# Rules as well: administrators see no hidden reference, and no more of it by a list of suspects.
rules.add_rule("leaderboards.view_suspects", sees_suspects)
rules.add_rule("leaderboards.read_suspects", sees_suspects | reads_suspects)
