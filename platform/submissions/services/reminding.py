"""Reminding teams whose method is not described yet, where the final ranking needs a description."""

from django.urls import reverse

from accounts.models import User
from challenges.models import Member, Phase, Team
from notifications.domain import letters
from notifications.services import notify
from submissions.models import Submission
from submissions.queries.methods import description_needed, undescribed
from submissions.services.telling import REMINDER, where_of


def remind(phase_id: int) -> None:
    """Tell each team once, after its first result, that the final ranking waits for its description."""
    _remind(phase_id, "first")


def remind_phase(phase_id: int) -> None:
    """Tell each team once more when the phase closes."""
    _remind(phase_id, "closed")


def _remind(phase_id: int, occasion: str) -> None:
    phase = Phase.objects.select_related("task__challenge").get(pk=phase_id)
    if phase.is_dry_run or not description_needed(phase):
        return
    for team in undescribed(phase):
        _tell(team, phase, occasion)


def _tell(team: Team, phase: Phase, occasion: str) -> None:
    last = Submission.objects.filter(phase=phase, team=team, state=Submission.State.SCORED).order_by("-number").first()
    if last is None:
        return
    people = User.objects.filter(pk__in=Member.objects.filter(team=team).values("user"), is_active=True)
    where = where_of(phase)
    letter = letters.UNDESCRIBED.letter(
        letters.OfSubmission(where, team.name, last.number, occasion=occasion, task=phase.task.name)
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
