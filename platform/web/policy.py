"""Exceptions of single pages from the content security policy."""

from typing import cast

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse


def allow_forms_to(response: HttpResponse, origin: str) -> HttpResponse:
    """Let the forms of a page end, by redirects, at one other origin."""
    view = csp_update({"form-action": ["'self'", origin]})(lambda _request: response)
    return cast("HttpResponse", view(HttpRequest()))


def allow_connections(response: HttpResponse, origin: str) -> HttpResponse:
    """Let the scripts of a page connect to one other origin."""
    view = csp_update({"connect-src": ["'self'", origin]})(lambda _request: response)
    return cast("HttpResponse", view(HttpRequest()))
