"""Reads of webhooks, and the work of sending messages."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db.models import Count, Q, QuerySet

from challenges.models import Challenge
from challenges.webhooks.models import Delivery, Webhook
from core.work.kinds import Kind
from reviews.models import Call

PAUSES: Final = tuple(timedelta(seconds=seconds) for seconds in (5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400))
"""Pauses between attempts, about 75 hours in all, as Standard Webhooks recommends."""
MOST_SHOWN: Final = 100


def pause(attempts: int) -> timedelta:
    """Return the pause after a number of attempts.

    Examples
    --------
    >>> str(pause(1)), str(pause(4)), str(pause(50))
    ('0:00:05', '2:00:00', '1 day, 0:00:00')
    """
    return PAUSES[min(max(attempts, 1), len(PAUSES)) - 1]


DELIVERIES = Kind(
    name="webhook_deliveries",
    doing="sending messages to webhooks",
    model=Delivery,
    is_open=Q(state__in=(Delivery.State.QUEUED, Delivery.State.SENDING)),
    begins={"state": Delivery.State.SENDING},
    task="webhooks.tasks.send",
    argument=None,
    lease=timedelta(seconds=60),
    attempts=len(PAUSES) + 4,
    errors=len(PAUSES) + 1,
    pause=pause,
    order=("created_at", "pk"),
    fair_between="webhook",
    challenge="webhook__challenge",
)


def webhooks_of(owner: Challenge | Call) -> QuerySet[Webhook]:
    """Return the webhooks of a challenge or call, with the numbers of delivered and failed messages."""
    rows = (
        Webhook.objects.filter(challenge=owner) if isinstance(owner, Challenge) else Webhook.objects.filter(call=owner)
    )
    return rows.annotate(
        delivered=Count("deliveries", filter=Q(deliveries__state=Delivery.State.DELIVERED)),
        failed=Count("deliveries", filter=Q(deliveries__state=Delivery.State.FAILED)),
    )


def last_deliveries(webhook: Webhook) -> Sequence[Delivery]:
    """Return the last messages to a webhook, the newest first."""
    return list(webhook.deliveries.defer("body")[:MOST_SHOWN])
