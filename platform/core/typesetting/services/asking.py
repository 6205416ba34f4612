"""Asking for a document as a file."""

import hashlib
import time
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Final

from django.core.files.storage import storages
from django.utils import timezone

import evaluation
from core.typesetting.models import SetFile
from core.typesetting.queries import FILES
from core.work.services import send
from evaluation import documents
from evaluation.canonical import canonical_json
from evaluation.documents.blocks import Block

# Beside the module that loads the typesetter, which this process does not.
TEMPLATE: Final = Path(documents.__file__).with_name("document.typ")
PATIENCE: Final = 4.0
"""Seconds that a request waits: enough for most documents, and short enough for a person and for the server."""
FOLDER: Final = "documents"
"""Folder of the files in the private storage."""
AGAIN: Final = timedelta(minutes=1)
"""Time after which a failed file is tried again on request."""


class FileNotMadeError(Exception):
    """Error for a document that the typesetter failed on a moment ago; the row contains the reason."""


def file_of(blocks: Iterable[Block], *, title: str, ending: str, patience: float = PATIENCE) -> bytes | None:
    """Return a document as a file: the one made of the same content before, or one that a worker makes now.

    The caller must have checked that the requesting person may see the document.

    Parameters
    ----------
    ending
        ``"pdf"`` or ``"docx"``.
    patience
        Seconds to wait for the worker.

    Returns
    -------
    bytes or None
        None while the file is being made; call again later.

    Raises
    ------
    FileNotMadeError
        When the file could not be made.
    """
    parts = [block.as_json() for block in blocks]
    digest = _digest(parts, title, ending)
    row, is_new = SetFile.objects.get_or_create(
        digest=digest, defaults={"title": title, "ending": ending, "blocks": parts, "asked_at": timezone.now()}
    )
    if is_new or _is_to_be_made_again(row, parts):
        send(FILES.task, [row.pk])
    end = time.monotonic() + patience
    while True:
        row.refresh_from_db(fields=["name", "sha256", "made_at", "failed_at", "asked_for_on"])
        if row.made_at is not None:
            content = _taken(row)
            if content is None:  # the file was changed; the next request makes it again
                raise FileNotMadeError
            return content
        if row.failed_at is not None:
            raise FileNotMadeError
        if time.monotonic() >= end:
            return None
        time.sleep(0.1)


def _digest(blocks: list[dict[str, object]], title: str, ending: str) -> str:
    """SHA-256 over all that the file shows and over what sets it."""
    of = {
        "blocks": blocks,
        "title": title,
        "ending": ending,
        "version": evaluation.__version__,
        "template": hashlib.sha256(TEMPLATE.read_bytes()).hexdigest(),
    }
    return hashlib.sha256(canonical_json(of).encode()).hexdigest()


def _is_to_be_made_again(row: SetFile, parts: list[dict[str, object]]) -> bool:
    """Return whether a file was lost or failed a while ago; its row is then queued for a worker again."""
    is_lost = row.made_at is not None and (
        not _is_own(row) or not storages["private"].exists(row.name) or _digest_of_file(row) != row.sha256
    )
    has_failed = row.failed_at is not None and timezone.now() - row.failed_at >= AGAIN
    if not is_lost and not has_failed:
        return False
    changed = SetFile.objects.filter(pk=row.pk, made_at=row.made_at, failed_at=row.failed_at).update(
        made_at=None, failed_at=None, attempts=0, blocks=parts, asked_at=timezone.now()
    )
    return bool(changed)


def _digest_of_file(row: SetFile) -> str:
    with storages["private"].open(row.name) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_own(row: SetFile) -> bool:
    """Return whether a row names a file of typeset documents: no other private file is ever served by it."""
    return row.name.startswith(f"{FOLDER}/") and ".." not in row.name


def _taken(row: SetFile) -> bytes | None:
    """Return the content of a file, or None if it is not the file that was made for this document."""
    today = timezone.localdate()
    if row.asked_for_on != today:
        SetFile.objects.filter(pk=row.pk).update(asked_for_on=today)
    if not _is_own(row):
        return None
    with storages["private"].open(row.name) as file:
        content: bytes = file.read()
    return content if hashlib.sha256(content).hexdigest() == row.sha256 else None
