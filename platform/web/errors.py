"""Error pages: a description of what happened, and what to do next."""

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from django.conf import settings
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
        "Invalid request",
        "The address or the data that you sent is not in the form that this page expects.",
        "Go back, check your entries and submit them again.",
    ),
    403: Explanation(
        "You do not have access to this page",
        "This page is only open to some people, or not open yet.",
        "If you participate in this challenge or organize it, sign in with that account.",
        sign_in=True,
    ),
    404: Explanation(
        "Page not found",
        "The page may have moved, or the address may contain a typing error.",
        "Start from the list of challenges or from the home page.",
    ),
    405: Explanation(
        "This address cannot be opened like this",
        "The address exists, but only accepts another kind of request, such as a submitted form.",
        "Go back to the page that you came from and use its buttons.",
    ),
    411: Explanation(
        "The size of the data is missing",
        "The request does not state how long its data is.",
        "Send the header Content-Length.",
    ),
    413: Explanation(
        "The data is too large",
        "You sent more data than this page accepts.",
        "Go back and send less, or use the page for file uploads.",
    ),
    429: Explanation(
        "Too many requests",
        "You repeated this action more often than is allowed in a short time.",
        "Wait a few minutes, then try again.",
    ),
    500: Explanation(
        "An error occurred on our side",
        "The error was recorded. Everything that you submitted before is safe.",
        "Try again in a moment. If it happens again, send the number below to the operators.",
    ),
    503: Explanation(
        "Temporarily unavailable",
        "The site cannot do this at the moment.",
        "Try again in a few minutes.",
    ),
}
CSRF = Explanation(
    "This form has expired",
    "A form is only accepted from the page that you opened in the same browser session. The page is too old, you signed in "
    "or out since, or cookies are switched off.",
    "Go back, reload the page and submit the form again. Nothing was changed.",
)
OTHER_HOST = Explanation(
    "This site has another address",
    "The server does not answer under the name in this address.",
    "Open the site at its own address.",
)
_RETRY_SECONDS = {429: 60, 503: 60}


INTERFACE = "/api/"
AUDIENCE = "This page is for "


def problem(path: str, status: int, *, detail: str) -> dict[str, Any]:
    """Make a problem document (RFC 9457) about the request for an address."""
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "instance": path, "detail": detail}


def _problem_answer(request: HttpRequest, status: int, *, detail: str) -> HttpResponse:
    content = problem(request.path, status, detail=detail)
    return _retried_later(JsonResponse(content, status=status, content_type="application/problem+json"))


def error_page(
    request: HttpRequest, status: int, *, explanation: Explanation | None = None, reason: str = ""
) -> HttpResponse:
    """Return an error page with the usual menus, or a problem document for requests to the interface.

    `reason` describes what happened in this request.
    """
    explanation = explanation or EXPLANATIONS[status]
    if reason:
        explanation = replace(explanation, text=reason)
    if request.path.startswith(INTERFACE):
        return _problem_answer(request, status, detail=explanation.text)
    context = {"explanation": explanation, "status": status}
    return _retried_later(HttpResponse(render_to_string("web/error.html", context, request), status=status))


def _retried_later(response: HttpResponse) -> HttpResponse:
    if seconds := _RETRY_SECONDS.get(response.status_code):
        response["Retry-After"] = str(seconds)
    return response


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400; for a foreign host name a page that works without the host of the request."""
    if isinstance(exception, DisallowedHost):
        if request.path.startswith(INTERFACE):
            return _problem_answer(request, 400, detail=OTHER_HOST.text)
        return _page_alone(request, 400, OTHER_HOST)
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
    """Return the error page 404; it does not reveal what the resolver tried."""
    return error_page(request, 404)


def too_many_requests(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 (Django passes it)
    """429; also for allauth, which asks for `handler429` of the addresses."""
    return error_page(request, 429)


@requires_csrf_token
def server_error(request: HttpRequest) -> HttpResponse:
    """500, from a template that needs neither database nor session: they may be what failed."""
    if request.path.startswith(INTERFACE):
        number = getattr(request, "id", "")
        return _problem_answer(request, 500, detail=f"{EXPLANATIONS[500].text} Its number is {number}.")
    return _page_alone(request, 500, EXPLANATIONS[500])


def _page_alone(request: HttpRequest, status: int, explanation: Explanation) -> HttpResponse:
    """A page that needs neither the database nor the session nor the host of the request."""
    context: dict[str, Any] = {
        "explanation": explanation,
        "status": status,
        "home": settings.PODIUM_ADDRESS.rstrip("/") + "/" if explanation is OTHER_HOST else "/",
        "request_id": getattr(request, "id", ""),
    }
    return HttpResponse(render_to_string("500.html", context), status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 (says how the check works, not what to do)
    """403 for a form without a valid token."""
    return error_page(request, 403, explanation=CSRF)
