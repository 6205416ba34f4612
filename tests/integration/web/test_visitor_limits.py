"""Every address has a limit for visitors without an account, or a reason why it has none."""

import os
import re
import subprocess
import sys
from contextlib import suppress
from functools import cache as cached
from itertools import product
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import Resolver404, URLPattern, get_resolver, resolve, reverse

from accounts.models import User
from api.federation.views import SitesRate
from api.runners.views import InputRate
from api.throttling import VisitorRate
from tests.integration.web.test_anonymous_writes import routes
from web import visitors

pytestmark = pytest.mark.django_db
UNLIMITED = {
    "healthz": "asked by monitoring and by containers",
    "metrics": "answers only the token of the installation",
    "challenges/%(slug)s/data/download/%(token)s/": "redeems an address made for one file",
}
# A route that ends like a file but is not computed per request, and why the lower limit is not needed.
NOT_COSTLY = {
    "need the code of an invitation before they do any work": {
        "challenges/%(slug)s/sites/invitation/%(code)s/invitation.json",
        "challenges/%(slug)s/sites/invitation/%(code)s/package.zip",
        "challenges/%(slug)s/sites/invitation/%(code)s/images/%(name)s.tar",
        "challenges/%(slug)s/sites/invitation/%(code)s/receipts.json",
    },
    "read from the source code": {"favicon.ico", "robots.txt", "client/version.json"},
    "one stored row, or facts of one version": {
        "registry/%(identifier)s/badge.svg",
        "registry/%(identifier)s/v%(number)s.json",
        "registry/%(identifier)s/v%(number)s/citation.bib",
        "registry/%(identifier)s/v%(number)s/citation.ris",
        "registry/%(identifier)s/v%(number)s/citation.cff",
        "registry/%(identifier)s/v%(number)s/datacite.json",
        "registry/%(identifier)s/v%(number)s/datacite.xml",
        "designs/%(slug)s/versions/%(number)s.json",
        "designs/%(slug)s/assessment/%(task)s.json",
        "challenges/%(slug)s/assessment/%(phase)s.json",
        "challenges/%(slug)s/phases/%(phase)s/interface.json",
    },
    "stored figures of a page, several per page": {
        "challenges/%(slug)s/leaderboard/%(key)s/history/ranks.json",
        "challenges/%(slug)s/leaderboard/%(key)s/tasks/%(name)s.json",
        "challenges/%(slug)s/leaderboard/%(key)s/v/%(number)s/figures/%(name)s.json",
        "challenges/%(slug)s/leaderboard/%(key)s/v/%(number)s/ranking.json",
        "designs/%(slug)s/simulations/%(pk)s/%(number)s.json",
        "design-system/plot/%(name)s.json",
        "design-system/plot/%(name)s.csv",
    },
}


@pytest.fixture
def limits(settings, monkeypatch):
    """Low limits, in a minute that does not end during the test."""
    monkeypatch.setattr(visitors, "time", SimpleNamespace(time=lambda: 1_800_000_000.0))
    settings.PODIUM_VISITOR_PAGES_PER_MINUTE = 2
    settings.PODIUM_VISITOR_FILES_PER_MINUTE = 1


VALUES = ("x", "1", "1.0", "pdf", "00000000-0000-4000-8000-000000000000")


@cached
def known_routes():
    """Every route outside the administration, with an address that leads to its view."""
    return tuple(_known_routes())


def _known_routes():
    for _, template, names, _ in routes():
        if not template.startswith("admin/"):
            filled = (
                "/" + template % dict(zip(names, chosen, strict=True)) for chosen in product(VALUES, repeat=len(names))
            )
            yield template, next(path for path in filled if leads_to_a_view(path))


def leads_to_a_view(path):
    with suppress(Resolver404):
        return bool(resolve(path))
    return False


def statuses(path, times, client=None):
    cache.clear()
    client = client or Client(raise_request_exception=False)
    return [client.get(path).status_code for _ in range(times)]


