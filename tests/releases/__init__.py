"""Released versions, as their databases were: what every later version is upgraded from.

``python -m tests.releases`` keeps the present one, with an example challenge, its submissions and its rankings in it:
for SQLite, and for PostgreSQL where `DATABASE_URL` is set. It is called once for each release.
"""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from django.conf import settings

from operations.services import layout

FOLDER = Path(__file__).resolve().parents[1] / "data" / "releases"


def versions() -> list[str]:
    """Names of the releases that are kept, the oldest first."""
    return sorted(
        (path.name for path in FOLDER.iterdir() if path.is_dir()), key=lambda name: [*map(int, name.split("."))]
    )


def migrations() -> dict[str, str]:
    """Digest of every migration of the platform, by app and name; comments do not count."""
    found = sorted((settings.ROOT / "platform").rglob("migrations/[0-9]*.py"))
    return {f"{path.parts[-3]}/{path.stem}": layout.digest_of(path) for path in found}


def kept(version: str, name: str) -> str:
    """Read a kept file of a release."""
    return gzip.decompress((FOLDER / version / f"{name}.gz").read_bytes()).decode()


def keep(version: str, name: str, text: str) -> None:
    """Keep a file of a release; the same text is the same file."""
    (FOLDER / version).mkdir(parents=True, exist_ok=True)
    (FOLDER / version / f"{name}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def facts(version: str) -> dict[str, Any]:
    """Return the stored facts of a release: its migrations and the row counts of its databases."""
    found: dict[str, Any] = json.loads((FOLDER / version / "release.json").read_text())
    return found


def written(database: Path) -> str:
    """A database of SQLite as SQL."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        return "\n".join(connection.iterdump())


def read(text: str, database: Path) -> None:
    """Make a database of SQLite from SQL."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(text)


COUNTED = """
import json
from core.audit.models import Entry, Head
from leaderboards.models import RankingVersion
from registry.models import RegistrationVersion
from submissions.models import Submission
print(json.dumps({
    "entries": Entry.objects.count(),
    "head": Head.objects.get(pk=1).digest,
    "rankings": sorted(RankingVersion.objects.values_list("digest", flat=True)),
    "registered": sorted(RegistrationVersion.objects.values_list("digest", flat=True)),
    "scored": Submission.objects.filter(state="scored").count(),
}))
"""
"""Code that counts the records of an installation before and after an upgrade, which must lose none of them."""
