"""Files of algorithms and executions, as the verification of the storage reads them."""

from collections.abc import Iterator

from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from executions.models import AlgorithmArchive, Batch, Blob, Execution


def register() -> None:
    """Have what executions name looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every blob, every archive that waits for its check, and what came of executions."""
    for digest, name in Blob.objects.order_by("pk").values_list("pk", "file").iterator():
        yield StoredFile(name, f"part {digest[:12]} of an algorithm")
    for pk, name in AlgorithmArchive.objects.exclude(file="").values_list("pk", "file").iterator():
        yield StoredFile(name, f"archive {pk} that waits for its check")
    rows = Batch.objects.order_by("pk").values_list("pk", "outputs_file", "outputs_digest", "log_file")
    for batch, outputs, digest, log in rows.iterator():
        yield StoredFile(outputs, f"outputs of batch number {batch}", has_digest(outputs, digest) if digest else None)
        yield StoredFile(log, f"log of batch number {batch}")
    for execution, predictions, runs, digest in Execution.objects.values_list(
        "pk", "predictions_file", "runs_file", "runs_digest"
    ).iterator():
        yield StoredFile(predictions, f"predictions of execution {execution}")
        proof = has_digest(runs, digest.removeprefix("sha256:")) if digest else None
        yield StoredFile(runs, f"table of runs of execution {execution}", proof)
