"""Errors as `application/problem+json` (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn every handled exception into a problem document; `errors` names the fields of a refused input."""
    response = exception_handler(error, context)
    if response is None:
        return None
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(response.status_code).phrase,
        "status": response.status_code,
        "instance": context["request"].path,
    }
    if isinstance(error, exceptions.ValidationError):
        problem["detail"] = "The input was refused; `errors` says why, field by field."
        problem["errors"] = response.data
    else:
        problem["detail"] = str(getattr(error, "detail", error))
    response.data = problem
    response.content_type = "application/problem+json"
    return response
