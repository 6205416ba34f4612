"""Environment of every test run, set before the settings are read (pytest loads this as a plugin, see pyproject.toml).

Tests neither read the developer's data folder nor need TLS; the variables of a second leg (DATABASE_URL, REDIS_URL)
pass through.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_folder = tempfile.mkdtemp(prefix="podium-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

os.environ["PODIUM_DATA"] = _folder
Path(_folder, "static").mkdir()
# Jobs that tests send go nowhere, unless a leg brings its own broker: no Redis of this machine is touched.
Path(_folder, "run").mkdir()
Path(_folder, "run", "broker.url").write_text("memory://")
# On a Redis that a leg brings, each process keeps to keys of its own.
os.environ["PODIUM_BROKER_PREFIX"] = f"{Path(_folder).name}-"
os.environ["PODIUM_TLS"] = "0"
os.environ["PODIUM_EXAMPLE_MODE"] = "0"
# Tests open more pages per minute than a visitor; `tests/integration/web/test_visitor_limits.py` sets its own limits.
os.environ["PODIUM_VISITOR_PAGES_PER_MINUTE"] = os.environ["PODIUM_VISITOR_FILES_PER_MINUTE"] = "0"
os.environ["LOG_LEVEL"] = "WARNING"
os.environ["PODIUM_LOG_JSON"] = "0"
# One thread each: tests run side by side on the cores that there are.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
