"""Shared world of the review tests, built once per module and rolled back with it.

Every test gets a copy in a separate transaction.
"""

import copy

import pytest
from django.db import transaction

from tests.unit.reviews.world import build


@pytest.fixture(scope="module")
def base(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def world(base, db):
    return copy.deepcopy(base)
