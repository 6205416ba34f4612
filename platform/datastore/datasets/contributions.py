"""Contributions of this app to the apps above it, connected when the app is ready."""

from collections.abc import Iterator

from challenges import hooks as challenges_hooks
from datastore.datasets.models import DatasetFile
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest


def register() -> None:
    """Connect the contributions of this app."""
    challenges_hooks.register_tab("Data", "datasets:data", order=5)
    uploads_hooks.stored_files.register(stored)


# --- Hosted files, as the verification of the storage reads them ------------------------------------------------------
def stored() -> Iterator[StoredFile]:
    """Every file of every version that has a digest already; one that is still being read has none to compare with."""
    for pk, name, digest in DatasetFile.objects.order_by("pk").values_list("pk", "stored", "sha256").iterator():
        yield StoredFile(name, f"hosted file number {pk}", has_digest(name, digest) if digest else None)
