"""Who may see a ranking and what it was made of."""

from typing import Any

import rules

from challenges.models import Phase
from challenges.rules import is_named_organizer, is_organizer, is_public
from executions.queries.costs import costs_in, kept_from
from test_sets.queries.decoys import keeps_decoys


@rules.predicate
def organizes(user: Any, phase: Phase | None) -> bool:
    """Organizes the challenge of the phase."""
    return phase is not None and is_organizer(user, phase.challenge)


@rules.predicate
def challenge_is_public(user: Any, phase: Phase | None) -> bool:
    """Everybody may see the challenge of the phase."""
    return phase is not None and is_public(user, phase.challenge)


@rules.predicate
def is_revealed(user: Any, phase: Phase | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """The ranking is no secret: never sealed, or its phase has closed; with decoys it always is one until then.

    A ranking tells which cases it does not depend on, whatever a later version of the design says of the leaderboard.
    """
    return phase is not None and not phase.is_sealed and not keeps_decoys(phase)


@rules.predicate
def has_closed(user: Any, phase: Phase | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """No submission is taken any more, and results have been released."""
    return phase is not None and phase.is_revealed


@rules.predicate
def hides_nothing_in_bundle(user: Any, phase: Phase | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """A bundle gives no reference away, or the phase shows them anyway.

    Values of a classification are made of the class of every case: with them goes the reference itself.
    """
    shows_references = phase is not None and phase.reveals_cases and phase.is_revealed
    return phase is not None and (shows_references or not phase.assessment.kind.tells_reference_by_results)


@rules.predicate
def keeps_no_costs(user: Any, phase: Phase | None) -> bool:
    """Nothing that running took on single cases is kept from the person; a bundle holds the values of all of them."""
    return phase is not None and not kept_from(user, phase, costs_in(phase.assessment))


@rules.predicate
def is_named(user: Any, phase: Phase | None) -> bool:
    """Stands among those who run the challenge and see what is hidden; administering the platform is not enough."""
    return phase is not None and is_named_organizer(user, phase.challenge)


# The ranking: table, figures without single cases, ranking document, history.
rules.add_perm("leaderboards.view_ranking", (challenge_is_public & is_revealed) | organizes)
# What every team reached in every case. Before the end it would tell the teams about hidden cases and about each other.
rules.add_perm("leaderboards.view_cases", (challenge_is_public & has_closed) | organizes)
# Rules and not permissions: Django grants every permission to administrators.
tells_no_reference = ((challenge_is_public & has_closed) | organizes) & hides_nothing_in_bundle
rules.add_rule("leaderboards.view_what_tells_references", tells_no_reference | is_named)
rules.add_rule("leaderboards.view_bundle", (tells_no_reference & keeps_no_costs) | is_named)
rules.add_perm("leaderboards.request_ranking", organizes)
# What came after the public ranking was frozen, and when it is frozen.
rules.add_perm("leaderboards.view_frozen", organizes)
rules.add_perm("leaderboards.freeze", organizes)
