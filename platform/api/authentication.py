"""Programs act for people with access tokens: `Authorization: Bearer podium_…`."""

from typing import Any, cast

from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import SAFE_METHODS, IsAuthenticatedOrReadOnly
from rest_framework.request import Request

from accounts.models import AccessToken
from accounts.services import use_token

KEYWORD = "bearer"
READ = AccessToken.Scope.READ


def token_of(request: HttpRequest) -> AccessToken | None:
    """Return the token of a request; none without an `Authorization: Bearer` header.

    Raises
    ------
    AuthenticationFailed
        For a token that is unknown, expired or revoked; the error does not reveal which of these applies.
    """
    parts = get_authorization_header(cast("Request", request)).split()
    if not parts or parts[0].lower() != KEYWORD.encode():
        return None
    try:
        secret = parts[1].decode("ascii") if len(parts) == 2 else ""
    except UnicodeError:
        secret = ""
    token = use_token(secret)
    if token is None:
        raise exceptions.AuthenticationFailed("This token is not valid. Make a new one on your account pages.")
    return token


class TokenAuthentication(BaseAuthentication):
    """Authentication by the access tokens of `accounts`; the session of a browser is checked after them."""

    def authenticate(self, request: Request) -> tuple[Any, AccessToken] | None:
        token = token_of(request)
        return (token.user, token) if token else None

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 (the framework's signature)
        return "Bearer"


class WithinScope(IsAuthenticatedOrReadOnly):
    """Refuse anything outside the scopes of a token, even if its owner may do it.

    Reading needs the scope `read`. A view names in `write_scope` the scope for anything else; without it, no
    token writes.
    """

    read_scope = READ
    message = "This token lacks the required scope."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not super().has_permission(request, view):
            return False
        if not isinstance(request.auth, AccessToken):
            return True
        needed = self.read_scope if request.method in SAFE_METHODS else getattr(view, "write_scope", None)
        return needed in request.auth.scopes


class TokenScheme(OpenApiAuthenticationExtension):
    """Description of token authentication in the schema."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 (the library's signature)
        return {"type": "http", "scheme": "bearer"}
