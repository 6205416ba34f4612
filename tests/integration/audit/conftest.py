import pytest

from tests.integration.audit import world as worlds
from tests.integration.submissions.conftest import broker_of_its_own, private_files, workers

__all__ = ["broker_of_its_own", "private_files", "workers"]


@pytest.fixture
def world(transactional_db, workers, tmp_path):
    """A platform in use, in which every row is sealed."""
    return worlds.build(tmp_path)
