"""Downloads of the registry for people and programs."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from core.typesetting.views import answered
from registry import queries
from registry.forms import RegistryFilter
from registry.models import Facet, Listing, RegistrationVersion, VersionFile
from registry.queries.citing import FORMATS, as_xml, metadata, reference_of
from registry.services.files import blocks_of, content_of, title_of
from registry.tables import badge_of
from web.spreadsheets import harmless

COLUMNS = (
    *("identifier", "version", "state", "name", "acronym", "year", "venue", "registered", "tasks"),
    *(Facet.Kind.values),
    *("authors", "sha256", "address"),
)
BATCH = 200
# How long other pages may keep a badge.
BADGE_SECONDS = 300


@require_safe
def document(request: HttpRequest, identifier: str, number: str) -> HttpResponse:
    """The canonical JSON, byte for byte what the digest covers."""
    version = _version(request, identifier, number)
    response = HttpResponse(version.canonical.encode(), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{_stem(version)}.json"'
    response["X-Content-SHA256"] = version.digest
    return response


@require_safe
def pdf(request: HttpRequest, identifier: str, number: str) -> HttpResponse:
    """Return the design as PDF.

    This is the stored file. Until it is stored, the same file is created for the request.
    """
    version = _version(request, identifier, number)
    stored = version.files.filter(kind=VersionFile.Kind.PDF).first()
    if stored is not None:
        return _file(content_of(stored), f"{_stem(version)}.pdf")
    name = f"{_stem(version)}.pdf"
    return answered(request, blocks_of(version), title=title_of(version), ending="pdf", name=name)


@require_safe
def changes_pdf(request: HttpRequest, identifier: str, number: str) -> HttpResponse:
    """The design with its changes highlighted, where a version has one."""
    version = _version(request, identifier, number)
    stored = version.files.filter(kind=VersionFile.Kind.CHANGES).first()
    if stored is None:
        raise Http404("This version has no such file.")
    return _file(content_of(stored), f"{_stem(version)}-changes.pdf")


@require_safe
def citation(request: HttpRequest, identifier: str, number: str, ending: str) -> HttpResponse:
    """BibTeX, RIS or CFF."""
    version = _version(request, identifier, number)
    write, kind = FORMATS[ending]
    response = HttpResponse(write(reference_of(version)), content_type=f"{kind}; charset=utf-8")
    name = "CITATION.cff" if ending == "cff" else f"{_stem(version)}.{ending}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
def datacite(request: HttpRequest, identifier: str, number: str, ending: str) -> HttpResponse:
    """DataCite metadata as JSON or XML."""
    version = _version(request, identifier, number)
    data = metadata(version, reference_of(version))
    if ending == "json":
        return JsonResponse(data)
    return HttpResponse(as_xml(data), content_type="application/xml; charset=utf-8")


@require_safe
def badge(request: HttpRequest, identifier: str) -> HttpResponse:
    """A badge for other pages; a picture without script, so that any site may show it."""
    registration = queries.registration_or_404(identifier, request.user)
    record_badge = badge_of(registration, queries.current_version(registration))
    response = render(request, "registry/badge.svg", {"badge": record_badge}, content_type="image/svg+xml")
    audience = "private, no-store" if registration.is_embargoed else f"public, max-age={BADGE_SECONDS}"
    response["Cache-Control"] = audience
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    response["X-Content-Type-Options"] = "nosniff"
    return response


@require_safe
def export_csv(request: HttpRequest) -> StreamingHttpResponse:
    """Return the search results as CSV, one row per registration."""
    writer = csv.writer(_Echo())
    rows = (writer.writerow([harmless(row[column]) for column in COLUMNS]) for row in _rows(request))
    response = StreamingHttpResponse(_joined(writer.writerow(COLUMNS), rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="registry.csv"'
    return response


@require_safe
def export_json(request: HttpRequest) -> StreamingHttpResponse:
    """Return the search results as JSON, with the address and digest of every document.

    With the query parameter `documents`, the documents are included.
    """
    with_documents = "documents" in request.GET
    rows = (json.dumps(row, ensure_ascii=False) for row in _rows(request, with_documents=with_documents))
    response = StreamingHttpResponse(_list(rows), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="registry.json"'
    return response


def _rows(request: HttpRequest, *, with_documents: bool = False) -> Iterator[dict[str, Any]]:
    listings = RegistryFilter(request.GET, queryset=queries.listed()).qs
    if with_documents:
        # Everything but what the document says anyway.
        listings = listings.defer(None).defer("text", "figures", "version__sealed", "version__changes")
    for listing in listings.iterator(chunk_size=BATCH):
        yield _row(request, listing, with_documents=with_documents)


def _row(request: HttpRequest, listing: Listing, *, with_documents: bool) -> dict[str, Any]:
    registration, version = listing.registration, listing.version
    address = request.build_absolute_uri(reverse("registry:version", args=[registration.identifier, version.number]))
    row: dict[str, Any] = {
        "identifier": registration.identifier,
        "version": version.number,
        "state": registration.state,
        "reason": registration.reason,
        "name": listing.name,
        "acronym": listing.acronym,
        "year": listing.edition,
        "venue": listing.venue_label,
        "registered": registration.registered_at.isoformat(),
        "tasks": listing.tasks,
        **{
            kind: [facet.label for facet in registration.facets.all() if facet.kind == kind]
            for kind in Facet.Kind.values
        },
        "authors": [author["name"] for author in listing.authors],
        "sha256": version.digest,
        "address": address,
    }
    if with_documents:
        row["document"] = version.document
    return row


class _Echo:
    """A file that hands back what is written to it, so that a table leaves the server row by row."""

    def write(self, text: str) -> str:
        return text


def _joined(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _list(rows: Iterator[str]) -> Iterator[str]:
    yield "["
    for index, row in enumerate(rows):
        yield f",\n{row}" if index else f"\n{row}"
    yield "\n]\n"


def _version(request: HttpRequest, identifier: str, number: str) -> RegistrationVersion:
    return queries.version_or_404(queries.registration_or_404(identifier, request.user), number)


def _stem(version: RegistrationVersion) -> str:
    return f"{version.registration.identifier}-v{version.number}"


def _file(content: bytes, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
