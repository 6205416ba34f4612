from pathlib import Path

import pytest

from confinement.containers.probe import REQUIREMENTS
from tests.containers.stand_in_engine import StandInEngine
from tests.integration.executions.conftest import broker_of_its_own, nobody_listens, private_files, workers
from tests.integration.executions.world import Algorithms, build
from tests.integration.runners.world import Program

__all__ = ["broker_of_its_own", "nobody_listens", "private_files", "workers"]


@pytest.fixture
def world(db, tmp_path: Path) -> Algorithms:
    """A challenge whose one open phase takes algorithms, with four small cases; no machine of the installation runs any."""
    return build(tmp_path)


@pytest.fixture
def program(world, live_server, tmp_path):
    """The runner program with a token of the installation, its containers being functions of the test."""
    own = Program(live_server.url, tmp_path / "runner", StandInEngine(), holds=dict.fromkeys(REQUIREMENTS, True))
    yield own
    own.stop()
