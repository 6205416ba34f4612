"""Authentication backend that checks passwords."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.http import HttpRequest

from accounts.models import User
from accounts.queries import account_named


class OneCheckBackend(AuthenticationBackend):
    """Check a password against one account, with one computation of a hash for any input.

    The backends of Django and allauth, called one after the other, compute two hashes for an unknown e-mail
    address and three for a known one. The response time thus revealed which it was.
    """

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:  # noqa: ARG002 (allauth's signature)
        account = account_named(credentials.get("username") or credentials.get("email") or "")
        # Without an account, the caller computes a hash of the password for nothing.
        return self._check_password(account, credentials["password"])
