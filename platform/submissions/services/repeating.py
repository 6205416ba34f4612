"""Scoring many submissions once more: organizers ask, workers take them on one by one."""

from django.core.exceptions import ValidationError
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import User
from submissions.models import Run, Submission
from submissions.services.states import repeat
from work.jobs import enqueue

WORKING = (Submission.State.RECEIVED, Submission.State.VALIDATING, Submission.State.ACCEPTED)


def repeat_all(*, actor: User, submissions: QuerySet[Submission]) -> tuple[int, int]:
    """Have every submission worked on once more that is not worked on already; returns how many are, and are not.

    Two queries, however many there are: a request does not wait for them.
    """
    unfinished = Run.objects.filter(submission=OuterRef("pk"), state__in=Run.UNFINISHED)
    busy = Q(state__in=WORKING) | Q(Exists(unfinished))
    left = submissions.filter(busy).count()
    rows = submissions.exclude(busy).order_by("created_at").annotate(number_of_runs=Count("runs"))
    asked = list(rows.values_list("pk", "number_of_runs"))
    for pk, runs in asked:
        enqueue("submissions.tasks.repeat", str(pk), runs, actor.pk)
    return len(asked), left


def repeat_asked(*, submission_id: str, runs: int, actor_id: int) -> None:
    """Work on one of them; nothing when it has had another run since it was asked for, or is being worked on."""
    submission = Submission.objects.get(pk=submission_id)
    if submission.runs.count() != runs:
        return
    try:
        repeat(submission=submission, actor=User.objects.get(pk=actor_id))
    except ValidationError:
        return
