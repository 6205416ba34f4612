"""Pages of the drift check: for those who work on the design and those who decide about it."""

from typing import Any

import rules
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from evaluation.designs.catalogue import shipped
from registry.changes.queries.documents import task_names
from registry.changes.views import registration_context
from registry.drift import services
from registry.drift.domain.comparing import Agreement
from registry.drift.domain.reading import MAX_BYTES
from registry.drift.forms import DriftForm
from registry.drift.models import DriftCheck, DriftRequest
from registry.models import Registration
from registry.queries import registration_or_404
from web.bodies import takes_files
from web.spreadsheets import csv_file

Source = DriftCheck.Source
_REQUESTS = 20


def _readable(request: HttpRequest, identifier: str) -> Registration:
    registration = registration_or_404(identifier, request.user)
    if not rules.test_rule("drift.read", request.user, registration):
        raise PermissionDenied("Those who work on the design, and those who decide about it, read its drift checks.")
    return registration


def _context(request: HttpRequest, registration: Registration) -> dict[str, Any]:
    return {
        **registration_context(request, registration, "drift:list"),
        "may_check": rules.test_rule("drift.check", request.user, registration),
    }


@takes_files(lambda: MAX_BYTES)
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def drift(request: HttpRequest, identifier: str) -> HttpResponse:
    """All checks of a registration, and a new one."""
    registration = _readable(request, identifier)
    form = DriftForm(request.POST or None, request.FILES or None)
    if request.method == "POST":
        if not rules.test_rule("drift.check", request.user, registration):
            raise PermissionDenied("Those who may change the design check for drift.")
        if form.is_valid():
            try:
                request_check(request.user, registration, form.cleaned_data)
                return redirect("drift:list", registration.identifier)
            except ValidationError as error:
                form.add_error(None, error.messages)
    checks = (
        DriftCheck.objects.filter(registration=registration)
        .select_related("version", "registration")
        .defer("findings", "version__canonical", "version__sealed")
    )
    if request.GET.get("format") == "csv":
        heads = ["text", "checked_at", "version", "same", "missing", "different"]
        rows = ((c.title, c.checked_at, str(c.version.number), c.same, c.missing, c.different) for c in checks)
        return csv_file(f"{registration.identifier}-drift.csv", heads, rows)
    requests = DriftRequest.objects.filter(registration=registration).exclude(state=DriftRequest.State.DONE)
    context = {"checks": checks, "requests": requests.select_related("requested_by")[:_REQUESTS], "form": form}
    return render(request, "drift/list.html", {**_context(request, registration), **context})


def request_check(actor: Any, registration: Registration, given: dict[str, Any]) -> None:
    """Request a check of the text that a valid form contains."""
    common: dict[str, Any] = {"actor": actor, "registration": registration, "title": given["title"]}
    if file := given.get("file"):
        services.request_check(**common, source=Source.FILE, name=file.name, content=file.read())
    elif address := given.get("address"):
        services.request_check(**common, source=Source.ADDRESS, address=address)
    else:
        services.request_check(**common, source=Source.TEXT, content=given["text"].encode())


@login_required
@require_safe
def drift_check(request: HttpRequest, identifier: str, pk: int) -> HttpResponse:
    """Show the agreement of a text with each parameter."""
    registration = _readable(request, identifier)
    check = get_object_or_404(DriftCheck.objects.select_related("version"), registration=registration, pk=pk)
    names = task_names(check.version)
    order = [Agreement.DIFFERENT, Agreement.MISSING, Agreement.SAME]
    rows = [
        {
            **finding,
            "label": shipped()[finding["parameter"]].label,
            "class": shipped()[finding["parameter"]].change_class,
            "task_name": names.get(finding["task"], ""),
        }
        for finding in sorted(check.findings, key=lambda finding: order.index(Agreement(finding["found"])))
    ]
    if request.GET.get("format") == "csv":
        heads = ["task", "parameter", "found", "passage"]
        lines = ([row[name] for name in heads] for row in rows)
        return csv_file(f"{registration.identifier}-drift-{check.pk}.csv", heads, lines)
    if request.GET.get("format"):
        raise Http404("There is no such format.")
    return render(request, "drift/detail.html", {**_context(request, registration), "check": check, "rows": rows})
