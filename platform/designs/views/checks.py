"""All findings of a design, answers to warnings, and the compiled assessment."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs import services
from designs.forms import AnswerForm
from designs.models import Design
from designs.queries import texts
from designs.queries.findings import all_findings
from designs.queries.readiness import count, is_untouched
from designs.views.access import design_context, design_for, shown_document, task_of
from designs.views.progress import wanted_filter
from evaluation.canonical import canonical_json
from evaluation.designs.checks import Finding
from evaluation.designs.compilation import Problem, compile_values, worked_example
from evaluation.ranking import describe
from web.spreadsheets import csv_file

# The points of life at which checks look again. What they say after the draft may name teams and cases, so that only those
# who run the challenge read it.
DRAFT = "draft"
STAGES = {
    DRAFT: "While it is written",
    "registration": "At the registration",
    "launch": "At the launch",
    "data_release": "When data are released",
    "evaluation": "While submissions are scored",
    "results": "When results are released",
    "monitoring": "As long as it runs",
}
BLOCKED = "These block submission."
HEAD = ("severity", "check", "parameter", "task", "message", "detail", "answer")


@require_safe
def checks(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that is open at a point of life, errors first, each with the way to its field; or what blocks alone."""
    stage = request.GET.get("at", DRAFT)
    if stage not in STAGES:
        raise Http404("There is no such point.")
    design = design_for(request, slug, "view_design" if stage == DRAFT else "edit_design")
    document = shown_document(request, design)
    findings = all_findings(document, design=design, phase=stage)
    counts, only = count(findings, document), wanted_filter(request)
    if only:
        findings = [
            finding
            for finding in findings
            if finding.blocks and (only != "errors" or not is_untouched(finding, document))
        ]
    if request.GET.get("format") == "csv":
        return _csv(design, findings)
    names = {values.task_key: values.name for values in document.each_task()}
    first = next(iter(document.tasks), "")
    rows = [
        {
            "finding": finding,
            "parameter": texts.catalogue()[finding.check.parameter],
            "task": names.get(finding.task, ""),
            "url": _field_url(design, finding.check.parameter, finding.task or first),
        }
        for finding in findings
    ]
    pairs = list(zip(findings, rows, strict=True))
    groups = [
        (
            "Errors",
            BLOCKED if stage == DRAFT else "These must be fixed.",
            [row for finding, row in pairs if finding.blocks],
        ),
        (
            "Warnings",
            "Fix each warning or explain it. Reviewers and the report show your explanation.",
            [row for finding, row in pairs if finding.severity == "warning"],
        ),
        ("Hints", "Optional improvements.", [row for finding, row in pairs if finding.severity == "info"]),
    ]
    return render(
        request,
        "designs/checks.html",
        {
            **design_context(request, design, "checks"),
            "groups": groups,
            "counts": counts,
            "only": only,
            "stages": STAGES.items(),
            "stage": stage,
            "is_draft": stage == DRAFT,
        },
    )


def _csv(design: Design, findings: list[Finding]) -> HttpResponse:
    rows = (
        (
            *(entry.word, entry.check.id, entry.check.parameter, entry.task, entry.message, entry.detail),
            entry.answer.text if entry.answer else "",
        )
        for entry in findings
    )
    return csv_file(f"{design.slug}-checks.csv", HEAD, rows)


@login_required
@require_POST
def answer(request: SignedInRequest, slug: str) -> HttpResponse:
    """Store the reason for not following a warning."""
    design = design_for(request, slug, "edit_design")
    form = AnswerForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            services.answer_check(
                actor=request.user,
                design=design,
                check_id=data["check_id"],
                text=data["text"],
                basis=data["basis"],
                task=task_of(design, data["task"]),
            )
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            messages.success(request, "The answer is kept beside the warning.")
    else:
        messages.error(request, "Write the reason first.")
    return redirect("designs:checks", design.slug)


@require_safe
def assessment(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the assessment compiled from each task: in plain text, as pseudo-code, and on invented teams."""
    design = design_for(request, slug)
    document = shown_document(request, design)
    tasks = []
    for values in document.each_task():
        compilation = compile_values(values, assume=design.legacy_import)
        compiled = compilation.assessment
        tasks.append({
            "key": values.task_key,
            "name": values.name,
            "problems": _linked(design, compilation.gaps, values.task_key or ""),
            "elsewhere": _linked(design, compilation.elsewhere, values.task_key or ""),
            "is_outside": compilation.is_measured_outside,
            "assumptions": compilation.assumptions,
            "sentences": describe(compiled) if compiled else [],
            "code": "\n".join(compilation.pseudo_code),
            "example": worked_example(compiled) if compiled else None,
            "digest": compiled.digest if compiled else "",
        })  # fmt: skip
    return render(request, "designs/assessment.html", {**design_context(request, design, "assessment"), "tasks": tasks})


@require_safe
def assessment_json(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    """The compiled assessment document of a task."""
    design = design_for(request, slug)
    document = shown_document(request, design)
    if task not in document.tasks:
        raise Http404("There is no such task.")
    compilation = compile_values(document.values(task), assume=design.legacy_import)
    if compilation.assessment is None:
        raise Http404("This task cannot be compiled yet.")
    response = HttpResponse(canonical_json(compilation.document), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{design.slug}-{task}-assessment.json"'
    return response


def _linked(design: Design, problems: Sequence[Problem], task: str) -> list[dict[str, str]]:
    """Problems of a compilation with the way to their fields."""
    return [{"text": str(problem), "url": _field_url(design, problem.parameter, task)} for problem in problems]


def _field_url(design: Design, parameter: str, task: str) -> str:
    definition = texts.catalogue()[parameter]
    if definition.is_task:
        url = reverse("designs:task_section", args=[design.slug, definition.section, task])
        return f"{url}#f-{parameter}-{task}"
    return f"{reverse('designs:section', args=[design.slug, definition.section])}#f-{parameter}"
