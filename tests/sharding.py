"""Plugin of pytest that excludes files from the collection: those of other shards (`tests.run`).

Thousands of ``--ignore`` would be compared with every file, in every process of a run.
"""

import os
from pathlib import Path

VARIABLE = "PODIUM_IGNORED_FILES"
"""Environment variable that names a file with the ignored paths, one per line."""
IGNORED = (
    frozenset(Path(os.environ[VARIABLE]).read_text("utf-8").splitlines()) if VARIABLE in os.environ else frozenset()
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Return True for an ignored file, and no opinion on all others."""
    return True if str(collection_path) in IGNORED else None
