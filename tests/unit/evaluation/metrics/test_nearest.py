"""The search for the nearest border voxel: the same distances as SciPy's tree, and nothing that a fork would break."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from evaluation.metrics.masks import Mask

ONE_THREAD = """
import os
os.environ["OMP_NUM_THREADS"] = "4"
import numpy as np
from evaluation.metrics.masks import Mask

block = np.ones((60, 60, 60), dtype=bool)
surface = Mask(block, (1.0, 1.0, 2.5)).surface()
before = len(os.listdir("/proc/self/task"))
surface.tree.query(np.random.default_rng(1).uniform(0, 60, (50_000, 3)))
assert len(os.listdir("/proc/self/task")) == before, "the search has started threads"
assert os.environ["OMP_NUM_THREADS"] == "4", "the setting of others has changed"
child = os.fork()
if child == 0:
    surface.tree.query(np.zeros((50_000, 3)))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (0.8, 0.8, 2.5), (1e-3, 7.0, 1e4), (0.5, 0.5)])
def test_gives_the_distances_of_another_library_bit_by_bit(spacing):
    chance = np.random.default_rng(0)
    shape = (40,) * len(spacing)
    one, other = (Mask(chance.random(shape) < share, spacing).surface() for share in (0.02, 0.3))
    expected = cKDTree(other.points).query(one.points)[0]
    np.testing.assert_array_equal(other.tree.query(one.points)[0], expected)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted in /proc")
def test_starts_no_threads_so_that_the_process_can_be_forked():
    done = subprocess.run(
        [sys.executable, "-c", ONE_THREAD],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=os.environ.copy(),
    )
    assert done.returncode == 0, done.stderr
