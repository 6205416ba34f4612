"""Input of visitors without an account leaves no permanent row: every address, every unsafe method, all tables counted."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone
from django.utils.regex_helper import normalize

from accounts.models import User
from accounts.notifications.models import Email
from accounts.services.rights import UNCONFIRMED_DAYS, delete_unconfirmed_accounts, forget_what_is_old
from core.audit.models import Sealing
from tests.fuzz import world
from tests.integration.federation import world as sites

pytestmark = pytest.mark.django_db(transaction=True)
METHODS = ("post", "put", "patch", "delete")
PASSWORD = "a-long-password-of-nobody"
FIELDS = {
    "login": "nobody",
    "password": PASSWORD,
    "password1": PASSWORD,
    "password2": PASSWORD,
    "title": "x",
    "name": "x",
    "text": "x",
    "reason": "x",
    "code": "1",
    "action": "x",
    "act": "x",
}
SHORT_LIVED = {"sessions.session": "expires with its cookie; `clearsessions` removes it daily"}
EXCEPTIONS = {
    # Route: (tables that grow, reason, bound). A worker writes the letter about a lost password, 5 per hour and address
    # (`tests/unit/accounts/test_sign_in.py`). Forged messages of sites warn the organizers once per day
    # (`tests/integration/federation/test_refusals.py`).
    "accounts/signup/": (
        {"accounts.user", "account.emailaddress", "notifications.email", "audit.sealing"},
        "the account itself, and digests of its rows",
        (
            "20 per minute and address; deleted after 30 days without a confirmed address; the letter after the retention "
            "time; digests stay, since the chain of sealings would break without them"
        ),
    ),
}


def routes():
    """Every route with its template of an address and the names of its parameters."""

    def walk(patterns, before):
        for entry in patterns:
            regex = before + entry.pattern.regex.pattern.lstrip("^").replace("\\Z", "").removesuffix("$")
            if isinstance(entry, URLPattern):
                for template, names in normalize(regex)[:2]:
                    yield regex, template, names, entry.pattern.converters
            else:
                yield from walk(entry.url_patterns, regex)

    return list(walk(get_resolver().url_patterns, ""))


FALLBACK = {"IntConverter": 1, "UUIDConverter": "00000000-0000-4000-8000-000000000000"}


def addresses(made, known):
    """Addresses with the values that lead somewhere, and where none is known, with one that leads nowhere."""
    for _, template, names, converters in routes():
        path = "/" + template
        choices = []
        for name in names:
            kind = type(converters.get(name)).__name__
            values = made.values(path, name) or known.get(name) or [FALLBACK.get(kind, "x")]
            choices.append(values[0])
        yield template, path % dict(zip(names, choices, strict=True))


def counts():
    return {
        model._meta.label_lower: model._base_manager.count()
        for model in apps.get_models()
        if model._meta.label_lower not in SHORT_LIVED
    }


def test_no_address_keeps_what_a_visitor_sends(caplog):
    caplog.set_level("CRITICAL")
    made = world.build()
    # Both worlds have an organizer of this name.
    User.objects.filter(username="olga").update(username="olga-2", email="olga-2@example.org")
    User.objects.filter(email="olga@example.org").update(email="olga-3@example.org")
    centre = sites.build(algorithms=())
    code = centre.invite("north") or centre.codes["north"]
    known = {
        "federation": [centre.federation.identifier, centre.federation.pk],
        "code": [code],
        "site": ["north"],
    }
    found, asked, inserts = {}, 0, []
    before = counts()

    def note(execute, sql, params, many, context):
        if sql.lstrip().upper().startswith("INSERT"):
            inserts.append(sql)
        return execute(sql, params, many, context)

    for number, (template, path) in enumerate(addresses(made, known)):
        person = {"username": f"nobody{number}", "email": f"nobody{number}@example.org"}
        for method in METHODS:
            bodies = [{"data": FIELDS | person}] if method == "post" else []
            bodies += [{"data": b"{}", "content_type": "application/json"}]
            for body in bodies:
                inserts.clear()
                with connection.execute_wrapper(note):
                    getattr(Client(raise_request_exception=False), method)(path, **body).close()
                asked += 1
                # Counting all tables is slow, so they are counted only where a row was inserted.
                after = counts() if inserts else before
                if grown := {name for name in after if after[name] > before[name]}:
                    found.setdefault(re.sub(r"%\((\w+)\)s", r"<\1>", template), set()).update(grown)
                before = after
    assert asked > 1_000
    assert counts() == before
    assert found == {route: tables for route, (tables, _, _) in EXCEPTIONS.items()}


def test_an_account_without_a_confirmed_address_is_deleted_in_time():
    old = timezone.now() - timedelta(days=UNCONFIRMED_DAYS, minutes=1)

    def person(name, *, verified, joined=old, **fields):
        user = User.objects.create_user(name, f"{name}@example.org", PASSWORD, date_joined=joined, **fields)
        if verified is not None:
            EmailAddress.objects.create(user=user, email=user.email, verified=verified, primary=True)

    person("stranger", verified=False)
    person("recent", verified=False, joined=timezone.now())
    person("confirmed", verified=True)
    person("signed-in", verified=False, last_login=old)
    person("staff", verified=False, is_staff=True)
    person("made-by-a-command", verified=None)
    assert delete_unconfirmed_accounts() == 1
    assert set(User.objects.values_list("username", flat=True)) == {
        "recent",
        "confirmed",
        "signed-in",
        "staff",
        "made-by-a-command",
    }
    User.objects.filter(username="recent").update(date_joined=old)
    assert forget_what_is_old() >= 1
    assert not User.objects.filter(username="recent").exists()


def test_a_sign_up_that_nobody_confirms_leaves_nothing(settings):
    fields = {"username": "eve-of-nowhere", "email": "eve@example.net", "password1": PASSWORD, "password2": PASSWORD}
    before = counts()
    Client().post("/accounts/signup/", fields)
    assert User.objects.filter(username="eve-of-nowhere").exists()
    long_ago = timezone.now() - timedelta(days=settings.PODIUM_RETENTION_DAYS + 1)
    User.objects.update(date_joined=long_ago)
    Email.objects.update(created_at=long_ago, state=Email.State.SENT, sent_at=long_ago)
    forget_what_is_old()
    after = counts()
    assert {name for name in after if after[name] != before[name]} <= {"audit.sealing", "audit.sealinghead"}
    sealings = str(list(Sealing.objects.values()))
    assert "accounts.user" in sealings
    assert not [value for value in fields.values() if value in sealings]


def test_sign_ups_beyond_the_limit_leave_no_digest():
    """Sealings of sign-ups stay for good, so their number per network is limited."""

    def sign_up(number):
        data = {**FIELDS, "username": f"someone{number}", "email": f"someone{number}@example.org"}
        return Client().post("/accounts/signup/", data).status_code

    assert {sign_up(number) for number in range(20)} == {302}
    before = Sealing.objects.count()
    assert sign_up(20) == 429
    assert Sealing.objects.count() == before > 0
