"""The list, the overview of a design, and one page for each section."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from designs import queries, services
from designs.forms import ImportForm, StartForm
from designs.forms.plain import MAX_IMPORT_BYTES
from designs.forms.presenting import FieldView, field_view, paired
from designs.models import Design
from designs.queries import texts
from designs.queries.documents import Fields, assemble
from designs.queries.findings import all_findings
from designs.views.access import design_context, design_for, is_insider, shown_document, task_of
from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import GATE, applies, completeness, history
from evaluation.designs.document import Document, State
from evaluation.designs.document.entries import BLANK
from web.bodies import takes_files


@require_safe
def design_list(request: HttpRequest) -> HttpResponse:
    designs = list(queries.designs_for(request.user))
    mine = [design for design in designs if any(part.user_id == request.user.pk for part in design.collaborators.all())]
    public = [design for design in designs if design.is_public and design not in mine]
    return render(request, "designs/list.html", {"mine": mine, "public": public})


@login_required
def start(request: HttpRequest) -> HttpResponse:
    """Start a design from nothing."""
    form = StartForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            design = services.create_design(owner=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "The design is started. Everything is saved as you write.")
            return redirect(design)
    return render(request, "designs/start.html", {"form": form, "trail": [("Designs", reverse("designs:list"))]})


@takes_files(lambda: MAX_IMPORT_BYTES)
@login_required
def import_document(request: HttpRequest) -> HttpResponse:
    """Start a design from an exported document or an earlier registration."""
    # A registration's page links here with its identifier.
    form = ImportForm(request.POST or None, request.FILES or None, initial={"registration": request.GET.get("from")})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            if data["document"]:
                design, problems = services.import_design(
                    actor=request.user, title=data["title"], data=data["document"], lenient=True
                )
            else:
                design, problems = services.import_registration(
                    actor=request.user, identifier=data["registration"], title=data["title"]
                )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            for problem in problems[:10]:
                messages.warning(request, f"Not taken over: {problem}")
            messages.success(request, "The design is imported.")
            return redirect(design)
    return render(request, "designs/import.html", {"form": form, "trail": [("Designs", reverse("designs:list"))]})


@login_required
@require_POST
def duplicate(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy a design for the next edition."""
    design = design_for(request, slug)
    copy = services.duplicate_design(
        actor=request.user, design=design, title=f"{design.title} (copy)"[:200], insider=is_insider(request, design)
    )
    messages.success(request, "This is the copy. Give it a name and a year of its own.")
    return redirect(copy)


@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """The section list with progress, completeness beside what was usual, and what is open."""
    design = design_for(request, slug)
    document = shown_document(request, design)
    found = all_findings(document, design=design)
    measured = completeness(document)
    return render(
        request,
        "designs/detail.html",
        {
            **design_context(request, design, "detail"),
            "sections": section_links(design, document, found),
            "tasks": [{"key": values.task_key, "name": values.name} for values in document.each_task()],
            "completeness": measured,
            "gate": int(100 * GATE),
            "history": history(),
            "drafts": queries.drafts_beside(design),
            "counts": count(found, document),
            "rare": [
                parameter
                for parameter in texts.catalogue().parameters.values()
                if parameter.left_out is not None
                and parameter.left_out >= 80
                and any(not values.entry(parameter.id).is_filled for values in document.each_task())
            ],
            "origin": design.origin if design.legacy_import else {},
        },
    )


@require_safe
def section(request: HttpRequest, slug: str, key: str, task: str | None = None) -> HttpResponse:
    """One section of the form, for the challenge or for a task."""
    design = design_for(request, slug)
    catalogue = texts.catalogue()
    here = next((section for section in catalogue.sections if section.key == key), None)
    if here is None:
        raise Http404("There is no such section.")
    task_of(design, task)
    keys, fields = queries.fields_of(design)
    document = assemble(keys, fields)
    insider = is_insider(request, design)
    if not insider:
        document = document.without_secrets()
    found = all_findings(document, design=design)
    context = design_context(request, design, "detail")
    views = section_fields(
        design,
        document,
        fields,
        section=key,
        task=task,
        found=found,
        editable=context["may_edit"],
        insider=insider,
    )
    if not views:
        raise Http404("This section has no fields here.")
    links = section_links(design, document, found)
    places = [place for link in links for place in link["places"]]
    at = next(i for i, place in enumerate(places) if place["section"] == key and place["task"] == (task or ""))
    return render(
        request,
        "designs/section.html",
        {
            **context,
            "trail": [*context["trail"], (design.title, design.get_absolute_url())],
            "section": here,
            "task": document.values(task) if task else None,
            "fields": paired(views),
            "sections": links,
            "before": places[at - 1] if at else None,
            "after": places[at + 1] if at + 1 < len(places) else None,
            "here": places[at],
            "events": catalogue["challenge_schedule"].choices,
        },
    )


