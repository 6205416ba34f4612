"""Exceptions of single pages from the content security policy."""

from csp.decorators import csp_update
from django.http import HttpResponse


def allow_connections(response: HttpResponse, origin: str) -> HttpResponse:
    """Let the scripts of a page connect to one other origin."""
    return csp_update({"connect-src": ["'self'", origin]})(lambda: response)()
