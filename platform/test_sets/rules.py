"""Who seals test sets and who gets a reference itself: declared once, used by views and templates."""

from typing import Any

import rules

from challenges.models import Challenge
from challenges.rules import is_named_organizer, is_organizer, is_owner, is_participant
from reviews.models import Assignment


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
