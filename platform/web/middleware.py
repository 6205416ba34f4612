"""Middleware of all pages."""

import re
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any

import structlog
from celery import current_task
from django.conf import settings
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import Resolver404, get_script_prefix, resolve
from django.utils.cache import patch_cache_control, patch_vary_headers

from web.errors import EXPLANATIONS, INTERFACE, error_page

_is_request: ContextVar[bool] = ContextVar("web_is_request", default=False)
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{8,64}")


class HeadMiddleware:
    """Answer a HEAD request as the GET would be answered, error pages included, without the body.

    Views answer both alike, and nothing between them and the server takes the body away. The outermost, so that it sees
    what became of every error.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "HEAD":
            if response.streaming:
                response.streaming_content = ()  # type: ignore[attr-defined]
            else:
                response.headers.setdefault("Content-Length", str(len(response.content)))  # type: ignore[attr-defined]
                response.content = b""  # type: ignore[attr-defined]
        return response


class NoChildMiddleware:
    """Refuse to start confined children in requests: their work is not bounded by what a visitor waits for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _is_request.set(True)
        try:
            return self.get_response(request)
        finally:
            _is_request.reset(token)


def refuse_child() -> None:
    """Raise where a request would start a confined child; a task that a test runs at once may start one."""
    if _is_request.get() and not current_task:
        raise RuntimeError("Strangers' files are read by workers, never in a request.")


class RequestIdMiddleware:
    """Give every request an identifier that its log records, its answer and its error page share.

    A proxy in front may pass its own as ``X-Request-ID``; anything that is not 8 to 64 plain characters is replaced, so
    that nothing a visitor sends ends up in the logs unread.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _ACCEPTED.fullmatch(given) else uuid.uuid4().hex
        request.id = request_id  # type: ignore[attr-defined]
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        return response


def page_above(path: str) -> str:
    """Return the nearest address above `path` that exists; the home page if there is none.

    Parameters
    ----------
    path
        Path below the root of the site, with a leading slash.
    """
    parts = path.strip("/").split("/")
    for length in range(len(parts) - 1, 0, -1):
        parent = f"/{'/'.join(parts[:length])}/"
        try:
            resolve(parent)
        except Resolver404:
            continue
        return parent
    return "/"


class ExplainedErrorMiddleware:
    """Replace an error answer without a body, such as Django's 405, by an error page; its headers are kept.

    An address that accepts only POST leads to the page above it if it is opened, as on reload of a form with errors.
    Resumable uploads (tus) define their own empty answers, which stay.
    """

    OPENED = ("GET", "HEAD")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code not in EXPLANATIONS or response.streaming or "Tus-Resumable" in response:
            return response
        if response.content or "Tus-Resumable" in request.headers:  # type: ignore[attr-defined]
            return response
        is_page = request.method in self.OPENED and not request.path_info.startswith(INTERFACE)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and is_page:
            return HttpResponseRedirect(get_script_prefix().removesuffix("/") + page_above(request.path_info))
        page = error_page(request, response.status_code)
        for name, value in response.items():
            if name.lower() not in ("content-type", "content-length"):
                page[name] = value
        return page


class PrivateCopyMiddleware:
    """Allow only the requesting browser to cache personal pages, and only with revalidation.

    Views that set their own cache control are not changed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_personal = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if is_personal and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
            patch_vary_headers(response, ["Cookie", "Authorization"])
        return response


class ReadableRequestMiddleware:
    """Refuse with 400 what neither pages nor the database can process.

    These are NUL characters, and values that no column can store.

    PostgreSQL stores no NUL in texts, and no name, search or identifier contains one. The address is checked
    first, a form after its token was checked. Bodies of the interface are read by its own parsers; bodies of
    uploads are not read here.
    """

    FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("podium.requests")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        query = request.META.get("QUERY_STRING", "")
        if "\0" in request.path_info or "%00" in query or "\0" in query:
            return error_page(request, 400)
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],  # noqa: ARG002 (Django passes it)
        args: tuple[Any, ...],  # noqa: ARG002
        kwargs: dict[str, Any],  # noqa: ARG002
    ) -> HttpResponse | None:
        """Look through the fields of a form."""
        if request.method != "POST" or request.content_type not in self.FORMS or request.path.startswith(INTERFACE):
            return None
        unreadable = any("\0" in text for name, texts in request.POST.lists() for text in (name, *texts))
        return error_page(request, 400) if unreadable else None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer 400 where the database refused a value; recorded, since a form should have refused it before."""
        if not isinstance(error, DataError):
            return None
        self.log.error("value_refused_by_database", path=request.path, exc_info=error)
        return error_page(request, 400)
