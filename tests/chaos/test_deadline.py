"""The short form of many uploads at a deadline: see `tests.chaos.deadline`."""

import os
import subprocess
import sys

import pytest

from tests.chaos.processes import ROOT


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_figures_that_compute_without_end_keep_no_upload_and_no_letter_waiting():
    """On the embedded default, or on PostgreSQL and Redis in the leg that has them."""
    deadline = subprocess.run(
        [
            *(sys.executable, "-m", "tests.chaos.deadline"),
            *("--uploads", "24", "--sweeps", "12", "--patience", "600"),
            # Measured on a busy machine: a letter after 0.2 s, pauses of 1.2 s. A queue that blocks takes minutes.
            *("--bounds", "--slack", "4"),
        ],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=840,
    )
    print(deadline.stdout)
    assert deadline.returncode == 0, deadline.stdout + deadline.stderr
