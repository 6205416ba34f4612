"""Acts of organizers and chairs: create, change, test and delete webhooks."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.models import User
from challenges.models import Challenge
from challenges.webhooks.domain.events import CALL_EVENTS, CHALLENGE_EVENTS, TEST
from challenges.webhooks.domain.messages import secret_text
from challenges.webhooks.models import Delivery, Webhook
from challenges.webhooks.queries import DELIVERIES, webhooks_of
from challenges.webhooks.services.bodies import body_of
from core.audit.models import Head
from core.audit.services import hold_chain, record
from core.work.services import ask
from reviews.models import Call

MOST: Final = 20
"""Largest number of webhooks of a challenge or call."""


def key_of(webhook: Webhook) -> bytes:
    """Return the key that signs messages of a webhook: 32 bytes.

    The key is derived from the secret of the installation, the webhook and the number of its secret. No table contains it.
    """
    return salted_hmac("podium.webhooks", f"{webhook.pk} {webhook.generation}", algorithm="sha256").digest()


@transaction.atomic
def create(
    *,
    actor: User,
    owner: Challenge | Call,
    name: str,
    address: str,
    body_format: str,
    events: Collection[str],
) -> tuple[Webhook, str]:
    """Create a webhook; return it with its secret, which pages show only once.

    Raises
    ------
    ValidationError
        For an address without https, too many webhooks, a duplicate name, and events of the other kind.
    """
    _require_enabled()
    is_challenge = isinstance(owner, Challenge)
    _check_address(address)
    _check_events(events, is_challenge=is_challenge)
    hold_chain()
    # The lock makes two requests at the same moment count each other.
    type(owner).objects.select_for_update(no_key=True).get(pk=owner.pk)
    names = [webhook.name for webhook in webhooks_of(owner)]
    if name in names:
        raise ValidationError({"name": f"A webhook is called {name} already. Choose another name."})
    if len(names) >= MOST:
        raise ValidationError(f"There are {MOST} webhooks. Delete one that is no longer used.")
    head = Head.objects.filter(pk=1).values_list("sequence", flat=True).first() or 0
    webhook = Webhook.objects.create(
        challenge=owner if isinstance(owner, Challenge) else None,
        call=owner if isinstance(owner, Call) else None,
        name=name,
        address=address,
        body_format=body_format,
        events=sorted(events),
        sequence=head,
        created_by=actor,
    )
    facts = {"name": name, "host": urlsplit(address).hostname, "format": body_format, "events": webhook.events}
    record(actor=actor, act="webhook_created", subject=webhook, scope=owner.slug, facts=facts)
    return webhook, secret_text(key_of(webhook))


@transaction.atomic
def change(*, actor: User, webhook: Webhook, events: Collection[str], is_active: bool) -> None:
    """Change the reported events, or switch a webhook on or off.

    Events that occur while a webhook is off are not reported later.

    Raises
    ------
    ValidationError
        For events of the other kind.
    """
    hold_chain()
    row = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    _check_events(events, is_challenge=row.challenge_id is not None)
    if is_active and not row.is_active:
        _require_enabled()
        row.sequence = Head.objects.filter(pk=1).values_list("sequence", flat=True).first() or 0
        row.problem = ""
    row.events, row.is_active = sorted(events), is_active
    row.save(update_fields=["events", "is_active", "problem", "sequence"])
    facts = {"events": row.events, "is_active": is_active}
    record(actor=actor, act="webhook_changed", subject=row, scope=webhook.owner.slug, facts=facts)


@transaction.atomic
def renew_secret(*, actor: User, webhook: Webhook) -> str:
    """Replace the secret of a webhook and return the new one; messages are signed with it from now on."""
    hold_chain()
    row = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    row.generation += 1
    row.save(update_fields=["generation"])
    facts = {"generation": row.generation}
    record(actor=actor, act="webhook_secret_renewed", subject=row, scope=webhook.owner.slug, facts=facts)
    return secret_text(key_of(row))


@transaction.atomic
def delete(*, actor: User, webhook: Webhook) -> None:
    """Delete a webhook with its list of messages."""
    record(actor=actor, act="webhook_deleted", subject=webhook, scope=webhook.owner.slug, facts={"name": webhook.name})
    Webhook.objects.filter(pk=webhook.pk).delete()


@transaction.atomic
def send_test(*, actor: User, webhook: Webhook) -> Delivery:
    """Queue a test message.

    Raises
    ------
    ValidationError
        If webhooks are off, or a test message is queued already.
    """
    _require_enabled()
    hold_chain()
    row = Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)
    if DELIVERIES.open_rows.filter(webhook=row, event=TEST.id).exists():
        raise ValidationError("A test message is queued already. Wait for its result.")
    delivery = Delivery.objects.create(webhook=row, event=TEST.id, body=body_of(webhook, TEST, timezone.now()))
    record(actor=actor, act="webhook_tested", subject=row, scope=webhook.owner.slug)
    ask(DELIVERIES, delivery)
    return delivery


@transaction.atomic
def send_again(*, actor: User, delivery: Delivery) -> None:
    """Queue a message that failed once more, with the same id.

    Raises
    ------
    ValidationError
        For a message that did not fail, or if webhooks are off.
    """
    _require_enabled()
    hold_chain()
    row = Delivery.objects.select_for_update(no_key=True).get(pk=delivery.pk)
    if row.state != Delivery.State.FAILED:
        raise ValidationError("Only a failed message can be sent again.")
    row.state, row.attempts, row.ended_at, row.failure = Delivery.State.QUEUED, 0, None, ""
    row.save(update_fields=["state", "attempts", "ended_at", "failure"])
    webhook = delivery.webhook
    facts = {"delivery": str(row.pk)}
    record(actor=actor, act="webhook_sent_again", subject=webhook, scope=webhook.owner.slug, facts=facts)
    ask(DELIVERIES, row)


def _require_enabled() -> None:
    if not settings.PODIUM_WEBHOOKS:
        raise ValidationError("Webhooks are switched off on this installation (PODIUM_WEBHOOKS).")


def _check_events(chosen: Collection[str], *, is_challenge: bool) -> None:
    offered = {event.id for event in (CHALLENGE_EVENTS if is_challenge else CALL_EVENTS)}
    if unknown := sorted(set(chosen) - offered):
        raise ValidationError({"events": f"These events are not available here: {', '.join(unknown)}."})
    if not chosen:
        raise ValidationError({"events": "Choose at least one event."})


def _check_address(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.hostname or parts.username or parts.password:
        raise ValidationError({"address": "Enter an address that begins with https:// and contains no password."})
