"""Every address for every role, lists with a constant number of queries, and the contents of the pages."""

import json

import pytest
from django.urls import reverse

from challenges.models import ChallengePicture, InformationPage, Member, Phase
from tests.unit.challenges.world import build

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    made = build()
    InformationPage.objects.create(
        challenge=made.challenge, slug="faq", title="FAQ", text="None.", changed_by=made.organizer
    )
    picture = {"content": b"PNG", "media_type": "image/png", "changed_by": made.organizer}
    ChallengePicture.objects.create(challenge=made.challenge, kind="logo", **picture)
    return made


def address(name, world):
    arguments = {
        "list": [],
        "list_csv": [],
        "detail": [world.challenge.slug],
        "join": [world.challenge.slug],
        "assessment": [world.challenge.slug, world.open_phase.pk],
        "organize": [world.challenge.slug],
        "close_phase": [world.challenge.slug, world.open_phase.pk],
        "information_page": [world.challenge.slug, "faq"],
        "pages": [world.challenge.slug],
        "edit_page": [world.challenge.slug, "faq"],
        "picture": [world.challenge.slug, "logo"],
        "pictures": [world.challenge.slug],
        "access": [world.challenge.slug],
        "enter": [world.challenge.slug, "no-such-token"],
    }
    return reverse(f"challenges:{name}", args=arguments[name])


# Status by role: visitor, stranger, member, organizer, staff. 302 of a visitor leads to the sign-in page.
PUBLIC = {
    "list": (200, 200, 200, 200, 200),
    "list_csv": (200, 200, 200, 200, 200),
    "detail": (200, 200, 200, 200, 200),
    "join": (302, 200, 302, 403, 200),
    "assessment": (200, 200, 200, 200, 200),
    "organize": (302, 403, 403, 200, 200),
    "close_phase": (302, 403, 403, 200, 200),
    "information_page": (200, 200, 200, 200, 200),
    "pages": (302, 404, 404, 200, 200),
    "edit_page": (302, 404, 404, 200, 200),
    "picture": (200, 200, 200, 200, 200),
    "pictures": (302, 404, 404, 200, 200),
    "access": (302, 404, 404, 200, 200),
    "enter": (302, 404, 404, 404, 404),
}
HIDDEN = {
    "detail": (404, 404, 404, 200, 200),
    "join": (302, 404, 404, 403, 200),
    "assessment": (404, 404, 404, 200, 200),
    "organize": (302, 404, 404, 200, 200),
    "close_phase": (302, 404, 404, 200, 200),
    "information_page": (404, 404, 404, 200, 200),
    "pages": (302, 404, 404, 200, 200),
    "edit_page": (302, 404, 404, 200, 200),
    "picture": (404, 404, 404, 200, 200),
    "pictures": (302, 404, 404, 200, 200),
    "access": (302, 404, 404, 200, 200),
    "enter": (302, 404, 404, 404, 404),
}
ROLES = ("visitor", "stranger", "member", "organizer", "staff")


@pytest.mark.parametrize(
    ("public", "name", "role", "status"),
    [
        (public, name, role, status)
        for public, table in ((True, PUBLIC), (False, HIDDEN))
        for name, row in table.items()
        for role, status in zip(ROLES, row, strict=True)
    ],
)
def test_who_sees_what(world, client, public, name, role, status):
    world.challenge.is_public = public
    world.challenge.save()
    if role != "visitor":
        client.force_login(getattr(world, role))
    response = client.get(address(name, world))
    assert response.status_code == status
    if role == "visitor" and status == 302:
        assert response.url.startswith(reverse("account_login"))


def test_every_address_of_the_app_is_in_the_table_above():
    from challenges.urls import urlpatterns
    from challenges.urls.people import patterns  # tested in tests/integration/participation

    # Launching is tested in tests/integration/challenges.
    others = {pattern.name for pattern in patterns if pattern.name != "join"} | {
        "launch",
        "open_submissions",
        "move_deadline",
        # Tested in tests/integration/participation.
        "information",
        "delete_page",
        # Tested in tests/integration/challenges/test_closed.py.
        "set_audience",
        "add_access_rule",
        "remove_access_rule",
        "withdraw_access_link",
    }
    assert {pattern.name for pattern in urlpatterns} - others == set(PUBLIC)


@pytest.mark.parametrize("role", ["stranger", "member"])
def test_only_organizers_close_a_phase(world, client, role):
    client.force_login(getattr(world, role))
    assert client.post(address("close_phase", world), {"confirm": "second"}).status_code == 403
    assert Phase.objects.get(pk=world.open_phase.pk).is_open


def test_closing_asks_for_the_name_of_the_phase(world, client):
    client.force_login(world.organizer)
    page = client.post(address("close_phase", world), {"confirm": "yes"}, follow=True)
    assert page.status_code == 422
    assert "Type second to confirm." in page.content.decode()
    assert Phase.objects.get(pk=world.open_phase.pk).is_open
    client.post(address("close_phase", world), {"confirm": "second"})
    assert Phase.objects.get(pk=world.open_phase.pk).is_closed


def test_a_phase_of_another_challenge_cannot_be_closed_through_ones_own(world, client):
    other = build("other")
    client.force_login(world.organizer)
    url = reverse("challenges:close_phase", args=[world.challenge.slug, other.open_phase.pk])
    assert client.post(url, {"confirm": "second"}).status_code == 404
    assert Phase.objects.get(pk=other.open_phase.pk).is_open


def test_joining_needs_consent_and_keeps_what_was_typed(world, client):
    client.force_login(world.stranger)
    page = client.post(address("join", world), {"team_name": "Zoe and friends"}).content.decode()
    assert "Accept the rules" in page
    assert "Zoe and friends" in page
    assert not Member.objects.filter(user=world.stranger).exists()


def test_joining_leads_to_the_submit_page(world, client):
    client.force_login(world.stranger)
    response = client.post(address("join", world), {"team_name": "Zoe", "accept_rules": "on"})
    assert response.url == reverse("submissions:submit", args=[world.challenge.slug])


def test_the_page_says_how_the_winner_is_found_and_gives_the_document(world, client):
    page = client.get(address("detail", world)).content.decode()
    assert "Dice Similarity Coefficient" in page
    assert "missing or unreadable prediction counts as" in page
    document = json.loads(client.get(address("assessment", world)).content)
    assert document == json.loads(json.dumps(dict(world.open_phase.assessment.document)))


def test_markdown_of_organizers_cannot_bring_in_markup_or_scripts(world, client):
    world.challenge.description = "<script>alert(1)</script> [x](javascript:alert(1)) **bold**"
    world.challenge.save()
    page = client.get(address("detail", world)).content.decode()
    assert "<script>alert" not in page
    assert 'href="javascript:' not in page
    assert "<strong>bold</strong>" in page


@pytest.mark.parametrize("challenges", [1, 3])
def test_the_list_makes_the_same_number_of_queries_however_long_it_is(client, django_assert_num_queries, challenges):
    for number in range(challenges):
        build(f"organs-{number}")
    client.get(reverse("challenges:list"))
    with django_assert_num_queries(12):
        page = client.get(reverse("challenges:list")).content.decode()
    assert page.count("card--link") == challenges


def test_an_empty_list_says_what_to_do_next(client):
    page = client.get(reverse("challenges:list")).content.decode()
    assert "No public challenges yet" in page
    assert "make run" in page
