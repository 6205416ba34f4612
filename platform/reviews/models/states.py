"""States of a filing and the transitions between them (guards: `reviews.services.guards`)."""

from typing import Final

from django.db import models


class State(models.TextChoices):
    """State of a filed design."""

    DRAFT = "draft", "draft"
    SUBMITTED = "submitted", "submitted"
    UNDER_REVIEW = "under_review", "under review"
    REVISION_REQUIRED = "revision_required", "revision required"
    REVISION_SUBMITTED = "revision_submitted", "revision submitted"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"
    DECLINED = "declined", "declined"
    REGISTERED = "registered", "registered"


# A declined design was accepted before; a withdrawn one never was.
WAYS: Final[dict[State, tuple[State, ...]]] = {
    State.DRAFT: (State.SUBMITTED,),
    State.SUBMITTED: (State.UNDER_REVIEW, State.WITHDRAWN),
    State.UNDER_REVIEW: (State.REVISION_REQUIRED, State.ACCEPTED, State.REJECTED, State.WITHDRAWN),
    State.REVISION_REQUIRED: (State.REVISION_SUBMITTED, State.WITHDRAWN),
    State.REVISION_SUBMITTED: (State.UNDER_REVIEW, State.ACCEPTED, State.REJECTED, State.WITHDRAWN),
    State.ACCEPTED: (State.REGISTERED, State.DECLINED),
}
PAIRS: Final = tuple((str(before), str(after)) for before, ways in WAYS.items() for after in ways)
# Reviewers and chairs still have something to do with these.
RUNNING: Final = (State.SUBMITTED, State.UNDER_REVIEW, State.REVISION_REQUIRED, State.REVISION_SUBMITTED)
OVER: Final = (State.REJECTED, State.WITHDRAWN, State.DECLINED)
