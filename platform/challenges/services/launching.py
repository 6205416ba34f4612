"""A challenge comes to life from its registration, and follows the registration's later versions.

This module alone writes what a challenge holds of its design (`planning.PROJECTED_FIELDS`).
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from accounts.models import User
from challenges import hooks
from challenges.domain.problems import NotLaunchableError, Problem
from challenges.models import Challenge, Deviation, Phase, PhaseAssessment, Projection, Task
from challenges.queries.people import terms_of
from challenges.queries.planning import PhasePlan, Plan, TaskPlan, plan, unpublished
from challenges.queries.projections import public_document, registered_document, scoring_key
from challenges.services.challenges import close_phase, create_challenge, create_phase
from challenges.services.participation import set_terms
from core.audit.services import record
from designs.models import Collaborator, Design
from evaluation.assessment import parse
from registry.changes.queries.documents import parameter_of
from registry.models import Registration, RegistrationVersion
from registry.queries import current_version

RESERVED = frozenset({"launch", "new"})
"""Addresses that pages of their own have."""
_LONGEST = 69  # with a hyphen and ten random characters: 80


class GateShutError(ValidationError):
    """The launch gate (MAN-3) refuses to open submissions; `problems` name the parameters."""

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        self.problems = problems
        super().__init__(message, code="launch_gate")


def launch(*, actor: User | None, registration: Registration, slug: str = "", is_closed: bool = False) -> Challenge:
    """Make the challenge that a registration describes, in one act.

    Tasks, phases, quotas, visibility, texts and assessments follow from its current version. Where the launch gate lets
    it, the challenge is public and takes submissions in its phases at once; otherwise it is there for its organizers, and
    `open_submissions` tries again.

    Parameters
    ----------
    is_closed
        Whether only members and invited people see the challenge. Its address then ends in random characters, so that
        nobody learns from a taken address that it exists.

    Raises
    ------
    ValidationError
        When it was launched before, has ended, its address is taken, or the design cannot be executed; then the message
        names the parameters.
    """
    slug = slugify(slug) or registration.slug
    if slug in RESERVED:
        raise ValidationError({"slug": f"The address “{slug}” belongs to another page."})
    if is_closed:
        slug = f"{slug[:_LONGEST]}-{get_random_string(10, 'abcdefghjkmnpqrstuvwxyz23456789')}"
    try:
        with transaction.atomic():
            return _launch(actor, registration, slug, is_closed=is_closed)
    except IntegrityError as error:
        raise ValidationError(
            "Another person launched this challenge, or took its address, at the same moment."
        ) from error


def _launch(actor: User | None, registration: Registration, slug: str, *, is_closed: bool) -> Challenge:
    registration = Registration.objects.select_for_update(no_key=True).get(pk=registration.pk)
    if registration.is_ended:
        raise ValidationError(f"This registration was {registration.get_state_display()}.")
    if Projection.objects.filter(registration=registration).exists():
        raise ValidationError("This registration has been launched already.")
    if Challenge.objects.filter(slug=slug).exists():
        raise ValidationError({"slug": f"There is already a challenge at the address “{slug}”."})
    version = current_version(registration)
    projected = _plan(version)
    challenge = create_challenge(
        actor=actor,
        organizers=organizers_of(registration.design),
        slug=slug,
        is_public=False,
        is_closed=is_closed,
        **projected.fields,
    )
    Projection.objects.create(
        challenge=challenge, registration=registration, version=version, digest=version.digest, launched_by=actor
    )
    _write(actor, challenge, version, projected)
    _write_terms(actor, challenge)
    record(
        actor=actor,
        act="challenge_launched",
        subject=challenge,
        scope=challenge.slug,
        facts={"registration": registration.identifier, "version": version.number, "digest": version.digest},
    )
    if not gate_problems(version) and registration.is_final:
        open_submissions(actor=actor, challenge=challenge)
    challenge.refresh_from_db()
    return challenge


def refuse_embargo(registration: Registration) -> None:
    """Refuse to show a challenge to everyone whose registration is under embargo."""
    if registration.is_embargoed:
        raise GateShutError(
            f"{registration.identifier} is under embargo. End the embargo first, or close the challenge to the public."
        )


def organizers_of(design: Design) -> list[User]:
    """People who run the challenge of a design: those who may change the design."""
    roles = (Collaborator.Role.OWNER, Collaborator.Role.EDITOR)
    return [part.user for part in design.collaborators.filter(role__in=roles).select_related("user")]


def gate_problems(version: RegistrationVersion) -> tuple[Problem, ...]:
    """Parameters of the assessment that this version does not show to the public."""
    return unpublished(public_document(version))


@transaction.atomic
def open_submissions(*, actor: User | None, challenge: Challenge) -> Challenge:
    """Let the phases of a launched challenge take submissions in their time, and show it to its readers.

    It becomes public, unless it is closed: then its members and invited people see it.

    Raises
    ------
    GateShutError
        As long as metric, ranking, tie or missing-data parameters are not public in the registration, or the registration
        is not final.
    """
    projection = (
        Projection.objects.select_for_update(of=("self",), no_key=True)
        .select_related("registration", "version")
        .get(challenge=challenge)
    )
    registration, version = projection.registration, projection.version
    if projection.opened_at is not None:
        return challenge
    if problems := gate_problems(version):
        named = "; ".join(str(problem) for problem in problems)
        raise GateShutError(
            f"Submissions cannot open before these parameters are public in the registration: {named}.", problems
        )
    if not registration.is_final:
        until = registration.comment_until
        when = f" until {until:%-d %B %Y}" if until and not registration.is_ended else ""
        raise GateShutError(f"The registration is {registration.get_state_display()}{when}; submissions open after it.")
    projection.opened_at = timezone.now()
    projection.save(update_fields=["opened_at"])
    phases = Phase.objects.filter(task__challenge=challenge, task__removed_at=None)
    phases.update(is_held=False, admits_from=projection.opened_at)
    if not Challenge.objects.filter(pk=challenge.pk, is_closed=True).exists():
        refuse_embargo(registration)
        Challenge.objects.filter(pk=challenge.pk).update(is_public=True)
        challenge.is_public = True
    record(
        actor=actor,
        act="submissions_opened",
        subject=challenge,
        scope=challenge.slug,
        facts={"registration": registration.identifier, "version": version.number, "digest": version.digest},
    )
    return challenge


@transaction.atomic
def follow(*, version: RegistrationVersion, actor: User | None = None) -> Challenge | None:
    """Run the challenge of a registration from its new version; `None` when it has not been launched.

    A task that the version adds begins with its phases. One that it removes takes nothing any more: its phases close, and
    what was submitted and ranked stays. A version that is marked as a deviation leaves a mark in every phase that it
    concerns.

    Raises
    ------
    ValidationError
        When the version cannot be executed, lacks a phase that is running, or withdraws parameters of the
        assessment from the public after submissions were opened.
    """
    projection = (
        Projection.objects.select_for_update(of=("self",), no_key=True)
        .select_related("challenge", "version")
        .filter(registration=version.registration_id)
        .first()
    )
    if projection is None:
        return None
    challenge = projection.challenge
    if projection.opened_at is not None and (problems := gate_problems(version)):
        named = "; ".join(str(problem) for problem in problems)
        raise GateShutError(f"Once submissions are open, these parameters stay public: {named}.", problems)
    projected = _plan(version)
    Challenge.objects.filter(pk=challenge.pk).update(**projected.fields)
    before = projection.digest
    projection.version, projection.digest, projection.projected_at = version, version.digest, timezone.now()
    projection.save(update_fields=["version", "digest", "projected_at"])
    _write(actor, challenge, version, projected)
    challenge.refresh_from_db()
    _write_terms(actor, challenge)
    record(
        actor=actor,
        act="challenge_projected",
        subject=challenge,
        scope=challenge.slug,
        facts={"version": version.number, "digest": version.digest, "before": before},
    )
    return challenge


def _write_terms(actor: User | None, challenge: Challenge) -> None:
    """Make the registered data usage agreement part of the terms; what organizers settle besides stays."""
    current = terms_of(challenge)
    if not challenge.agreement and current is None:
        return
    set_terms(
        actor=actor,
        challenge=challenge,
        agreement=challenge.agreement,
        requires_approval=bool(current and current.requires_approval),
        team_size=current.team_size if current else None,
        requires_method=bool(current and current.requires_method),
    )


def _plan(version: RegistrationVersion) -> Plan:
    try:
        return plan(registered_document(version))
    except NotLaunchableError as error:
        raise ValidationError([str(problem) for problem in error.problems], code="not_launchable") from error


def _write(actor: User | None, challenge: Challenge, version: RegistrationVersion, projected: Plan) -> None:
    tasks = {task.design_key: task for task in challenge.tasks.filter(removed_at=None)}
    for key in set(tasks) - {entry.key for entry in projected.tasks}:
        _remove(actor, tasks[key], version)
    for entry in projected.tasks:
        task = tasks.get(entry.key)
        if task is None:
            task = Task.objects.create(
                challenge=challenge, slug=_task_slug(challenge, entry), design_key=entry.key, **entry.fields
            )
        else:
            Task.objects.filter(pk=task.pk).update(**entry.fields)
        _write_phases(actor, task, version, entry)


def _remove(actor: User | None, task: Task, version: RegistrationVersion) -> None:
    """End a task that the new version lacks. Its record stays: what was submitted is neither hidden nor deleted."""
    Task.objects.filter(pk=task.pk).update(removed_at=version.registered_at)
    for phase in task.phases.all():
        close_phase(actor=actor, phase=phase)
        _mark(phase, version, task.design_key, before=phase.assessment_digest)


def _task_slug(challenge: Challenge, entry: TaskPlan) -> str:
    stem = slugify(entry.name)[:70] or entry.key
    taken = set(challenge.tasks.values_list("slug", flat=True))
    return next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)


def _write_phases(actor: User | None, task: Task, version: RegistrationVersion, entry: TaskPlan) -> None:
    assessment = parse(entry.assessment)
    phases = {phase.slug: phase for phase in Phase.objects.select_for_update(no_key=True).filter(task=task)}
    if gone := set(phases) - {planned.slug for planned in entry.phases}:
        raise ValidationError(
            f"The challenge runs “{phases[min(gone)].name}”, which the schedule of the new version lacks."
        )
    opened = Projection.objects.values_list("opened_at", flat=True).get(challenge=task.challenge_id) is not None
    for planned in entry.phases:
        phase = phases.get(planned.slug)
        if phase is None:
            phase = create_phase(
                actor=actor,
                task=task,
                assessment=entry.assessment,
                is_held=not opened,
                admits_from=timezone.now() if opened else None,
                **planned.fields,
            )
            _mark(phase, version, entry.key, before=phase.assessment_digest)
        else:
            _rewrite(phase, version, planned, entry)
        PhaseAssessment.objects.create(
            phase=phase, version=version, document=dict(entry.assessment), digest=assessment.digest
        )


def _rewrite(phase: Phase, version: RegistrationVersion, planned: PhasePlan, entry: TaskPlan) -> None:
    """Update an existing phase to the new version, mark the deviation, and recompute results and rankings."""
    before, after = phase.assessment, parse(entry.assessment)
    if not phase.is_held and not phase.has_opened:
        phase.admits_from = timezone.now()  # an opening that is moved into the past takes effect now
    named_before = phase.announcement
    for name, value in planned.fields.items():
        setattr(phase, name, value)
    if phase.ended_at is not None and not phase.is_closed:
        phase.ended_at = None  # it closes again, at its new deadline
    phase.assessment_document, phase.assessment_digest = dict(entry.assessment), after.digest
    phase.save()
    _mark(phase, version, entry.key, before=before.digest)
    # Another policy of announcing results needs a ranking as well: it decides whether teams are ranked under pseudonyms.
    if before.digest != after.digest or named_before != phase.announcement:
        needs_scoring = scoring_key(before.document) != scoring_key(after.document)
        for callback in hooks.assessment_changed:
            callback(phase.pk, needs_scoring)


def _mark(phase: Phase, version: RegistrationVersion, task: str, *, before: str) -> None:
    """Mark for good what a deviation means for a phase."""
    if version.is_deviation and (concerned := _concerned(version, task)):
        Deviation.objects.create(
            phase=phase,
            version=version,
            registered_digest=before,
            executed_digest=phase.assessment_digest,
            parameters=concerned,
            reason=version.note,
            decided_at=version.registered_at,
            teams_scored=_teams_scored(phase, version),
        )


def _teams_scored(phase: Phase, version: RegistrationVersion) -> int | None:
    """Return how many teams had a score when the change was requested, according to the apps below."""
    request = getattr(version, "change_request", None)
    moment = request.requested_at if request is not None else version.registered_at
    counts = [provider(phase, moment) for provider in hooks.teams_scored]
    return max(counts, default=None)


def _concerned(version: RegistrationVersion, task: str) -> list[str]:
    """Labels of the parameters whose change in this version is a deviation for a task.

    Versions of earlier releases state neither the deviation of each change nor its tasks: every critical change counts.
    """
    deviating: list[dict[str, Any]] = [
        change for change in version.changes if change.get("deviation", change.get("class") == "critical")
    ]
    return [
        parameter_of(change["parameter"]).label
        for change in deviating
        if change.get("task") in (None, "", task) and task in change.get("tasks", [task])
    ]
