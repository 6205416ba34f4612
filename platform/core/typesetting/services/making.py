"""Work of a worker on documents: make each file once, and delete unused files."""

import hashlib
from contextlib import suppress
from datetime import timedelta
from typing import Final

import structlog
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from core.typesetting.models import SetFile
from core.typesetting.queries import FILES
from core.typesetting.services.asking import FOLDER
from core.typesetting.services.setting import set_document
from core.work.services import Lease, LeaseLostError, claim
from evaluation.documents.blocks import Block
from evaluation.documents.setting import NotSetError

log = structlog.get_logger(__name__)

KEPT: Final = timedelta(days=30)
"""Time after which an unused file is deleted; a later request makes it again."""


def make(*, pk: int) -> None:
    """Make one file, unless it is there or another worker is at it."""
    lease = claim(FILES, pk, give_up=_give_up)
    if lease is None:
        return
    row = SetFile.objects.get(pk=lease.pk)
    try:
        with lease.renewed():
            content = set_document(map(Block.of_json, row.blocks), title=row.title, ending=row.ending)
            name = storages["private"].save(f"{FOLDER}/{row.digest}.{row.ending}", ContentFile(content))
    except NotSetError as error:
        log.exception("document_not_set", document=row.digest)
        lease.complete(failed_at=timezone.now(), failure=str(error)[:2000])
        return
    with suppress(LeaseLostError), lease.completing() as stored:
        stored.name, stored.size = name, len(content)
        stored.sha256 = hashlib.sha256(content).hexdigest()
        stored.blocks, stored.made_at, stored.failure = [], timezone.now(), ""
        return
    storages["private"].delete(name)


def forget() -> int:
    """Delete files that were not requested for `KEPT`; return the number deleted."""
    old = SetFile.objects.filter(asked_for_on__lt=timezone.localdate() - KEPT)
    number = 0
    for row in old.iterator():
        row.delete()
        if row.name:
            storages["private"].delete(row.name)
        number += 1
    return number


def _give_up(lease: Lease) -> None:
    lease.complete(failed_at=timezone.now(), failure=f"workers died {lease.attempts - 1} times over it")
