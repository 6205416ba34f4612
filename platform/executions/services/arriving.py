"""Images and weights on their way in: an upload that may begin, and exactly one archive made of it when it is whole."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import PurePosixPath

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Seat, Team
from challenges.queries.entry import refusal_of_entry
from challenges.queries.timetable import timetable_of
from confinement.limits import GIB
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import enqueue
from datastore.uploads.services import refusals, uploads
from datastore.uploads.services.refusals import Checksum, UploadError
from datastore.uploads.storage import delete, private, scratch, store_file, upload_limits
from evaluation.running.registered import Registered
from executions.domain.plans import bytes_of
from executions.models import AlgorithmArchive, AlgorithmUpload
from executions.models.archives import Kind
from executions.queries.work import CHECKING
from executions.services import storing

QUIET = timedelta(seconds=30)
ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.zst")
WORDS = {Kind.IMAGE: "image", Kind.MODEL: "weights", Kind.SCORER: "scoring image"}


def most_bytes(phase: Phase, kind: str) -> int:
    """Largest archive of a kind that a phase takes."""
    if kind == Kind.SCORER:
        return settings.PODIUM_IMAGE_MAX_BYTES
    plan = Registered.of(phase.algorithms)
    if kind == Kind.IMAGE:
        return min(settings.PODIUM_IMAGE_MAX_BYTES, bytes_of(plan.image_gib))
    return min(settings.PODIUM_MODEL_MAX_BYTES, bytes_of(plan.model_gib))


def begin(*, user: User, phase: Phase, team: Team | None, kind: str, file_name: str, size: int) -> AlgorithmUpload:
    """Begin an upload after every bound that can be checked before a byte has arrived.

    Parameters
    ----------
    team
        None for a scoring image, which is the organizers'.

    Raises
    ------
    UploadError
        One of its kinds, with a message for the participant.
    """
    limits = upload_limits()
    _check(phase, team, user, kind)
    if size < 1:
        raise UploadError("The file is empty. Save the image with `docker save`, and choose that file.")
    if size > (most := most_bytes(phase, kind)):
        raise refusals.TooLargeError(
            f"The file has {size:,} bytes; at most {most:,} are accepted as {WORDS[Kind(kind)]}."
        )
    if storing.stored_bytes() + size > settings.PODIUM_IMAGE_STORE_BYTES:
        raise refusals.NoRoomError(
            "The store of images is full. Nothing is lost; try again later, or tell the organizers."
        )
    whose = "This phase has" if team is None else "Your team has"
    owner_filter = Q(phase__task=phase.task_id, team=None) if team is None else Q(team=team)
    with transaction.atomic():
        Phase.objects.select_for_update(no_key=True).get(pk=phase.pk)
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        now = timezone.now()
        receiving = AlgorithmUpload.objects.filter(state=AlgorithmUpload.State.RECEIVING, expires_at__gt=now)
        if receiving.filter(owner_filter, phase=phase).count() >= limits.under_way:
            raise refusals.QuotaExceededError(
                f"{whose} {limits.under_way} unfinished uploads for this phase. Finish or cancel one of them first."
            )
        archives = AlgorithmArchive.objects.filter(owner_filter, phase=phase, removed_at=None)
        used = archives.filter(state__in=AlgorithmArchive.USABLE).aggregate(bytes=Sum("size"))["bytes"] or 0
        if used + size > settings.PODIUM_IMAGE_TEAM_BYTES:
            raise refusals.QuotaExceededError(
                f"{whose} {used / GIB:.1f} GiB of images and weights in this phase; with these there would be more than "
                f"the {settings.PODIUM_IMAGE_TEAM_BYTES / GIB:.1f} GiB that are kept. Delete one that you do not need first."
            )
        uploads.check_announced(size, user=user, whose=whose, rows=AlgorithmUpload.objects.filter(owner_filter))
        uploads.check_room(size)
        upload = AlgorithmUpload.objects.create(
            kind=kind,
            phase=phase,
            team=team,
            user=user,
            file_name=PurePosixPath(file_name.replace("\\", "/")).name[:255] or f"{kind}.tar",
            size=size,
            expires_at=now + limits.lifetime,
        )
    scratch("uploads")
    upload.path.touch(mode=0o600)
    return upload


def go_on(
    *, upload: AlgorithmUpload, offset: int, read: Callable[[int], bytes], checksum: Checksum | None = None
) -> AlgorithmUpload:
    """Add a piece; see `uploads.append`."""
    return uploads.append(upload=upload, offset=offset, read=read, checksum=checksum)


def finish(*, upload: AlgorithmUpload) -> AlgorithmArchive:
    """Make the one archive of a whole upload and have it checked; called again, it returns the same one.

    Raises
    ------
    UploadError
        `OffsetError` before everything has arrived; `GoneError` for an upload that has ended.
    """
    if (existing := AlgorithmArchive.objects.filter(upload=upload).first()) is not None:
        return existing
    upload.refresh_from_db()
    uploads.check_receiving(upload)
    if not upload.is_whole:
        raise refusals.OffsetError(f"{upload.size - upload.offset:,} bytes have not arrived yet.")
    name = f"algorithms/incoming/{upload.pk}"
    if upload.path.exists():
        store_file(name, upload.path)
    elif not private().exists(name):
        raise refusals.GoneError("The received bytes are no longer there. Please upload the file again.")
    with transaction.atomic():
        rows = AlgorithmUpload.objects.select_for_update(of=("self",), no_key=True)
        upload = rows.select_related("phase__task__challenge", "team", "user").get(pk=upload.pk)
        if (existing := AlgorithmArchive.objects.filter(upload=upload).first()) is not None:
            return existing
        uploads.check_receiving(upload)
        archive = AlgorithmArchive.objects.create(
            upload=upload,
            kind=upload.kind,
            phase=upload.phase,
            team=upload.team,
            user=upload.user,
            file_name=upload.file_name,
            file=name,
            size=upload.size,
            asked_at=shared_now(),
        )
        AlgorithmUpload.objects.filter(pk=upload.pk).update(state=AlgorithmUpload.State.COMPLETE)
        record(
            actor=upload.user,
            act="algorithm_received",
            subject=archive,
            scope=upload.phase.challenge.slug,
            facts={
                "phase": upload.phase.name,
                "team": archive.whose,
                "kind": WORDS[Kind(upload.kind)],
                "bytes": upload.size,
            },
        )
        enqueue(CHECKING.task, str(archive.pk))
    return archive


def send_file(
    *, user: User, phase: Phase, team: Team | None, kind: str, file_name: str, read: Callable[[int], bytes], size: int
):
    """Take an archive in one go, the way that a browser without scripts does: begin, send, finish.

    Raises
    ------
    UploadError
        As `begin` and `finish`.
    """
    upload = begin(user=user, phase=phase, team=team, kind=kind, file_name=file_name, size=size)
    try:
        upload = go_on(upload=upload, offset=0, read=read)
    except (OSError, UploadError):
        cancel(upload=upload)
        raise
    return finish(upload=upload)


def cancel(*, upload: AlgorithmUpload) -> int:
    """Throw away what has arrived; a complete upload stays."""
    return _end(upload, AlgorithmUpload.State.CANCELLED)


def expire() -> int:
    """Throw away uploads without progress; returns how many."""
    late = AlgorithmUpload.objects.filter(state=AlgorithmUpload.State.RECEIVING, expires_at__lt=timezone.now())
    return sum(_end(upload, AlgorithmUpload.State.EXPIRED) for upload in late)


def finish_whole() -> int:
    """Make archives of uploads that are whole and whose end was interrupted; returns of how many."""
    quiet = timezone.now() - QUIET
    rows = AlgorithmUpload.objects.filter(state=AlgorithmUpload.State.RECEIVING, offset=F("size"), updated_at__lt=quiet)
    count = 0
    for upload in rows:
        try:
            finish(upload=upload)
        except UploadError:
            continue
        count += 1
    return count


def unfinished(user: User, phase: Phase) -> list[AlgorithmUpload]:
    """Uploads for a phase that a person began and may go on with."""
    rows = AlgorithmUpload.objects.filter(
        user=user, phase=phase, state=AlgorithmUpload.State.RECEIVING, expires_at__gt=timezone.now()
    )
    return list(rows.order_by("-updated_at"))


def _check(phase: Phase, team: Team | None, user: User, kind: str) -> None:
    if kind not in Kind.values:
        raise UploadError("An upload is an image or weights.")
    if (team is None) != (kind == Kind.SCORER):
        raise refusals.NotAllowedError("Scoring images are the organizers'; images and weights are a team's.")
    if team is None:
        if not phase.assessment.scorer:
            raise refusals.NotAllowedError(f"No metric of {phase.name} is registered for a scoring image.")
        return
    if not phase.algorithms:
        raise refusals.NotAllowedError(f"{phase.name} takes predictions, not algorithms.")
    if team.standing == Team.Standing.DISQUALIFIED:
        raise refusals.NotAllowedError(f"The organizers have disqualified your team: {team.standing_reason}")
    if not phase.is_open:
        raise refusals.PhaseNotOpenError(f"{phase.name} {timetable_of(phase).refusal_words}.")
    if not Seat.objects.filter(task=phase.task_id, user=user, member__team=team, member__left_at=None).exists():
        raise refusals.NotAllowedError("You do not take part in this task with this team.")
    if reason := refusal_of_entry(phase, team):
        raise refusals.NotAllowedError(reason)


def _end(upload: AlgorithmUpload, state: str) -> int:
    rows = AlgorithmUpload.objects.filter(pk=upload.pk, state=AlgorithmUpload.State.RECEIVING)
    changed = rows.update(state=state)
    if changed:
        upload.path.unlink(missing_ok=True)
        delete(f"algorithms/incoming/{upload.pk}")
    return changed
