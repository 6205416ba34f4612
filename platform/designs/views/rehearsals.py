"""Rehearsals of a design: requested here, run by a worker, shown on one page."""

from functools import partial

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs.forms.trials import SampleRehearsalForm
from designs.models import Design, Rehearsal, SampleRehearsal
from designs.queries import document_of, texts
from designs.queries.rehearsals import digest_of, rehearsal_of, shown_sample, shown_tasks
from designs.services import rehearsals as services
from designs.services import sample_rehearsals
from designs.services.sent_files import MAX_BYTES
from designs.views.access import design_context, design_for, is_insider, task_of
from evaluation.designs.document import Document
from web.bodies import takes_files


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
            "own_tasks": _own_tasks(request, design, document) if version is None else [],
        },
    )


def _own_tasks(request: HttpRequest, design: Design, document: Document) -> list[tuple[str, str]]:
    """Return key and name of each task that the person may rehearse with own files."""
    if not request.user.has_perm("designs.collaborate_on_design", design):
        return []
    return [(key, document.values(key).name) for key in document.tasks]


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


@login_required
@require_safe
def sample(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    """The newest rehearsal of a task with own files, and the form for another one."""
    design = design_for(request, slug, "collaborate_on_design")
    design_task = task_of(design, task)
    assert design_task is not None
    document = document_of(design)
    rehearsal = design_task.sample_rehearsals.first()
    address = partial(_field_address, design, document)
    return render(
        request,
        "designs/sample_rehearsal.html",
        {
            **design_context(request, design, "rehearsal"),
            "task": design_task,
            "task_name": document.values(task).name,
            "rehearsal": rehearsal,
            "is_outdated": rehearsal is not None and rehearsal.digest != digest_of(document),
            "tasks": [] if rehearsal is None else shown_sample(rehearsal, address),
            "form": SampleRehearsalForm(),
        },
    )


@takes_files(lambda: MAX_BYTES)
@login_required
@require_POST
def rehearse_sample(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    """Rehearse a task with uploaded references and submissions."""
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    assert design_task is not None
    form = SampleRehearsalForm(request.POST, request.FILES)
    try:
        if form.is_valid():
            sample_rehearsals.request_sample_rehearsal(actor=request.user, task=design_task, **form.cleaned_data)
        else:
            messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("designs:sample", design.slug, design_task.key)


@require_safe
def sample_status(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress, requested every two seconds, and reload the page when the rehearsal is over."""
    design = design_for(request, slug, "collaborate_on_design")
    rehearsal = get_object_or_404(SampleRehearsal.objects.defer("result", "assessment"), pk=pk, task__design=design)
    response = render(request, "designs/parts/rehearsing_sample.html", {"design": design, "rehearsal": rehearsal})
    if rehearsal.is_over:
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
