"""The layout of a data folder, and its compatibility with this code.

As long as the first migration of an app does not change, later migrations update its tables. If a first migration was
rewritten, the old tables cannot be converted to the new ones. Django would then fail with an error about a table or a
column. Each data folder therefore contains the digests of the first migrations that its database was created with.
"""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connections

from evaluation import durable

FILES = 1
"""Raised when stored files change their places in a way that old folders cannot follow."""
_MARKER = "layout.json"
_DATABASE = "podium.sqlite3"
_FORMER_NAMES = {
    "core.audit.": "audit.",
    "submissions.measurements.": "measurements.",
    "leaderboards.workbench.": "workbench.",
}
"""Names that modules had in release 0.2.0, for those that migrations import: folders contain digests with these."""


def current() -> dict[str, Any]:
    """Layout that this code makes: the arrangement of files, and a digest of every app's first migration.

    Lines of a migration that hold nothing or only a comment do not count.
    """
    first = sorted((settings.ROOT / "platform").rglob("migrations/0001_initial.py"))
    return {"files": FILES, "migrations": {path.parts[-3]: digest_of(path) for path in first}}


def mark(folder: Path) -> None:
    """Write the current layout into a data folder whose database is about to be made, or is up to date."""
    durable.write_text(folder / _MARKER, json.dumps(current(), indent=1, sort_keys=True) + "\n")


def is_older(folder: Path) -> bool:
    """Return whether a data folder has a layout that this code cannot use.

    An empty folder is not older. A folder without an app of this code is not older either: the tables are created.
    """
    try:
        stored = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        files, migrations = stored["files"], dict(stored["migrations"])
    except FileNotFoundError:
        return _has_tables(folder / _DATABASE)
    except (ValueError, TypeError, KeyError):
        return True
    current_layout = current()
    return bool(files != current_layout["files"] or migrations.items() - current_layout["migrations"].items())


def refusal(folder: Path) -> str:
    """Return a sentence that states the problem with an older folder, and the remedy."""
    return (
        f"The data in {folder} have the layout of an older Podium, which this version cannot read: move that folder away "
        f"(for example: mv {folder} {folder}-old) to begin with an empty one, or set PODIUM_DATA to another folder."
    )


def mark_new_database(*, using: str, **_signal: Any) -> None:
    """Mark the data folder when its database is made, and keep up with apps that are new; a receiver of `pre_migrate`."""
    empty = "django_migrations" not in connections[using].introspection.table_names()
    if empty or not is_older(settings.PODIUM_DATA):
        mark(settings.PODIUM_DATA)


def _has_tables(path: Path) -> bool:
    """Return whether an embedded database was migrated.

    A database that was only opened counts as missing.
    """
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT 1 FROM sqlite_master WHERE name = 'django_migrations'").fetchone() is not None


def digest_of(path: Path) -> str:
    """Digest of the code of a migration, in 16 hexadecimal digits.

    A migration whose imports follow a module that moved keeps its digest.
    """
    # Not from the syntax tree, which looks different to each version of Python.
    lines = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    code = "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))
    for name, former in _FORMER_NAMES.items():
        code = code.replace(name, former)
    return hashlib.sha256(code.encode()).hexdigest()[:16]
