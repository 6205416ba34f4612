"""Permissions on algorithms that are run, declared once and used by views and templates."""

from typing import Any

import rules

from challenges.models import Member, Phase
from challenges.rules import is_named_organizer, is_organizer
from datastore.test_sets.rules import access_to_phase, access_to_results
from executions.models import AlgorithmArchive, AlgorithmUpload, Batch, Execution


@rules.predicate
def is_own(user: Any, thing: AlgorithmArchive | AlgorithmUpload | Execution | None) -> bool:
    """Belongs to a team of the person."""
    if thing is None or not user.is_authenticated:
        return False
    return Member.objects.filter(team=thing.team_id, user=user).exists()


@rules.predicate
def organizes(user: Any, execution: Execution | None) -> bool:
    """Runs the challenge that it belongs to."""
    return execution is not None and is_organizer(user, execution.challenge)


@rules.predicate
def is_named(user: Any, execution: Execution | None) -> bool:
    """The same, named as one of its organizers."""
    return execution is not None and is_named_organizer(user, execution.challenge)


@rules.predicate
def sees_files(user: Any, execution: Execution | None) -> bool:
    """Sees cases, predictions and logs: of hidden cases the named organizers, of public ones the team as well."""
    if execution is None or not (execution.is_on_public_cases or is_named(user, execution)):
        return False
    return access_to_results(user, execution.phase, team=execution.team_id, is_algorithm=True).files


@rules.predicate
def is_released(user: Any, batch: Batch | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """An organizer gave the log of the batch to the team."""
    return batch is not None and hasattr(batch, "release")


@rules.predicate
def sees_costs(user: Any, phase: Phase | None) -> bool:
    """Sees what running took on single cases of the phase."""
    return phase is not None and access_to_phase(user, phase).costs


@rules.predicate
def is_named_in(user: Any, phase: Phase | None) -> bool:
    """Return whether the person is a named organizer of the challenge of a phase.

    Named organizers run the challenge and see hidden information.
    """
    return phase is not None and is_named_organizer(user, phase.challenge)


rules.add_perm("executions.view_execution", is_own | organizes)
# Rules and not permissions: Django grants every permission to administrators, who must not act for a team, and who read
# what a program printed of hidden images no more than other outsiders.
rules.add_rule("executions.own", is_own)
rules.add_rule("executions.view_cases", sees_files)
rules.add_rule("executions.view_logs", is_own & sees_files)
rules.add_rule("executions.read_hidden_logs", is_named)
# What running took on each case of a phase, wherever results of single cases are shown: a program can take longer, or more
# memory, where it sees something, and so tell what a hidden image shows.
rules.add_rule("executions.view_costs_of_cases", sees_costs)
rules.add_rule("executions.view_agreement", is_named_in)
