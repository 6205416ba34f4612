"""From an accepted design to its registration."""

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from designs.models import Design, DesignVersion
from designs.queries import document_of, document_of_version
from designs.queries.findings import all_findings
from designs.queries.rehearsals import failed_rehearsal, obstacles_of
from designs.services import freeze_version
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.checks import Finding
from evaluation.designs.completeness import is_required
from evaluation.designs.differences import Difference, compare
from evaluation.designs.document import Document, State
from evaluation.designs.document.entries import BLANK
from registry.models import Registration, RegistrationVersion
from registry.services.messages import tell_registered
from registry.services.registering import register
from reviews.models import Filing
from reviews.queries import accepted_filing, latest
from reviews.rules import chairs

# A design that comes too late cannot come earlier any more: better a record that says so than none (REG-7).
REGISTERED_FIRST = "challenge_schedule.design_first"


@dataclass(frozen=True)
class Missing:
    """A required parameter that is still open, of the challenge or of a task."""

    parameter: Parameter
    task: str


@dataclass(frozen=True)
class Readiness:
    """The registration that would be created, and the obstacles to it.

    Attributes
    ----------
    filing
        The accepted filing. Without one, only administrators register.
    accepted
        The version that was accepted.
    completed
        Values completed since the acceptance. They are registered too if nothing else changed.
    other_changes
        Other changes. They are excluded and require a change request.
    document
        The document that would be registered.
    is_late
        Whether training data were released or registration opened before. This is possible, and the mark is
        permanent.
    """

    filing: Filing | None
    accepted: DesignVersion | None
    completed: tuple[Difference, ...]
    other_changes: tuple[Difference, ...]
    document: Document
    missing: tuple[Missing, ...]
    errors: tuple[Finding, ...]
    is_late: bool

    @property
    def is_ready(self) -> bool:
        """True if no value is missing and no error remains."""
        return not self.missing and not self.errors


def readiness(design: Design) -> Readiness:
    """Compare the current design with the accepted version and check the document to register.

    Values that were announced “by a date” or left blank at acceptance can be completed before the registration.
    Any other change was not reviewed. In that case the accepted version is registered.
    """
    filing = accepted_filing(design)
    filed = latest(filing) if filing is not None else None
    present = document_of(design)
    accepted = filed.version if filed is not None else None
    if accepted is None:
        return _measured(design, None, None, (), (), present)
    reviewed = document_of_version(accepted)
    differences = compare(reviewed, present)
    completed = tuple(difference for difference in differences if _completes(difference, reviewed))
    others = tuple(difference for difference in differences if difference not in completed)
    return _measured(design, filing, accepted, completed, others, reviewed if others else present)


@transaction.atomic
def register_design(
    *,
    design: Design,
    actor: User,
    comment_until: datetime | None = None,
    by_system: bool = False,
    is_embargoed: bool = False,
) -> RegistrationVersion:
    """Register an accepted design.

    An administrator can also register a design without a call, as an example.

    Parameters
    ----------
    by_system
        Whether the system registers the design without a person, as for the example data.
    is_embargoed
        Whether the public sees identifier, dates and digests only, until the organizers end the embargo.

    Raises
    ------
    ValidationError
        If the design cannot be registered.
    """
    design = Design.objects.select_for_update(no_key=True).get(pk=design.pk)
    if Registration.objects.filter(design=design).exists():
        raise ValidationError("This design is registered already; changes go through a change request.")
    state = readiness(design)
    if state.filing is None and not (by_system or actor.is_superuser):
        raise ValidationError("Only a design that a call has accepted is registered.")
    if state.filing is not None and not state.is_ready:
        raise ValidationError("Something is still open; it has to be filled in before the design is registered.")
    version = state.accepted
    if version is None or (state.completed and not state.other_changes):
        version = _frozen(design, actor)
    if state.filing is not None and (failed := failed_rehearsal(design, version.digest)) is not None:
        raise ValidationError(
            f"The rehearsal of this design failed: {' '.join(obstacles_of(failed)[:3])} "
            "Open “Rehearsal” in the design, follow the proposals, and rehearse again."
        )
    # An organizer sets off what the acceptance led to: the step of the filing is then the system's.
    leads = state.filing is not None and chairs(actor, state.filing)
    registered = register(
        design_version=version,
        actor=None if by_system else actor,
        filing=state.filing,
        comment_until=comment_until,
        is_embargoed=is_embargoed,
        is_example=state.filing is None,
        is_late=state.is_late,
        steps_as=actor if leads else None,
    )
    if not by_system:
        tell_registered(registered.registration, actor)
    return registered


def _frozen(design: Design, actor: User) -> DesignVersion:
    newest = design.versions.order_by("-number").first()
    try:
        with transaction.atomic():
            return freeze_version(actor=actor, design=design, name="Registered")
    except ValidationError:
        # Nothing has changed since the newest version.
        if newest is None:
            raise
        return newest


def _completes(difference: Difference, reviewed: Document) -> bool:
    entries = reviewed.challenge if difference.task is None else reviewed.tasks.get(difference.task, {})
    before = entries.get(difference.parameter.id, BLANK)
    if before.state is State.FOLLOWS:
        return True
    return before.state is State.BLANK and not before.details and difference.parameter.required


def _measured(
    design: Design,
    filing: Filing | None,
    accepted: DesignVersion | None,
    completed: tuple[Difference, ...],
    others: tuple[Difference, ...],
    document: Document,
) -> Readiness:
    missing: dict[tuple[str, str], Missing] = {}
    for values in document.each_task():
        for parameter in shipped().parameters.values():
            if is_required(parameter, values) and not values.entry(parameter.id).is_filled:
                task = values.name if parameter.is_task else ""
                missing.setdefault((parameter.id, task), Missing(parameter, task))
    errors = [finding for finding in all_findings(document, design=design, phase="registration") if finding.blocks]
    return Readiness(
        filing,
        accepted,
        completed,
        others,
        document,
        tuple(missing.values()),
        tuple(finding for finding in errors if finding.check.id != REGISTERED_FIRST),
        is_late=filing is not None and any(finding.check.id == REGISTERED_FIRST for finding in errors),
    )
