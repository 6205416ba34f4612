"""Rehearsals of a design: requested here, run by a worker, shown on one page."""

from functools import partial

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.requests import SignedInRequest
from designs.models import Design, Rehearsal
from designs.queries import document_of, texts
from designs.queries.rehearsals import digest_of, rehearsal_of, shown_tasks
from designs.services import rehearsals as services
from designs.views.access import design_context, design_for, is_insider
from evaluation.designs.document import Document


@login_required
def rehearsal(request: SignedInRequest, slug: str) -> HttpResponse:
    """The rehearsal of the design as it is now, or of one version; the button starts one."""
    design = design_for(request, slug, "edit_design" if request.method == "POST" else "view_design")
    if not is_insider(request, design):
        raise PermissionDenied("Rehearsals are for the people who write or review the design.")
    if request.method == "POST":
        services.request_rehearsal(actor=request.user, design=design)
        return redirect("designs:rehearsal", design.slug)
    document = document_of(design)
    wanted = request.GET.get("version", "")
    version = None
    if wanted:
        if not wanted.isdecimal():
            raise Http404("Version not found.")
        version = get_object_or_404(design.versions, number=int(wanted))
    digest = digest_of(document) if version is None else version.digest
    current = rehearsal_of(design, digest)
    running = Rehearsal.objects.filter(
        design=design, digest=digest, state__in=(Rehearsal.State.QUEUED, Rehearsal.State.RUNNING)
    ).first()
    earlier = None if current or version else design.rehearsals.filter(state=Rehearsal.State.DONE).first()
    newest = running or current or earlier
    return render(
        request,
        "designs/rehearsal.html",
        {
            **design_context(request, design, "rehearsal"),
            "rehearsal": newest,
            "is_outdated": newest is not None and newest == earlier,
            "version": version,
            "tasks": [] if newest is None else shown_tasks(newest, partial(_field_address, design, document)),
        },
    )


@require_safe
def status(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress, requested every two seconds, and reload the page when the rehearsal is over."""
    design = design_for(request, slug)
    if not is_insider(request, design):
        raise PermissionDenied("Rehearsals are for the people who write or review the design.")
    stored_rehearsal = get_object_or_404(Rehearsal.objects.defer("result"), pk=pk, design=design)
    response = render(request, "designs/parts/rehearsing.html", {"design": design, "rehearsal": stored_rehearsal})
    if stored_rehearsal.is_over:
        response["HX-Refresh"] = "true"
    return response


def _field_address(design: Design, document: Document, parameter: str, task: str) -> str:
    """Return the address of a field in the form; empty for a task that the design no longer has."""
    definition = texts.catalogue()[parameter]
    if not definition.is_task:
        return f"{reverse('designs:section', args=[design.slug, definition.section])}#f-{parameter}"
    if task not in document.tasks:
        return ""
    return f"{reverse('designs:task_section', args=[design.slug, definition.section, task])}#f-{parameter}-{task}"