@login_required
@require_POST
def add_task(request: HttpRequest, slug: str) -> HttpResponse:
    design = design_for(request, slug, "edit_design")
    try:
        like = task_of(design, request.POST.get("like"))
        task = services.add_task(
            actor=request.user, design=design, name=request.POST.get("name", "").strip()[:200], like=like
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect(design)
    messages.success(request, "The task is added.")
    return redirect("designs:task_section", design.slug, "summary", task.key)


@login_required
@require_POST
def remove_task(request: HttpRequest, slug: str, task: str) -> HttpResponse:
    design = design_for(request, slug, "edit_design")
    found = task_of(design, task)
    try:
        services.remove_task(actor=request.user, task=found)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The task is removed; its values stay in the history.")
    return redirect(design)


def section_fields(
    design: Design,
    document: Document,
    fields: Fields,
    *,
    section: str,
    task: str | None,
    found: list[Finding],
    editable: bool,
    insider: bool = True,
) -> list[FieldView]:
    """The fields of a page, each with its findings and the number of its open conversations."""
    catalogue = texts.catalogue()
    values = document.values(task)
    entries = document.tasks[task] if task else document.challenge
    comments = {
        (row["part"] or None, row["topic"]): row["number"]
        for row in design.threads.filter(closed_at=None).order_by().values("part", "topic").annotate(number=Count("pk"))
    }
    return [
        field_view(
            parameter,
            entries.get(parameter.id, BLANK),
            values=values,
            revision=fields[task, parameter.id].revision if (task, parameter.id) in fields else 0,
            task_key=task or "",
            findings=findings_of(found, parameter.id, task),
            comments=comments.get((task, parameter.id), 0),
            editable=editable,
            insider=insider,
        )
        for parameter in catalogue.in_section(section)
        if parameter.is_task == (task is not None)
    ]


def findings_of(found: list[Finding], parameter: str, task: str | None) -> list[Finding]:
    """What stands beside a field: of its task, and for a challenge parameter of any task, each check once."""
    beside: dict[str, Finding] = {}
    for finding in found:
        if finding.check.parameter == parameter and (task is None or finding.task in (None, task)):
            beside.setdefault(finding.check.id, finding)
    return list(beside.values())


def section_links(design: Design, document: Document, found: list[Finding]) -> list[dict[str, Any]]:
    """The section list: for each section its places (challenge and tasks) with progress and number of errors."""
    measured = completeness(document)
    tasks = {task.task: task for task in measured.tasks if task.task is not None}
    links = []
    for section in texts.catalogue().sections:
        parameters = texts.catalogue().in_section(section.key)
        places = []
        if any(not parameter.is_task for parameter in parameters):
            places.append(_place(design, document, section.key, task="", name="the challenge", found=found))
        if any(parameter.is_task for parameter in parameters):
            places += [
                _place(design, document, section.key, task=key, name=task.name, found=found)
                for key, task in tasks.items()
            ]
        links.append({"section": section, "places": places, "share": measured.section(section.key)})
    return links


def _place(
    design: Design, document: Document, section: str, *, task: str, name: str, found: list[Finding]
) -> dict[str, Any]:
    catalogue = shipped()
    values = document.values(task or None)
    parameters = [p for p in catalogue.in_section(section) if p.is_task == bool(task)]
    asked = [p for p in parameters if p.required and applies(p, values)]
    filled = sum(values.entry(p.id).is_filled or values.entry(p.id).is_declared for p in asked)
    own = {parameter.id for parameter in parameters}
    errors = {
        (finding.check.id, finding.task)
        for finding in found
        if finding.blocks
        and finding.check.parameter in own
        and not _is_untouched(finding, document)
        and (not task or finding.task in (None, task))
    }
    name_of = {"designs:section": [design.slug, section], "designs:task_section": [design.slug, section, task]}
    url = "designs:task_section" if task else "designs:section"
    return {
        "section": section,
        "label": next(entry.label for entry in catalogue.sections if entry.key == section),
        "task": task,
        "name": name,
        "url": reverse(url, args=name_of[url]),
        "filled": filled,
        "total": len(asked),
        "errors": len(errors),
    }


def _is_untouched(finding: Finding, document: Document) -> bool:
    """Whether nobody has written at the field of a finding yet."""
    return document.values(finding.task).entry(finding.check.parameter).state is State.BLANK


def count(found: list[Finding], document: Document) -> dict[str, int]:
    """Numbers of errors, warnings, hints and answers; an error at a field without a word is one to fill in."""
    errors = [finding for finding in found if finding.severity == "error"]
    to_fill = sum(_is_untouched(finding, document) for finding in errors)
    return {
        "errors": len(errors) - to_fill,
        "to_fill": to_fill,
        "warnings": sum(finding.severity == "warning" and not finding.is_answered for finding in found),
        "hints": sum(finding.severity == "info" and not finding.is_answered for finding in found),
        "answered": sum(finding.is_answered for finding in found),
    }
