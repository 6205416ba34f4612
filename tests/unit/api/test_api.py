"""The REST interface shows what the pages show, and errors as problem documents."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from tests.unit.challenges.world import build

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return build()


def test_public_challenges_are_listed(client, world):
    build("hidden").challenge.__class__.objects.filter(slug="hidden").update(is_public=False)
    rows = client.get("/api/v1/challenges/").json()["results"]
    assert [row["slug"] for row in rows] == ["organs"]


def test_a_challenge_comes_with_the_assessment_of_each_phase(client, world):
    phases = client.get("/api/v1/challenges/organs/").json()["phases"]
    assert [phase["slug"] for phase in phases] == ["first", "second"]
    assert phases[0]["assessment_digest"] == world.closed_phase.assessment_digest


def test_what_is_not_public_does_not_exist(client, world):
    world.challenge.is_public = False
    world.challenge.save()
    answer = client.get("/api/v1/challenges/organs/")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["title"] == "Not Found"


def test_the_interface_describes_itself(client):
    schema = client.get(reverse("api:schema"))
    assert schema.status_code == 200
    assert b"/api/v1/challenges/{slug}/" in schema.content
    assert b"/api/v1/registry/{identifier}/differences/" in schema.content


def test_the_description_is_valid_openapi_without_a_warning(tmp_path):
    """Equivalent to `manage.py spectacular --validate --fail-on-warn`."""
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", str(tmp_path / "schema.yml"))


def test_the_documentation_holds_to_the_content_security_policy(client):
    page = client.get(reverse("api:docs")).content.decode()
    assert "<script>" not in page
    assert "<style" not in page


@pytest.mark.parametrize("challenges", [1, 3])
def test_the_list_makes_the_same_number_of_queries(client, django_assert_num_queries, challenges):
    for number in range(challenges):
        build(f"organs-{number}")
    with django_assert_num_queries(4):
        assert client.get("/api/v1/challenges/").json()["count"] == challenges
