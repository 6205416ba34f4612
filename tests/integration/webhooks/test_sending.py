"""Events of the audit log reach the addresses of organizers and chairs, signed, each once, and nothing hidden does."""

import base64
import hashlib
import hmac
import json
import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Organizer
from challenges.services.talking import announce
from challenges.webhooks.models import Delivery, Webhook
from challenges.webhooks.queries import DELIVERIES, PAUSES
from challenges.webhooks.services import configuring, sending
from core.audit.models import Entry, Sealing
from core.audit.services import record

pytestmark = pytest.mark.django_db
EVENTS = ["announcement.published", "submission.scored"]


def made(world, receiver=None, **more):
    fields = {
        "actor": world.organizer,
        "owner": world.challenge,
        "name": "Channel",
        "address": "https://hooks.example.org/x",
        "body_format": "standard",
        "events": EVENTS,
    }
    webhook, secret = configuring.create(**{**fields, **more})
    if receiver is not None:
        Webhook.objects.filter(pk=webhook.pk).update(address=receiver.url)
    return webhook, secret


def happen(world, act="announcement_published", **facts):
    with transaction.atomic():
        return record(actor=world.organizer, act=act, subject=world.challenge, scope=world.challenge.slug, facts=facts)


def deliver():
    for _ in range(Delivery.objects.filter(DELIVERIES.is_open).count()):
        sending.send_message()


