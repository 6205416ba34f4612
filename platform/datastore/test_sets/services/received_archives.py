"""Archives of references from the browser.

They are kept encrypted, read by a worker, and sealed exactly once when an owner confirms it.
"""

import traceback
import uuid
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import structlog
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from confinement.limits import MIB
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, claim, enqueue
from datastore.test_sets import vault
from datastore.test_sets.models import TestSet, TestSetArchive
from datastore.test_sets.queries.work import CHECKING
from datastore.test_sets.services import findings
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.reading import read_archive
from datastore.test_sets.services.replacing import Replacement, TestSetError, approved_change
from datastore.uploads.services.refusals import BusyError
from datastore.uploads.storage import delete, has_room, upload_limits

log = structlog.get_logger(__name__)

PIECE_BYTES = 32 * MIB
OUR_FAULT = (
    "Something went wrong on our side, and nothing was sealed. Send the archive again; if it happens again, ask the "
    "administrators to look into the log of the worker."
)


def receive(*, user: User, phase: Phase, archive: UploadedFile, reason: str, merge_rule: str = "") -> TestSetArchive:
    """Keep an archive that came in one request and have it checked; it replaces the present version where there is one.

    Raises
    ------
    TestSetError
        Without a reason for a replacement, and while another archive for the phase is being checked.
    """
    check(phase, reason)
    _wait(phase)
    if not has_room():
        raise TestSetError("There is no room for the archive at the moment. Try again later.")
    key, pieces = uuid.uuid4(), []
    try:
        for number, block in enumerate(archive.chunks(PIECE_BYTES)):
            pieces.append(f"test-sets/{key}/{number:06d}{vault.SUFFIX}")
            vault.keep_bytes(pieces[-1], block)
        return hand_on(
            user=user,
            phase=phase,
            file_name=PurePosixPath(str(archive.name).replace("\\", "/")).name[:255],
            size=archive.size or 0,
            reason=reason,
            merge_rule=merge_rule,
            pieces=pieces,
        )
    except Exception:
        for name in pieces:
            delete(name)
        raise


def hand_on(
    *, user: User, phase: Phase, file_name: str, size: int, reason: str, merge_rule: str, pieces: Sequence[str]
) -> TestSetArchive:
    """Have an archive that is kept in encrypted pieces checked and sealed.

    Raises
    ------
    TestSetError
        Without a reason for a replacement.
    BusyError
        While another archive for the phase is being checked.
    """
    replaces = check(phase, reason)
    _wait(phase)
    try:
        with transaction.atomic():
            archive = TestSetArchive.objects.create(
                phase=phase,
                user=user,
                file_name=file_name,
                size=size,
                replaces=replaces,
                reason=reason.strip(),
                merge_rule=merge_rule,
                pieces=list(pieces),
                asked_at=shared_now(),
            )
            enqueue(CHECKING.task, str(archive.pk))
    except IntegrityError as error:
        raise BusyError(_BUSY) from error
    return archive


def check(phase: Phase, reason: str) -> bool:
    """Return whether there is a version to replace; refuse early what can be refused before reading.

    Raises
    ------
    TestSetError
        For a replacement without a reason, or without the approved change that a registration requires.
    """
    before = TestSet.objects.filter(phase=phase, is_active=True).first()
    if before is not None:
        Replacement(reason)
        approved_change(phase, before)
    return before is not None


def _wait(phase: Phase) -> None:
    before = TestSetArchive.objects.filter(phase=phase, state__in=TestSetArchive.UNDECIDED).first()
    if before is not None:
        raise BusyError(_UNDECIDED if before.is_read else _BUSY)


_BUSY = "Another archive for this phase is being checked. Wait until it is decided."
_UNDECIDED = "Another archive for this phase was read and is not sealed yet. Seal or discard it first."


def confirm(*, archive: TestSetArchive, actor: User) -> None:
    """Have an archive sealed whose reading was looked at.

    It is read again for it: between the two, a test set may have been sealed another way, or a change withdrawn.

    Raises
    ------
    TestSetError
        When it does not wait for that, and while findings are open.
    """
    with transaction.atomic():
        if number := archive.findings.filter(answered_at=None).count():
            noun = "finding" if number == 1 else "findings"
            raise TestSetError(f"{number} open {noun}: accept them before you seal the test set.")
        rows = TestSetArchive.objects.filter(pk=archive.pk, state=TestSetArchive.State.READ)
        changed = rows.update(
            state=TestSetArchive.State.WAITING,
            confirmed_at=timezone.now(),
            confirmed_by=actor,
            attempts=0,
            failure="",
            asked_at=shared_now(),
        )
        if not changed:
            raise TestSetError("This archive does not wait for a decision any more.")
        enqueue(CHECKING.task, str(archive.pk))


