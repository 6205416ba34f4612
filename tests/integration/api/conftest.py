"""The world of the submissions' tests, and clients that bring a token."""

import pytest

from accounts.services import issue_token
from tests.integration.submissions.conftest import (
    broker_of_its_own,
    nobody_listens,
    private_files,
    workers,
    world,
)

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers", "world"]


@pytest.fixture
def bearer():
    """Headers with a token of a person."""

    def make(person, *scopes, days=1):
        _, secret = issue_token(user=person, name="test", scopes=scopes or ["read", "submit"], days=days)
        return {"HTTP_AUTHORIZATION": f"Bearer {secret}"}

    return make