def verified(secret, message):
    """Verify a message as a receiver does: written from the text of Standard Webhooks, without code of the platform."""
    headers, body = message
    headers = {name.lower(): value for name, value in headers.items()}
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert abs(int(headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    return json.loads(body)


def test_an_announcement_reaches_the_receiver_once_and_signed(world, receiver):
    _, secret = made(world, receiver)
    announce(challenge=world.challenge, actor=world.organizer, title="Maintenance", text="Tomorrow at 9:00.")
    assert sending.queue_events() == 1
    assert sending.queue_events() == 0
    deliver()
    deliver()
    (message,) = receiver.messages
    content = verified(secret, message)
    assert content["type"] == "announcement.published"
    assert content["data"]["challenge"] == world.challenge.slug
    assert content["data"]["url"].endswith(f"/challenges/{world.challenge.slug}/organize/")
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status) == ("delivered", 204)


def test_messages_contain_no_fact_of_the_act(world, receiver):
    made(world, receiver)
    happen(world, act="run_scored", team="Secret team", score="0.987654")
    sending.queue_events()
    deliver()
    ((_, body),) = receiver.messages
    assert set(json.loads(body)) == {"type", "timestamp", "data"}
    assert set(json.loads(body)["data"]) == {"challenge", "title", "text", "url"}
    assert b"Secret" not in body
    assert b"987654" not in body


def test_acts_before_the_webhook_and_other_acts_and_challenges_are_not_reported(world, receiver):
    happen(world)
    made(world, receiver)
    happen(world, act="team_made")
    with transaction.atomic():
        record(actor=None, act="announcement_published", subject=world.challenge, scope="another")
    assert sending.queue_events() == 0


def test_events_while_it_is_off_are_not_reported_later(world, receiver):
    webhook, _ = made(world, receiver)
    configuring.change(actor=world.organizer, webhook=webhook, events=EVENTS, is_active=False)
    happen(world)
    assert sending.queue_events() == 0
    configuring.change(actor=world.organizer, webhook=webhook, events=EVENTS, is_active=True)
    assert sending.queue_events() == 0
    happen(world)
    assert sending.queue_events() == 1


def test_many_events_are_queued_in_parts_and_none_is_lost(world, monkeypatch):
    monkeypatch.setattr(sending, "AT_ONCE", 3)
    made(world)
    entries = [happen(world).sequence for _ in range(8)]
    numbers = [sending.queue_events() for _ in range(4)]
    assert numbers == [3, 3, 2, 0]
    assert sorted(Delivery.objects.values_list("sequence", flat=True)) == entries


def test_a_failed_attempt_is_repeated_with_the_same_id_until_it_is_final(world, receiver):
    webhook, secret = made(world, receiver)
    happen(world)
    sending.queue_events()
    receiver.statuses = [500] * 20
    pauses = []
    for _ in range(30):
        deliver()
        delivery = Delivery.objects.get()
        if delivery.state == "failed":
            break
        pauses.append(delivery.due_at)
        Delivery.objects.update(due_at=None)
    assert len(receiver.messages) == len(PAUSES) + 1
    assert (delivery.status, delivery.failure) == (500, "status 500")
    assert len({headers["webhook-id"] for headers, _ in receiver.messages}) == 1
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert webhook.problem == "No message was accepted in 3 days. Last problem: status 500."
    assert Notification.objects.filter(kind="webhook_off", user=world.organizer).count() == 1
    assert Entry.objects.filter(act="webhook_switched_off", scope=world.challenge.slug).exists()
    # It is repaired: the organizer switches it on, and repeats what failed.
    configuring.change(actor=world.organizer, webhook=webhook, events=EVENTS, is_active=True)
    configuring.send_again(actor=world.organizer, delivery=delivery)
    receiver.statuses = []
    deliver()
    verified(secret, receiver.messages[-1])
    assert Delivery.objects.get().state == "delivered"


def test_the_pauses_add_up_to_three_days():
    assert timedelta(days=3) < sum(PAUSES, timedelta()) < timedelta(days=4)


def test_gone_switches_off_at_once(world, receiver):
    webhook, _ = made(world, receiver)
    happen(world)
    happen(world)
    sending.queue_events()
    receiver.statuses = [410]
    deliver()
    webhook.refresh_from_db()
    assert not webhook.is_active
    assert len(receiver.messages) == 1
    assert set(Delivery.objects.values_list("state", flat=True)) == {"failed"}


def test_redirects_are_not_followed(world, receiver):
    made(world, receiver)
    happen(world)
    sending.queue_events()
    receiver.statuses = [302]
    deliver()
    assert len(receiver.messages) == 1
    assert Delivery.objects.get().status == 302


@pytest.mark.parametrize(
    "address", ["https://127.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "https://10.0.0.1:6379/"]
)
def test_the_own_network_is_not_reached(world, address):
    webhook, _ = made(world, address=address)
    configuring.send_test(actor=world.organizer, webhook=webhook)
    deliver()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.attempts) == ("queued", None, 1)
    assert delivery.failure == "an address of a private network"


@pytest.mark.parametrize(
    "address",
    ["http://hooks.example.org/", "ftp://hooks.example.org/", "https://me:word@hooks.example.org/", "https:///x"],
)
def test_addresses_without_protection_are_refused(world, address):
    with pytest.raises(ValidationError, match="https"):
        made(world, address=address)


def test_a_new_secret_replaces_the_old_one_and_none_is_stored(world, receiver):
    webhook, old = made(world, receiver)
    new = configuring.renew_secret(actor=world.organizer, webhook=webhook)
    assert new != old
    other, _ = made(world, name="Other")
    assert configuring.key_of(other) != configuring.key_of(webhook)
    happen(world)
    sending.queue_events()
    deliver()
    verified(new, receiver.messages[0])
    stored = (
        str(list(Webhook.objects.values())) + str(list(Delivery.objects.values())) + str(list(Entry.objects.values()))
    )
    assert old not in stored
    assert new not in stored


def test_operators_switch_webhooks_off(world, settings):
    webhook, _ = made(world)
    happen(world)
    settings.PODIUM_WEBHOOKS = False
    assert sending.queue_events() == 0
    with pytest.raises(ValidationError, match="switched off on this installation"):
        configuring.send_test(actor=world.organizer, webhook=webhook)


def test_a_call_reports_its_own_events(reviewed, receiver):
    owner = reviewed.call
    chair = owner.chairs.first().user
    webhook, _ = configuring.create(
        actor=chair,
        owner=owner,
        name="Chairs",
        address="https://hooks.example.org/",
        body_format="chat",
        events=["review.submitted"],
    )
    Webhook.objects.update(address=receiver.url)
    with transaction.atomic():
        record(actor=None, act="review_sent", subject=owner, scope=owner.slug)
    sending.queue_events()
    deliver()
    ((_, body),) = receiver.messages
    text = json.loads(body)["text"]
    assert text.startswith(f"{owner.title}: A review was submitted. <http")
    assert f"/calls/{owner.slug}/" in text
    with pytest.raises(ValidationError, match="not available here"):
        configuring.change(actor=chair, webhook=webhook, events=["run_scored"], is_active=True)


def test_old_messages_are_deleted(world, receiver):
    made(world, receiver)
    happen(world)
    sending.queue_events()
    deliver()
    assert sending.tidy() == 0
    Delivery.objects.update(ended_at=timezone.now() - timedelta(days=31))
    assert sending.tidy() == 1


def test_a_webhook_ends_with_the_role_of_its_creator(world, receiver):
    webhook, _ = made(world, receiver)
    happen(world)
    assert sending.queue_events() == 1
    Organizer.objects.filter(challenge=world.challenge, user=world.organizer).delete()
    deliver()
    assert receiver.messages == []
    assert Delivery.objects.get().state == "failed"
    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.problem) == (False, "The person who created it does not manage it any more.")


def test_events_after_the_creator_left_are_not_queued(world):
    webhook, _ = made(world)
    world.organizer.is_active = False
    world.organizer.save()
    with transaction.atomic():
        record(actor=None, act="run_scored", subject=world.challenge, scope=world.challenge.slug)
    assert sending.queue_events() == 0
    webhook.refresh_from_db()
    assert not webhook.is_active


def test_receivers_take_turns(world, receiver):
    """A webhook with many messages does not keep the only message of another waiting."""
    busy, _ = made(world, receiver)
    other, _ = made(world, receiver, name="Other", events=["submission.scored"])
    for _ in range(3):
        happen(world)
    happen(world, act="run_scored")
    sending.queue_events()
    Delivery.objects.filter(webhook=busy).exclude(event="submission.scored").update(
        state="sending", lease_token=uuid.uuid4(), lease_until=timezone.now() + timedelta(minutes=1)
    )
    sending.send_message()
    assert len(receiver.messages) == 1
    delivered = Delivery.objects.get(state="delivered")
    assert delivered.webhook == other


def test_reading_the_log_seals_nothing(world):
    made(world)
    happen(world, act="team_made")
    before = Sealing.objects.count()
    sending.queue_events()
    assert Sealing.objects.count() == before
