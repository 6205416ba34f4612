"""Second factor for staff: required in each of their sessions if `PODIUM_STAFF_SECOND_FACTOR` is set."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

_METHOD = "mfa"
# Names of allauth's addresses: signing in and out, e-mail, password, second factor.
_OPEN = ("account_", "mfa_")


def note_second_factor(request: HttpRequest, user: AbstractBaseUser) -> None:
    """Let a session count as opened with a second factor."""
    record_authentication(request, user, _METHOD)


def has_second_factor(request: HttpRequest) -> bool:
    """Return whether the person of this session entered a second factor in it.

    A factor that was entered before another person signed in does not count.
    """
    return any(step["method"] == _METHOD for step in get_authentication_records(request, request.user))


class StaffSecondFactorMiddleware:
    """Send staff without a second factor to where they set it up or give it, before anything else.

    Superusers may do everything on all pages, not only in the administration: a password alone opens none to them. Access
    tokens are made in such a session and stay within their scopes.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Refuse, or lead elsewhere, before the view is called."""
        if not settings.PODIUM_STAFF_SECOND_FACTOR or not _is_missing(request):
            return None
        if request.method not in ("GET", "HEAD") or request.path.startswith("/api/"):
            raise PermissionDenied("Staff need a second factor for this. Sign in with it in a browser first.")
        if is_mfa_enabled(request.user):
            page, text = "mfa_reauthenticate", "Give a code of your second factor to go on."
        else:
            page, text = "mfa_activate_totp", "Accounts of staff need a second factor here. Set it up to go on."
        messages.info(request, text)
        return redirect(f"{reverse(page)}?{urlencode({'next': request.get_full_path()})}")


def _is_missing(request: HttpRequest) -> bool:
    match = request.resolver_match
    if match is not None and match.namespaces == [] and (match.url_name or "").startswith(_OPEN):
        return False
    user = request.user
    return user.is_authenticated and (user.is_staff or user.is_superuser) and not has_second_factor(request)
