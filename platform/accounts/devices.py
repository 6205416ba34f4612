"""Devices from which a person has signed in before: failed attempts by strangers do not lock them out.

A signed cookie identifies the device to accounts that signed in on it. The cookie grants no access: the password is
still required, and attempts are counted per device. See OWASP, "Slow down online guessing attacks with device
cookies".
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.models import User

COOKIE = "podium_devices"
_SALT = "accounts.devices"
SECONDS = 180 * 24 * 3600
# A shared computer remembers this many accounts.
ACCOUNTS = 5


def device_of(request: HttpRequest, account: User) -> str:
    """Name under which `account` knows the device of a request; empty where it never signed in from there."""
    return _devices(request).get(str(account.pk), "")


def remember_device(request: HttpRequest, response: HttpResponse, account: User) -> None:
    """Let the device of a request be known to `account` from now on."""
    devices = _devices(request)
    name = devices.pop(str(account.pk), "") or secrets.token_urlsafe(16)
    devices[str(account.pk)] = name
    response.set_cookie(
        COOKIE,
        signing.dumps(dict(list(devices.items())[-ACCOUNTS:]), salt=_SALT),
        max_age=SECONDS,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
        path=settings.SESSION_COOKIE_PATH,
    )


def _devices(request: HttpRequest) -> dict[str, str]:
    try:
        devices = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=SECONDS)
    except signing.BadSignature:
        return {}
    return devices if isinstance(devices, dict) else {}
