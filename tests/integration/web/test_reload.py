"""Every address that accepts only POST leads to a page when it is opened, for example on reload of a form with errors."""

import inspect
import uuid

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, resolve
from django.utils.regex_helper import normalize

from accounts.models import User
from web.middleware import page_above

OPENED = {"GET", "HEAD"}
VALUES = {"IntConverter": 7, "UUIDConverter": uuid.UUID(int=7)}


def methods_of(view) -> set[str] | None:
    """Return the methods that a view accepts by its decorators; None if any."""
    while view is not None:
        variables = inspect.getclosurevars(view).nonlocals if inspect.isfunction(view) else {}
        if "request_method_list" in variables:
            return set(variables["request_method_list"])
        view = getattr(view, "__wrapped__", None)
    return None


def is_for_posting(view) -> bool:
    """Return whether a view accepts forms but shows no page.

    Resumable uploads are excluded because they have a separate protocol.
    """
    methods = methods_of(view)
    return methods is not None and not methods & OPENED and "OPTIONS" not in methods


def posted() -> list[str]:
    """An address of every route that accepts only POST."""

    def walk(patterns, before):
        for entry in patterns:
            regex = before + entry.pattern.regex.pattern.lstrip("^").replace("\\Z", "").removesuffix("$")
            if not isinstance(entry, URLPattern):
                yield from walk(entry.url_patterns, regex)
            elif is_for_posting(entry.callback):
                template, names = normalize(regex)[0]
                values = {name: VALUES.get(type(entry.pattern.converters.get(name)).__name__, "x") for name in names}
                yield "/" + template % values

    return sorted(walk(get_resolver().url_patterns, ""))


def test_there_are_such_addresses():
    assert len(posted()) > 60
    assert "/notifications/read/" in posted()


@pytest.mark.parametrize("path", posted())
def test_an_address_for_posting_has_a_page_above_it(path):
    assert is_for_posting(resolve(path).func)
    page = page_above(path)
    while is_for_posting(resolve(page).func):
        page = page_above(page)
    assert path.startswith(page)
    assert page != "/", "No page is above this address."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/notifications/read/", "/notifications/"),
        ("/challenges/x/organize/sites/open/", "/challenges/x/organize/sites/"),
        ("/designs/x/tasks/", "/designs/x/"),
    ],
)
def test_opening_it_leads_there(path, page):
    client = Client()
    client.force_login(User.objects.create_user("reloading", "reloading@example.org"))
    for method in (client.get, client.head):
        answer = method(path, {"page": 2})
        assert (answer.status_code, answer.url) == (302, page)


@pytest.mark.django_db
def test_other_methods_and_programs_are_refused():
    client = Client()
    client.force_login(User.objects.create_user("reloading", "reloading@example.org"))
    assert client.put("/notifications/read/").status_code == 405
    assert client.get("/api/v1/analyses/x/").status_code in (404, 405)
