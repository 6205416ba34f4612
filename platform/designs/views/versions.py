"""Versions, comparisons, and exports as answers over HTTP, of pages and of the interface alike."""

from itertools import chain
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from core.typesetting.views import answered
from designs import queries, services
from designs.forms import VersionForm
from designs.models import Design, DesignVersion, FieldValue
from designs.queries.findings import gate_of, outline
from designs.views.access import design_context, design_for, is_insider, shown_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.differences import compare as differences_between
from evaluation.designs.document import Document, public_document
from evaluation.designs.exports import as_json, record_of
from evaluation.documents.markdown import as_markdown
from web.spreadsheets import csv_file

ENDINGS: Final = ("json", "md", "docx", "pdf")

NOW = "now"


def exported(request: HttpRequest, document: Document, *, design: Design, ending: str, public: bool) -> HttpResponse:
    """The design as a file.

    Parameters
    ----------
    ending
        One of `ENDINGS`.
    public
        Leave out what only organizers and reviewers see.
    """
    if ending == "json":
        return json_file(document, design.slug, public=public)
    digest = as_json(document, public=public)[1]
    blocks = outline(document, title=design.title, digest=digest, design=design, public=public)
    if ending == "md":
        return _file(as_markdown(blocks), "text/markdown; charset=utf-8", f"{design.slug}.md")
    blocks = chain(blocks, [record_of(document, public=public)])
    return answered(request, blocks, title=design.title, ending=ending, name=f"{design.slug}.{ending}")


def json_file(document: Document, name: str, *, public: bool) -> HttpResponse:
    """The canonical JSON, with its SHA-256 in the header ``X-Content-SHA256``."""
    text, digest = as_json(document, public=public)
    response = _file(text, "application/json", f"{name}.json")
    response["X-Content-SHA256"] = digest
    return response


def _file(content: str | bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _by(version: DesignVersion) -> str:
    return "" if version.created_by is None else version.created_by.display_name


@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    design = design_for(request, slug)
    frozen_versions = design.versions.select_related("created_by").defer("document", "sealed")
    if request.GET.get("format") == "csv":
        rows = ((row.number, row.name, row.created_at, _by(row), row.digest) for row in frozen_versions)
        return csv_file(f"{design.slug}-versions.csv", ["number", "name", "frozen_at", "by", "sha256"], rows)
    document = shown_document(request, design)
    return render(
        request,
        "designs/versions.html",
        {
            **design_context(request, design, "versions"),
            "versions": frozen_versions,
            "form": VersionForm(),
            "gate": gate_of(document, design=design),
            "digest": as_json(document)[1],
            "withheld": queries.withheld_values(design, document, public=not is_insider(request, design)),
            "opened": queries.opened_embargoes(design, public=not is_insider(request, design)),
        },
    )


@login_required
@require_POST
def freeze(request: SignedInRequest, slug: str) -> HttpResponse:
    """Freeze the design under a name."""
    design = design_for(request, slug, "manage_design")
    form = VersionForm(request.POST)
    if form.is_valid():
        try:
            version = services.freeze_version(actor=request.user, design=design, **form.cleaned_data)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            messages.success(request, f"Version {version.number} is kept; it cannot be changed any more.")
    else:
        messages.error(request, "Give the version a name.")
    return redirect("designs:versions", design.slug)


@login_required
@require_POST
def open_embargo(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Confirm that the event of a withheld value has occurred, which discloses the value."""
    design = design_for(request, slug, "manage_design")
    field = get_object_or_404(FieldValue, design=design, pk=pk)
    try:
        services.open_embargo(actor=request.user, field=field)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The value is open now, with the proof that it was decided before.")
    return redirect("designs:versions", design.slug)


@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A frozen version as canonical JSON."""
    design = design_for(request, slug)
    frozen = get_object_or_404(DesignVersion, design=design, number=number)
    document = queries.document_of_version(frozen, sealed=False)
    public = not is_insider(request, design)
    return json_file(document, f"{design.slug}-v{number}", public=public)


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Any two versions, or a version and the present state."""
    design = design_for(request, slug)
    by_number = {str(entry.number): entry for entry in design.versions.all()}
    choices = [
        (NOW, "current state"),
        *((number, f"version {number}: {entry.name}") for number, entry in by_number.items()),
    ]
    newest = next(iter(by_number), NOW)
    before, after = request.GET.get("from", newest), request.GET.get("to", NOW)
    if {before, after} - {value for value, _ in choices}:
        raise Http404("There is no such version.")
    insider, current = is_insider(request, design), shown_document(request, design)
    old, new = (_state(current, by_number.get(choice), sealed=insider) for choice in (before, after))
    if not insider:
        old, new = (public_document(state, catalogue=shipped()) for state in (old, new))
    names = {values.task_key: values.name for values in (*old.each_task(), *new.each_task())}
    differences = [
        {"difference": entry, "task": names.get(entry.task, "")}
        for entry in differences_between(old, new)
        if insider or entry.parameter.visibility == "public"
    ]
    return render(
        request,
        "designs/compare.html",
        {
            **design_context(request, design, "versions"),
            "choices": choices,
            "before": before,
            "after": after,
            "differences": differences,
        },
    )


@require_safe
def export_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The canonical JSON of the present state; without personal data for readers from outside."""
    return export_document(request, slug, "json")


@require_safe
def export_document(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """The whole design as a file, with the numbers of the BIAS guideline where people read it."""
    design = design_for(request, slug)
    public = not is_insider(request, design)
    return exported(request, shown_document(request, design), design=design, ending=ending, public=public)


def _state(current: Document, frozen: DesignVersion | None, *, sealed: bool) -> Document:
    return current if frozen is None else queries.document_of_version(frozen, sealed=sealed)
