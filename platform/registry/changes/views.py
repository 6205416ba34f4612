"""Pages of change requests."""

from typing import Any

import rules
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import SignedInRequest
from registry.changes import forms, services
from registry.changes.models import ChangeClass, ChangeRequest
from registry.changes.queries import documents, histories, requests
from registry.changes.queries.policy import Stage, policy, stage_of
from registry.changes.queries.severity import severity_of, unsaved
from registry.hooks import Operation, operation_of
from registry.models import Registration
from registry.queries import current_version, registration_or_404
from registry.views.context import record_context
from web.spreadsheets import csv_file


def registration_context(
    request: HttpRequest, registration: Registration, current: str = "changes:list"
) -> dict[str, Any]:
    """Return the context of every page about a registration's changes and drift checks."""
    operation = operation_of(registration)
    stage = stage_of(operation)
    return {
        **record_context(request, registration, current),
        "operation": operation,
        "stage": stage,
        "policies": {
            name: policy(name, stage, has_participants=operation is not None and bool(operation.participants))
            for name in ChangeClass.values
        },
        "may_request": rules.test_rule("changes.request", request.user, registration),
        "may_decide": rules.test_rule("changes.decide", request.user, registration),
    }


@require_safe
def changes(request: HttpRequest, identifier: str) -> HttpResponse:
    """Show all change requests of a registration, in public."""
    registration = registration_or_404(identifier, request.user)
    context = registration_context(request, registration)
    context |= {
        "requests": requests.requests_of(registration),
        "task_stages": _task_stages(registration, context["operation"]),
    }
    return render(request, "changes/list.html", context)


def _task_stages(registration: Registration, operation: Operation | None) -> list[tuple[str, Stage]]:
    """The stage of each task; empty where all have the same."""
    if operation is None or len(operation.tasks) < 2:
        return []
    names = documents.task_names(current_version(registration))
    stages = [(name, stage_of(operation, {key})) for key, name in names.items()]
    return stages if len({stage for _, stage in stages}) > 1 else []


@require_safe
def changes_csv(request: HttpRequest, identifier: str) -> HttpResponse:
    """Every proposed change with its outcome."""
    registration = registration_or_404(identifier, request.user)
    head, *rows = requests.history(registration)
    return csv_file(f"{registration.identifier}-changes.csv", head, rows)


@require_safe
def history_csv(request: HttpRequest, identifier: str) -> HttpResponse:
    """List the values of each parameter, with the version that introduced them."""
    registration = registration_or_404(identifier, request.user)
    head, *rows = histories.rows(registration)
    return csv_file(f"{registration.identifier}-history.csv", head, rows)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: SignedInRequest, identifier: str) -> HttpResponse:
    """Choose what of the working design is to become registered, with reason and effect of each parameter."""
    registration = registration_or_404(identifier, request.user)
    if not rules.test_rule("changes.request", request.user, registration):
        raise PermissionDenied("Those who may change the design request changes of its registration.")
    version = current_version(registration)
    data = request.POST if request.method == "POST" else None
    pairs = forms.wanted_forms(documents.proposals(registration, version), data)
    form = forms.RequestForm(data)
    if data is not None and all([form.is_valid(), *(entry.is_valid() for _, entry in pairs)]):
        try:
            change_request = services.request_change(
                actor=request.user, registration=registration, wanted=forms.wanted_of(pairs), **form.cleaned_data
            )
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(
                request,
                f"Version {change_request.result.number} applies now."
                if change_request.result is not None
                else f"Change request {change_request.number} waits for a decision.",
            )
            return redirect(change_request)
    names, context = documents.task_names(version), registration_context(request, registration)
    operation = context["operation"]
    context |= {
        "version": version,
        "form": form,
        "proposals": [
            (
                proposal,
                entry,
                names.get(proposal.task) or documents.task_of(proposal),
                severity_of(version, operation, unsaved(proposal)),
            )
            for proposal, entry in pairs
        ],
        "open": registration.change_requests.filter(state=ChangeRequest.State.OPEN).first(),
    }
    return render(request, "changes/new.html", context)


