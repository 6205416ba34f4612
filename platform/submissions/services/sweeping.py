"""Completion of interrupted work and of decisions that were not made in time.

`core.work.services.sweep` detects the lost work itself.
"""

from datetime import timedelta

import structlog
from django.db.models import F, Q
from django.utils import timezone

from datastore.datasets.services import hosting
from datastore.test_sets.services import arrivals
from datastore.uploads.models import Upload
from datastore.uploads.services import form_files, multiparts, refusals, uploads
from datastore.uploads.storage import scratch
from submissions.queries.work import unassembled_runs
from submissions.services import scoring, states, submitting
from web import storing

log = structlog.get_logger(__name__)

# Runs assembled in one sweep; what is left is assembled by the next.
AT_ONCE = 200
_DAY = 24 * 3600


def sweep() -> dict[str, int]:
    """End what was interrupted half-way; returns how much of what was found."""
    counts = {
        "uploads": _finish_uploads() + arrivals.finish_whole() + hosting.finish_whole(),
        "held": _decide_held(),
        "runs": _assemble(),
        "expired": uploads.expire() + arrivals.expire() + hosting.expire() + form_files.expire(),
        "thrown_away": multiparts.throw_away_ended(),
    }
    _tidy()
    if any(counts.values()):
        log.info("sweep", **counts)
    return counts


def _finish_uploads() -> int:
    """Uploads that are whole but whose end was interrupted."""
    quiet = timezone.now() - timedelta(seconds=30)
    count = 0
    ended = Q(multipart=None, offset=F("size")) | Q(multipart__checksum__gt="")
    for upload in Upload.objects.filter(ended, state=Upload.State.RECEIVING, updated_at__lt=quiet):
        try:
            submitting.finish(upload=upload)
            count += 1
        except (refusals.OffsetError, refusals.AwayError, refusals.BusyError):
            continue  # its sender has to end it again, or the store is at it
        except refusals.UploadError as error:
            count += 1
            log.info("upload_refused", upload=str(upload.pk), reason=str(error))
    return count


def _decide_held() -> int:
    """Submissions with gaps or questions on which a team did not decide while it could."""
    held = states.held_in_closed_phases()
    for submission in held:
        states.settle_at_close(submission=submission)
    return len(held)


def _assemble() -> int:
    runs = list(unassembled_runs()[:AT_ONCE])
    for run in runs:
        scoring.finish_run(run_id=run.pk)
    return len(runs)


def _tidy() -> None:
    """Remove what killed processes left in the scratch space and in memory."""
    for parent in (storing.MEMORY, scratch("open"), scratch("scans")):
        storing.remove_abandoned(parent)
    for kind in ("work", "copies", "incoming", "backup", "forms"):
        storing.remove_old(scratch(kind), older_than=_DAY)
