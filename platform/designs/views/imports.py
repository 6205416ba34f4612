"""Import of a Word or PDF document: progress, and the page on which a person confirms field by field."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs.models import Design, DesignImport, ImportedField
from designs.queries.imports import ProposalView, current_import, sections_of
from designs.queries.readiness import readiness_of
from designs.services import imports as services
from designs.views.access import design_context, design_for, task_of


@login_required
@require_safe
def imported(request: SignedInRequest, slug: str) -> HttpResponse:
    """The proposals of the document with their decisions; they stay when the browser is closed."""
    design = design_for(request, slug, "edit_design")
    source = current_import(design)
    return render(
        request,
        "designs/imported.html",
        {**design_context(request, design, "imported"), "source": source, **_progress(design, source)},
    )


def _progress(design: Design, source: DesignImport | None) -> dict[str, Any]:
    """Return the sections of an import with their counts; with what the design still needs when all is decided."""
    sections = sections_of(source) if source is not None and source.state == DesignImport.State.DONE else []
    following = next((view for view in sections if not view.is_complete), None)
    return {
        "sections": sections,
        "total": sum(len(view.proposals) for view in sections),
        "decided": sum(view.decided for view in sections),
        "questions": sum(proposal.is_question for view in sections for proposal in view.proposals),
        "next_section": following,
        "remaining": readiness_of([design])[design.pk] if sections and following is None else None,
    }


@login_required
@require_safe
def status(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress of the reading, and reload the page when it is over."""
    design = design_for(request, slug, "edit_design")
    source = get_object_or_404(DesignImport.objects.defer("result"), pk=pk, design=design)
    response = render(request, "designs/parts/importing.html", {"design": design, "source": source})
    if source.is_over:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def decide(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Accept or edit a proposal, choose an option for it, or leave its field open."""
    design = design_for(request, slug, "edit_design")
    proposed = get_object_or_404(ImportedField.objects.select_related("source", "task"), pk=pk, source__design=design)
    decision = request.POST.get("decision", "")
    options = [option for option in request.POST.get("option", "").split(",") if option]
    is_editing = decision == ImportedField.Decision.EDITED
    problem = ""
    try:
        if not is_editing or (_view(proposed).has_value and not _view(proposed).is_decided):
            services.decide(
                actor=request.user,
                field=proposed,
                decision=ImportedField.Decision.ACCEPTED if options else decision,
                options=options,
            )
    except ValidationError as error:
        problem = " ".join(error.messages)
    if "HX-Request" not in request.headers:
        if problem:
            messages.error(request, problem)
        return redirect(_form_address(design, proposed) if is_editing else _address(design, f"#i-{pk}"))
    counts = _progress(design, proposed.source)
    matching = [(section, item) for section in counts["sections"] for item in section.proposals if item.stored.pk == pk]
    if not matching:
        raise Http404("Field not found.")
    [(section, item)] = matching
    context = {"design": design, "item": item, "section": section, "problem": problem, "is_editing": is_editing}
    return render(request, "designs/parts/import_decision.html", {**context, **counts, "oob": True})


@login_required
@require_POST
def accept_section(request: SignedInRequest, slug: str, key: str, task: str | None = None) -> HttpResponse:
    """Accept every exact value of a section."""
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    source = get_object_or_404(DesignImport, pk=getattr(current_import(design), "pk", 0))
    try:
        number = services.accept_section(actor=request.user, source=source, section=key, task=design_task)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"{number} {'field' if number == 1 else 'fields'} accepted.")
    anchor = f"{key}-{task}" if task else key
    return redirect(_address(design, f"#{anchor}"))


def _view(proposed: ImportedField) -> ProposalView:
    [section] = sections_of(proposed.source, only=[proposed.pk])
    return section.proposals[0]


def _address(design: Design, anchor: str) -> str:
    return f"{reverse('designs:imported', args=[design.slug])}{anchor}"


def _form_address(design: Design, proposed: ImportedField) -> str:
    view = _view(proposed)
    if proposed.task is None:
        return f"{reverse('designs:section', args=[design.slug, view.parameter.section])}#f-{view.key}"
    location = [design.slug, view.parameter.section, proposed.task.key]
    return f"{reverse('designs:task_section', args=location)}#f-{view.key}"
