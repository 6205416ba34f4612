"""Values of registered challenges, computed again from their registered versions and the audit log."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from challenges.models import Challenge, Phase, PhaseAssessment, Projection, Task
from challenges.queries.planning import PROJECTED_FIELDS, Plan, plan
from challenges.queries.projections import registered_document
from core.audit.models import Entry
from evaluation.assessment import parse
from registry.models import RegistrationVersion

ASSESSMENT = ("assessment_digest", "assessment_document")
PROJECTING = ("challenge_launched", "challenge_projected")

Rebuilt = Iterator[tuple[str, Mapping[str, Any], Callable[[], Mapping[str, Any]]]]


def rebuilt_challenges() -> Rebuilt:
    """Yield each registered challenge's key, its stored fields, and a function that returns them as registered."""
    for projection, planned in _plans():
        stored = _stored(projection.challenge, PROJECTED_FIELDS["challenge"])
        yield str(projection.challenge_id), stored, partial(_challenge, planned)


def rebuilt_tasks() -> Rebuilt:
    """Yield each registered task's key, its stored fields, and a function that returns them as registered."""
    for projection, planned in _plans():
        for task in projection.challenge.tasks.filter(removed_at=None):
            yield str(task.pk), _stored(task, PROJECTED_FIELDS["task"]), partial(_task, planned, task)


def rebuilt_phases() -> Rebuilt:
    """Yield each registered phase's key, its stored settings, and a function that returns them as registered.

    A moved deadline and an accepted change request are registered versions as well.
    """
    for projection, planned in _plans():
        rows = Phase.objects.filter(task__challenge=projection.challenge_id, task__removed_at=None)
        for phase in rows.select_related("task"):
            stored = _stored(phase, (*PROJECTED_FIELDS["phase"], *ASSESSMENT))
            yield str(phase.pk), stored, partial(_phase, planned, phase, projection)


def rebuilt_projections() -> Rebuilt:
    """Yield each projection's key, its version, and a function that returns the version that the audit log names."""
    for projection in Projection.objects.order_by("pk").iterator(100):
        stored = _stored(projection, ("version_id", "digest"))
        yield str(projection.pk), stored, partial(_projected, projection)


def _plans() -> Iterator[tuple[Projection, Callable[[], Plan]]]:
    for projection in Projection.objects.select_related("challenge", "version").order_by("pk").iterator(100):
        yield projection, cache(partial(_planned, projection.version))


def _planned(version: RegistrationVersion) -> Plan:
    return plan(registered_document(version))


def _stored(row: Challenge | Task | Phase | Projection, fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in fields}


def _challenge(planned: Callable[[], Plan]) -> Mapping[str, Any]:
    return planned().fields


def _task(planned: Callable[[], Plan], task: Task) -> Mapping[str, Any]:
    return next(entry.fields for entry in planned().tasks if entry.key == task.design_key)


def _phase(planned: Callable[[], Plan], phase: Phase, projection: Projection) -> Mapping[str, Any]:
    task = next(entry for entry in planned().tasks if entry.key == phase.task.design_key)
    fields = next(entry.fields for entry in task.phases if entry.slug == phase.slug)
    # Written once for each version: a later release can compile the same design to another document.
    executed = PhaseAssessment.objects.filter(phase=phase, version=projection.version_id).first()
    document = dict(task.assessment) if executed is None else executed.document
    return fields | {"assessment_document": document, "assessment_digest": parse(document).digest}


def _projected(projection: Projection) -> Mapping[str, Any]:
    entries = Entry.objects.filter(
        act__in=PROJECTING,
        subject_type="challenges.challenge",
        subject_id=str(projection.challenge_id),
    )
    facts = entries.latest("sequence").facts
    versions = projection.registration.versions.filter(digest=facts["digest"])
    version = next(version for version in versions if version.number == facts["version"])
    return {"version_id": version.pk, "digest": version.digest}
