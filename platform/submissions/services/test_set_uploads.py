"""Archives of references from the browser: kept encrypted, checked and sealed by a worker, decided exactly once."""

import traceback
import uuid
from pathlib import Path, PurePosixPath

import structlog
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from submissions import vault
from submissions.limits import MIB
from submissions.models import TestSet, TestSetArchive
from submissions.services.leases import Heart, LeaseLostError, claim
from submissions.services.replacing import Replacement, TestSetError
from submissions.services.test_set_archives import take_archive
from submissions.storage import delete, has_room, scratch
from web.clock import shared_now
from web.jobs import enqueue

log = structlog.get_logger(__name__)

MAX_ATTEMPTS = 3
OUR_FAULT = (
    "Something went wrong on our side, and nothing was sealed. Send the archive again; if it happens again, ask the "
    "administrators to look into the log of the worker."
)


def receive(*, user: User, phase: Phase, archive: UploadedFile, reason: str) -> TestSetArchive:
    """Keep an archive and have it checked; it replaces the present version where there is one.

    Raises
    ------
    TestSetError
        Without a reason for a replacement, and while another archive for the phase is being checked.
    """
    replaces = TestSet.objects.filter(phase=phase, is_active=True).exists()
    if replaces:
        Replacement(reason)
    if TestSetArchive.objects.filter(phase=phase, state__in=TestSetArchive.OPEN).exists():
        raise TestSetError(_BUSY)
    if not has_room():
        raise TestSetError("There is no room for the archive at the moment. Try again later.")
    key = uuid.uuid4()
    name = f"test-sets/{key}{vault.SUFFIX}"
    plain = scratch("incoming") / f"{key}.archive"
    try:
        with plain.open("wb") as target:
            for block in archive.chunks(MIB):
                target.write(block)
        vault.keep_file(name, plain)
    finally:
        plain.unlink(missing_ok=True)
    try:
        with transaction.atomic():
            kept = TestSetArchive.objects.create(
                id=key,
                phase=phase,
                user=user,
                file_name=PurePosixPath(str(archive.name).replace("\\", "/")).name[:255],
                size=archive.size or 0,
                replaces=replaces,
                reason=reason.strip(),
                archive_file=name,
                sent_at=shared_now(),
            )
            enqueue("submissions.tasks.take_test_set", str(kept.pk))
    except IntegrityError as error:
        delete(name)
        raise TestSetError(_BUSY) from error
    return kept


_BUSY = "Another archive for this phase is being checked. Wait until it is decided."


def work_off(*, archive_id: str | uuid.UUID) -> None:
    """Check and seal an archive, if that is still to be done and nobody else is at it."""
    token = claim(TestSetArchive, archive_id, states=TestSetArchive.OPEN, state=TestSetArchive.State.CHECKING)
    if token is None:
        return
    kept = TestSetArchive.objects.select_related("phase__task__challenge", "user").get(pk=archive_id)
    heart = Heart(TestSetArchive, kept.pk, token)
    try:
        if kept.attempt > MAX_ATTEMPTS:
            _refuse(kept, token, OUR_FAULT)
            return
        with vault.opened(kept.archive_file) as path:
            take_archive(
                phase=kept.phase,
                path=Path(path),
                actor=kept.user,
                reason=kept.reason,
                replaces=kept.replaces,
                beat=heart.beat,
                within=lambda test_set: _settle(kept, token, state=TestSetArchive.State.SEALED, test_set=test_set),
            )
        delete(kept.archive_file)
    except TestSetError as error:
        _refuse(kept, token, str(error))
    except LeaseLostError:
        return
    except Exception:
        # The sweep hands it out again when the lease has run out.
        log.exception("test_set_error", archive=str(kept.pk), attempt=kept.attempt, trace=traceback.format_exc())


def _refuse(kept: TestSetArchive, token: uuid.UUID, problems: str) -> None:
    try:
        _settle(kept, token, state=TestSetArchive.State.REFUSED, problems=problems)
    except LeaseLostError:
        return
    delete(kept.archive_file)


def _settle(kept: TestSetArchive, token: uuid.UUID, **changes: object) -> None:
    """Decide, if the lease is still ours; inside the transaction that seals, so that a version is sealed once."""
    held = TestSetArchive.objects.filter(pk=kept.pk, lease_token=token)
    if not held.update(**changes, finished_at=timezone.now(), lease_token=None, lease_until=None):
        raise LeaseLostError
