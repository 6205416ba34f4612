"""Every rate limit and quota: its key, its rate and what it protects. A new one, or a changed one, must be added here."""

from importlib import import_module

from allauth.account import app_settings as accounts
from allauth.mfa import app_settings as mfa
from django.conf import settings
from django.urls import URLPattern, get_resolver
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle

# Action of allauth: (rate, what it protects). The key is the last part of the rate: visitor's address (ip), account that is
# signed in (user), or what the limit is about (key).
ACCOUNTS = {
    "login": ("30/m/ip", "the web process from floods of sign-ins"),
    "login_failed": ("10/m/ip,5/5m/key,100/d/key", "passwords from guessing, per address and per account"),
    "login_failed_on_device": ("10/5m/key,100/d/key", "an account from guessing on a known device"),
    "signup": ("20/m/ip", "the list of accounts from programs"),
    "reset_password": ("20/m/ip,5/h/key", "mailboxes from letters about lost passwords"),
    "reset_password_from_key": ("20/m/ip", "links to a new password from guessing"),
    "letter": ("5/h/key", "mailboxes from letters of one kind"),
    "confirm_email": ("1/180s/key", "mailboxes from confirmations"),
    "change_password": ("5/m/user", "the present password in a stolen session"),
    "reauthenticate": ("10/m/user", "the present password in a stolen session"),
    "manage_email": ("10/m/user", "mailboxes from confirmations of added addresses"),
    # Features that are off here: codes by mail and telephone numbers.
    "request_login_code": ("20/m/ip,3/m/key", "nothing: sign-in by code is off"),
    "change_phone": ("1/m/user", "nothing: there are no telephone numbers"),
    "verify_phone": ("1/30s/key,3/m/ip", "nothing: there are no telephone numbers"),
}
SECOND_FACTORS = {"webauthn_login": ("10/m/ip", "nothing: WebAuthn is off")}
# Throttle class of the interface: (rate, key, views, what it protects).
INTERFACE = {
    "api.federation.views.SitesRate": (
        "600/hour",
        "visitor's address",
        {"FilesView", "MessagesView"},
        "the only views of the interface that read a body before they know who sends it",
    ),
    "api.runners.views.RunnerRate": (
        "1200/min",
        "runner",
        {
            "BeatView",
            "FinishView",
            "MeasurementsView",
            "OutputsView",
            "ReleaseView",
            "ReportView",
            "RunView",
            "RunsView",
        },
        "the web process from a runner that floods it",
    ),
    "api.runners.views.InputRate": ("6000/min", "visitor's address", {"InputView"}, "the storage from downloads"),
}
BY_TOKEN = {"api.runners.views.RunnerRate"}
"""Throttles of senders whose token was checked before."""
DEFAULT = "api.throttling.VisitorRate"
# Setting or constant: (value, key, what it protects). These count rows, so they hold on all machines.
QUOTAS = {
    "settings.PODIUM_INVITATIONS_PER_DAY": (100, "person", "strangers' mailboxes"),
    "settings.PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY": (5, "address", "strangers' mailboxes"),
    "settings.ACCOUNT_MAX_EMAIL_ADDRESSES": (5, "account", "strangers' mailboxes"),
    "settings.PODIUM_UPLOADS_UNDER_WAY": (3, "team and phase", "disk"),
    "settings.PODIUM_UPLOAD_ANNOUNCED_BYTES": (40 * 1024**3, "team, challenge, person", "disk"),
    "settings.PODIUM_UNSUCCESSFUL_PER_DAY": (50, "team and day", "workers"),
    "settings.PODIUM_DATA_CHALLENGE_BYTES": (500 * 1024**3, "challenge", "disk"),
    "settings.PODIUM_IMAGE_TEAM_BYTES": (50 * 1024**3, "team and phase", "disk"),
    "settings.PODIUM_IMAGE_STORE_BYTES": (500 * 1024**3, "installation", "disk"),
    "settings.PODIUM_ANALYSES_MOST": (50, "person", "disk"),
    "settings.PODIUM_ANALYSES_PER_DAY": (20, "person and day", "workers"),
    "settings.PODIUM_ANONYMOUS_BODY_BYTES": (64 * 1024, "request without an account", "memory"),
    "settings.PODIUM_FORM_BODY_BYTES": (2 * 1024**2, "request with an account", "memory"),
    "datastore.datasets.services.hosting.UNDER_WAY": (5, "challenge", "disk"),
    "datastore.test_sets.services.arrivals.UNDER_WAY": (3, "challenge", "disk"),
    "accounts.services.rights.UNCONFIRMED_DAYS": (30, "account without a confirmed address", "the list of accounts"),
    "federation.services.refusals.FORGED_BEFORE_WARNING": (3, "federation and day", "organizers' mailboxes"),
}


def test_every_limit_of_accounts_is_listed():
    assert {action: rate for action, rate in accounts.RATE_LIMITS.items() if rate} == {
        action: rate for action, (rate, _) in ACCOUNTS.items()
    }
    assert {action: rate for action, (rate, _) in SECOND_FACTORS.items()} == mfa.RATE_LIMITS


def throttled_views():
    views = {}

    def walk(patterns):
        for entry in patterns:
            if not isinstance(entry, URLPattern):
                walk(entry.url_patterns)
                continue
            view = getattr(entry.callback, "cls", None)
            for throttle in getattr(view, "throttle_classes", ()):
                name = f"{throttle.__module__}.{throttle.__qualname__}"
                if name == DEFAULT:
                    continue
                views.setdefault(name, (throttle.rate, set()))[1].add(view.__name__)

    walk(get_resolver().url_patterns)
    return views


def test_every_limit_of_the_interface_is_listed():
    assert throttled_views() == {name: (rate, views) for name, (rate, _, views, _) in INTERFACE.items()}
    assert [f"{cls.__module__}.{cls.__name__}" for cls in api_settings.DEFAULT_THROTTLE_CLASSES] == [DEFAULT]


def test_every_throttle_counts_by_the_one_function_for_addresses():
    from api.throttling import AddressThrottle

    def below(cls):
        return {cls, *(deep for sub in cls.__subclasses__() for deep in below(sub))}

    own = {cls for cls in below(BaseThrottle) if not cls.__module__.startswith("rest_framework.")}
    assert own
    own = {cls for cls in own if f"{cls.__module__}.{cls.__name__}" not in BY_TOKEN}
    assert all(issubclass(cls, AddressThrottle) for cls in own)
    assert all("get_ident" not in vars(cls) and "get_cache_key" not in vars(cls) for cls in own - {AddressThrottle})


def test_every_quota_has_the_value_that_is_listed():
    def value(name):
        place, _, attribute = name.rpartition(".")
        return getattr(settings if place == "settings" else import_module(place), attribute)

    assert {name: value(name) for name in QUOTAS} == {name: wanted for name, (wanted, _, _) in QUOTAS.items()}