@require_safe
def change(request: HttpRequest, identifier: str, number: int) -> HttpResponse:
    """One request: values compared, objections for those who may read them, the decision."""
    registration = registration_or_404(identifier, request.user)
    change_request = requests.request_or_404(registration, number)
    return _page(request, registration, change_request)


def _page(
    request: HttpRequest, registration: Registration, change_request: ChangeRequest, **bound: Any
) -> HttpResponse:
    context = registration_context(request, registration)
    request_changes = requests.changes_of(change_request, context["operation"])
    reads_objections = context["may_decide"] or context["may_request"]
    deviates = any(entry.needed.only_as_deviation for entry in request_changes)
    pairs = bound.get("pairs") or forms.verdict_forms([entry.change for entry in request_changes], None)
    by_change = {change.pk: form for change, form in pairs}
    context |= {
        "found": change_request,
        "shown": [(entry, by_change[entry.change.pk]) for entry in request_changes],
        "objections": change_request.objections.select_related("user") if reads_objections else None,
        "objection_count": change_request.objections.count(),
        "may_object": rules.test_rule("changes.object_to", request.user, change_request),
        "has_objected": request.user.is_authenticated and change_request.objections.filter(user=request.user).exists(),
        "objection_form": bound.get("objection_form") or forms.ObjectionForm(),
        "deviation_form": bound.get("deviation_form") or forms.DeviationForm(),
        "deviates": deviates,
        "decision_errors": bound.get("errors", []),
    }
    return render(request, "changes/detail.html", context, status=422 if bound else 200)


@login_required
@require_POST
def withdraw(request: SignedInRequest, identifier: str, number: int) -> HttpResponse:
    """Take a request back."""
    registration = registration_or_404(identifier, request.user)
    change_request = requests.request_or_404(registration, number)
    if not rules.test_rule("changes.request", request.user, registration):
        raise PermissionDenied("Those who may change the design withdraw requests.")
    _act(
        request,
        lambda: services.withdraw_request(actor=request.user, request=change_request),
        "The request is withdrawn.",
    )
    return redirect(change_request)


@login_required
@require_POST
def object_to(request: SignedInRequest, identifier: str, number: int) -> HttpResponse:
    """Object to a request."""
    registration = registration_or_404(identifier, request.user)
    change_request = requests.request_or_404(registration, number)
    if not rules.test_rule("changes.object_to", request.user, change_request):
        raise PermissionDenied("Those who take part object to an open request.")
    form = forms.ObjectionForm(request.POST)
    if not form.is_valid():
        return _page(request, registration, change_request, objection_form=form)
    text = form.cleaned_data["text"]
    _act(
        request,
        lambda: services.object_to(actor=request.user, request=change_request, text=text),
        "Your objection is with the chairs and the organizers.",
    )
    return redirect(change_request)


@login_required
@require_POST
def decide(request: SignedInRequest, identifier: str, number: int) -> HttpResponse:
    """Decide about every parameter of a request."""
    registration = registration_or_404(identifier, request.user)
    change_request = requests.request_or_404(registration, number)
    if not rules.test_rule("changes.decide", request.user, registration):
        raise PermissionDenied("A chair who has no part in the design decides about its changes.")
    pairs = forms.verdict_forms(list(change_request.changes.all()), request.POST)
    deviation = forms.DeviationForm(request.POST)
    errors: list[str] = []
    if all([deviation.is_valid(), *(form.is_valid() for _, form in pairs)]):
        try:
            services.decide(
                actor=request.user,
                request=change_request,
                verdicts=forms.verdicts_of(pairs),
                as_deviation=deviation.cleaned_data["as_deviation"],
            )
        except ValidationError as error:
            errors = error.messages
        else:
            messages.success(request, "The decision is recorded, and everyone concerned is notified.")
            return redirect(change_request)
    change_request.refresh_from_db()
    return _page(request, registration, change_request, pairs=pairs, deviation_form=deviation, errors=errors)


def _act(request: HttpRequest, act: Any, done: str) -> None:
    try:
        act()
    except ValidationError as error:
        for message in error.messages:
            messages.error(request, message)
    else:
        messages.success(request, done)
