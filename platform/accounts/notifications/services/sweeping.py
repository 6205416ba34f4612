"""Scheduled work of notifications: daily mails and the deletion of old contents.

Lost mails are found by `work`.
"""

from accounts.notifications.queries import awaiting_digest
from accounts.notifications.services import delivery
from core.work.services import send_missing

# Digests asked for in one sweep; what is left is asked for by the next.
AT_ONCE = 500


def sweep() -> dict[str, int]:
    """Queue the digests that are due and delete old contents.

    Digests that are already queued are skipped. Returns the number of queued digests and of deleted contents.
    """
    digests = list(awaiting_digest()[:AT_ONCE])
    sent = send_missing("notifications.tasks.write_digest", [(user_id,) for user_id in digests])
    return {"digests": sent, "forgotten": delivery.tidy()}
