"""Find events in the audit log, queue a message for each, and send it.

The audit log is append-only and in order, and each webhook stores the last entry that it has read. An event is
therefore queued exactly once, also after an interruption. A message can arrive twice, with the same id.
"""

from datetime import timedelta
from typing import Any, Final

import structlog
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from rules import test_rule

from accounts.models import User
from accounts.notifications.domain.letters_of_runs import WEBHOOK_OFF, OfWebhook
from accounts.notifications.services import notify
from challenges.queries.people import organizers_of
from challenges.webhooks.domain.events import acts_of, event_of
from challenges.webhooks.domain.messages import signature
from challenges.webhooks.models import Delivery, Webhook
from challenges.webhooks.queries import DELIVERIES
from challenges.webhooks.services.bodies import body_of
from challenges.webhooks.services.configuring import key_of
from core.audit.models import Entry, Head
from core.audit.services import hold_chain, record
from core.work.services import Lease, LeaseLostError, ask, claim_next
from reviews.models import Chair
from web.outbound import RefusedError, exchange

log = structlog.get_logger(__name__)

KIND: Final = "webhook_off"
AT_ONCE: Final = 200
"""Largest number of messages that one sweep queues per webhook; the next sweep continues."""
SECONDS: Final = 10.0
"""For one attempt, from the look-up of the name to the end of the response."""
MOST_BYTES: Final = 64 * 1024
KEPT: Final = timedelta(days=30)
GONE: Final = 410
_LEFT: Final = "The person who created it does not manage it any more."
_AGENT: Final = "Podium-Webhooks/1"


def queue_events() -> int:
    """Queue a message for each new event of each webhook; return the number of messages."""
    head = Head.objects.filter(pk=1).values_list("sequence", flat=True).first() or 0
    waiting = (
        Webhook.objects.filter(is_active=True, sequence__lt=head)
        if settings.PODIUM_WEBHOOKS
        else Webhook.objects.none()
    )
    return sum(_queue(pk) for pk in list(waiting.values_list("pk", flat=True)))


@transaction.atomic
def _queue(pk: Any) -> int:
    hold_chain()
    webhook = (
        Webhook.objects.select_for_update(no_key=True, skip_locked=True, of=("self",))
        .select_related("challenge", "call")
        .filter(pk=pk, is_active=True)
        .first()
    )
    if webhook is None or not is_managed(webhook):
        return 0 if webhook is None else _switch_off(webhook, _LEFT, key=f"{webhook.pk} {webhook.sequence}")
    # The end is read first: an entry that is added now is detected by the next sweep.
    end = Head.objects.filter(pk=1).values_list("sequence", flat=True).first() or 0
    events = Entry.objects.filter(
        scope=webhook.owner.slug, act__in=acts_of(webhook.events), sequence__gt=webhook.sequence, sequence__lte=end
    )
    entries = list(events.order_by("sequence").only("sequence", "act", "time")[:AT_ONCE])
    webhook.sequence = entries[-1].sequence if len(entries) == AT_ONCE else max(end, webhook.sequence)
    webhook.save(update_fields=["sequence"])
    deliveries = [
        Delivery(webhook=webhook, event=event.id, sequence=entry.sequence, body=body_of(webhook, event, entry.time))
        for entry in entries
        if (event := event_of(entry.act, webhook.events)) is not None
    ]
    Delivery.objects.bulk_create(deliveries)
    for delivery in deliveries:
        ask(DELIVERIES, delivery)
    return len(deliveries)


