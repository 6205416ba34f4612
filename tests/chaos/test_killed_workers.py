"""The short form of the soak: see `tests.chaos.soak`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.processes import ROOT

# Servers that others use are not struck down; where their programs are installed, the soak starts its own.
SERVERS = shutil.which("redis-server") and any(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_killed_workers_full_disks_and_doubled_messages_leave_exactly_one_result_each():
    """On the embedded default, or on PostgreSQL and Redis, restarted too, in the leg that has them."""
    services = ["--own-services", "--ahead", "3600"] if os.environ.get("DATABASE_URL") and SERVERS else []
    soak = subprocess.run(
        [
            *(sys.executable, "-m", "tests.chaos.soak", *services),
            *("--submissions", "10", "--kills", "8", "--patience", "400"),
        ],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=840,
    )
    assert soak.returncode == 0, soak.stdout + soak.stderr
