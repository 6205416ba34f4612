"""Middleware of all pages."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

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