def send_message() -> None:
    """Send the message whose turn it is: of the webhook with the fewest that are being sent, the oldest.

    A call sends one message, so that slow receivers of one challenge keep others waiting for one attempt at most.
    """
    lease = claim_next(DELIVERIES, give_up=_give_up)
    if lease is None:
        return
    delivery = Delivery.objects.select_related("webhook__challenge", "webhook__call").get(pk=lease.pk)
    webhook = delivery.webhook
    if not settings.PODIUM_WEBHOOKS:
        _end(lease, delivery, failure="Webhooks are switched off on this installation.")
        return
    if not webhook.is_active:
        _end(lease, delivery, failure="The webhook is switched off.")
        return
    if not is_managed(webhook):
        _end(lease, delivery, failure=_LEFT, reason=_LEFT)
        return
    status, failure = _attempt(delivery)
    try:
        if status is not None and 200 <= status < 300:
            lease.complete(
                even_if_lost=True, state=Delivery.State.DELIVERED, status=status, failure="", ended_at=timezone.now()
            )
        elif status == GONE:
            _end(lease, delivery, status=status, failure=failure, reason="The address answered that it is gone (410).")
        elif lease.may_try_again:
            lease.hand_back(failure=failure, state=Delivery.State.QUEUED, status=status)
        else:
            reason = f"No message was accepted in 3 days. Last problem: {failure}."
            _end(lease, delivery, status=status, failure=failure, reason="" if _answers(delivery) else reason)
    except LeaseLostError:
        log.info("webhook_lease_lost", delivery=str(delivery.pk))


def is_managed(webhook: Webhook) -> bool:
    """Return whether the person who created a webhook still organizes the challenge or chairs the call."""
    person = User.objects.filter(pk=webhook.created_by_id, is_active=True).first()
    return person is not None and bool(test_rule("webhooks.manage", person, webhook))


def tidy() -> int:
    """Delete messages that ended more than 30 days ago; return how many."""
    number, _ = Delivery.objects.filter(ended_at__lt=timezone.now() - KEPT).delete()
    return number


def _attempt(delivery: Delivery) -> tuple[int | None, str]:
    """Send once; return the status and the problem."""
    webhook, body, now = delivery.webhook, delivery.body.encode(), int(timezone.now().timestamp())
    headers = {
        "User-Agent": _AGENT,
        "Content-Type": "application/json",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(key_of(webhook), message_id=delivery.message_id, timestamp=now, body=body),
    }
    try:
        reply = exchange("POST", webhook.address, body, headers=headers, most_bytes=MOST_BYTES, seconds=SECONDS)
    except RefusedError as error:
        return None, str(error)
    # The content of the response is not stored: it could contain anything.
    return reply.status, "" if 200 <= reply.status < 300 else f"status {reply.status}"


def _answers(delivery: Delivery) -> bool:
    """Return whether a webhook accepted a message after this one was queued."""
    return Delivery.objects.filter(
        webhook=delivery.webhook, state=Delivery.State.DELIVERED, ended_at__gte=delivery.created_at
    ).exists()


def _give_up(lease: Lease) -> None:
    """End a message over which workers were lost."""
    lease.complete(
        state=Delivery.State.FAILED, failure="The sending was interrupted too often.", ended_at=timezone.now()
    )


@transaction.atomic
def _end(lease: Lease, delivery: Delivery, *, failure: str, status: int | None = None, reason: str = "") -> None:
    """End a message that is not sent; with a reason, switch the webhook off and notify its people."""
    hold_chain()
    if not lease.complete(state=Delivery.State.FAILED, status=status, failure=failure, ended_at=timezone.now()):
        raise LeaseLostError
    if reason:
        _switch_off(delivery.webhook, reason, key=str(delivery.pk))


def _switch_off(webhook: Webhook, reason: str, *, key: str) -> int:
    """Switch a webhook off and notify the people who manage it; return 0, the number of queued messages."""
    if not Webhook.objects.filter(pk=webhook.pk, is_active=True).update(is_active=False, problem=reason[:200]):
        return 0
    owner = webhook.owner
    record(actor=None, act="webhook_switched_off", subject=webhook, scope=owner.slug, facts={"reason": reason})
    if webhook.challenge is not None:
        people = list(organizers_of(webhook.challenge))
    else:
        people = [chair.user for chair in Chair.objects.filter(call=webhook.call).select_related("user")]
    letter = WEBHOOK_OFF.letter(OfWebhook(owner.title, webhook.name, reason))
    notify(
        people=people,
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=reverse("webhooks:detail", args=[webhook.pk]),
        scope=owner.slug,
        key=key,
    )
    return 0
