"""Limits for visitors without an account, per minute and network.

All addresses share one limit. Those that compute a file have a lower one as well (`costly`). Addresses of the interface are
limited by `api.throttling` after the token was read.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from web.clients import client_network
from web.errors import error_page

Page = TypeVar("Page", bound=Callable[..., HttpResponseBase])
_MINUTE = 60
_COSTLY = "costly_for_visitors"
_UNLIMITED = "unlimited_for_visitors"


def costly(view: Page) -> Page:
    """Give a view the lower limit: it computes a file for each request."""
    setattr(view, _COSTLY, True)
    return view


def unlimited(reason: str) -> Callable[[Page], Page]:
    """Exempt a view, for a reason that the test of all addresses knows."""

    def mark(view: Page) -> Page:
        setattr(view, _UNLIMITED, reason)
        return view

    return mark


def is_costly(view: Callable[..., Any]) -> bool:
    """Return whether a view has the lower limit."""
    return getattr(view, _COSTLY, False)


def reason_without_limit(view: Callable[..., Any]) -> str:
    """Return why a view has no limit; empty for a view with one."""
    return getattr(view, _UNLIMITED, "")


class VisitorLimitMiddleware:
    """Answer 429 to visitors who open more addresses per minute than is allowed; people who are signed in have no limit.

    The session is only read when a limit is exceeded, so that answers to visitors remain the same for all. Requests with a
    session cookie are counted apart: people who are signed in use up no request of visitors in their network.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("podium.requests")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: tuple[Any, ...],  # noqa: ARG002 (Django passes it)
        kwargs: dict[str, Any],  # noqa: ARG002
    ) -> HttpResponseBase | None:
        """Count the request, and refuse it beyond a limit."""
        if reason_without_limit(view) or hasattr(view, "cls"):  # a view of the interface has `cls`
            return None
        has_session = settings.SESSION_COOKIE_NAME in request.COOKIES
        limits = {"pages": settings.PODIUM_VISITOR_PAGES_PER_MINUTE}
        if is_costly(view):
            limits["files"] = settings.PODIUM_VISITOR_FILES_PER_MINUTE
        exceeded = [name for name, most in limits.items() if most and self._count(request, name, has_session) > most]
        if not exceeded or (has_session and request.user.is_authenticated):
            return None
        return error_page(request, 429)

    def _count(self, request: HttpRequest, name: str, has_session: bool) -> int:
        """Return the number of requests in this minute; 0 while the cache cannot be reached."""
        key = f"visitors:{name}:{has_session:d}:{client_network(request)}:{int(time.time() // _MINUTE)}"
        try:
            cache.add(key, 0, 2 * _MINUTE)
            return int(cache.incr(key))
        except Exception as error:  # noqa: BLE001 (pages must be readable while the cache is away)
            self.log.warning("visitors_not_counted", error=type(error).__name__)
            return 0
