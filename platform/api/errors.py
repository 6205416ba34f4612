"""Errors as `application/problem+json` (RFC 9457)."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from web.errors import problem


class TooMuchError(exceptions.APIException):
    """More than a request may bring."""

    status_code = 413
    default_detail = "The body is longer than the interface reads."
    default_code = "too_much"


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn every handled exception into a problem document; `errors` names the fields of a refused input."""
    # The module reads the settings, which name the parsers of this app, and these import this module.
    from rest_framework.views import exception_handler

    if isinstance(error, RequestDataTooBig):
        error = TooMuchError()
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, Http404):
        error = exceptions.NotFound("Not found. Check the address, and whether your account has access.")
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied(*error.args[:1])
    refused = isinstance(error, exceptions.ValidationError)
    detail = (
        "The input was refused; `errors` says why, field by field." if refused else str(getattr(error, "detail", error))
    )
    content = problem(context["request"].path, response.status_code, detail=detail)
    if isinstance(code := getattr(error, "problem_code", None), str):
        content |= {"code": code}
    response.data = content | {"errors": response.data} if refused else content
    response.content_type = "application/problem+json"
    return response
