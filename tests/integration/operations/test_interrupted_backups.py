"""A backup that is killed or meets a full disk does no harm to the next one, and is never reported as made."""

import os
import shutil
import subprocess
import sys

import pytest
from django.conf import settings

from tests import databases as kept
from tests.integration.operations import interrupting

pytestmark = pytest.mark.any_database(
    "Its processes use SQLite on each leg. `test_backup_drill.py` backs up both databases."
)


@pytest.mark.timeout(1200)  # about 30 s of processor time; the machine may be shared
def test_the_backup_after_an_interrupted_one_is_complete_whenever_it_was_interrupted(django_db_setup, tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    migrated = kept.FOLDER / f"{kept.digest()}.sqlite3"
    if migrated.exists():  # otherwise the program migrates, which takes longer
        shutil.copyfile(migrated, data / "podium.sqlite3")
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "DATABASE_", "REDIS_"))
    }
    environment = {
        **inherited,
        "PYTHONPATH": f"{settings.ROOT / 'platform'}{os.pathsep}{settings.ROOT}",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PODIUM_DATA": str(data),
        "PODIUM_TLS": "0",
    }
    words = [sys.executable, "-m", "tests.integration.operations.interrupting", str(tmp_path), "20261128"]

    done = subprocess.run(words, cwd=settings.ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert sum("_killed" in line for line in lines) == interrupting.KILLS
    assert sum("_full" in line for line in lines) == interrupting.FULL_DISKS
