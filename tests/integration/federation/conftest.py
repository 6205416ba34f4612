"""Storage of each test alone; jobs run at once."""

import pytest

from tests.integration.submissions.conftest import broker_of_its_own, private_files, workers

__all__ = ["broker_of_its_own", "private_files", "workers"]


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    """The key of the installation is this test's own."""
    settings.PODIUM_DATA = tmp_path / "data"
    settings.PODIUM_DATA.mkdir()
