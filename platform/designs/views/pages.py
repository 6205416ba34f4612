"""The list, the overview of a design, and one page for each section."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs import hooks, queries, services
from designs.forms import ImportForm, StartForm
from designs.forms.plain import MAX_DOCUMENT_BYTES
from designs.forms.presenting import FieldView, field_view, paired
from designs.models import Design
from designs.queries import texts
from designs.queries.documents import Fields, assemble
from designs.queries.findings import all_findings
from designs.queries.imports import current_import, undecided_of
from designs.queries.readiness import count, progress_of, readiness, readiness_of
from designs.services.imports import request_import
from designs.services.published import start_from_published
from designs.views.access import design_context, design_for, is_insider, shown_document, task_of
from designs.views.progress import filtered, next_open, next_step, section_links, wanted_filter
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import GATE, completeness, history
from evaluation.designs.document import Document
from evaluation.designs.document.entries import BLANK
from evaluation.designs.executing import runs_here
from web.bodies import takes_files

ON_A_PAGE = 20


@require_safe
def design_list(request: HttpRequest) -> HttpResponse:
    """List the person's designs with their status, and the public designs.

    The lists are paginated, because each design is measured once after a change.
    """
    mine = Paginator(queries.own_designs(request.user), ON_A_PAGE).get_page(request.GET.get("yours"))
    public = Paginator(queries.designs_to_read(request.user), ON_A_PAGE).get_page(request.GET.get("public"))
    designs = list(mine)
    measured, standings = readiness_of(designs), hooks.standings_of(request.user, designs)
    rows = [(design, measured[design.pk], standings.get(design.pk)) for design in designs]
    return render(request, "designs/list.html", {"mine": mine, "rows": rows, "public": public})


@login_required
def start(request: SignedInRequest) -> HttpResponse:
    """Start a design from nothing, or from a published challenge."""
    form = StartForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            data = form.cleaned_data
            if data["published"]:
                design = start_from_published(actor=request.user, title=data["title"], name=data["published"])
            else:
                design = services.create_design(owner=request.user, title=data["title"], tasks=data["tasks"])
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "The design is started. Everything is saved as you write.")
            return redirect(design)
    return render(request, "designs/start.html", {"form": form, "trail": [("Designs", reverse("designs:list"))]})


@takes_files(lambda: MAX_DOCUMENT_BYTES)
@login_required
def import_document(request: SignedInRequest) -> HttpResponse:
    """Start a design from an exported document or an earlier registration."""
    # A registration's page links here with its identifier.
    form = ImportForm(request.POST or None, request.FILES or None, initial={"registration": request.GET.get("from")})
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            if data["document"] and not isinstance(data["document"], dict):
                source = request_import(actor=request.user, title=data["title"], upload=data["document"])
                return redirect("designs:imported", source.design.slug)
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
def duplicate(request: SignedInRequest, slug: str) -> HttpResponse:
    """Copy a design for the next edition."""
    design = design_for(request, slug)
    copy = services.duplicate_design(
        actor=request.user, design=design, title=f"{design.title} (copy)"[:200], insider=is_insider(request, design)
    )
    messages.success(request, "This is the copy. Give it a name and a year of its own.")
    return redirect(copy)


@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the sections with progress, the completeness compared with the usual one, and the open points."""
    design = design_for(request, slug)
    document = shown_document(request, design)
    findings = all_findings(document, design=design)
    measured = completeness(document)
    context = design_context(request, design, "detail")
    sections = section_links(design, document, findings)
    step = next_step(
        request.user,
        design,
        readiness(document, findings),
        places=[page for link in sections for page in link["places"]],
        collaborates=context["collaborates"],
        may_edit=context["may_edit"],
        may_file=context["may_manage"],
    )
    return render(
        request,
        "designs/detail.html",
        {
            **context,
            "step": step,
            "sections": sections,
            "tasks": [{"key": values.task_key, "name": values.name} for values in document.each_task()],
            "completeness": measured,
            "progress": progress_of(document),
            "gate": int(100 * GATE),
            "history": history(),
            "drafts": queries.drafts_beside(design),
            "counts": count(findings, document),
            "rare": [
                parameter
                for parameter in texts.catalogue().parameters.values()
                if parameter.left_out is not None
                and parameter.left_out >= 80
                and any(not values.entry(parameter.id).is_filled for values in document.each_task())
            ],
            "origin": design.origin if design.legacy_import else {},
            "open_import": _open_import(design) if context["may_edit"] else None,
        },
    )


