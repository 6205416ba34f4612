"""Reminding teams whose method is not described yet, where the final ranking needs a description."""

from django.urls import reverse

from accounts.models import User
from challenges.models import Member, Phase, Team
from notifications.services import notify
from submissions.models import Submission
from submissions.queries.methods import description_needed, undescribed
from submissions.services.telling import REMINDER


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
    left_out = "leaves your team out" if occasion == "closed" else "will leave your team out"
    notify(
        people=people,
        kind=REMINDER,
        subject=f"{phase.challenge.title}: describe the method of {team.name}",
        text=(
            f"The final ranking of {phase.name} {left_out} as long as no submission to {phase.task.name} has a complete "
            "method description. What you wrote for an earlier submission is copied into the form."
        ),
        address=reverse("submissions:describe", args=[phase.challenge.slug, last.pk]),
        scope=phase.challenge.slug,
        key=f"{phase.pk} {team.pk} {occasion}",
    )
