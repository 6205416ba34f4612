"""Making challenges and phases, and closing them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges import hooks
from challenges.models import Challenge, Organizer, Phase, Projection, Task
from challenges.queries.planning import PROJECTED_FIELDS
from core.audit.services import VALUES, record, values_of
from evaluation.assessment import AssessmentError, check_ignored_options, parse
from evaluation.assessment.costs import CostError
from evaluation.running.efficiency import check_measured

SETTINGS = (*PROJECTED_FIELDS["phase"], "task_id", "assessment_document", "assessment_digest")
"""Fields of a phase that only a registered design changes."""


@transaction.atomic
def create_challenge(*, actor: User | None, organizers: list[User], **fields: Any) -> Challenge:
    """Create a challenge run by `organizers`; `fields` are those of the model."""
    challenge = Challenge.objects.create(**fields)
    Organizer.objects.bulk_create(Organizer(challenge=challenge, user=user) for user in organizers)
    record(
        actor=actor,
        act="challenge_created",
        subject=challenge,
        scope=challenge.slug,
        facts={"title": challenge.title, "organizers": [user.pk for user in organizers]},
    )
    return challenge


@transaction.atomic
def create_phase(*, actor: User | None, task: Task, assessment: Mapping[str, Any], **fields: Any) -> Phase:
    """Create a phase that is scored and ranked by exactly `assessment`.

    Raises
    ------
    ValidationError
        When the assessment document does not parse, or ranks what running algorithms costs where the phase does not measure it;
        the message names the place, the value and what is allowed.
    """
    try:
        parsed = parse(assessment)
        check_ignored_options(parsed)
        check_measured(parsed, fields.get("algorithms"))
    except (AssessmentError, CostError) as error:
        raise ValidationError(str(error)) from error
    phase = Phase.objects.create(
        task=task, assessment_document=dict(assessment), assessment_digest=parsed.digest, **fields
    )
    is_registered = Projection.objects.filter(challenge=task.challenge_id).exists()
    record(
        actor=actor,
        act="phase_created",
        subject=phase,
        scope=task.challenge.slug,
        facts={
            "name": phase.name,
            "opens_at": phase.opens_at.isoformat(),
            "closes_at": phase.closes_at.isoformat(),
            "assessment_digest": phase.assessment_digest,
            # The settings of a registered phase follow from the design; other phases keep these.
            **({} if is_registered else {VALUES: values_of(phase, fields=SETTINGS)}),
        },
    )
    return phase


@transaction.atomic
def close_phase(*, actor: User | None, phase: Phase, at: datetime | None = None) -> Phase:
    """Close a phase before its time: no further submissions, and what was sealed is opened.

    Closing twice changes nothing.
    """
    phase = (
        Phase.objects.select_for_update(of=("self",), no_key=True).select_related("task__challenge").get(pk=phase.pk)
    )
    if phase.is_closed:
        return phase
    phase.closed_at = at or timezone.now()
    phase.ended_at = timezone.now()
    phase.save(update_fields=["closed_at", "ended_at"])
    record(
        actor=actor,
        act="phase_closed",
        subject=phase,
        scope=phase.challenge.slug,
        facts={
            "closed_at": phase.closed_at.isoformat(),
            "planned": phase.closes_at.isoformat(),
            VALUES: values_of(phase, fields=["closed_at"]),
        },
    )
    for callback in hooks.phase_closed:
        callback(phase.pk)
    return phase


def end_phases() -> int:
    """End every phase that is past its scheduled close, and return how many newly ended.

    The end triggers the final ranking, with the rules that only apply to a final one, and reminders. It takes
    effect exactly once per phase, even if several processes look at the same time.
    """
    due = Phase.objects.filter(ended_at=None, closes_at__lte=timezone.now())
    return sum(_end(pk) for pk in due.values_list("pk", flat=True))


@transaction.atomic
def _end(pk: int) -> bool:
    phase = Phase.objects.select_for_update(of=("self",), no_key=True).select_related("task__challenge").get(pk=pk)
    if phase.ended_at is not None or not phase.is_closed:
        return False
    phase.ended_at = timezone.now()
    phase.save(update_fields=["ended_at"])
    record(
        actor=None,
        act="phase_ended",
        subject=phase,
        scope=phase.challenge.slug,
        facts={"planned": phase.closes_at.isoformat()},
    )
    for callback in hooks.phase_closed:
        callback(phase.pk)
    return True
