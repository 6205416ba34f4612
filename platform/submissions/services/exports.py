"""Taking a challenge's data away is an act: it holds names and addresses of people."""

from django.db import transaction

from accounts.models import User
from audit.services import record
from challenges.models import Challenge


@transaction.atomic
def note_exported(*, actor: User, challenge: Challenge) -> None:
    """Write into the log who took the export of a challenge."""
    record(actor=actor, act="challenge_exported", subject=challenge, scope=challenge.slug)
