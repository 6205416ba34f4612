"""A document as an answer over HTTP."""

from collections.abc import Iterable
from typing import Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from core.typesetting.services.asking import FileNotMadeError, file_of
from evaluation.documents.blocks import Block

TYPES: Final = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
NAMES: Final = {"pdf": "PDF", "docx": "Word"}
SECONDS: Final = 2
"""After so long a page that waits asks again."""


def answered(request: HttpRequest, blocks: Iterable[Block], *, title: str, ending: str, name: str) -> HttpResponse:
    """The document as a file to be saved under `name`.

    While a worker makes it, a page that asks again, with the status 202; programs get the same in JSON.
    """
    is_part = "HX-Request" in request.headers
    try:
        content = file_of(blocks, title=title, ending=ending)
    except FileNotMadeError:
        return _said(request, title, ending, status=200 if is_part else 503, is_failed=True)
    if content is None or is_part:
        status = 200 if is_part else 202
        return _said(request, title, ending, status=status, is_ready=content is not None)
    response = HttpResponse(content, content_type=TYPES[ending])
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _said(
    request: HttpRequest, title: str, ending: str, *, status: int, is_ready: bool = False, is_failed: bool = False
) -> HttpResponse:
    """Return the progress of the file: on a page, as the part of it that changes, or as JSON for programs."""
    if "HX-Request" in request.headers:
        template = "typesetting/parts/state.html"
    elif "text/html" in request.headers.get("Accept", ""):
        template = "typesetting/being_made.html"
    else:
        state_words = "could not be made; ask again in a minute" if is_failed else "is being made; ask again"
        return _later(JsonResponse({"detail": f"The {NAMES[ending]} file {state_words}."}, status=status), is_failed)
    context = {
        "title": title,
        "format": NAMES[ending],
        "seconds": SECONDS,
        "is_ready": is_ready,
        "is_failed": is_failed,
    }
    return _later(render(request, template, context, status=status), is_failed)


def _later(response: HttpResponse, is_failed: bool) -> HttpResponse:
    response["Retry-After"] = "60" if is_failed else str(SECONDS)
    response["Cache-Control"] = "no-store"
    return response
