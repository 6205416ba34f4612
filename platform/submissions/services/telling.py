"""Telling a team what became of its submission, and the organizers what failed."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from accounts.models import User
from challenges.models import Member, Phase
from challenges.queries.people import organizers_of
from notifications.domain import letters
from notifications.services import notify
from scoring.domain.report import Report, Status
from submissions.models import Run, Submission
from test_sets.queries.decoys import keeps_decoys

FAILED = "scoring_failed"
KIND = "submission_settled"
REMINDER = "method_missing"
State = Submission.State
_TOLD = (State.SCORED, State.REFUSED, State.HELD, State.FAILED)


def tell_team(submission: Submission, state: str, *, reason: str = "") -> None:
    """Tell the members once of each state that asks for them; no score is ever mailed, the page shows what it may.

    Call it in the transaction that brings the submission into the state.
    """
    if state not in _TOLD:
        return
    letter = _letter(submission, State(state), reason)
    notify(
        people=_members(submission),
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=submission.get_absolute_url(),
        scope=submission.challenge.slug,
        key=f"{submission.pk} {state}",
    )


def _letter(submission: Submission, state: Submission.State, reason: str) -> letters.Letter:
    if state == State.SCORED:
        phase = submission.phase
        # With decoys a ranking is shown to nobody who takes part: it would tell them.
        return letters.SCORED.letter(_of(submission, shows_ranking=not phase.is_sealed and not keeps_decoys(phase)))
    if state == State.FAILED:
        return letters.FAILED.letter(_of(submission, reason=reason))
    troubled = [finding for finding in Report.of(submission.report).in_order if finding.status != Status.VALID]
    if submission.is_algorithm:
        troubled = []  # its cases may be hidden; the page says what may be said
    reasons = [f"{finding.case}: {finding.message or 'no prediction for it'}" for finding in troubled]
    act = letters.REFUSED if state == State.REFUSED else letters.HELD
    return act.letter(_of(submission, reason=reason, reasons=reasons))


def _of(submission: Submission, **known: Any) -> letters.OfSubmission:
    """A submission as letters know it."""
    return letters.OfSubmission(where_of(submission.phase), submission.team.name, submission.number, **known)


def where_of(phase: Phase) -> letters.Where:
    """A phase as messages name it."""
    return letters.Where(phase.challenge.title, phase.name)


def tell_of_failed_repeat(submission: Submission, *, run: Run) -> None:
    """Tell the members that scoring again failed, and what their earlier result is worth."""
    letter = letters.FAILED.letter(_of(submission, reason=run.message, again=True))
    notify(
        people=_members(submission),
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=submission.get_absolute_url(),
        scope=submission.challenge.slug,
        key=f"{run.pk} failed",
    )


def tell_organizers(submission: Submission, *, run: Run, cause: str) -> None:
    """Tell the organizers once a day, phase and version of the test set that scoring failed; their page lists all of it."""
    letter = letters.UNSCORED.letter(_of(submission, reason=cause))
    day = f"{run.finished_at:%Y-%m-%d}" if run.finished_at else ""
    notify(
        people=organizers_of(submission.challenge),
        kind=FAILED,
        subject=letter.subject,
        text=letter.text,
        address=f"{reverse('submissions:work', args=[submission.challenge.slug])}#failed",
        scope=submission.challenge.slug,
        key=f"{submission.phase_id} {run.test_set_id} failed {day}",
    )


def _members(submission: Submission) -> QuerySet[User]:
    return User.objects.filter(pk__in=Member.objects.filter(team=submission.team_id).values("user"), is_active=True)
