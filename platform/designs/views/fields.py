"""Saving one field from the form, its history, and the conflict of two writers."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from designs import queries, services
from designs.forms import read_posted
from designs.forms.presenting import FieldView
from designs.models import Design, DesignTask
from designs.queries import texts
from designs.queries.documents import assemble
from designs.queries.findings import all_findings
from designs.queries.readiness import progress_of
from designs.services.fields import from_history
from designs.views.access import design_for, signed_in, task_of
from designs.views.pages import section_fields
from evaluation.designs.catalogue import Parameter
from evaluation.designs.checks import reads
from evaluation.designs.checks.compiling import COMPILED
from evaluation.designs.checks.running import Finding
from evaluation.designs.compilation.problems import possible_kinds
from evaluation.designs.differences import compare_entries
from evaluation.designs.document import Document, UnfitValueError, fitting_cells

METRICS = "metrics"


@signed_in
@require_POST
def save(request: SignedInRequest, slug: str, parameter: str, task: str | None = None) -> HttpResponse:
    """Save a field and answer with what changed around it: its state, and the checks on the same page."""
    design = design_for(request, slug, "edit_design")
    definition, design_task = _known(parameter), task_of(design, task)
    kinds = possible_kinds(queries.document_of(design).values(task)) if task and definition.id == METRICS else ()
    posted = read_posted(definition, request.POST, kinds=kinds)
    try:
        value, unfit = _fitting(definition, posted.value)
        saved = services.save_field(
            actor=request.user,
            design=design,
            parameter=definition.id,
            task=design_task,
            value=value,
            details=posted.details,
            state=posted.state or None,
            reason=posted.reason,
            until=posted.until,
            event=posted.event,
            revision=posted.revision,
        )
    except ValidationError as error:
        return render(
            request, "designs/parts/refused.html", {"key": _key(definition, task), "messages": error.messages}
        )
    except services.Conflict as conflict:
        return _conflict(request, design, definition, design_task, conflict)
    keys, fields = queries.fields_of(design)
    document = assemble(keys, fields)
    findings = _nearby(document, design, definition, design_task)
    views = section_fields(
        design, document, fields, section=definition.section, task=task, findings=findings, editable=True
    )
    field_view = next((view for view in views if view.parameter.id == definition.id), None)
    # The page of an import shows single fields, without their section and its list of fields.
    is_alone = urlsplit(request.headers.get("HX-Current-URL", "")).path == reverse("designs:imported", args=[slug])
    return render(
        request,
        "designs/parts/saved.html",
        {
            "design": design,
            "key": _key(definition, task),
            "field": saved.field,
            "view": field_view,
            # What the server knows of a metric (direction, options) is shown in the table at once.
            # Not where a cell was left out: it stays in the form as it was typed, to be corrected.
            # Likewise a date, that was read in the form in which it was written.
            "again": (posted.completed or _is_rewritten(definition, posted.value, saved.field.value)) and not unfit,
            "unfit": unfit,
            "progress": progress_of(document),
            # Answers decide which other fields of the page apply.
            "applicable": " ".join(view.key for view in views if view.applies),
            "neighbours": [field_view] if is_alone and field_view else _neighbours(views, definition),
            "is_alone": is_alone,
            "may_edit": True,
            "may_comment": True,
        },
    )


@signed_in
@require_safe
def show(request: HttpRequest, slug: str, parameter: str, task: str | None = None) -> HttpResponse:
    """Show the current state of a field to a writer who accepts the other person's version."""
    design = design_for(request, slug, "collaborate_on_design")
    definition, design_task = _known(parameter), task_of(design, task)
    keys, fields = queries.fields_of(design)
    document = assemble(keys, fields)
    editable = request.user.has_perm("designs.edit_design", design)
    views = section_fields(
        design,
        document,
        fields,
        section=definition.section,
        task=task,
        findings=_nearby(document, design, definition, design_task),
        editable=editable,
    )
    view = next((view for view in views if view.parameter.id == definition.id), None)
    if view is None:
        raise Http404("There is no such field here.")
    context = {"design": design, "field": view, "may_edit": editable, "may_comment": True}
    return render(request, "designs/parts/field.html", context)


@require_safe
def history(request: HttpRequest, slug: str, parameter: str, task: str | None = None) -> HttpResponse:
    """Show the history of a field: author, time, old value and new value of each change."""
    design = design_for(request, slug, "collaborate_on_design")
    definition, design_task = _known(parameter), task_of(design, task)
    changes = [
        {
            "change": change,
            "difference": compare_entries(definition, from_history(change.before), from_history(change.after)),
        }
        for change in queries.history_of(design, definition.id, design_task)[:50]
    ]
    return render(request, "designs/parts/history.html", {"changes": changes, "parameter": definition})


def _fitting(parameter: Parameter, value: Any) -> tuple[Any, list[str]]:
    """Take the cells of a table that fit; one wrong cell does not lose what else was written."""
    if parameter.type != "list-of-objects" or not isinstance(value, list):
        return value, []
    try:
        return fitting_cells(parameter, value)
    except UnfitValueError as problem:
        raise ValidationError({"value": str(problem)}) from problem


def _is_rewritten(parameter: Parameter, typed: Any, stored: Any) -> bool:
    """Return whether a stored date in a table differs from the date that was entered."""
    dates = [item.key for item in parameter.item_fields if item.type == "date"]
    if not dates or not isinstance(typed, list):
        return False
    return [[row.get(key) for key in dates] for row in stored or []] != [
        [row.get(key) or None for key in dates] for row in typed if any(row.values())
    ]


def _beside(parameter: Parameter) -> set[str]:
    """Parameters of the same page whose checks look at this one, itself included."""
    page = texts.catalogue().in_section(parameter.section)
    beside = {entry.id for entry in page if any(parameter.id in reads(check) for check in entry.checks)}
    if parameter.id in COMPILED:
        beside |= COMPILED & {entry.id for entry in page}
    return beside | {parameter.id}


def _neighbours(views: list[FieldView], parameter: Parameter) -> list[FieldView]:
    """Return the fields of the page whose checks a change of this one may have changed."""
    beside = _beside(parameter)
    return [view for view in views if view.parameter.id in beside]


def _nearby(document: Document, design: Design, parameter: Parameter, task: DesignTask | None) -> list[Finding]:
    """Findings of the page that a change of this field may have changed."""
    tasks = [task.key] if task is not None else None
    return all_findings(document, design=design, changed=_beside(parameter), tasks=tasks)


def _conflict(
    request: HttpRequest, design: Design, definition: Parameter, task: DesignTask | None, conflict: services.Conflict
) -> HttpResponse:
    base = conflict.base or conflict.theirs
    return render(
        request,
        "designs/parts/conflict.html",
        {
            "design": design,
            "parameter": definition,
            "task": task,
            "key": _key(definition, task.key if task else None),
            "field": conflict.field,
            "theirs": compare_entries(definition, base, conflict.theirs),
            "mine": compare_entries(definition, conflict.theirs, conflict.mine),
        },
    )


def _known(identity: str) -> Parameter:
    parameter = texts.catalogue().parameters.get(identity)
    if parameter is None:
        raise Http404("There is no such parameter.")
    return parameter


def _key(parameter: Parameter, task: str | None) -> str:
    return f"{parameter.id}-{task}" if task else parameter.id
