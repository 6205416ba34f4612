"""Tables as they came, as the verification of the storage reads them."""

from collections.abc import Iterator

from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from submissions.measurements.models import Measurement


def register() -> None:
    """Have tables looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every table as it came, and the values that were read of it."""
    rows = Measurement.objects.values_list(
        "pk", "stored", "sha256", "values_file", "replicates_stored", "replicates_sha256"
    ).order_by("pk")
    for pk, name, digest, values, replicates, of_replicates in rows.iterator():
        yield StoredFile(name, f"table of values number {pk}", has_digest(name, digest))
        yield StoredFile(values, f"values read of table number {pk}")
        if replicates:
            yield StoredFile(replicates, f"replicates of table number {pk}", has_digest(replicates, of_replicates))
