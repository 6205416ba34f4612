"""The catalogue of challenges: search, filters, order, cards and table."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase, Projection
from datastore.datasets.models import Dataset
from designs.models import Design
from registry.models import Facet, Registration, RegistrationVersion
from tests.unit.challenges.world import build

pytestmark = pytest.mark.django_db
PAGE = reverse("challenges:list")


def described(slug, title="", **facets):
    """Build a challenge with registered terms."""
    world = build(slug)
    number = Registration.objects.count() + 1
    registration = Registration.objects.create(
        identifier=f"R-{number}", slug=f"r-{number}", year=2026, number=number, design=Design.objects.create(slug=slug)
    )
    for kind, (value, label) in facets.items():
        Facet.objects.create(registration=registration, kind=kind, value=value, label=label)
    version = RegistrationVersion.objects.create(
        registration=registration, canonical="{}", digest="0" * 64, schema=1, catalogue="1"
    )
    Projection.objects.create(
        challenge=world.challenge, registration=registration, version=version, digest=version.digest
    )
    if title:
        world.challenge.title = title
        world.challenge.save()
    return world


def found(client, **query):
    """Slugs of the cards, in order."""
    page = client.get(PAGE, query)
    return [card.challenge.slug for card in page.context["cards"]]


@pytest.fixture
def three():
    """Challenges about CT of the liver, MRI of the brain, and one without registration."""
    liver = described("liver", modality=("ct", "Computed Tomography (CT)"), anatomy=("liver", "Liver"))
    brain = described(
        "brain", "Structures", modality=("mri", "Magnetic Resonance Imaging (MRI)"), anatomy=("brain", "Brain")
    )
    return liver, brain, build("plain")


def test_search_finds_terms_of_the_registered_design(three, client):
    assert found(client, q="CT") == ["liver"]
    assert found(client, q="ct liver") == ["liver"]
    assert found(client, q="livers") == ["liver"]
    assert found(client, q="magnetic resonance") == ["brain"]
    assert found(client, q="CT brain") == []


def test_search_does_not_find_short_words_inside_others(three, client):
    assert "brain" not in found(client, q="ct")  # its title has "Structures"


def test_search_finds_organizers_by_affiliation(three, client):
    three[2].organizer.affiliation = "University of Oxbridge"
    three[2].organizer.save()
    assert found(client, q="oxbridge") == ["plain"]


@pytest.mark.parametrize("text", ["(", "\\", "a+b*", "%", "'", "[", "x" * 101])
def test_search_accepts_any_text(three, client, text):
    assert client.get(PAGE, {"q": text}).status_code == 200


def test_filters_combine(three, client):
    assert found(client, modality="ct") == ["liver"]
    assert found(client, modality="mri", anatomy="brain", state="open") == ["brain"]
    assert found(client, modality="mri", anatomy="liver") == []
    assert found(client, modality="unknown") == []


def test_states_follow_the_phases(three, client):
    _, brain, plain = three
    now = timezone.now()
    Phase.objects.filter(task__challenge=brain.challenge).update(
        opens_at=now - timedelta(days=20), closes_at=now - timedelta(days=2)
    )
    Phase.objects.filter(pk=plain.open_phase.pk).update(
        opens_at=now + timedelta(days=3), closes_at=now + timedelta(days=9)
    )
    assert found(client, state="open") == ["liver"]
    assert found(client, state="upcoming") == ["plain"]
    assert found(client, state="closed") == ["brain"]
    assert found(client) == ["liver", "plain", "brain"]


def test_open_challenges_are_sorted_by_deadline(three, client):
    now = timezone.now()
    for world, days in zip(three, (30, 3, 12), strict=True):
        Phase.objects.filter(pk=world.open_phase.pk).update(closes_at=now + timedelta(days=days, hours=1))
    page = client.get(PAGE)
    assert [(card.challenge.slug, card.left) for card in page.context["cards"]] == [
        ("brain", "3 days left"),
        ("plain", "12 days left"),
        ("liver", "30 days left"),
    ]
    assert page.context["cards"][0].is_urgent
    assert found(client, sort="title") == ["liver", "plain", "brain"]


def test_data_access_filters_by_what_participants_get(three, client):
    liver, brain, _ = three
    Dataset.objects.create(
        challenge=liver.challenge, slug="a", name="A", split="training", licence="CC0", url="https://example.org/a"
    )
    # Without a released version there is nothing to get.
    Dataset.objects.create(
        challenge=brain.challenge, slug="b", name="B", split="training", licence="CC0", access="open"
    )
    assert found(client, access="elsewhere") == ["liver"]
    assert found(client, access="open") == []
    assert sorted(found(client, access="none")) == ["brain", "plain"]


def test_hidden_challenges_do_not_appear(three, client):
    three[0].challenge.is_public = False
    three[0].challenge.save()
    page = client.get(PAGE)
    assert "liver" not in [card.challenge.slug for card in page.context["cards"]]
    assert "Computed Tomography" not in page.content.decode()
    assert "liver" not in client.get(reverse("challenges:list_csv")).content.decode()


def test_the_table_has_the_challenges_of_the_search(three, client):
    response = client.get(reverse("challenges:list_csv"), {"modality": "ct"})
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["title"] for row in rows] == ["Challenge liver"]
    assert rows[0]["state"] == "open"
    assert rows[0]["modality"] == "Computed Tomography (CT)"
    assert rows[0]["teams"] == "1"
    assert rows[0]["address"].endswith("/challenges/liver/")


def test_the_script_gets_the_results_alone(three, client):
    part = client.get(PAGE, {"q": "liver"}, headers={"HX-Request": "true"}).content.decode()
    assert part.startswith('<section class="stack" id="catalogue-results"')
    assert "<html" not in part


def test_a_search_without_results_names_the_criteria(three, client):
    page = client.get(PAGE, {"q": "<b>zebra", "modality": "ct"}).content.decode()
    assert "No challenge matches “&lt;b&gt;zebra”, Modality: Computed Tomography (CT)." in page
    assert "Reset search" in page
    assert "A filter has an unknown value" in client.get(PAGE, {"state": "x"}).content.decode()
