"""Lists of submissions."""

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.http import Http404

from challenges.models import Challenge, Phase, Team
from datastore.uploads.models import Upload
from submissions.models import Run, Submission


def with_runs(rows: QuerySet[Submission]) -> QuerySet[Submission]:
    """Load the data that a list shows, in two queries regardless of its length."""
    runs = Run.objects.defer("log", "case_notes").order_by("number")
    return (
        rows.select_related("phase__task__challenge", "team", "user")
        .defer("report", "log")
        .prefetch_related(Prefetch("runs", queryset=runs, to_attr="all_runs"))
    )


def of_teams(teams: Collection[Team]) -> QuerySet[Submission]:
    """All submissions of some teams, the newest first."""
    return with_runs(Submission.objects.filter(team__in=teams))


def of_challenge(challenge: Challenge) -> QuerySet[Submission]:
    """All submissions to a challenge, the newest first (organizers)."""
    return with_runs(Submission.objects.filter(phase__task__challenge=challenge))


def number_under_way(phase: Phase) -> int:
    """Return the number of submissions to a phase that are being run, checked or scored, or are queued for it."""
    return Submission.objects.filter(phase=phase, state__in=Submission.UNDER_WAY).count()


def labelled(rows: Iterable[Submission], phases: Iterable[Phase]) -> Iterable[Submission]:
    """Set the phases of submissions to those with labels that distinguish phases of several tasks."""
    phases_by_id = {phase.pk: phase for phase in phases}
    for submission in rows:
        submission.phase = phases_by_id[submission.phase_id]
    return rows


def visible_submission(user: Any, challenge: Challenge, pk: UUID | str, *, perm: str) -> Submission:
    """Return a submission of a challenge if `user` has the permission.

    Raises
    ------
    Http404
        Also for a submission that exists but is not for this user's eyes: knowing its address is not a right.
    """
    rows = Submission.objects.select_related("phase__task__challenge", "team", "user")
    submission = rows.filter(pk=pk, phase__task__challenge=challenge).first()
    if submission is None or not user.has_perm(perm, submission):
        raise Http404("There is no such submission.")
    return submission


def counted_run(submission: Submission) -> Run | None:
    """Return the run whose result counts for the submission."""
    return submission.runs.filter(counts=True).first()


def unfinished_uploads(user: Any, challenge: Challenge) -> list[Upload]:
    """Uploads that `user` began and may go on with."""
    rows = Upload.objects.filter(phase__task__challenge=challenge, user=user, state=Upload.State.RECEIVING)
    return list(rows.select_related("phase", "multipart").order_by("-updated_at")[:5])
