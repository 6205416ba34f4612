"""The migrated database that a first start copies, created once per state of the migrations.

The migration of an empty database takes longer than all other work of `manage.py run` before the platform answers.
`make install` therefore migrates a database. It is stored next to the libraries, in the environment of this code.
If none exists for the present migrations, the first start migrates as usual and keeps the result for the next.
"""

import hashlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

import django
from django.conf import settings

from evaluation import durable
from operations.services import layout

_ROOT = Path(__file__).resolve().parents[3]
_PATTERNS = ("**/migrations/*.py", "**/models.py", "**/models/**/*.py", "core/audit/*.py", "accounts/*.py")
_KEPT = 4
"""Number of databases to keep: those of the branches that a developer switches between."""


def digest(owner: str = "", more: Iterable[Path] = ()) -> str:
    """Of all that a migrated database depends on: migrations, models, what migrations import, and the libraries.

    Parameters
    ----------
    owner
        Who makes it, where only its owner may copy it.
    more
        Further files that it depends on.
    """
    hasher = hashlib.sha256(f"{django.get_version()} {sys.version_info} {sqlite3.sqlite_version} {owner}".encode())
    files = [_ROOT / "requirements.txt", *more]
    for pattern in _PATTERNS:
        files += (_ROOT / "platform").glob(pattern)
    for file in sorted(files):
        hasher.update(f"{file.relative_to(_ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return hasher.hexdigest()[:20]


def place() -> Path | None:
    """The file of the present migrations; None outside of a virtual environment, which belongs to others as well."""
    if sys.prefix == sys.base_prefix:
        return None
    return Path(sys.prefix) / "podium" / f"{digest()}.sqlite3"


def wanted() -> Path | None:
    """The file of the embedded database where there is none yet; None where a database server keeps the tables."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return None
    path = Path(database["NAME"])
    return None if path.exists() else path


def copy(database: Path) -> bool:
    """Begin a database that does not exist yet with the migrated one; returns whether that could be done."""
    source = place()
    if source is None or not source.is_file():
        return False
    try:
        with durable.replacing(database) as copied, source.open("rb") as migrated:
            shutil.copyfileobj(migrated, copied)
            # As before a migration: a folder whose start is interrupted here is not taken for one of an older layout.
            layout.mark(database.parent)
    except OSError:
        return False
    os.utime(source)
    return True


def keep(database: Path) -> None:
    """Keep a copy of a database that was just migrated and contains no other data.

    If the copy cannot be written, it is skipped.
    """
    target = place()
    if target is None or target.is_file():
        return
    with suppress(OSError, sqlite3.Error):
        target.parent.mkdir(exist_ok=True)
        # Into an empty file, and out of the write-ahead log as well.
        with durable.replacing_path(target) as part, closing(sqlite3.connect(database)) as source:
            source.execute("VACUUM INTO ?", [str(part)])
        for old in sorted(target.parent.glob("*.sqlite3"), key=lambda file: file.stat().st_mtime)[:-_KEPT]:
            old.unlink(missing_ok=True)
