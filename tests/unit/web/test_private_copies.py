"""Private pages are not cached for other people and are requested again before they are shown again."""

import pytest
from django.urls import reverse

from accounts.services import issue_token
from tests.unit.challenges.world import build

pytestmark = pytest.mark.django_db


def test_a_page_of_a_person_is_private(client):
    world = build()
    client.force_login(world.member)
    answer = client.get(reverse("challenges:detail", args=["organs"]))
    assert {"private", "no-cache"} <= set(answer["Cache-Control"].split(", "))
    assert "Cookie" in answer["Vary"]


def test_an_answer_to_a_token_is_private(client):
    _, secret = issue_token(user=build().member, name="t", scopes=["read"], days=1)
    answer = client.get("/api/v1/me/", HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert "private" in answer["Cache-Control"]
    assert "Authorization" in answer["Vary"]


def test_a_page_for_everybody_may_be_kept(client):
    assert not client.get("/registry/").has_header("Cache-Control")


def test_a_view_that_says_how_long_is_left_alone(client):
    client.force_login(build().member)
    assert "no-store" in client.get(reverse("accounts:tokens"))["Cache-Control"]
