"""Questions about overlap: what a team has left, and numbers for reports."""

from django.db.models import Q, QuerySet

from accounts.models import User
from challenges.models import Phase, Team
from datastore.test_sets.models import OverlapQuestion


def counted_questions(phase: Phase, team: Team, user: User) -> QuerySet[OverlapQuestion]:
    """Return the questions that use up the limit: those of the team, and those of the person in any team.

    A failed question had no answer and does not count.
    """
    rows = OverlapQuestion.objects.filter(Q(team=team) | Q(asked_by=user), phase=phase)
    return rows.exclude(state=OverlapQuestion.State.FAILED)


def questions_of(phase: Phase, team: Team) -> QuerySet[OverlapQuestion]:
    """Return the questions of a team about a phase, the newest first."""
    return OverlapQuestion.objects.filter(phase=phase, team=team).order_by("-created_at")


def answers_of(phase: Phase) -> list[dict[str, int]]:
    """Return the number of images and the answer of each answered question, without the teams."""
    rows = OverlapQuestion.objects.filter(phase=phase, state=OverlapQuestion.State.ANSWERED, answer__isnull=False)
    return [{"images": row.images, "answer": row.answer or 0} for row in rows.order_by("images", "answer")]
