"""Access checks and context, common to all views of this app."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse

from challenges import queries as challenge_queries
from challenges.models import Challenge, Phase, Team
from challenges.queries import people
from challenges.rules import is_moderator
from challenges.views import challenge_context


def participating(request: HttpRequest, slug: str) -> tuple[Challenge, list[Team]]:
    """Return the challenge and the visitor's teams in it: one a task at most, and at least one in all.

    Raises
    ------
    Http404
        When there is no such challenge for this visitor.
    PermissionDenied
        When the visitor does not take part.
    """
    challenge = challenge_queries.visible_challenge(request.user, slug)
    teams = [member.team for member in people.memberships_of(request.user, challenge)]
    if not teams and is_moderator(request.user, challenge) and not request.user.is_superuser:
        raise PermissionDenied(
            "Organizers can't take part in their own challenge. To see team submissions, go to Submissions. "
            "To see the challenge as a participant, use an account that is a member of one of its teams."
        )
    if not teams or not request.user.has_perm("challenges.submit_to_challenge", challenge):
        raise PermissionDenied(only_teams(challenge))
    return challenge, teams


def only_teams(challenge: Challenge) -> str:
    """Return why a person without a team cannot submit, and where to join one."""
    address = reverse("challenges:join", args=[challenge.slug])
    return f"Only teams that take part in the challenge can submit to it. Join or form a team at {address}."


def team_in(teams: list[Team], phase: Phase) -> Team | None:
    """The one of a person's teams that takes part in the task of a phase."""
    return next((team for team in teams if phase.task_id in {task.pk for task in team.tasks.all()}), None)


def organizing(request: HttpRequest, slug: str) -> Challenge:
    """Return the challenge if the visitor runs it.

    Raises
    ------
    Http404
        Otherwise. The response does not reveal that more content exists than the visitor sees.
    """
    challenge = challenge_queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.organize_challenge", challenge):
        raise Http404("Page not found.")
    return challenge


def phase_by_id(challenge: Challenge, pk: Any) -> Phase:
    """Return a phase of the challenge.

    Raises
    ------
    Http404
        When it belongs to another challenge, or `pk` is no number.
    """
    phases = {str(phase.pk): phase for phase in challenge_queries.phases_of(challenge)}
    try:
        return phases[str(pk)]
    except KeyError:
        raise Http404("There is no such phase.") from None


def page_context(request: HttpRequest, challenge: Challenge, **more: Any) -> dict[str, Any]:
    """Return the template context that all pages of this app need."""
    return {**challenge_context(request, challenge), **more}
