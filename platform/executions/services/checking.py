"""Checking an image or weights in a confined child, and keeping what holds as blobs."""

import traceback
import uuid
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.utils import timezone

from confinement.containers.images import ImageError, take_image
from confinement.containers.limits import ImageLimits, WeightsLimits
from confinement.containers.weights import WeightsError, take_weights
from core.audit.services import record
from core.work.services import Lease, LeaseLostError, claim
from datastore.uploads.storage import delete, free_bytes, has_room, is_out_of_room, local_path, working_folder
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.registered import Registered
from executions import hooks
from executions.models import AlgorithmArchive, Blob
from executions.models.archives import Kind
from executions.queries.work import CHECKING
from executions.services import executing, storing
from executions.services.arriving import most_bytes

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)
FAILED = (
    "Something went wrong on our side while this file was checked. Upload it again; the operators see what happened."
)


def check(*, archive_id: str | uuid.UUID) -> None:
    """Check an archive, unless this is done or another worker does it."""
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return
    lease = claim(CHECKING, archive_id, give_up=lambda lost: _end(lost, AlgorithmArchive.State.FAILED, FAILED))
    if lease is None:
        return
    archive = AlgorithmArchive.objects.select_related("phase__task__challenge", "team").get(pk=lease.pk)
    try:
        with lease.renewed():
            report, digest, blobs = _take(archive, lease)
    except LeaseLostError:
        return
    except (ImageError, WeightsError) as error:
        _end(lease, AlgorithmArchive.State.REFUSED, str(error))
        return
    except Exception as error:
        log.exception("check_error", archive=str(archive.pk), attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False)
        else:
            _end(lease, AlgorithmArchive.State.FAILED, FAILED, failure=traceback.format_exc())
        return
    with suppress(LeaseLostError):
        with lease.completing() as current:
            storing.name(current, blobs)
            current.state, current.digest, current.report = AlgorithmArchive.State.READY, digest, report
            current.failure, current.file, current.checked_at = "", "", timezone.now()
            current.save()
            record(
                actor=None,
                act="algorithm_checked",
                subject=current,
                scope=archive.phase.challenge.slug,
                facts={"team": archive.whose, "digest": digest},
            )
            executing.archive_settled(current)
            for callback in hooks.settled:
                callback(current)
        delete(archive.file)


def _take(archive: AlgorithmArchive, lease: Lease) -> tuple[dict, str, list[Blob]]:
    """Read an archive; returns what was read of it, its identity, and its stored parts."""

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    path = local_path(archive.file, limit=archive.size, beat=beat)
    limit = most_bytes(archive.phase, archive.kind)
    with working_folder() as folder:
        store = folder / "store"
        store.mkdir()
        if archive.is_image:
            return _take_image(archive, path, store, limit, beat)
        report = take_weights(
            path,
            store,
            limits=WeightsLimits(archive_bytes=limit, unpacked_bytes=settings.PODIUM_IMAGE_UNPACKED_BYTES),
            beat=beat,
        )
        blob = storing.keep(_hex(report.digest), store / "weights.tar.zst", size=report.size)
        return {"size": report.size, "files": report.files}, report.digest, [blob]


def _take_image(archive: AlgorithmArchive, path: Path, store: Path, limit: int, beat) -> tuple[dict, str, list[Blob]]:
    report = take_image(
        path,
        store,
        limits=ImageLimits(archive_bytes=limit, unpacked_bytes=settings.PODIUM_IMAGE_UNPACKED_BYTES),
        interface=Registered.of(archive.phase.algorithms).interface,
        beat=beat,
    )
    _check_interface(archive, report.interface)
    config = store / "config.json"
    blobs = [storing.keep(_hex(report.image_id), config, size=config.stat().st_size)]
    blob_by_digest: dict[str, Blob] = {}
    for layer in report.layers:
        digest = _hex(layer.diff_id)
        if digest not in blob_by_digest:
            blob_by_digest[digest] = storing.keep(digest, store / f"{digest}.tar.zst", size=layer.size)
        blobs.append(blob_by_digest[digest])
    return report.as_json(), report.image_id, blobs


def _check_interface(archive: AlgorithmArchive, interface: str) -> None:
    """Refuse a scoring image as an algorithm, and the other way round."""
    if archive.kind == Kind.SCORER and interface != SCORER_INTERFACE:
        raise ImageError(
            f"The label org.podium.interface is {interface}; that of a scoring image is {SCORER_INTERFACE}. Build the image with "
            "this label."
        )
    if archive.kind == Kind.IMAGE and interface == SCORER_INTERFACE:
        raise ImageError("This is a scoring image by its label org.podium.interface; an algorithm is expected here.")


def _hex(digest: str) -> str:
    return digest.removeprefix("sha256:")


def _end(lease: Lease, state: str, reason: str, *, failure: str = "") -> None:
    file = ""
    with suppress(LeaseLostError):
        with lease.completing() as current:
            file = current.file
            current.state, current.reason, current.file = state, reason[:500], ""
            current.failure, current.checked_at = failure, timezone.now()
            current.save()
            record(
                actor=None,
                act="algorithm_refused" if state == AlgorithmArchive.State.REFUSED else "algorithm_check_failed",
                subject=current,
                scope=current.phase.challenge.slug,
                facts={"team": current.whose, "reason": reason[:200]},
            )
            executing.archive_settled(current)
            for callback in hooks.settled:
                callback(current)
        delete(file)
