"""Limits on the size of request bodies, by sender and purpose, applied before the body is read.

Django's own bound (`DATA_UPLOAD_MAX_MEMORY_SIZE`) excludes files, and a file of a form is written to disk
as soon as code accesses the form. The check against forged requests does this before any view has checked
the sender. Every body is therefore checked here first: by its declared length, which the server never
exceeds, or by counting if no length is declared.
"""

import io
import shutil
from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from web.errors import error_page

View = TypeVar("View", bound=Callable[..., Any])
FIELDS_BYTES = 64 * 1024
"""Room for the fields and the edges of a form around its files."""


def takes_files(most: Callable[[], int]) -> Callable[[View], View]:
    """Let people who are signed in send files of at most `most()` bytes in all to a view; others send no more than anywhere."""

    def mark(view: View) -> View:
        view.most_file_bytes = most  # type: ignore[attr-defined]
        return view

    return mark


def takes_messages(most: int) -> Callable[[View], View]:
    """Let anybody send at most `most` bytes to a view: what is sent is trusted by its signature, not by who sends it."""

    def mark(view: View) -> View:
        view.most_message_bytes = most  # type: ignore[attr-defined]
        return view

    return mark


def takes_pieces(view: View) -> View:
    """Leave the bodies of PATCH requests to a view that asks who sends before it reads, and counts what it reads."""
    view.takes_pieces = True  # type: ignore[attr-defined]
    return view


class BodyBoundMiddleware:
    """Answer 413 to bodies that are too large, and 503 to files without room, before a byte is stored.

    Runs before the check against forged requests, which reads forms.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., Any],
        args: object,  # noqa: ARG002 (the signature)
        kwargs: object,  # noqa: ARG002
    ) -> HttpResponse | None:
        """Check the body before the view, and the middleware around it, can read it."""
        is_counted = "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower()
        if request.method == "PATCH" and getattr(view, "takes_pieces", False):
            return (
                _refusal(request, 411, "Say in the header Content-Length how long the piece is.")
                if is_counted
                else None
            )
        declared = _declared(request)
        if not is_counted and declared <= settings.PODIUM_ANONYMOUS_BODY_BYTES:
            return None
        most = _most(request, view)
        if is_counted:
            return _count(request, most)
        if declared > most:
            return _too_large(request, f"It has {declared:,} bytes", most)
        if declared > settings.PODIUM_FORM_BODY_BYTES and not _has_room(declared):
            return _refusal(request, 503, "There is no room for these files at the moment. Try again later.")
        return None


def _most(request: HttpRequest, view: Callable[..., Any]) -> int:
    """Most bytes that are taken from who asks; a token is looked at by the interface itself, before it reads a body."""
    if (message := getattr(view, "most_message_bytes", None)) is not None:
        return int(message) + FIELDS_BYTES
    is_signed_in = request.user.is_authenticated  # type: ignore[attr-defined]
    brings_token = hasattr(view, "cls") and request.headers.get("Authorization", "").lower().startswith("bearer ")
    if (is_signed_in or brings_token) and (files := getattr(view, "most_file_bytes", None)) is not None:
        return int(files()) + FIELDS_BYTES
    if is_signed_in or brings_token:
        return int(settings.PODIUM_FORM_BODY_BYTES)
    return int(settings.PODIUM_ANONYMOUS_BODY_BYTES)


def _count(request: HttpRequest, most: int) -> HttpResponse | None:
    """Read a body without a declared length into memory, no further than is taken; Django would take it for empty."""
    most = min(most, settings.PODIUM_FORM_BODY_BYTES)
    stream = request.META["wsgi.input"]
    content = bytearray()
    while len(content) <= most and (block := stream.read(min(65536, most + 1 - len(content)))):
        content += block
    if len(content) > most:
        return _too_large(request, "It comes in chunks without a declared length, and more of them", most)
    request.META["CONTENT_LENGTH"] = str(len(content))
    request._stream = io.BytesIO(content)  # type: ignore[attr-defined]  # noqa: SLF001 (no public way to give a request its body)
    return None


def _declared(request: HttpRequest) -> int:
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


def _has_room(size: int) -> bool:
    folder = settings.FILE_UPLOAD_TEMP_DIR
    return bool(shutil.disk_usage(folder).free - size >= settings.PODIUM_DISK_RESERVE_BYTES)


def _too_large(request: HttpRequest, what: str, most: int) -> HttpResponse:
    return _refusal(
        request,
        413,
        f"What was sent is too large. {what}; at most {most:,} bytes are taken here from you. Send less, sign in if you have "
        "not, or use the page that is meant for files.",
    )


def _refusal(request: HttpRequest, status: int, reason: str) -> HttpResponse:
    if "Tus-Resumable" in request.headers:
        return HttpResponse(reason, status=status, content_type="text/plain; charset=utf-8")
    return error_page(request, status, reason=reason)
