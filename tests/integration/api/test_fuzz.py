"""Fuzzing of the API by every role: never a server error, and never an error answered with a page."""

import pytest

from tests.fuzz.requests import fuzz
from tests.fuzz.world import ROLES, build

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(private_files):
    return build()


@pytest.mark.parametrize("role", ROLES)
def test_no_request_of_any_role_is_a_server_error(made, role):
    found = fuzz(made, role, seed=1, examples=1)
    assert found.errors == {}
    assert found.requests > 40
    assert {400, 404} <= set(found.statuses)
