"""A team chooses which of its submissions is ranked, where the design leaves that to the teams."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from challenges.models import Phase, Team
from challenges.queries.timetable import timetable_of
from core.audit.services import record
from submissions import hooks
from submissions.models import Submission

# What may still get a result, or has one.
CHOOSABLE = (Submission.State.ACCEPTED, Submission.State.SCORED)


def may_be_chosen(submission: Submission) -> bool:
    """Return whether the team may choose this submission at this moment."""
    phase = submission.phase
    return (
        phase.counts == Phase.Counts.CHOSEN
        and phase.is_open
        and not submission.is_late
        and not submission.is_chosen
        and submission.state in CHOOSABLE
    )


@transaction.atomic
def choose(*, submission: Submission, actor: User, method: int | None = None) -> None:
    """Make a submission count for its team.

    Choosing it again changes nothing. Until the deadline, another choice replaces it.

    Parameters
    ----------
    method
        If several methods of a team are ranked: the number of the method as which it is ranked, in place of
        the previous submission. Without a number, the submission becomes the next method and replaces none.

    Raises
    ------
    ValidationError
        If teams cannot choose in the phase, the phase has closed, the method does not exist, or the
        submission cannot be ranked.
    """
    # The lock of the team comes first, as where submissions are made: two choices at once leave one.
    Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    current = rows.get(pk=submission.pk)
    phase = current.phase
    if phase.counts != Phase.Counts.CHOSEN:
        raise ValidationError(f"In {phase.name} {phase.get_counts_display()} counts; there is nothing to choose.")
    if method is not None and not 1 <= method <= phase.methods_per_team:
        raise ValidationError(f"{phase.methods_per_team} methods of a team are ranked; there is no method {method}.")
    if current.is_chosen and method in (None, current.method_number):
        return
    if current.is_chosen:
        raise ValidationError(f"This submission is method {current.method_number}. Take that choice back first.")
    if not phase.is_open:
        raise ValidationError(f"{phase.name} closed on {timetable_of(phase).closing_words}. The choice is final.")
    if not may_be_chosen(current):
        raise ValidationError("Only a submission that was accepted in time can be the counted submission of the team.")
    chosen = Submission.objects.filter(phase=phase, team=current.team_id, is_chosen=True)
    number = method if phase.methods_per_team > 1 else 1
    if number is None:
        taken = set(chosen.values_list("method_number", flat=True))
        number = next((free for free in range(1, phase.methods_per_team + 1) if free not in taken), None)
    if number is None:
        raise ValidationError(
            f"Your team has chosen {phase.methods_per_team} submissions, as many as are ranked. Say which of them this one "
            "replaces, or take one of them back first."
        )
    chosen.filter(method_number=number).update(is_chosen=False, method_number=None)
    Submission.objects.filter(pk=current.pk).update(is_chosen=True, method_number=number)
    record(
        actor=actor,
        act="submission_chosen",
        subject=current,
        scope=current.challenge.slug,
        facts={"team": current.team.name, "number": current.number, "phase": phase.name, "method": number},
    )
    for callback in hooks.run_scored:
        callback(phase.pk)


@dataclass(frozen=True)
class Method:
    """One of the methods of a team that are ranked.

    Attributes
    ----------
    held_by
        Number of the submission that it is now.
    is_next
        Whether it is the first that no submission is.
    """

    number: int
    held_by: int | None
    is_next: bool


def methods_to_choose(submission: Submission) -> list[Method]:
    """The methods as which a submission may be ranked; nothing where one method of a team is ranked."""
    phase = submission.phase
    if phase.methods_per_team == 1:
        return []
    rows = Submission.objects.filter(phase=phase, team=submission.team_id, is_chosen=True)
    held = dict(rows.values_list("method_number", "number"))
    numbers = range(1, phase.methods_per_team + 1)
    free = next((number for number in numbers if number not in held), None)
    return [Method(number, held.get(number), number == free) for number in numbers]


def may_be_taken_back(submission: Submission) -> bool:
    """Return whether the team may revoke the choice of this submission as one of its methods."""
    phase = submission.phase
    return phase.methods_per_team > 1 and phase.is_open and submission.is_chosen


@transaction.atomic
def take_back(*, submission: Submission, actor: User) -> None:
    """Let a chosen submission no longer be one of the team's methods; doing so twice changes nothing.

    Raises
    ------
    ValidationError
        Where one method of a team is ranked, and after the deadline.
    """
    Team.objects.select_for_update(no_key=True).get(pk=submission.team_id)
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    current = rows.get(pk=submission.pk)
    if not current.is_chosen:
        return
    if not may_be_taken_back(current):
        raise ValidationError("This choice stands: choose another submission, as long as the phase is open.")
    facts = {
        "team": current.team.name,
        "number": current.number,
        "phase": current.phase.name,
        "method": current.method_number,
    }
    Submission.objects.filter(pk=current.pk).update(is_chosen=False, method_number=None)
    record(actor=actor, act="submission_choice_taken_back", subject=current, scope=current.challenge.slug, facts=facts)
    for callback in hooks.run_scored:
        callback(current.phase_id)
