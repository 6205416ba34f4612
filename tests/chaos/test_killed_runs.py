"""The short form of `python -m tests.chaos.runs`: a few kills of workers, podman, its monitors and containers."""

import subprocess
import sys

import pytest

from tests.chaos.runs import ROOT
from tests.containers.machine import lacking
from tests.run import is_demanded

pytestmark = [pytest.mark.engine, pytest.mark.slow]


def test_whatever_is_killed_every_execution_has_one_result():
    if lacks := lacking():
        if is_demanded("containers"):
            pytest.fail(f"This machine lacks {', '.join(lacks)}.")
        pytest.skip(f"needs {', '.join(lacks)}")
    command = [sys.executable, "-m", "tests.chaos.runs", "--kills", "5", "--runs", "2", "--cases", "3", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 executions, 1 digest" in done.stdout
