"""Checklist of a challenge from its design to its report, for organizers."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse

from challenges import hooks
from challenges.hooks import Step
from challenges.models import Challenge, Organizer, Phase, Projection
from challenges.queries.projections import projection_of
from web.wording import moment_words


@dataclass(frozen=True)
class Row:
    """A step with its state: ``done``, ``next`` for the first open one, or ``open``."""

    step: Step
    state: str
    person: str


def checklist_of(challenge: Challenge, phases: Sequence[Phase]) -> list[Row]:
    """Return the steps in their order, each with state, person and next action."""
    steps = [*_own_steps(challenge, phases), *hooks.steps_of(challenge)]
    steps.sort(key=lambda step: step.order)
    upcoming = next((step for step in steps if not step.is_done), None)
    names = [row.user.display_name for row in _owners(challenge)]
    owners = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
    return [
        Row(
            step,
            "done" if step.is_done else "next" if step is upcoming else "open",
            step.person or ("" if step.is_done else owners),
        )
        for step in steps
    ]


def _owners(challenge: Challenge) -> list[Organizer]:
    rows = Organizer.objects.filter(challenge=challenge, role=Organizer.Role.OWNER)
    return list(rows.select_related("user").order_by("pk"))


def _own_steps(challenge: Challenge, phases: Sequence[Phase]) -> list[Step]:
    steps = []
    projection = projection_of(challenge)
    if projection is not None:
        steps += _registered_steps(challenge, projection)
    closed = sum(phase.is_closed for phase in phases)
    steps.append(
        Step(
            "Phases closed",
            is_done=bool(phases) and closed == len(phases),
            order=70,
            note=f"{closed} of {len(phases)}",
            act="See the phases",
            address=f"{reverse('challenges:organize', args=[challenge.slug])}#phases",
        )
    )
    return steps


def _registered_steps(challenge: Challenge, projection: Projection) -> list[Step]:
    registration, opened = projection.registration, projection.opened_at
    registrar, launcher = registration.registered_by, projection.launched_by
    return [
        Step(
            "Design registered",
            is_done=registration.is_final,
            order=10,
            note=f"{registration.identifier}, {moment_words(registration.registered_at)}",
            person=registrar.display_name if registrar else "",
            act="Open the record",
            address=registration.get_absolute_url(),
        ),
        Step(
            "Challenge launched",
            is_done=True,
            order=20,
            note=moment_words(projection.launched_at),
            person=launcher.display_name if launcher else "",
        ),
        Step(
            "Submissions opened",
            is_done=opened is not None,
            order=50,
            note=moment_words(opened) if opened else "The challenge is not public yet.",
            act="Open submissions",
            address=f"{reverse('challenges:organize', args=[challenge.slug])}#registration",
        ),
    ]
