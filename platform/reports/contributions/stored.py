"""Reports, as the verification of the storage reads them."""

from collections.abc import Callable, Iterator

from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from evaluation import canonical
from reports.models import Report
from reports.services.storing import read_content


def register() -> None:
    """Have contents and files of all reports looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """The content of every report that was made, and its documents."""
    for report in Report.objects.exclude(content_name="").order_by("pk").iterator():
        what = f"report number {report.pk}"
        yield StoredFile(report.content_name, what, _says(report.content_name, report.digest))
        for name in report.files.values():
            yield StoredFile(name, f"document of {what}")


def _says(name: str, digest: str) -> Callable[[], str]:
    def proof() -> str:
        content_digest = canonical.sha256(read_content(name))
        return "" if content_digest == digest else f"the digest of its content is {content_digest} and was {digest}"

    return proof
