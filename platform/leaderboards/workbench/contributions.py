"""The workbench on the home page."""

from collections.abc import Iterator
from datetime import datetime

from django.http import HttpRequest
from django.template.loader import render_to_string

from accounts import hooks as accounts_hooks
from accounts.models import User
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.services.tables import delete_expired, delete_table


def register() -> None:
    """Connect the contributions of this app."""
    accounts_hooks.leavings.register(leave)
    accounts_hooks.forgettings.register(forget)
    uploads_hooks.stored_files.register(stored)


# --- The workbench on the home page -----------------------------------------------------------------------------------
def invitation(request: HttpRequest) -> str:
    """Return the section that invites people to bring a table, as HTML."""
    return render_to_string("workbench/home_section.html", {}, request)


# --- Handling of uploaded tables when they expire, or when their owner leaves -----------------------------------------
def leave(user: User) -> None:
    """Delete the tables that a person uploaded; they belong to no other person."""
    for table in BroughtTable.objects.filter(owner=user):
        delete_table(actor=user, table=table)


def forget(moment: datetime) -> int:  # noqa: ARG001 (each table says itself until when it is kept)
    """Delete the tables whose own time is over."""
    return delete_expired()


# --- Brought tables and what was made of them, as the verification of the storage reads them --------------------------
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
