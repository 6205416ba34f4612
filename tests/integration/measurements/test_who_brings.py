"""Permissions for values measured externally: every role at every address."""

import copy

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from challenges.models import Organizer
from challenges.services import join_with_team
from submissions.measurements.models import Measurement
from tests.integration.challenges.world import person
from tests.integration.leaderboards.conftest import storage_folder, storages_in, surroundings
from tests.integration.measurements import outside

__all__ = ["storage_folder", "surroundings"]
pytestmark = pytest.mark.django_db
ROLES = ("owner", "manager", "administrator", "moderator", "participant", "stranger", "nobody")
MAY = ("owner", "manager", "administrator")
READ = ("tables", "table", "file")
ACTS = ("columns", "seal", "discard")


@pytest.fixture(scope="module")
def base(django_db_setup, django_db_blocker, storage_folder):
    """A scene that is built once for all tests of this file and rolled back after them."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def scene(base, db):
    """A copy of the scene, in a transaction that ends with the test."""
    return copy.deepcopy(base)


def build():
    challenge, phase, registered = outside.launched()
    outside.with_cases(phase)
    table = outside.brought(phase, outside.values(), makes_teams=True)
    people = {name: person(name) for name in ROLES[1:-1]}
    for role in (Organizer.Role.MANAGER, Organizer.Role.MODERATOR):
        Organizer.objects.create(challenge=challenge, user=people[role], role=role)
    people["administrator"].is_superuser = True
    people["administrator"].save()
    join_with_team(user=people["participant"], challenge=challenge, team_name="Birch")
    return challenge, phase, table, {"owner": registered.owner, **people}


def client_of(people, role):
    client = Client()
    if role in people:
        client.force_login(people[role])
    return client


def address_of(name, challenge, table):
    return reverse(f"measurements:{name}", args=[challenge.slug] if name == "tables" else [challenge.slug, table.pk])


@pytest.mark.parametrize("role", ROLES)
def test_owners_and_managers_read_and_nobody_else(scene, role):
    challenge, _, table, people = scene
    for name in READ:
        answer = client_of(people, role).get(address_of(name, challenge, table))
        expected = 200 if role in MAY else 302 if role == "nobody" else 404
        assert answer.status_code == expected, name


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", ACTS)
def test_owners_and_managers_decide_and_nobody_else(scene, role, name):
    challenge, _, table, people = scene
    answer = client_of(people, role).post(address_of(name, challenge, table))
    assert answer.status_code == (302 if role in (*MAY, "nobody") else 404)
    table.refresh_from_db()
    assert (table.state == Measurement.State.ASKING) == (
        role not in MAY or (name == "columns" and table.state == "asking")
    )


@pytest.mark.parametrize("role", ROLES)
def test_owners_and_managers_bring_and_nobody_else(scene, role):
    challenge, phase, _, people = scene
    before = Measurement.objects.count()
    file = SimpleUploadedFile("more.csv", outside.values().encode())
    origin = {"measured_by": "A", "measured_with": "B", "measured_when": "C"}
    address = reverse("measurements:tables", args=[challenge.slug])
    answer = client_of(people, role).post(address, {"phase": phase.pk, "file": file, "makes_teams": "on", **origin})
    assert answer.status_code == (302 if role in (*MAY, "nobody") else 404)
    assert Measurement.objects.count() - before == (role in MAY)


def test_a_table_of_another_challenge_is_not_at_this_one(scene):
    _challenge, _, table, _people = scene
    other, _, registered = outside.launched(slug="other")
    client = Client()
    client.force_login(registered.owner)
    assert client.get(reverse("measurements:table", args=[other.slug, table.pk])).status_code == 404


def test_a_table_of_more_than_the_bound_is_refused_before_it_is_stored(scene):
    challenge, phase, _, people = scene
    file = SimpleUploadedFile("big.csv", b"x" * ((32 << 20) + 1))
    answer = client_of(people, "owner").post(address_of("tables", challenge, None), {"phase": phase.pk, "file": file})
    assert answer.status_code in (413, 422)
    assert Measurement.objects.count() == 2


def test_the_page_shows_problems_preview_and_what_was_sealed(scene):
    challenge, phase, table, people = scene
    client = client_of(people, "owner")
    page = client.get(table.get_absolute_url()).content.decode()
    assert "Seal and rank" in page
    assert "new team" in page
    assert "counts as 255 in SV" in page or "counts as 100" in page
    client.post(reverse("measurements:seal", args=[challenge.slug, table.pk]))
    outside.worked(table)
    page = client.get(table.get_absolute_url()).content.decode()
    assert "Stored content" in page
    assert "Seal and rank" not in page
    bad = outside.brought(phase, "algorithm,case,metric,value\nyew,s01,SV,x\n")
    page = client.get(bad.get_absolute_url()).content.decode()
    assert "1 problem: this table is not used" in page
