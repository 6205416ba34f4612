"""Handing in an archive: an upload that may begin, and exactly one submission made of it when it is whole."""

import contextlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Seat, Team
from challenges.queries.entry import refusal_of_entry
from challenges.queries.submission_methods import refusal_of_uploads
from challenges.queries.timetable import timetable_of
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import enqueue
from datastore.test_sets.queries.test_sets import is_scored_here
from datastore.uploads.models import Multipart, Upload
from datastore.uploads.services import multiparts
from datastore.uploads.services.refusals import (
    AwayError,
    GoneError,
    NotAllowedError,
    OffsetError,
    PhaseNotOpenError,
    QuotaExceededError,
    TokenReusedError,
    TooLargeError,
    UploadError,
)
from datastore.uploads.services.uploads import cancel, check_announced, check_receiving, check_room
from datastore.uploads.storage import delete, private, scratch, sha256_of, store_file, upload_limits
from federation.queries.federations import of_phase
from submissions.models import Submission
from submissions.queries.quotas import quota
from submissions.queries.repeats import key_of_sha256, same_content, submission_of
from submissions.queries.work import VALIDATION

HASHED_HERE: Final = 2 * 1024**3
"""Bytes up to which the request that ends an upload computes its SHA-256. A greater one is known by what its sender states."""


def create_upload(
    *,
    user: User,
    phase: Phase,
    team: Team,
    file_name: str,
    size: int,
    accept_incomplete: bool = False,
    is_direct: bool = False,
    again: bool = False,
    sha256: str = "",
    client_token: str = "",
) -> Upload:
    """Begin an upload after every bound that can be checked before a byte has arrived.

    Parameters
    ----------
    user, phase, team
        Who hands in where, for whom.
    file_name, size
        The archive as its sender calls it, and its bytes.
    accept_incomplete
        Score without asking when cases are missing.
    is_direct
        Whether the bytes go to the object store and not through the platform.
    again
        Submit the content also if it has been submitted before.
    sha256
        SHA-256 of the content, if the sender knows it.
    client_token
        Key of the request. A repeated request with this key returns the same upload.

    Returns
    -------
    Upload
        A new upload, or the one that an earlier request with the same `client_token` began.

    Raises
    ------
    UploadError
        One of its kinds above.
    """
    limits = upload_limits()
    file_name = PurePosixPath(file_name.replace("\\", "/")).name[:255] or "predictions.zip"
    request = {"phase": phase, "team": team, "file_name": file_name, "size": size, "again": again}
    if (begun := _begun_before(user, client_token, request, is_direct=is_direct)) is not None:
        return begun
    _check_standing(team)
    if not phase.is_open:
        raise PhaseNotOpenError(f"{phase.name} {timetable_of(phase).refusal_words}.")
    if words := outside(phase):
        raise NotAllowedError(words)
    if size < 1:
        raise UploadError("The file is empty. Pack the predictions into a .zip, .tar.gz or .tar.zst file.")
    if size > limits.max_bytes:
        raise TooLargeError(f"The file has {size:,} bytes; at most {limits.max_bytes:,} are accepted.")
    with transaction.atomic():
        lock(team.pk, user.pk)
        if (begun := _begun_before(user, client_token, request, is_direct=is_direct)) is not None:
            return begun
        _check_seat(phase, team, user)
        _check_quota(phase, team, user)
        receiving = Upload.objects.filter(state=Upload.State.RECEIVING, expires_at__gt=timezone.now())
        if receiving.filter(phase=phase, team=team).count() >= limits.under_way:
            raise QuotaExceededError(
                f"Your team has {limits.under_way} unfinished uploads for this phase. Finish or cancel one of them first."
            )
        check_announced(size, user=user, whose="Your team has", rows=Upload.objects.filter(team=team))
        check_room(size, passes_here=not is_direct)
        upload = Upload.objects.create(
            **request,
            user=user,
            accept_incomplete=accept_incomplete,
            sha256=sha256,
            client_token=client_token,
            expires_at=timezone.now() + limits.lifetime,
        )
        if is_direct:
            multiparts.announce(upload=upload, name=_archive_name(upload, folder=f"incoming/{secrets.token_hex(16)}"))
    if is_direct:
        try:
            multiparts.begin(upload=upload)
        except AwayError:
            cancel(upload=upload)
            raise
    else:
        scratch("uploads")
        upload.path.touch(mode=0o600)
    return upload


