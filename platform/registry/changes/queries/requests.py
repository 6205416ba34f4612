"""Reads worth naming."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, QuerySet
from django.http import Http404

from evaluation.designs.catalogue import Parameter
from evaluation.designs.differences import Difference
from registry.changes.models import ChangeDecision, ChangeRequest, ProposedChange
from registry.changes.queries.documents import difference, parameter_of, task_names, task_of
from registry.changes.queries.policy import Policy
from registry.changes.queries.severity import Severity, needed_for, severity_of
from registry.hooks import Operation
from registry.models import Registration


@dataclass(frozen=True)
class ChangeRow:
    """A proposed change as pages show it."""

    change: ProposedChange
    parameter: Parameter
    task: str
    difference: Difference | None
    decision: ChangeDecision | None
    severity: Severity
    needed: Policy


def requests_of(registration: Registration) -> QuerySet[ChangeRequest]:
    """All requests of a registration with their result and numbers, the newest first."""
    return (
        ChangeRequest.objects.filter(registration=registration)
        .select_related("base", "result", "registration")
        .defer("base__canonical", "base__sealed", "result__canonical", "result__sealed")
        .prefetch_related("changes__decision")
        .annotate(objection_count=Count("objections", distinct=True))
        .order_by("-number")
    )


def request_or_404(registration: Registration, number: int) -> ChangeRequest:
    """A request by its number.

    Raises
    ------
    Http404
        When there is none.
    """
    change_request = (
        ChangeRequest.objects.filter(registration=registration, number=number)
        .select_related("registration", "base", "result")
        .first()
    )
    if change_request is None:
        raise Http404("There is no such change request.")
    return change_request


def changes_of(request: ChangeRequest, operation: Operation | None = None) -> list[ChangeRow]:
    """The changes of a request with their values compared, what they need and what was decided."""
    names = task_names(request.base)
    severities = {change.pk: severity_of(request.base, operation, change) for change in request.changes.all()}
    return [
        ChangeRow(
            change=change,
            parameter=parameter_of(change.parameter),
            task=names.get(change.task) or task_of(change),
            difference=difference(
                parameter_of(change.parameter), change.before, change.after, task=change.task or None
            ),
            decision=getattr(change, "decision", None),
            severity=severities[change.pk],
            needed=needed_for(change, severities[change.pk], operation),
        )
        for change in request.changes.select_related("decision")
    ]


def history(registration: Registration) -> list[list[Any]]:
    """Every proposed change of a registration as rows of a file."""
    head = ["request", "requested", "parameter", "task", "class", "outcome", "decided", "version", "reason", "effect"]
    rows = (
        ProposedChange.objects.filter(request__registration=registration)
        .select_related("request__result", "decision")
        .defer("request__result__canonical", "request__result__sealed")
        .order_by("request__number", "pk")
    )
    return [head, *(_row(change) for change in rows)]


def _row(change: ProposedChange) -> list[Any]:
    decision = getattr(change, "decision", None)
    request = change.request
    return [
        request.number,
        request.requested_at.isoformat(),
        change.parameter,
        change.task,
        change.change_class,
        decision.outcome if decision else request.state,
        decision.decided_at.isoformat() if decision else "",
        request.result.number if request.result and decision and decision.outcome != "refused" else "",
        change.reason,
        change.effect,
    ]
