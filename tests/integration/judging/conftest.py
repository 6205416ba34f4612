from pathlib import Path

import pytest

from executions.services import hosts
from tests.containers.stand_in_engine import StandInEngine
from tests.integration.judging.world import Judged, build
from tests.integration.submissions.conftest import broker_of_its_own, nobody_listens, private_files, workers

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers"]


@pytest.fixture
def engine(settings, tmp_path: Path, db):
    """A machine that runs scoring images, whose containers are programs of the test."""
    settings.PODIUM_RUN_FOLDER = str(tmp_path / "run")
    before = hosts.here()
    stand_in = StandInEngine()
    queues = frozenset({"judge"})
    hosts.take_up(hosts.Host(engine=stand_in, problem="", versions=stand_in.versions(), queues=queues))
    hosts.tell()
    yield stand_in
    hosts.take_up(before)


@pytest.fixture
def world(db, tmp_path: Path, engine: StandInEngine) -> Judged:
    """A challenge of which a scoring image computes one of two metrics."""
    return build(tmp_path, engine)