def finish(*, upload: Upload, digests: Sequence[str] | None = None) -> Submission:
    """Make the one submission of a whole upload; called again, it returns the same one.

    If the same person submitted the same content before for this phase and team, and does not ask to submit it again,
    the earlier submission is returned and nothing is counted.

    `digests` are those of all parts of an upload to the object store, which puts them together now.

    The quota is taken in the same transaction, under locks on team and person: of two uploads that end at the same instant
    at the limit, one passes, also when they are one person's with two teams.

    Raises
    ------
    UploadError
        `QuotaExceededError`, `PhaseNotOpenError` or `GoneError`; the upload is then refused and its bytes are deleted.
        `OffsetError`, `ChecksumError` or `AwayError`; it can then be gone on with.
    """
    upload.refresh_from_db()
    if (existing := submission_of(upload)) is not None:
        return existing
    check_receiving(upload)
    try:
        archive = _stored(upload, digests)
    except GoneError:
        # Another request has ended this upload and deleted content that was submitted before.
        upload.refresh_from_db()
        if (existing := submission_of(upload)) is not None:
            return existing
        raise
    try:
        return _submit(upload, archive, _content_key(upload))
    except UploadError as error:
        Upload.objects.filter(pk=upload.pk, state=Upload.State.RECEIVING).update(
            state=Upload.State.REFUSED, refusal=str(error)
        )
        delete(archive)
        raise


def _stored(upload: Upload, digests: Sequence[str] | None) -> str:
    """Have the whole archive in the private storage; returns its name there."""
    multipart = Multipart.objects.filter(upload=upload).select_related("upload").first()
    if multipart is not None:
        multiparts.put_together(multipart=multipart, digests=digests)
        return multipart.name
    if not upload.is_whole:
        raise OffsetError(f"{upload.size - upload.offset:,} bytes have not arrived yet.")
    archive = _archive_name(upload, folder=f"submissions/{upload.pk}")
    if upload.size <= HASHED_HERE:
        # Where the file is gone, the request that moved it has stored the digest.
        with contextlib.suppress(FileNotFoundError):
            Upload.objects.filter(pk=upload.pk).update(sha256=sha256_of(upload.path))
    if upload.path.exists():
        # Rewriting an earlier attempt's copy is harmless; without the file, that attempt has already moved it.
        store_file(archive, upload.path)
    elif not private().exists(archive):
        raise GoneError("The received bytes are no longer there. Please upload the file again.")
    return archive


def _content_key(upload: Upload) -> str:
    """Return what identifies the content of a whole upload; empty for a large one whose digest is not known.

    Of parts in the object store, the store has compared the digests of the parts.
    """
    upload.refresh_from_db(fields=["sha256"])
    if upload.sha256:
        return key_of_sha256(upload.sha256)
    multipart = Multipart.objects.filter(upload=upload).exclude(checksum="").first()
    return f"parts:{multipart.part_bytes}:{multipart.checksum}" if multipart is not None else ""


def _begun_before(user: User, client_token: str, request: Mapping[str, Any], *, is_direct: bool) -> Upload | None:
    """Return the upload that an earlier request with the same key began; None if there is none.

    The key of an upload that ended without a submission can be used again.

    Raises
    ------
    TokenReusedError
        If the earlier request was another one.
    """
    if not client_token:
        return None
    begun = Upload.objects.filter(user=user, client_token=client_token).first()
    if begun is None:
        return None
    if begun.state not in (Upload.State.RECEIVING, Upload.State.COMPLETE):
        Upload.objects.filter(pk=begun.pk).update(client_token="")
        return None
    was_direct = Multipart.objects.filter(upload=begun).exists()
    if was_direct != is_direct or any(getattr(begun, name) != value for name, value in request.items()):
        raise TokenReusedError("This Idempotency-Key belongs to another upload. Use a new key for each upload.")
    return begun


def _repeated(upload: Upload, earlier: Submission, archive: str) -> Submission:
    """End an upload whose content has been submitted before, in the transaction of the caller."""
    Upload.objects.filter(pk=upload.pk).update(state=Upload.State.COMPLETE, repeats=earlier.pk)
    Multipart.objects.filter(upload=upload).update(is_open=False)
    transaction.on_commit(lambda: delete(archive))
    return earlier


