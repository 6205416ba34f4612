"""Organizers and chairs create, test and delete webhooks on pages and by program; no other person reaches them."""

import json
import re

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from challenges.webhooks.models import Delivery, Webhook
from tests.integration.webhooks.test_sending import made

pytestmark = pytest.mark.django_db
FORM = {
    "name": "Channel",
    "address": "https://hooks.example.org/services/1",
    "body_format": "standard",
    "events": ["submission.scored", "ranking.final"],
}


def secret_in(response):
    return re.search(r"whsec_[A-Za-z0-9+/]{43}=", response.content.decode()).group()


def test_an_organizer_creates_a_webhook_and_sees_its_secret_once(world, client):
    client.force_login(world.organizer)
    page = reverse("webhooks:challenge", args=[world.challenge.slug])
    assert "No webhooks yet" in client.get(page).content.decode()
    secret = secret_in(client.post(page, FORM))
    webhook = Webhook.objects.get()
    detail = reverse("webhooks:detail", args=[webhook.pk])
    for address in (page, detail):
        text = client.get(address).content.decode()
        assert "Channel" in text
        assert secret not in text
    client.post(reverse("webhooks:test", args=[webhook.pk]))
    assert Delivery.objects.get().event == "webhook.test"
    assert "Test" in client.get(detail).content.decode()
    assert secret_in(client.post(reverse("webhooks:secret", args=[webhook.pk]))) != secret
    response = client.post(detail, {"events": ["ranking.final"]}, follow=True)
    assert "Channel is changed." in response.content.decode()
    webhook.refresh_from_db()
    assert (webhook.events, webhook.is_active) == (["ranking.final"], False)
    client.post(reverse("webhooks:delete", args=[webhook.pk]))
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"address": "http://hooks.example.org/"}, "begins with https://"),
        ({"events": []}, "This field is required."),
        ({"events": ["review.submitted"]}, "review.submitted is not one of the available choices."),
        ({"name": ""}, "This field is required."),
    ],
)
def test_a_refused_form_keeps_its_input_and_states_the_reason(world, client, change, text):
    client.force_login(world.organizer)
    response = client.post(reverse("webhooks:challenge", args=[world.challenge.slug]), {**FORM, **change})
    assert text in response.content.decode()
    assert not Webhook.objects.exists()


def test_no_other_person_reaches_a_webhook(world, client, django_user_model):
    webhook, _ = made(world)
    delivery = Delivery.objects.create(webhook=webhook, event="webhook.test", body="{}", state="failed")
    root = django_user_model.objects.create_superuser("root", "root@example.org", "word")
    addresses = [
        reverse("webhooks:challenge", args=[world.challenge.slug]),
        *(reverse(f"webhooks:{name}", args=[webhook.pk]) for name in ("detail", "test", "secret", "delete")),
        reverse("webhooks:send_again", args=[webhook.pk, delivery.pk]),
        reverse("api:webhooks", args=[world.challenge.slug]),
        *(reverse(f"api:{name}", args=[webhook.pk]) for name in ("webhook", "webhook-test", "webhook-secret")),
        reverse("api:webhook-delivery", args=[webhook.pk, delivery.pk]),
    ]
    for person in (world.ada, root):
        client.force_login(person)
        assert {client.post(address).status_code for address in addresses if "/api/" not in address} == {404}
        assert {client.post(address).status_code for address in addresses if "/api/" in address} <= {403, 404, 405}
        assert client.get(addresses[1]).status_code == 404
    client.logout()
    assert client.get(addresses[1]).status_code == 302
    webhook.refresh_from_db()
    assert (webhook.generation, Delivery.objects.get().state) == (1, "failed")


def test_a_program_does_the_same(world):
    program = APIClient()
    program.force_authenticate(world.organizer)
    page = reverse("api:webhooks", args=[world.challenge.slug])
    answer = program.post(page, FORM, format="json")
    assert answer.status_code == 201, answer.content
    assert answer["Cache-Control"] == "no-store"
    webhook, secret = Webhook.objects.get(), answer.json()["secret"]
    detail = reverse("api:webhook", args=[webhook.pk])
    assert program.post(reverse("api:webhook-test", args=[webhook.pk])).status_code == 200
    (row,) = program.get(page).json()
    assert (row["name"], row["delivered"], row["failed"]) == ("Channel", 0, 0)
    shown = program.get(detail).json()
    assert shown["deliveries"][0]["message_id"].startswith("msg_")
    assert secret not in json.dumps(shown)
    assert program.post(reverse("api:webhook-secret", args=[webhook.pk])).json()["secret"] != secret
    refused = program.put(detail, {"events": ["review.submitted"]}, format="json")
    assert refused.status_code == 400
    assert program.put(detail, {"events": ["ranking.final"], "is_active": True}, format="json").status_code == 200
    waiting = Delivery.objects.get()
    again = program.post(reverse("api:webhook-delivery", args=[webhook.pk, waiting.pk]))
    assert again.json()["errors"] == {"non_field_errors": ["Only a failed message can be sent again."]}
    assert program.delete(detail).status_code == 200
    assert not Webhook.objects.exists()


def test_a_chair_has_the_page_in_the_call(reviewed, client):
    chair = reviewed.call.chairs.first().user
    client.force_login(chair)
    page = reverse("webhooks:call", args=[reviewed.call.slug])
    assert f'href="{page}"' in client.get(reverse("reviews:matrix", args=[reviewed.call.slug])).content.decode()
    response = client.post(page, {**FORM, "events": ["review.submitted"]})
    assert secret_in(response)
    assert Webhook.objects.get().call == reviewed.call
    client.force_login(reviewed.panel["r1"].user)
    assert client.get(page).status_code in (403, 404)
