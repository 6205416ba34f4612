"""Finding lost work: e-mails that nobody sends, digests that are due."""

from notifications.queries import awaiting_digest, due
from notifications.services import DELIVER, delivery
from web.jobs import send

# Digests asked for in one sweep; what is left is asked for by the next.
AT_ONCE = 500


def sweep() -> dict[str, int]:
    """Ask for what is due; returns how much of what was found. A message too many finds nothing to do."""
    waiting = due().exists()
    if waiting:
        send(DELIVER, [])
    digests = list(awaiting_digest()[:AT_ONCE])
    for user_id in digests:
        send("notifications.tasks.write_digest", [user_id])
    return {"emails": int(waiting), "digests": len(digests), "forgotten": delivery.tidy()}
