"""Fuzzing of the API by every role: never a server error, and never an error answered with a page."""

import pytest
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from tests.fuzz.requests import drawn, fuzz
from tests.fuzz.world import ROLES, build
from tests.integration.leaderboards.conftest import storages_in
from tests.sizes import size

pytestmark = pytest.mark.django_db
IN_SHORT = ("administrator", "organizer")
"""Roles that send all requests also in the short form. Each other role sends every third, from another one on."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker, files):
    """Return one world for all roles. The rows that a role changes are rolled back after its test."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(files)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        yield build()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def requests(made, django_db_blocker):
    """Return the requests that each role sends."""
    with django_db_blocker.unblock():
        return list(drawn(made, seed=1, examples=1))


@pytest.fixture(autouse=True)
def stored_files(settings, private_files, files):
    settings.STORAGES = settings.STORAGES | storages_in(files)


@pytest.mark.parametrize("role", ROLES)
def test_no_request_of_any_role_is_a_server_error(made, requests, role):
    if role not in IN_SHORT:
        requests = size(requests[ROLES.index(role) % 3 :: 3], requests)
    found = fuzz(made, role, requests, examples=1)
    assert found.errors == {}
    assert found.requests > 40
    assert {400, 404} <= set(found.statuses)