def test_every_address_refuses_a_visitor_beyond_the_limit_or_has_a_reason(limits, settings, monkeypatch):
    settings.PODIUM_VISITOR_PAGES_PER_MINUTE = 1
    for throttle in (VisitorRate, SitesRate, InputRate):
        monkeypatch.setattr(throttle, "rate", "1/min", raising=False)
    # The interface asks for an account first, which reads nothing but the token.
    last = {template: (path, statuses(path, 2)[-1]) for template, path in known_routes()}
    without = {
        template
        for template, (path, status) in last.items()
        if status != 429 and not (path.startswith("/api/") and status == 401)
    }
    assert without == set(UNLIMITED)
    assert sum(status == 429 for _, status in last.values()) > 250


def views():
    def walk(patterns, before):
        for entry in patterns:
            route = before + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield re.sub(r"<(?:\w+:)?(\w+)>", r"%(\1)s", route), entry.callback
            else:
                yield from walk(entry.url_patterns, route)

    return [(route, view) for route, view in walk(get_resolver().url_patterns, "") if not route.startswith("admin/")]


def test_every_reason_is_the_one_that_the_view_states():
    reasons = {route: visitors.reason_without_limit(view) for route, view in views()}
    assert {route: reason for route, reason in reasons.items() if reason} == UNLIMITED


def test_every_public_file_that_is_computed_has_the_lower_limit(limits):
    """Addresses that end like a file; those that ask a visitor to sign in do no work."""
    files = {route: path for route, path in known_routes() if re.search(r"\.[a-z]{2,4}$", route)}
    listed = set().union(*NOT_COSTLY.values())
    costly = {route for route, view in views() if visitors.is_costly(view)}
    signs_in = {route for route, path in files.items() if statuses(path, 1) in ([302], [401])}
    assert set(files) - costly - signs_in - listed == set()
    assert listed & costly == set()
    for route in costly & set(files):
        assert statuses(files[route], 2)[-1] == 429, route


def test_people_who_are_signed_in_have_no_limit_and_use_up_none_of_visitors(limits):
    person = Client()
    person.force_login(User.objects.create_user("ada", "ada@example.org", "a-long-password"))
    for name in ("registry:list", "registry:feed", "api:registration-list"):
        assert statuses(reverse(name), 5, person) == [200] * 5
        assert Client().get(reverse(name)).status_code == 200
    invented = Client()
    invented.cookies[settings.SESSION_COOKIE_NAME] = "x"
    assert statuses(reverse("registry:list"), 3, invented) == [200, 200, 429]
    headed = Client(headers={"authorization": "Bearer x"})
    assert statuses(reverse("registry:list"), 3, headed) == [200, 200, 429]


def test_visitors_of_other_networks_are_counted_apart(limits):
    page = reverse("registry:list")
    assert statuses(page, 3)[-1] == 429
    assert Client(REMOTE_ADDR="192.0.2.1").get(page).status_code == 200
    refused = Client().get(page)
    assert refused.headers["Retry-After"]
    assert "Too many requests" in refused.content.decode()


def test_answers_to_visitors_remain_the_same_for_all(limits):
    assert "Cookie" not in Client().get(reverse("registry:feed")).headers.get("Vary", "")


def test_pages_remain_readable_while_the_cache_is_away(limits, monkeypatch):
    def fail(*args, **kwargs):
        raise ConnectionError

    monkeypatch.setattr(visitors.cache, "incr", fail)
    assert statuses(reverse("registry:feed"), 4) == [200] * 4


def test_an_installation_has_limits_by_default():
    names = ("PODIUM_VISITOR_PAGES_PER_MINUTE", "PODIUM_VISITOR_FILES_PER_MINUTE")
    environ = {name: value for name, value in os.environ.items() if name not in names}
    code = f"from django.conf import settings; print([getattr(settings, name) for name in {names}])"
    environ |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    printed = subprocess.check_output([sys.executable, "-c", code], env=environ, text=True, cwd=settings.ROOT)
    assert printed.strip() == "[600, 60]"
