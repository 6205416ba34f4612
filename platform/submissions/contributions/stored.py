"""Archives, predictions and results, as the verification of the storage reads them."""

from collections.abc import Callable, Iterator

from datastore.test_sets import vault
from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from executions.scoring.domain import results
from submissions.models import Run, Submission


def register() -> None:
    """Register submissions and their results for the verification of the storage."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every file of every submission and of every run that ended."""
    rows = Submission.objects.exclude(archive_file="").values_list(
        "pk", "archive_file", "archive_sha256", "predictions_file"
    )
    for pk, archive, digest, predictions in rows.order_by("pk").iterator():
        yield StoredFile(archive, f"archive of submission {pk}", has_digest(archive, digest) if digest else None)
        if predictions != archive:
            yield StoredFile(predictions, f"predictions of submission {pk}")
    for run in Run.objects.exclude(result_file="").order_by("pk").iterator():
        yield StoredFile(run.result_file, f"result of run {run.pk}", _result_of(run))
        for name in (run.evidence_file, run.disentangled_file):
            yield StoredFile(name, f"evidence of run {run.pk}", _opens(name))
        yield StoredFile(run.annotators_file, f"results by annotator of run {run.pk}")


def _result_of(run: Run) -> Callable[[], str]:
    def proof() -> str:
        evidence = results.read_evidence(run.evidence_file) if run.evidence_file else None
        result_digest = results.digest(results.rows_of(results.read(run.result_file)), evidence)
        return (
            ""
            if result_digest == run.result_digest
            else f"the digest of its rows is {result_digest} and was {run.result_digest}"
        )

    return proof


def _opens(name: str) -> Callable[[], str]:
    def proof() -> str:
        try:
            vault.read_bytes(name)
        except vault.VaultError:
            return "it does not open: it was changed, or PODIUM_REFERENCE_KEY is not the key that it was sealed with"
        return ""

    return proof
