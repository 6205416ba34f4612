"""The dialogue of the recommender, its metrics, reasons for departing from them, and pitfalls that bite."""

from collections.abc import Mapping

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
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
    act = request.POST.get("act", "")
    try:
        message_text = answer_advice(actor=request.user, task=design_task, act=act, content=request.POST)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        if message_text:
            messages.success(request, message_text)
        if act == "scheme":
            return redirect("designs:task_section", design.slug, "assessment_method", design_task.key)
    return redirect("designs:task_advice", design.slug, design_task.key)


def answer_advice(*, actor: User, task: DesignTask, act: str, content: Mapping[str, str]) -> str:
    """Store an answer, a choice or a reason, or adopt metrics or a scheme; return the message, empty without one.

    Raises
    ------
    ValidationError
        When the service refuses the content.
    """
    match act:
        case "choose":
            services.choose_option(
                actor=actor, task=task, guide=content.get("guide", ""), option=content.get("option", "")
            )
        case "take":
            services.take_recommended_metrics(actor=actor, task=task)
            return "The recommended metrics were added to the design. Set their open options there."
        case "scheme":
            start_from_scheme(actor=actor, task=task, scheme=content.get("scheme", ""))
            return "The published scheme was copied into the form. Change what differs."
        case "reason":
            services.give_reason(
                actor=actor, task=task, departure=content.get("departure", ""), text=content.get("text", "")
            )
            return "The reason is kept; reviewers and the report show it."
        case _:
            services.answer_question(
                actor=actor,
                task=task,
                item=content.get("item", ""),
                answer=content.get("answer", ""),
                region=content.get("region", ""),
            )
    return ""


def _place(request: HttpRequest, slug: str, task: str) -> tuple[Design, DesignTask]:
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    if design_task is None:
        raise Http404("There is no such task.")
    return design, design_task
