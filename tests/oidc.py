"""An OpenID Connect provider on this machine, made with Authlib, for tests of sign-in.

It has no passwords: `signs_in` says which person comes next and what the ID token states.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request
from joserfc.jwk import RSAKey
from werkzeug.serving import make_server

CLIENT, SECRET = "podium", "a-secret-of-the-tests"


class _Client:
    """The one client of the provider."""

    client_id = CLIENT

    def __init__(self) -> None:
        self.redirects: list[str] = []

    def get_client_id(self) -> str:
        return CLIENT

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: str) -> str:
        return scope

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        self.redirects.append(redirect_uri)
        return "/login/callback/" in redirect_uri

    def check_client_secret(self, client_secret: str) -> bool:
        return client_secret == SECRET

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method in ("client_secret_basic", "client_secret_post")

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type == "authorization_code"


class _Person:
    """A person at the provider."""

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self.claims = dict(claims)

    def get_user_id(self) -> str:
        return str(self.claims["sub"])


class _Code:
    """An authorization code with what belongs to it."""

    def __init__(self, code: str, request: Any) -> None:
        data = request.payload.data
        self.code, self.user = code, request.user
        self.redirect_uri, self.scope, self.nonce = data.get("redirect_uri"), data.get("scope"), data.get("nonce")
        self.code_challenge = data.get("code_challenge")
        self.code_challenge_method = data.get("code_challenge_method")

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope

    def get_nonce(self) -> str:
        return self.nonce

    def get_auth_time(self) -> int:
        return int(time.time())

    def get_acr(self) -> str | None:
        return self.user.claims.get("acr")

    def get_amr(self) -> list[str] | None:
        return self.user.claims.get("amr")


class _Token:
    """An access token for the address of the claims."""

    def __init__(self, user: _Person, scope: str) -> None:
        self.user, self.scope = user, scope

    def is_expired(self) -> bool:
        return False

    def is_revoked(self) -> bool:
        return False

    def get_scope(self) -> str:
        return self.scope


class Provider:
    """The provider while it runs.

    Attributes
    ----------
    address
        Its issuer, which is the value of `server` in `PODIUM_SIGN_IN`.
    asked
        The parameters of the last request of authorization.
    """

    def __init__(self) -> None:
        self.address = ""
        self.asked: dict[str, str] = {}
        self.client = _Client()
        self._codes: dict[str, _Code] = {}
        self._tokens: dict[str, _Token] = {}
        self._person: _Person | None = None
        self._key = RSAKey.generate_key(2048, {"kid": "tests", "alg": "RS256", "use": "sig"})

    def signs_in(self, sub: str, **claims: Any) -> None:
        """Let this person sign in at the next request."""
        self._person = _Person({"sub": sub, **claims})

    def app(self) -> Flask:  # noqa: C901 (one function per address)
        """Return the application that answers."""
        app = Flask("provider")
        provider, key = self, self._key
        server = AuthorizationServer(
            app,
            query_client=lambda client_id: self.client if client_id == CLIENT else None,
            save_token=lambda token, request: self._tokens.update({
                token["access_token"]: _Token(request.user, token.get("scope", ""))
            }),
        )  # fmt: skip

        class Code(grants.AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]

            def save_authorization_code(self, code: str, request: Any) -> None:
                provider._codes[code] = _Code(code, request)

            def query_authorization_code(self, code: str, client: Any) -> _Code | None:
                return provider._codes.get(code)

            def delete_authorization_code(self, authorization_code: _Code) -> None:
                provider._codes.pop(authorization_code.code, None)

            def authenticate_user(self, authorization_code: _Code) -> _Person:
                return authorization_code.user

        class Claims(OpenIDCode):
            def exists_nonce(self, nonce: str, request: Any) -> bool:
                return False

            def resolve_client_private_key(self, client: Any) -> dict[str, Any]:
                return key.as_dict(private=True)

            def get_client_algorithm(self, client: Any) -> str:
                return "RS256"

            def get_client_claims(self, client: Any) -> dict[str, Any]:
                now = int(time.time())
                return {"iss": provider.address, "aud": CLIENT, "iat": now, "exp": now + 600}

            def generate_user_info(self, user: _Person, scope: str) -> UserInfo:
                return UserInfo(user.claims)

        class Tokens(BearerTokenValidator):
            def authenticate_token(self, token_string: str) -> _Token | None:
                return provider._tokens.get(token_string)

        server.register_grant(Code, [Claims(require_nonce=False), CodeChallenge(required=True)])
        protect = ResourceProtector()
        protect.register_token_validator(Tokens())

        @app.get("/.well-known/openid-configuration")
        def discovery() -> Any:
            return jsonify(
                issuer=self.address,
                authorization_endpoint=f"{self.address}/authorize",
                token_endpoint=f"{self.address}/token",
                userinfo_endpoint=f"{self.address}/userinfo",
                jwks_uri=f"{self.address}/keys",
                response_types_supported=["code"],
                subject_types_supported=["public"],
                id_token_signing_alg_values_supported=["RS256"],
                token_endpoint_auth_methods_supported=["client_secret_basic"],
                code_challenge_methods_supported=["S256"],
            )

        @app.get("/keys")
        def keys() -> Any:
            return jsonify(keys=[key.as_dict(private=False)])

        @app.get("/authorize")
        def authorize() -> Any:
            self.asked = request.args.to_dict()
            grant = server.get_consent_grant(end_user=self._person)
            return server.create_authorization_response(grant=grant, grant_user=self._person)

        @app.post("/token")
        def token() -> Any:
            return server.create_token_response()

        @app.get("/userinfo")
        @protect("openid")
        def userinfo() -> Any:
            from authlib.integrations.flask_oauth2 import current_token

            person = current_token.user
            return jsonify({name: value for name, value in person.claims.items() if name not in ("acr", "amr")})

        return app


@contextmanager
def running() -> Iterator[Provider]:
    """Run a provider on a free port of this machine."""
    import os

    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
    provider = Provider()
    server = make_server("127.0.0.1", 0, provider.app(), threaded=True)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        os.environ.pop("AUTHLIB_INSECURE_TRANSPORT", None)


def entry(provider: Provider, **more: Any) -> dict[str, Any]:
    """Return the entry of `PODIUM_SIGN_IN` for the provider."""
    return {
        "id": "uni",
        "name": "Test University",
        "server": provider.address,
        "client_id": CLIENT,
        "secret": SECRET,
        **more,
    }
