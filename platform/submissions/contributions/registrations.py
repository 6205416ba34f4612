"""Contributions of this app to the pages of a challenge."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Count, Min, Q
from django.utils import timezone

from accounts.notifications import kinds
from challenges import hooks
from challenges.models import Challenge, Phase, Team
from challenges.rules import is_participant
from datastore.test_sets.models import TestCase
from datastore.uploads.models import Upload
from federation import hooks as federation_hooks
from submissions import hooks as submission_hooks
from submissions.contributions import replacements
from submissions.models import Run, Submission
from submissions.queries.closing import entrants
from submissions.queries.results import measured_outside
from submissions.services.messages import FAILED, KIND, REMINDER, remind, remind_before_closing, remind_phase
from submissions.services.releasing import release_new
from submissions.services.states import repeat


def register() -> None:
    """Add the tabs and facts."""
    hooks.register_tab("Submit", "submissions:submit", visible=_takes_part, order=10)
    hooks.register_tab("My submissions", "submissions:own", visible=_takes_part, order=20)
    kinds.register(
        KIND, "A submission of your team is scored, refused, failed or waits for you", order=10, role="participant"
    )
    hooks.phase_facts.register(facts)
    hooks.case_counts.register(case_counts)
    replacements.register()
    hooks.arrivals.register(arrivals)
    hooks.teams_scored.register(teams_scored)
    hooks.entrants.register(entrants)
    hooks.reminders.register(remind_before_closing)
    hooks.submitted.register(handed_in)
    submission_hooks.run_scored.register(release_new)
    submission_hooks.run_scored.register(remind)
    hooks.phase_closed.register(remind_phase)
    kinds.register(FAILED, "A submission to your challenge could not be scored", order=12, role="organizer")
    kinds.register(REMINDER, "The final ranking waits for a description of your method", order=11, role="participant")
    hooks.standing_changed.register(rank_anew)
    hooks.assessment_changed.register(score_anew)
    federation_hooks.obstacles.register(handed_in_already)


def handed_in_already(phases: Sequence[Phase]) -> dict[int, str]:
    """Return, per phase with submissions, the reason why it can no longer be evaluated at sites.

    A ranking over sites would exclude the submissions that exist already.
    """
    rows = Submission.objects.filter(phase__in=phases).exclude(state__in=Submission.UNSUCCESSFUL).order_by()
    counts = dict(rows.values_list("phase").annotate(rows=Count("pk")))
    under_way = Upload.objects.filter(phase__in=phases, state=Upload.State.RECEIVING, expires_at__gt=timezone.now())
    for phase in under_way.order_by().values_list("phase", flat=True):
        counts[phase] = counts.get(phase, 0) + 1
    return {
        phase: f"{number} submission{'s were' if number > 1 else ' was'} handed in to this phase, and a ranking over sites "
        "would leave them out: evaluate another phase at sites."
        for phase, number in counts.items()
    }


def facts(phases: Sequence[Phase]) -> dict[int, list[tuple[str, str]]]:
    """Number of cases of phases, and of submissions that were taken; two queries, however many phases."""
    cases = TestCase.objects.filter(test_set__phase__in=phases, test_set__is_active=True).order_by()
    cases_of = dict(cases.values_list("test_set__phase").annotate(rows=Count("pk")))
    taken = Submission.objects.filter(phase__in=phases).exclude(state__in=Submission.UNSUCCESSFUL).order_by()
    taken_of = dict(taken.values_list("phase").annotate(rows=Count("pk")))
    return {
        phase.pk: [("Cases", f"{cases_of.get(phase.pk, 0):,}"), ("Submissions", f"{taken_of.get(phase.pk, 0):,}")]
        for phase in phases
    }


def case_counts(challenges: Collection[int]) -> dict[int, int]:
    """Return the number of distinct cases in the current test sets of some challenges; one query."""
    cases = TestCase.objects.filter(
        test_set__phase__task__challenge__in=challenges,
        test_set__phase__task__removed_at=None,
        test_set__is_active=True,
    )
    rows = cases.order_by().values_list("test_set__phase__task__challenge")
    return dict(rows.annotate(rows=Count("name", distinct=True)))


def arrivals(challenge: Challenge) -> dict[int, hooks.Arrivals]:
    """By task, when the first submission arrived that was not refused, withdrawn or lost, and how many were refused."""
    rows = Submission.objects.filter(phase__task__challenge=challenge).order_by().values_list("phase__task")
    accepted = Min("created_at", filter=~Q(state__in=Submission.UNSUCCESSFUL))
    refused = Count("pk", filter=Q(state=Submission.State.REFUSED))
    return {task: hooks.Arrivals(first, number) for task, first, number in rows.annotate(first=accepted, n=refused)}


def teams_scored(phase: Phase, moment: datetime) -> int:
    """Return the number of teams that had a finished score in a phase at a moment."""
    rows = Run.objects.filter(submission__phase=phase, finished_at__lt=moment).exclude(result_digest="")
    return rows.values("submission__team").distinct().count()


def handed_in(team: Team) -> hooks.SubmittedTasks:
    """Return the tasks to which a team has submitted, and whether it submitted or uploaded anything at all.

    Submissions that were refused, withdrawn or lost do not count for the tasks.
    """
    rows = Submission.objects.filter(team=team).order_by().values_list("phase__task", "state").distinct()
    counted = frozenset(task for task, state in rows if state not in Submission.UNSUCCESSFUL)
    return hooks.SubmittedTasks(counted, bool(rows) or Upload.objects.filter(team=team).exists())


def rank_anew(team_id: int) -> None:
    """Request a new computation of every ranking that contains, or would contain, a result of a team."""
    phases = Run.objects.filter(counts=True, submission__team=team_id).values_list("submission__phase", flat=True)
    for phase_id in sorted(set(phases)):
        for callback in submission_hooks.run_scored:
            callback(phase_id)


def score_anew(phase_id: int, needs_scoring: bool) -> None:
    """Score what has been scored again where a registered change asks for other values of cases.

    Raises
    ------
    ValidationError
        While a run of the phase is under way: it would be scored half by the one and half by the other assessment.
    """
    if needs_scoring:
        if Run.objects.filter(submission__phase_id=phase_id, state__in=Run.UNFINISHED).exists():
            raise ValidationError("Submissions are being scored at this moment. Decide again when that is done.")
        for submission in Submission.objects.filter(phase_id=phase_id, state=Submission.State.SCORED).exclude(
            measured_outside()
        ):
            repeat(submission=submission, actor=None)


def _takes_part(user: Any, challenge: Challenge) -> bool:
    return is_participant(user, challenge)