def _open_import(design: Design) -> dict[str, Any] | None:
    """Return what the import of a document still needs; None if nothing."""
    source = current_import(design)
    if source is None:
        return None
    undecided = undecided_of(source) if source.is_over else 0
    return {"source": source, "undecided": undecided} if undecided or not source.is_over else None


@require_safe
def section(request: HttpRequest, slug: str, key: str, task: str | None = None) -> HttpResponse:
    """One section of the form, for the challenge or for a task."""
    design = design_for(request, slug)
    catalogue = texts.catalogue()
    here = next((section for section in catalogue.sections if section.key == key), None)
    if here is None:
        raise Http404("There is no such section.")
    task_of(design, task)
    only = wanted_filter(request)
    keys, fields = queries.fields_of(design)
    document = assemble(keys, fields)
    insider = is_insider(request, design)
    if not insider:
        document = document.without_secrets()
    findings = all_findings(document, design=design)
    context = design_context(request, design, "detail")
    views = section_fields(
        design,
        document,
        fields,
        section=key,
        task=task,
        findings=findings,
        editable=context["may_edit"],
        insider=insider,
    )
    if not views:
        raise Http404("This section has no fields here.")
    visible_fields = paired(filtered(views, only))
    links = section_links(design, document, findings)
    places = [page for link in links for page in link["places"]]
    at = next(i for i, page in enumerate(places) if page.section == key and page.task == (task or ""))
    return render(
        request,
        "designs/section.html",
        {
            **context,
            "trail": [*context["trail"], (design.title, design.get_absolute_url())],
            "section": here,
            "task": document.values(task) if task else None,
            "fields": visible_fields,
            "has_shown": not all(view.is_hidden for view in visible_fields),
            "filter": only,
            "next_open": next_open(places, at),
            "progress": progress_of(document),
            "sections": links,
            "before": places[at - 1] if at else None,
            "after": places[at + 1] if at + 1 < len(places) else None,
            "here": places[at],
            "events": catalogue["challenge_schedule"].choices,
        },
    )


@login_required
@require_POST
def add_task(request: SignedInRequest, slug: str) -> HttpResponse:
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
def remove_task(request: SignedInRequest, slug: str, task: str) -> HttpResponse:
    design = design_for(request, slug, "edit_design")
    design_task = task_of(design, task)
    if design_task is None:
        raise Http404("There is no such task.")
    try:
        services.remove_task(actor=request.user, task=design_task)
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
    findings: list[Finding],
    editable: bool,
    insider: bool = True,
) -> list[FieldView]:
    """The fields of a page, each with its findings and the number of its open conversations."""
    catalogue = texts.catalogue()
    values, run_here = document.values(task), runs_here(document)
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
            findings=findings_of(findings, parameter.id, task),
            comments=comments.get((task, parameter.id), 0),
            editable=editable,
            insider=insider,
            run_here=run_here,
        )
        for parameter in catalogue.in_section(section)
        if parameter.is_task == (task is not None)
    ]


def findings_of(findings: list[Finding], parameter: str, task: str | None) -> list[Finding]:
    """Return the findings shown next to a field, each check once.

    These are the findings of its task, and for a challenge parameter those of any task.
    """
    beside: dict[str, Finding] = {}
    for finding in findings:
        if finding.check.parameter == parameter and (task is None or finding.task in (None, task)):
            beside.setdefault(finding.check.id, finding)
    return list(beside.values())
