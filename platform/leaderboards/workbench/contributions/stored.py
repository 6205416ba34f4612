"""Brought tables and what was made of them, as the verification of the storage reads them."""

from collections.abc import Iterator

from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from leaderboards.workbench.models import BroughtTable


def register() -> None:
    """Have brought tables looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every table as it came, with the files and figures of its analysis."""
    rows = BroughtTable.objects.only("stored", "reading", "files", "figures").order_by("pk")
    for table in rows.iterator():
        digest = table.reading.get("sha256", "")
        what = f"brought table number {table.pk}"
        yield StoredFile(table.stored, what, has_digest(table.stored, digest) if digest else None)
        figures = (name for drawn in table.figures.values() for name in drawn.values())
        for name in (*table.files.values(), *figures):
            yield StoredFile(name, f"made of {what}")
