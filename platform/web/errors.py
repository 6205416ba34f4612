"""Error pages: what happened, in words, and what to do next."""

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views.decorators.csrf import requires_csrf_token


@dataclass(frozen=True)
class Explanation:
    """Text of an error page."""

    title: str
    text: str
    advice: str
    sign_in: bool = False


EXPLANATIONS = {
    400: Explanation(
        "This request could not be read",
        "Something in the address or in what was sent is not what this page expects.",
        "Go back, check what you entered and send it again.",
    ),
    403: Explanation(
        "This page is not open to you",
        "The page exists, but not for everyone, or not yet.",
        "If you take part in this challenge or organize it, sign in with the account that does.",
        sign_in=True,
    ),
    404: Explanation(
        "There is nothing at this address",
        "The page may have moved, or the address has a slip in it.",
        "Start again from the challenges, or from the home page.",
    ),
    413: Explanation(
        "This is more than is taken here",
        "What was sent is too large.",
        "Go back and send less, or use the page that is meant for files.",
    ),
    429: Explanation(
        "Too many requests",
        "This action was tried more often than is allowed in a short time.",
        "Wait a few minutes, then try again.",
    ),
    500: Explanation(
        "Something went wrong on our side",
        "The error was recorded. Nothing that you had already submitted is lost.",
        "Try again in a moment. If it happens again, tell the operators the number below.",
    ),
}
CSRF = Explanation(
    "This form has expired",
    "For your safety a form is only accepted from the page that was opened in the same browser session. "
    "That page is too old, you have signed in or out since, or cookies are switched off.",
    "Go back, load the page again and send the form once more. Nothing was changed.",
)


INTERFACE = "/api/"
AUDIENCE = "This page is for "


def problem(path: str, status: int, *, detail: str) -> dict[str, Any]:
    """Make a problem document (RFC 9457) about the request for an address."""
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "instance": path, "detail": detail}


def _problem_answer(request: HttpRequest, status: int, *, detail: str) -> HttpResponse:
    content = problem(request.path, status, detail=detail)
    return JsonResponse(content, status=status, content_type="application/problem+json")


def error_page(
    request: HttpRequest, status: int, *, explanation: Explanation | None = None, reason: str = ""
) -> HttpResponse:
    """Answer with an error: a page with the menus of every other page, or a problem document to who asked the interface.

    `reason` says what happened this time.
    """
    explanation = explanation or EXPLANATIONS[status]
    if reason:
        explanation = replace(explanation, text=reason)
    if request.path.startswith(INTERFACE):
        return _problem_answer(request, status, detail=explanation.text)
    context = {"explanation": explanation, "status": status}
    return HttpResponse(render_to_string(f"{status}.html", context, request), status=status)


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400; for a host that is not this site's without a page, whose links could not be written."""
    if isinstance(exception, DisallowedHost):
        return HttpResponse("This site is not reached by that name.\n", status=400, content_type="text/plain")
    return error_page(request, 400)


@requires_csrf_token
def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403; the reason given with `PermissionDenied` is shown, since services write it for the reader."""
    reason = str(exception or "")
    if reason.startswith(AUDIENCE):
        # Whom the page is for is the answer; how to get there is the reason's place.
        return error_page(request, 403, explanation=replace(EXPLANATIONS[403], title=reason.rstrip(".")))
    return error_page(request, 403, reason=reason)


@requires_csrf_token
def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 (Django passes it)
    """404; says nothing of what the resolver tried."""
    return error_page(request, 404)


def too_many_requests(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 (Django passes it)
    """429"""
    return error_page(request, 429)


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """500, from a template that needs neither database nor session: they may be what failed."""
    if request.path.startswith(INTERFACE):
        number = getattr(request, "id", "")
        return _problem_answer(request, 500, detail=f"{EXPLANATIONS[500].text} Its number is {number}.")
    context: dict[str, Any] = {
        "explanation": EXPLANATIONS[500],
        "status": 500,
        "request_id": getattr(request, "id", ""),
    }
    return HttpResponse(render_to_string("500.html", context), status=500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 (says how the check works, not what to do)
    """403 for a form without a valid token."""
    return error_page(request, 403, explanation=CSRF)
