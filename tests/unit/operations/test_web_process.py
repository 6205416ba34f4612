"""A web process has loaded what it needs before its first visitor comes."""

import os
import subprocess
import sys

PROGRAM = "import config.wsgi, gc, sys; print(gc.get_freeze_count(), 'leaderboards.views.pages' in sys.modules)"


def test_pages_are_loaded_and_out_of_the_collectors_way_before_the_first_answer():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    frozen, loaded = ended.stdout.split()[-2:]
    assert int(frozen) > 100_000
    assert loaded == "True"
