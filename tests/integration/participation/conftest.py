import pytest

from tests.integration.submissions.conftest import (
    broker_of_its_own,
    private_files,
    workers,
)
from tests.unit.challenges.world import build

__all__ = ["broker_of_its_own", "private_files", "workers"]


@pytest.fixture
def world(db):
    """A challenge with two phases, an organizer, a team of one, a stranger, an administrator."""
    return build()
