"""A design and its owner."""

import pytest

from tests.unit.designs.world import design, person


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client
