"""Exports as answers over HTTP, of pages and of the interface alike."""

from typing import Final

from django.http import HttpRequest, HttpResponse

from designs.models import Design
from designs.queries.findings import outline
from evaluation.designs.document import Document
from evaluation.designs.exports.files import as_json
from evaluation.documents.markdown import as_markdown
from typesetting.views import answered

ENDINGS: Final = ("json", "md", "docx", "pdf")


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
