"""The dialogue of the recommender, its metrics, reasons for departing from them, and pitfalls that bite."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs.forms.trials import ScanForm
from designs.models import Design, DesignTask, Scan, TaskAnswers
from designs.services import advice as services
from designs.services.fields import start_from_scheme
from designs.services.scans import reference_sources
from designs.views.access import design_context, design_for, shown_document, task_of
from evaluation.designs.advising import Scanned, consult


@require_safe
def advice(request: HttpRequest, slug: str, task: str | None = None) -> HttpResponse:
    """Show the properties of the problem, the metrics that fit it, and the pitfalls of the chosen metrics."""
    design = design_for(request, slug)
    document = shown_document(request, design)
    key = task or next(iter(document.tasks), "")
    if key not in document.tasks:
        raise Http404("There is no such task.")
    stored = TaskAnswers.objects.filter(task__design=design, task__key=key).first() or TaskAnswers()
    context = design_context(request, design, "advice")
    # References may be those of a hidden test set: only who writes the design sees what was read from them.
    scans = list(Scan.objects.filter(task__design=design, task__key=key)[:5]) if context["collaborates"] else []
    finished = next((scan for scan in scans if scan.result), None)
    scanned = Scanned.of(finished.result) if finished and finished.result else None
    design_task = task_of(design, key) if context["may_edit"] else None
    return render(
        request,
        "designs/advice.html",
        {
            **context,
            "advice": consult(document.values(key), stored, scanned),
            "scanned": scanned,
            "scan": scans[0] if scans else None,
            "finished": finished,
            "scan_form": ScanForm(),
            "sources": reference_sources(request.user, design_task)
            if design_task and request.user.is_authenticated
            else [],
            "task_key": key,
            "tasks": [
                {
                    "label": values.name,
                    "url": reverse("designs:task_advice", args=[design.slug, values.task_key]),
                    "current": values.task_key == key,
                }
                for values in document.each_task()
            ],
        },
    )


@login_required
@require_POST
def answer(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    """Keep an answer, a choice or a reason, or take recommended metrics or a published scheme into the design."""
    design, design_task = _place(request, slug, task)
    given = request.POST
    try:
        match given.get("act"):
            case "choose":
                services.choose_option(
                    actor=request.user, task=design_task, guide=given.get("guide", ""), option=given.get("option", "")
                )
            case "take":
                services.take_recommended_metrics(actor=request.user, task=design_task)
                messages.success(
                    request, "The recommended metrics were added to the design. Set their open options there."
                )
            case "scheme":
                start_from_scheme(actor=request.user, task=design_task, scheme=given.get("scheme", ""))
                messages.success(request, "The published scheme was copied into the form. Change what differs.")
                return redirect("designs:task_section", design.slug, "assessment_method", design_task.key)
            case "reason":
                services.give_reason(
                    actor=request.user,
                    task=design_task,
                    departure=given.get("departure", ""),
                    text=given.get("text", ""),
                )
                messages.success(request, "The reason is kept; reviewers and the report show it.")
            case _:
                services.answer_question(
                    actor=request.user,
                    task=design_task,
                    item=given.get("item", ""),
                    answer=given.get("answer", ""),
                    region=given.get("region", ""),
                )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("designs:task_advice", design.slug, design_task.key)


def _place(request: HttpRequest, slug: str, task: str) -> tuple[Design, DesignTask]:
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    if design_task is None:
        raise Http404("There is no such task.")
    return design, design_task
