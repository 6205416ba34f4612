"""What is due by the clock: daily mails, and contents that are forgotten. Mails that got lost are found by `work`."""

from notifications.queries import awaiting_digest
from notifications.services import delivery
from work.services import send_missing

# Digests asked for in one sweep; what is left is asked for by the next.
AT_ONCE = 500


def sweep() -> dict[str, int]:
    """Ask for digests that are due and not asked for already; returns how many were, and how many contents were deleted."""
    digests = list(awaiting_digest()[:AT_ONCE])
    sent = send_missing("notifications.tasks.write_digest", [(user_id,) for user_id in digests])
    return {"digests": sent, "forgotten": delivery.tidy()}
