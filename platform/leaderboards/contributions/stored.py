"""Rankings and their figures, as the verification of the storage reads them."""

from collections.abc import Callable, Iterator

from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from leaderboards.models import Analysis, RankingVersion


def register() -> None:
    """Have documents and figures of all versions looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Document and case metadata of every version, and the figures of its analysis."""
    for version in RankingVersion.objects.only("digest", "document_name", "metadata_name").order_by("pk").iterator():
        what = f"ranking number {version.pk}"
        yield StoredFile(version.document_name, what, _says(version.document_name, version.digest))
        yield StoredFile(version.metadata_name, f"metadata of the cases of {what}")
    for analysis in Analysis.objects.only("version", "figures").order_by("pk").iterator():
        for orders in analysis.figures.values():
            for name in orders.values():
                yield StoredFile(name, f"figure of ranking number {analysis.version_id}")


def _says(name: str, digest: str) -> Callable[[], str]:
    def proof() -> str:
        # The scoring library is loaded by the process that verifies, never by one that serves pages.
        from datastore.uploads.storage import load_json
        from evaluation import ranking

        actual_digest = ranking.digest(load_json(name))
        return "" if actual_digest == digest else f"the digest of the document is {actual_digest} and was {digest}"

    return proof
