"""Letting references be read for pitfalls, and asking how far that is."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs.forms.trials import ScanForm
from designs.models import Scan
from designs.services import scans as services
from designs.services.sent_files import MAX_BYTES
from designs.views.access import design_for, task_of
from web.bodies import takes_files


@takes_files(lambda: MAX_BYTES)
@login_required
@require_POST
def scan(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    """Read uploaded references, or those of a test set that the person organizes."""
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    if design_task is None:
        raise Http404("There is no such task.")
    key = request.POST.get("test_set")
    form = ScanForm(request.POST, request.FILES)
    try:
        if key:
            services.request_scan_of_test_set(actor=request.user, task=design_task, key=key)
        elif form.is_valid():
            services.request_scan(actor=request.user, task=design_task, **form.cleaned_data)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        if key or form.is_valid():
            messages.success(request, "The references are being read.")
        else:
            messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    return redirect("designs:task_advice", design.slug, design_task.key)


@require_safe
def status(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress, requested every two seconds, and reload the page when the scan is over."""
    design = design_for(request, slug, "collaborate_on_design")
    design_scan = get_object_or_404(Scan.objects.defer("result", "plan"), pk=pk, task__design=design)
    response = render(request, "designs/parts/scanning.html", {"design": design, "scan": design_scan})
    if design_scan.is_over:
        response["HX-Refresh"] = "true"
    return response