def discard(*, archive: TestSetArchive, actor: User) -> None:
    """Delete an archive that was read and is not what was meant; nothing of it was sealed.

    Raises
    ------
    TestSetError
        When it does not wait for a decision.
    """
    rows = TestSetArchive.objects.filter(pk=archive.pk, state=TestSetArchive.State.READ)
    if not rows.update(state=TestSetArchive.State.DISCARDED, finished_at=timezone.now(), confirmed_by=actor):
        raise TestSetError("This archive does not wait for a decision any more.")
    _delete(archive)


def expire() -> int:
    """Discard archives that await a decision for longer than an unfinished upload is kept; return their number."""
    late = TestSetArchive.objects.filter(
        state=TestSetArchive.State.READ, finished_at__lt=timezone.now() - upload_limits().lifetime
    )
    count = 0
    for archive in late:
        rows = TestSetArchive.objects.filter(pk=archive.pk, state=TestSetArchive.State.READ)
        if rows.update(state=TestSetArchive.State.DISCARDED):
            _delete(archive)
            count += 1
    return count


def work_off(*, archive_id: str | uuid.UUID) -> None:
    """Check and seal an archive, unless that is done already or another worker works on it."""
    lease = claim(
        CHECKING, archive_id, give_up=lambda lost: _refuse(TestSetArchive.objects.get(pk=lost.pk), lost, OUR_FAULT)
    )
    if lease is None:
        return
    archive = TestSetArchive.objects.select_related("phase__task__challenge", "user").get(pk=archive_id)
    try:
        with vault.joined(archive.pieces, total=archive.size) as path:
            (_seal if archive.confirmed_at else _read)(archive, path, lease)
    except TestSetError as error:
        _refuse(archive, lease, str(error))
    except LeaseLostError:
        return
    except Exception:
        # The sweep hands it out again when the lease has run out.
        log.exception("test_set_error", archive=str(archive.pk), attempt=lease.attempts)
        lease.rows.update(failure=traceback.format_exc())


def _read(archive: TestSetArchive, path: Path, lease: Lease) -> None:
    reading = read_archive(
        phase=archive.phase,
        path=path,
        reason=archive.reason,
        replaces=archive.replaces,
        merge_rule=archive.merge_rule,
        beat=lease.beat,
        progress=lambda step, done, total: lease.tell(progress={"step": step, "done": done, "total": total}),
    )
    previews = []
    for number, (case, picture) in enumerate(reading.previews):
        name = f"test-sets/{archive.pk}/preview-{number}.png{vault.SUFFIX}"
        vault.keep_bytes(name, picture)
        previews.append({"case": case, "file": name})
    pictures = findings.keep_pictures(archive, reading.checked)
    with transaction.atomic():
        _settle(lease, state=TestSetArchive.State.READ, reading={**reading.document, "previews": previews}, progress={})
        findings.store(archive, reading.checked, pictures)


def _seal(archive: TestSetArchive, path: Path, lease: Lease) -> None:
    take_archive(
        phase=archive.phase,
        path=path,
        actor=archive.confirmed_by,
        reason=archive.reason,
        replaces=archive.replaces,
        merge_rule=archive.merge_rule,
        beat=lease.beat,
        within=lambda test_set: _settle(lease, state=TestSetArchive.State.SEALED, test_set=test_set),
    )
    _delete(archive)


def _refuse(archive: TestSetArchive, lease: Lease, problems: str) -> None:
    try:
        _settle(lease, state=TestSetArchive.State.REFUSED, problems=problems)
    except LeaseLostError:
        return
    _delete(archive)


def _delete(archive: TestSetArchive) -> None:
    for name in archive.files:
        delete(name)


def _settle(lease: Lease, **changes: Any) -> None:
    """Decide, if the lease is still ours; inside the transaction that seals, so that a version is sealed once."""
    if not lease.complete(**changes, finished_at=timezone.now()):
        raise LeaseLostError
