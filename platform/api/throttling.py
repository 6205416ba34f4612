"""Rate limits of the interface."""

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from web.clients import client_network

if TYPE_CHECKING:  # the views of the framework import this module, which the settings name
    from rest_framework.views import APIView


class AddressThrottle(SimpleRateThrottle):
    """Limit requests by the visitor's address; subclasses set `scope` and `rate`."""

    def get_ident(self, request: Request) -> str:
        """Return the visitor's address or network."""
        return client_network(request._request)  # noqa: SLF001 (the framework's name for Django's request)

    def get_cache_key(self, request: Request, view: "APIView") -> str:  # noqa: ARG002 (the framework's signature)
        """Count by address, separately for each scope."""
        return f"throttle-{self.scope}-{self.get_ident(request)}"


class VisitorRate(AddressThrottle):
    """Limit requests without an account; people who are signed in have the quotas of their acts instead."""

    scope = "visitor"

    def get_rate(self) -> str | None:
        """Return the limit of the pages (`web.visitors`); None for no limit."""
        most = settings.PODIUM_VISITOR_PAGES_PER_MINUTE
        return f"{most}/min" if most else None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Return whether a visitor's request is within the limit."""
        return request.user.is_authenticated or super().allow_request(request, view)
