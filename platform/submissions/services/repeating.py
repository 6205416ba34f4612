"""Scoring many submissions once more: organizers ask, workers take them on one by one."""

import traceback
import uuid
from contextlib import suppress

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, claim, enqueue
from evaluation.wording import counted
from submissions.models import Rescoring, Run, Submission
from submissions.queries.results import measured_outside
from submissions.queries.work import RESCORING
from submissions.services.states import repeat

log = structlog.get_logger(__name__)

WORKING = (
    Submission.State.RUNNING,
    Submission.State.RECEIVED,
    Submission.State.VALIDATING,
    Submission.State.ACCEPTED,
)


@transaction.atomic
def repeat_all(*, actor: User, submissions: QuerySet[Submission]) -> tuple[int, int]:
    """Have every submission worked on once more that is not worked on already; returns how many are, and are not.

    A few queries, however many there are: a request does not wait for them.
    """
    unfinished = Run.objects.filter(submission=OuterRef("pk"), state__in=Run.UNFINISHED)
    asked_for = Rescoring.objects.filter(submission=OuterRef("pk"), state=Rescoring.State.WAITING)
    busy = Q(state__in=WORKING) | Q(Exists(unfinished)) | Q(Exists(asked_for))
    left = submissions.filter(busy).count()
    now = shared_now()
    rows = (
        submissions.exclude(busy)
        .exclude(measured_outside())
        .order_by("created_at")
        .annotate(number_of_runs=Count("runs"))
    )
    asked = [
        Rescoring(submission_id=pk, runs=runs, requested_by=actor, asked_at=now)
        for pk, runs in rows.values_list("pk", "number_of_runs")
    ]
    # Whoever asks at the same moment asks for the same.
    Rescoring.objects.bulk_create(asked, ignore_conflicts=True)
    for row in asked:
        enqueue(RESCORING.task, str(row.pk))
    return len(asked), left


def repeated_words(taken: int, left: int) -> str:
    """Return what `repeat_all` did, as a sentence for the person who requested it.

    Examples
    --------
    >>> repeated_words(1, 0)
    '1 submission is scored again. Present results remain valid until then.'
    >>> repeated_words(12, 2)
    '12 submissions are scored again. Present results remain valid until then. 2 were in progress already.'
    """
    verb, were = ("is" if taken == 1 else "are"), ("was" if left == 1 else "were")
    more = f" {left:,} {were} in progress already." if left else ""
    return f"{counted(taken, 'submission')} {verb} scored again. Present results remain valid until then.{more}"


def repeat_asked(*, rescoring_id: str | uuid.UUID) -> None:
    """Begin one of the requested repetitions.

    Does nothing if the submission has had another run since the request, or if another worker works on it.
    """
    lease = claim(RESCORING, rescoring_id, give_up=_give_up)
    if lease is None:
        return
    try:
        with lease.completing() as row:
            row.state = Rescoring.State.DONE
            if row.submission.runs.count() == row.runs:
                with suppress(ValidationError):
                    repeat(submission=row.submission, actor=row.requested_by)
    except LeaseLostError:
        return
    except Exception:
        log.exception("rescoring_error", submission=str(rescoring_id), attempt=lease.attempts)
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            lease.complete(state=Rescoring.State.DONE, failure=traceback.format_exc())


def _give_up(lease: Lease) -> None:
    """End a repetition that crashes its workers; the previous result remains."""
    lease.complete(state=Rescoring.State.DONE, failure="The workers that tried broke off.")
