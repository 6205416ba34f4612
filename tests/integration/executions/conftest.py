from pathlib import Path

import pytest

from executions.services import hosts
from tests.containers.stand_in_engine import StandInEngine
from tests.integration.executions.world import Algorithms, build
from tests.integration.submissions.conftest import broker_of_its_own, nobody_listens, private_files, workers

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers"]


@pytest.fixture
def engine(settings, tmp_path: Path, db):
    """A machine whose containers are functions of the test."""
    settings.PODIUM_RUN_FOLDER = str(tmp_path / "run")
    before = hosts.here()
    stand_in = StandInEngine()
    hosts.take_up(hosts.Host(engine=stand_in, problem="", versions=stand_in.versions()))
    hosts.tell()
    yield stand_in
    hosts.take_up(before)


@pytest.fixture
def world(db, tmp_path: Path) -> Algorithms:
    """A challenge whose one open phase takes algorithms, with four small cases."""
    return build(tmp_path)
