"""Moving the deadline of a phase to a later date."""

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from challenges.domain.problems import NotLaunchableError
from challenges.models import Phase
from challenges.queries.projections import projection_of
from challenges.queries.schedule_changes import SCHEDULE, LaterSchedule, later_schedule
from designs.models import Design
from designs.queries import document_of
from designs.services import save_field
from registry.changes.models import ChangeClass, ChangeRequest
from registry.changes.queries.documents import Proposal, fragment, parameter_of
from registry.changes.queries.severity import Severity, severity_of, unsaved
from registry.changes.services import request_proposal
from registry.hooks import operation_of
from registry.models import RegistrationVersion
from registry.queries import current_version

EFFECT = "Every team has more time to submit."


def prepare_later_deadline(phase: Phase, days: int) -> tuple[Proposal, Severity]:
    """Return the change of the registered schedule with which a phase closes some days later, and its severity.

    Raises
    ------
    ValidationError
        When the challenge has no registration, or its schedule states no deadline for this phase.
    """
    projection = projection_of(phase.challenge)
    if projection is None:
        raise ValidationError("This challenge has no registered schedule.")
    registration = projection.registration
    version = current_version(registration)
    try:
        schedule = later_schedule(version, phase, days)
    except NotLaunchableError as error:
        raise ValidationError([str(problem) for problem in error.problems]) from error
    proposal = _proposal(version, schedule)
    return proposal, severity_of(version, operation_of(registration), unsaved(proposal))


@transaction.atomic
def move_deadline(*, actor: User, phase: Phase, days: int, reason: str) -> ChangeRequest:
    """Let a phase close some days later, at once: in the registration, the working design and the challenge.

    Raises
    ------
    ValidationError
        When the change is more than a later deadline that is set before the close; then it needs a change request.
    """
    proposal, severity = prepare_later_deadline(phase, days)
    if severity.change_class != ChangeClass.EXTENSION:
        raise ValidationError(
            "This is not only a later deadline set before the close. Change the schedule in the working design, and "
            "request the change."
        )
    registration = phase.challenge.projection.registration
    before = proposal.before.get("", [])
    _move_in_draft(actor, registration.design, proposal, list(zip(before, proposal.after[""], strict=True)))
    return request_proposal(actor=actor, registration=registration, proposal=proposal, reason=reason, effect=EFFECT)


def _proposal(version: RegistrationVersion, schedule: LaterSchedule) -> Proposal:
    entries = version.document["challenge"]
    if schedule.task:
        entries = next(task for task in version.document["tasks"] if task["key"] == schedule.task)
    before = fragment(entries, SCHEDULE)
    after = before | {"": [dict(row) for row in schedule.rows]}
    return Proposal(schedule.task, parameter_of(SCHEDULE), before, after)


def _move_in_draft(
    actor: User, design: Design, proposal: Proposal, rows: list[tuple[dict[str, str], dict[str, str]]]
) -> None:
    """Move the same rows in the working design; rows that the organizers changed there stay as they are."""
    document = document_of(design)
    task = design.tasks.filter(key=proposal.task, removed_at=None).first() if proposal.task else None
    entries = document.tasks.get(proposal.task, {}) if proposal.task else document.challenge
    entry = entries.get(SCHEDULE)
    if entry is None or not isinstance(entry.value, list) or (proposal.task and task is None):
        return
    moved = [_moved(row, rows) for row in entry.value]
    if moved != entry.value:
        save_field(actor=actor, design=design, task=task, parameter=SCHEDULE, value=moved)


def _moved(row: dict[str, str], rows: list[tuple[dict[str, str], dict[str, str]]]) -> dict[str, str]:
    return next((after for before, after in rows if before == row), row)
