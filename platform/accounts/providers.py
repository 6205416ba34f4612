"""Sign-in by identity providers: which are configured, what their statements prove, and where forms may lead."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from accounts.domain.orcid import is_orcid
from web.policy import allow_forms_to

_MEMBERS = frozenset({"member", "faculty", "staff", "employee", "student"})
"""Affiliations of eduPerson that make a person a member of an institution."""
_WITH_BUTTONS = frozenset({
    "account_login",
    "account_reauthenticate",
    "account_signup",
    "github_login",
    "openid_connect_login",
    "socialaccount_connections",
})  # fmt: skip


class ProviderAdapter(DefaultSocialAccountAdapter):
    """Accounts of identity providers, which never open an existing account because of an e-mail address.

    allauth compares addresses if `SOCIALACCOUNT_EMAIL_AUTHENTICATION` is set; it is not. A person links accounts on the
    page *Linked accounts*, after confirming the password.
    """

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:  # noqa: ARG002 (allauth's signature)
        """Return whether a person without an account can create one through this provider."""
        return bool(configured(sociallogin.account.provider).get("signup", settings.PODIUM_SIGNUP_OPEN))


def configured(provider: str) -> Mapping[str, Any]:
    """Return the entry of a provider in `PODIUM_SIGN_IN`; empty for one that is not configured any more."""
    return next((entry for entry in settings.PODIUM_SIGN_IN if entry["id"] == provider), {})


def proves_second_factor(entry: Mapping[str, Any], claims: Mapping[str, Any]) -> bool:
    """Return whether an ID token states that the person used a second factor, in a way that the operator accepts.

    Examples
    --------
    >>> entry = {"acr": ["https://refeds.org/profile/mfa"], "amr": ["mfa", "otp"]}
    >>> proves_second_factor(entry, {"acr": "https://refeds.org/profile/mfa"})
    True
    >>> proves_second_factor(entry, {"amr": ["pwd", "otp"]}), proves_second_factor(entry, {"amr": ["pwd"]})
    (True, False)
    >>> proves_second_factor({}, {"amr": ["mfa"]}), proves_second_factor(entry, {})
    (False, False)
    """
    methods = claims.get("amr")
    return claims.get("acr") in entry.get("acr", ()) or bool(
        isinstance(methods, list) and set(map(str, methods)) & set(entry.get("amr", ()))
    )


def orcid_of(account: Any) -> str:
    """Return the ORCID iD that signing in has proved; empty for accounts of other providers."""
    return account.uid if configured(account.provider).get("orcid") and is_orcid(account.uid) else ""


def institutions_of(account: Any) -> set[str]:
    """Return the institutions that a provider has stated, in lower case, from the claims that the operator named for it.

    A scoped affiliation such as ``member@uni.example.org`` counts as its scope, if the person is a member. Former members
    (``alum``) and other affiliations do not count.
    """
    names = configured(account.provider).get("institution", ())
    statements = account.extra_data if isinstance(account.extra_data, dict) else {}
    institutions: set[str] = set()
    for source in (statements.get("id_token"), statements.get("userinfo")):
        claims = source if isinstance(source, dict) else {}
        for claim in map(claims.get, names):
            for entry in claim if isinstance(claim, list) else [claim]:
                role, at, scope = entry.strip().lower().rpartition("@") if isinstance(entry, str) else ("", "", "")
                if not at or role in _MEMBERS:
                    institutions.add(scope)
    return institutions - {""}


def origins() -> list[str]:
    """Return the origins of all configured providers, in the order of the settings."""
    addresses = [
        f"{parts.scheme}://{parts.netloc}" for parts in (urlsplit(entry["server"]) for entry in settings.PODIUM_SIGN_IN)
    ]
    return list(dict.fromkeys(addresses))


class ProviderFormsMiddleware:
    """Let the buttons of sign-in pages lead to the configured providers, and no other form anywhere."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        match = request.resolver_match
        if settings.PODIUM_SIGN_IN and match is not None and match.url_name in _WITH_BUTTONS:
            allow_forms_to(response, " ".join(origins()))
        return response
