"""What is due by the clock: daily mails, and contents that are forgotten. Mails that got lost are found by `work`."""

from notifications.queries import awaiting_digest
from notifications.services import delivery
from work.services import send

# Digests asked for in one sweep; what is left is asked for by the next.
AT_ONCE = 500


def sweep() -> dict[str, int]:
    """Ask for digests that are due; returns how much of what was found. A message too many finds nothing to do."""
    digests = list(awaiting_digest()[:AT_ONCE])
    for user_id in digests:
        send("notifications.tasks.write_digest", [user_id])
    return {"digests": len(digests), "forgotten": delivery.tidy()}