def _submit(upload: Upload, archive: str, content_key: str) -> Submission:
    with transaction.atomic():
        team, user = lock(upload.team_id, upload.user_id)
        rows = Upload.objects.select_for_update(of=("self",), no_key=True).select_related("phase__task__challenge")
        upload = rows.get(pk=upload.pk)
        if (existing := submission_of(upload)) is not None:
            return existing
        check_receiving(upload)
        key = "" if upload.again else content_key
        if (earlier := same_content(user=user, phase=upload.phase, team=team, key=key)) is not None:
            return _repeated(upload, earlier, archive)
        is_late = _is_late(upload)
        _check_standing(team)
        _check_seat(upload.phase, team, user)
        _check_quota(upload.phase, team, user)
        mine = Submission.objects.filter(phase=upload.phase, team=team)
        submission = Submission.objects.create(
            upload=upload,
            phase=upload.phase,
            team=team,
            user_id=upload.user_id,
            number=(mine.aggregate(last=Max("number"))["last"] or 0) + 1,
            archive_file=archive,
            archive_name=upload.file_name,
            archive_size=upload.size,
            content_key=key,
            accept_incomplete=upload.accept_incomplete,
            is_late=is_late,
            asked_at=shared_now(),
        )
        Upload.objects.filter(pk=upload.pk).update(state=Upload.State.COMPLETE)
        Multipart.objects.filter(upload=upload).update(is_open=False)
        record(
            actor=upload.user,
            act="submission_received",
            subject=submission,
            scope=upload.phase.challenge.slug,
            facts={
                "phase": upload.phase.name,
                "team": team.name,
                "number": submission.number,
                "bytes": upload.size,
                "late": is_late,
            },
        )
        enqueue(VALIDATION.task, str(submission.pk))
        return submission


def _is_late(upload: Upload) -> bool:
    """Return whether an upload ended after the phase closed.

    Raises `PhaseNotOpenError` if the upload began after the close, or ended later than the grace period
    allows.
    """
    closed_for = timezone.now() - upload.phase.ends_at
    if closed_for.total_seconds() <= 0:
        return False
    if closed_for > upload_limits().grace or upload.created_at > upload.phase.ends_at:
        raise PhaseNotOpenError(f"{upload.phase.name} closed on {timetable_of(upload.phase).closing_words}.")
    return True


def lock(team: int, user: int) -> tuple[Team, User]:
    """Lock a team and a person, always in this order, until the end of the transaction."""
    locked = Team.objects.select_for_update(no_key=True).get(pk=team)
    # Without the key: rows that only name the person are written meanwhile.
    return locked, User.objects.select_for_update(no_key=True).get(pk=user)


def elsewhere(phase: Phase) -> str:
    """Return the message for a person who takes part in other tasks only."""
    return (
        f"You do not take part in the task {phase.task.name} with this team. On the page Team, the captain has the team "
        "take part in it; or form a team for it."
    )


def at_sites(phase: Phase) -> str:
    """Return the message for a phase that is evaluated at sites, where a submission would never be ranked.

    Empty for other phases.
    """
    if of_phase(phase) is None:
        return ""
    return f"{phase.name} is evaluated at sites: the organizers name its algorithms, and there is nothing to hand in."


def outside(phase: Phase) -> str:
    """Return a message on how results of a phase without submissions arrive; empty if it accepts submissions."""
    if words := at_sites(phase) or refusal_of_uploads(phase):
        return words
    if is_scored_here(phase):
        return ""
    return (
        f"Results of {phase.name} are measured outside Podium, and the organizers bring them here as tables; "
        "there is nothing to upload."
    )


def _check_standing(team: Team) -> None:
    if team.standing == Team.Standing.DISQUALIFIED:
        raise NotAllowedError(f"The organizers have disqualified your team: {team.standing_reason}")


def _check_seat(phase: Phase, team: Team, user: User) -> None:
    if phase.algorithms:
        raise NotAllowedError(f"{phase.name} takes algorithms, not predictions. Hand one in on the submit page.")
    if not Seat.objects.filter(task=phase.task_id, user=user, member__team=team, member__left_at=None).exists():
        raise NotAllowedError(elsewhere(phase))
    if reason := refusal_of_entry(phase, team):
        raise NotAllowedError(reason)


def _check_quota(phase: Phase, team: Team, user: User) -> None:
    reason = quota(phase, team, user).exhausted
    if reason:
        raise QuotaExceededError(reason)


def _archive_name(upload: Upload, *, folder: str) -> str:
    ending = "".join(PurePosixPath(upload.file_name).suffixes[-2:]).lower()
    suffix = ending if ending in (".tar.gz", ".tar.zst") else PurePosixPath(upload.file_name).suffix.lower()
    return f"{folder}/archive{suffix if suffix in ('.zip', '.tar', '.tgz', '.tar.gz', '.tar.zst') else ''}"
