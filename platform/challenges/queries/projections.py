"""Comparison of a running challenge with its registration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from challenges import hooks
from challenges.models import Challenge, Phase, PhaseAssessment, Projection, Task
from challenges.queries.planning import PROJECTED_FIELDS, Plan, plan
from challenges.queries.timetable import period, timetable_of
from designs.queries import document_of_version
from evaluation.assessment import Assessment, parse
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, from_json
from registry.models import Registration, RegistrationVersion
from registry.queries import ExecutionFacts, execution_facts


def public_document(version: RegistrationVersion) -> Document:
    """Return the public document, in which embargoed values are absent."""
    return from_json(version.document, catalogue=shipped(), lenient=True)[0]


def registered_document(version: RegistrationVersion) -> Document:
    """The document with embargoed values in their places, for execution only."""
    return document_of_version(version)


def projection_of(challenge: Challenge) -> Projection | None:
    """From which registered version a challenge is run; `None` for one that was made without a registration."""
    return getattr(challenge, "projection", None)


def scoring_key(document: Mapping[str, Any]) -> str:
    """Digest of what of an assessment decides about scores of cases; equal keys share their results.

    Policies, operators, ties and ranking work on scores that are there already.
    """
    metrics = [
        {key: metric.get(key) for key in ("id", "name", "options", "direction")} for metric in document["metrics"]
    ]
    return sha256({"problem": document["problem"], "regions": document.get("regions"), "metrics": metrics})


def assessment_by_digest(phase: Phase, digest: str) -> Assessment | None:
    """The assessment of a digest that a phase runs or ran; `None` for a digest that was never its own."""
    executed = phase.assessment
    if executed.digest == digest:
        return executed
    phase_assessment = PhaseAssessment.objects.filter(phase=phase, digest=digest).first()
    return parse(phase_assessment.document) if phase_assessment else None


@dataclass(frozen=True)
class Registered:
    """The registration of a challenge, for its page.

    Attributes
    ----------
    days_before
        Days from the registration of the version to the day submissions open or opened; ``None`` without such a day.
    has_opened
        Whether that day has come.
    """

    registration: Registration
    number: str
    address: str
    days_before: int | None
    has_opened: bool


def registered_facts(challenge: Challenge, phases: Sequence[Phase]) -> Registered | None:
    """Return the publication time of the executed assessment relative to the first opening (MAN-3).

    The first opening is that of submissions. The result is ``None`` for a challenge without a registration.
    """
    projection = projection_of(challenge)
    if projection is None:
        return None
    opens, _ = period([timetable_of(phase) for phase in phases])
    version = projection.version
    return Registered(
        registration=projection.registration,
        has_opened=opens is not None and opens <= timezone.now(),
        number=version.number,
        address=reverse("registry:version", args=[projection.registration.identifier, version.number]),
        days_before=None if opens is None else _days_before(version.registered_at, opens),
    )


def registered_execution(challenge: Challenge) -> ExecutionFacts | None:
    """Return the parts of the registered design that the platform executes; ``None`` without a registration."""
    projection = projection_of(challenge)
    return None if projection is None else execution_facts(projection.version)


@dataclass(frozen=True)
class FieldDifference:
    """A projected field whose content differs from the registered version."""

    place: str
    field: str
    registered: Any
    present: Any


def projection_differences(challenge: Challenge) -> list[FieldDifference]:
    """Compare every projected field, assessments included, with the version of the projection.

    This is the version that the challenge is recorded to run.

    Raises
    ------
    Projection.DoesNotExist
        For a challenge without a registration.
    """
    projection = Projection.objects.select_related("challenge", "version").get(challenge=challenge)
    challenge = projection.challenge  # as it is stored, whatever the caller holds
    registered: Plan = plan(registered_document(projection.version))
    differences = _compared(challenge.slug, "challenge", challenge, registered.fields)
    if projection.digest != projection.version.digest:
        differences.append(FieldDifference(challenge.slug, "digest", projection.version.digest, projection.digest))
    tasks = {task.design_key: task for task in challenge.tasks.filter(removed_at=None).prefetch_related("phases")}
    for entry in registered.tasks:
        task: Task | None = tasks.pop(entry.key, None)
        task_path = f"{challenge.slug}/{entry.key}"
        if task is None:
            differences.append(FieldDifference(task_path, "task", entry.name, None))
            continue
        differences += _compared(task_path, "task", task, entry.fields)
        wanted = parse(entry.assessment).digest
        phases = {phase.slug: phase for phase in task.phases.all()}
        for planned in entry.phases:
            phase = phases.pop(planned.slug, None)
            phase_path = f"{task_path}/{planned.slug}"
            if phase is None:
                differences.append(FieldDifference(phase_path, "phase", planned.name, None))
                continue
            differences += _compared(phase_path, "phase", phase, planned.fields)
            differences += [
                FieldDifference(phase_path, field, wanted, present)
                for field, present in (
                    ("assessment_digest", phase.assessment_digest),
                    ("assessment_document", phase.assessment.digest),
                )
                if present != wanted
            ]
        differences += [
            FieldDifference(f"{task_path}/{slug}", "phase", None, phase.name) for slug, phase in phases.items()
        ]
    differences += [FieldDifference(f"{challenge.slug}/{key}", "task", None, task.name) for key, task in tasks.items()]
    return differences


def _compared(path: str, kind: str, thing: Any, wanted: Mapping[str, Any]) -> list[FieldDifference]:
    return [
        FieldDifference(path, field, wanted[field], getattr(thing, field))
        for field in PROJECTED_FIELDS[kind]
        if getattr(thing, field) != wanted[field]
    ]


def arrivals_of(challenge: Challenge) -> dict[int, hooks.Arrivals]:
    """Submissions to each task (by id), as all apps know them; tasks without any are absent."""
    arrivals: dict[int, hooks.Arrivals] = {}
    for provider in hooks.arrivals:
        for task, entry in provider(challenge).items():
            earlier = arrivals.get(task, hooks.Arrivals())
            times = [time for time in (earlier.first_accepted_at, entry.first_accepted_at) if time is not None]
            arrivals[task] = hooks.Arrivals(min(times, default=None), earlier.refused + entry.refused)
    return arrivals


def _days_before(registered: datetime, opens: datetime) -> int:
    """Days in the calendar (UTC) from the registration to the opening; -1 for a registration after it."""
    if registered > opens:
        return -1
    return (opens.astimezone(UTC).date() - registered.astimezone(UTC).date()).days
