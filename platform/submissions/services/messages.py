"""Notifications of teams and organizers: submission states, ranks, failures, and missing method descriptions."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters
from accounts.notifications.models import Notification
from accounts.notifications.services import Message, notify, notify_each
from challenges.models import Member, Phase, Team
from challenges.queries import label_of
from challenges.queries.people import organizers_of
from challenges.queries.timetable import timetable_of
from core.audit.services import record
from datastore.test_sets.domain.case_access import Reader
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.rules import access_of
from executions.scoring.domain.report import Report, Status
from submissions.hooks import public_stands_in
from submissions.models import Run, Submission
from submissions.queries.closing import entrants
from submissions.queries.methods import description_needed, lacking_facts

FAILED = "scoring_failed"
KIND = "submission_settled"
REMINDER = "method_missing"
# What was scored longer ago is no news any more, whoever was not told of it.
LOOKS_BACK: Final = timedelta(days=2)
State = Submission.State
TOLD = (State.SCORED, State.REFUSED, State.HELD, State.FAILED)


def tell_team(submission: Submission, state: str, *, reason: str = "") -> None:
    """Notify the members once of each state that requires it; e-mails never contain scores.

    The page shows the scores that the team may see. Call this function in the transaction that brings the
    submission into the state. `tell_scored` reports a scored submission with its rank, where the team may see
    the ranking.
    """
    if state not in TOLD or (state == State.SCORED and not submission.phase.is_sealed):
        return
    letter = _letter(submission, State(state), reason)
    notify_each(kind=KIND, messages=[_message(submission, State(state), letter, _members(submission))])


def tell_scored(phase: Phase, *, is_last: bool) -> None:
    """Notify the teams of their scored submissions and their ranks after a ranking was computed.

    Parameters
    ----------
    is_last
        True if no further ranking is requested. Teams without a rank are then notified too.
    """
    if phase.is_sealed:
        return
    scored = Submission.objects.filter(
        phase=phase, state=State.SCORED, runs__finished_at__gte=timezone.now() - LOOKS_BACK
    )
    rows = {_key(row, State.SCORED): row for row in scored.select_related("team").distinct()}
    notified_keys = Notification.objects.filter(kind=KIND, key__in=rows).values_list("key", flat=True)
    waiting = [rows[key] for key in rows.keys() - set(notified_keys)]
    if not waiting:
        return
    # Whoever takes part sees of a ranking what everybody sees, and a letter goes to all members of a team.
    places = public_stands_in(phase)
    people = _members_of(waiting)
    messages = []
    for row in sorted(waiting, key=lambda row: row.created_at):
        row.phase = phase
        standing = places.get(str(row.pk))
        stands = (
            letters.Stands(standing.rank, standing.could_be, standing.number_of_teams) if standing is not None else None
        )
        if stands is not None or is_last:
            letter = _letter(row, State.SCORED, "", stands)
            messages.append(_message(row, State.SCORED, letter, people[row.team_id]))
    notify_each(kind=KIND, messages=messages)


def _message(
    submission: Submission, state: Submission.State, letter: letters.Letter, people: Iterable[User]
) -> Message:
    return Message(
        people,
        letter.subject,
        letter.text,
        address=submission.get_absolute_url(),
        scope=submission.challenge.slug,
        key=_key(submission, state),
    )


def _key(submission: Submission, state: Submission.State) -> str:
    return f"{submission.pk} {state}"


def _letter(
    submission: Submission, state: Submission.State, reason: str, stands: letters.Stands | None = None
) -> letters.Letter:
    if state == State.SCORED:
        phase = submission.phase
        # With decoys a ranking is shown to nobody who takes part: it would tell them.
        shows = not phase.is_sealed and not keeps_decoys(phase)
        return letters.SCORED.letter(_of(submission, shows_ranking=shows, stands=stands))
    if state == State.FAILED:
        return letters.FAILED.letter(_of(submission, reason=reason))
    report = Report.of(submission.report)
    reasons = [question.sentence for question in report.asked]
    if access_of(Reader.TEAM, submission.phase, is_algorithm=submission.is_algorithm).notes:
        troubled = [finding for finding in report.in_order if finding.status != Status.VALID]
        reasons += [f"{finding.case}: {finding.message or 'no prediction for it'}" for finding in troubled]
    act = letters.REFUSED if state == State.REFUSED else letters.HELD
    return act.letter(_of(submission, reason=reason, reasons=reasons))


def _of(submission: Submission, **facts: Any) -> letters.OfSubmission:
    """A submission as letters know it."""
    return letters.OfSubmission(where_of(submission.phase), submission.team.name, submission.number, **facts)


def where_of(phase: Phase) -> letters.Where:
    """A phase as messages name it."""
    return letters.Where(phase.challenge.title, label_of(phase))


def tell_of_failed_repeat(submission: Submission, *, run: Run) -> None:
    """Notify the members that scoring again failed, and whether their earlier result remains valid."""
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
    """Notify the organizers that scoring failed, once per day, phase and version of the test set.

    Their page lists all failures.
    """
    letter = letters.UNSCORED.letter(_of(submission, reason=cause))
    day = f"{run.finished_at:%Y-%m-%d}" if run.finished_at else ""
    notify(
        people=organizers_of(submission.challenge),
        kind=FAILED,
        subject=letter.subject,
        text=letter.text,
        address=f"{reverse('results:work', args=[submission.challenge.slug])}#failed",
        scope=submission.challenge.slug,
        key=f"{submission.phase_id} {run.test_set_id} failed {day}",
    )


def _members(submission: Submission) -> QuerySet[User]:
    return User.objects.filter(pk__in=Member.objects.filter(team=submission.team_id).values("user"), is_active=True)


def _members_of(submissions: Iterable[Submission]) -> dict[int, list[User]]:
    """Return the active members of each team with one of the submissions, in one query."""
    people_by_team: dict[int, list[User]] = defaultdict(list)
    teams = {submission.team_id for submission in submissions}
    for member in Member.objects.filter(team__in=teams, user__is_active=True).select_related("user"):
        people_by_team[member.team_id].append(member.user)
    return people_by_team


def remind(phase_id: int) -> None:
    """Notify each team once, after its first result, that the final ranking requires its description."""
    _remind(phase_id, "first")


def remind_phase(phase_id: int) -> None:
    """Notify each team once more, when the phase closes, that the final ranking requires its description."""
    _remind(phase_id, "closed")


def remind_before_closing(phase: Phase, teams: Collection[int], actor: User) -> int:
    """Remind teams that would not be ranked why, once per day; returns how many teams got a reminder."""
    today = f"{timezone.now():%Y-%m-%d}"
    reminded = []
    for entrant in entrants(phase):
        if entrant.team not in teams or not entrant.can_remind:
            continue
        members = Member.objects.filter(team=entrant.team).values("user")
        letter = letters.WOULD_BE_OUT.letter(
            letters.OfEntrant(where_of(phase), entrant.name, entrant.reason, ends=timetable_of(phase).closes)
        )
        sent = notify(
            people=User.objects.filter(pk__in=members, is_active=True),
            kind=REMINDER,
            subject=letter.subject,
            text=letter.text,
            address=reverse("submissions:own", args=[phase.challenge.slug]),
            scope=phase.challenge.slug,
            key=f"{phase.pk} {entrant.team} closing {today}",
        )
        if sent:
            reminded.append(entrant.team)
    if reminded:
        record(
            actor=actor,
            act="teams_reminded",
            subject=phase,
            scope=phase.challenge.slug,
            facts={"phase": phase.slug, "teams": sorted(reminded)},
        )
    return len(reminded)


def _remind(phase_id: int, occasion: str) -> None:
    phase = Phase.objects.select_related("task__challenge").get(pk=phase_id)
    if phase.is_dry_run or not description_needed(phase):
        return
    for team, facts in lacking_facts(phase):
        _tell(team, phase, occasion, facts)


def _tell(team: Team, phase: Phase, occasion: str, facts: list[str]) -> None:
    last = Submission.objects.filter(phase=phase, team=team, state=Submission.State.SCORED).order_by("-number").first()
    if last is None:
        return
    people = User.objects.filter(pk__in=Member.objects.filter(team=team).values("user"), is_active=True)
    where = where_of(phase)
    letter = letters.UNDESCRIBED.letter(
        letters.OfSubmission(
            where,
            team.name,
            last.number,
            occasion=occasion,
            task=phase.task.name,
            facts=facts,
            link=str(phase.get_method_link_display()) if phase.method_link else "",
        )
    )
    notify(
        people=people,
        kind=REMINDER,
        subject=letter.subject,
        text=letter.text,
        address=reverse("submissions:describe", args=[phase.challenge.slug, last.pk]),
        scope=phase.challenge.slug,
        key=f"{phase.pk} {team.pk} {occasion}",
    )
