"""Telling a team what became of its submission."""

from accounts.models import User
from challenges.models import Member
from notifications.services import notify
from submissions.models import Submission

KIND = "submission_settled"
REMINDER = "method_missing"
State = Submission.State
_WORDS = {
    State.SCORED: "is scored",
    State.REFUSED: "is refused",
    State.HELD: "waits for your decision",
    State.FAILED: "could not be scored",
}


def tell_team(submission: Submission, state: str, *, reason: str = "") -> None:
    """Tell the members once of each state that asks for them; no score is ever mailed, the page shows what it may.

    Call it in the transaction that brings the submission into the state.
    """
    if state not in _WORDS:
        return
    members = User.objects.filter(pk__in=Member.objects.filter(team=submission.team_id).values("user"), is_active=True)
    notify(
        people=members,
        kind=KIND,
        subject=f"Submission {submission.number} of {submission.team.name} {_WORDS[State(state)]}",
        text=reason,
        address=submission.get_absolute_url(),
        scope=submission.challenge.slug,
        key=f"{submission.pk} {state}",
    )
