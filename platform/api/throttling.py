"""Rate limits of the interface."""

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from web.clients import client_network


class AddressThrottle(SimpleRateThrottle):
    """Limit requests by the visitor's address; subclasses set `scope` and `rate`."""

    def get_ident(self, request: Request) -> str:
        """Return the visitor's address or network."""
        return client_network(request._request)  # noqa: SLF001 (the framework's name for Django's request)

    def get_cache_key(self, request: Request, view: APIView) -> str:  # noqa: ARG002 (the framework's signature)
        """Count by address, separately for each scope."""
        return f"throttle-{self.scope}-{self.get_ident(request)}"
