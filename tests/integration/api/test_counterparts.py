"""Every act of organizers and chairs on a page is an operation too, with the same permissions for every role."""

import hashlib
import json
import re
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.views.generic.base import RedirectView
from drf_spectacular.generators import SchemaGenerator

from accounts.models import AccessToken
from api.acts.counterparts import COUNTERPARTS, GAPS, REASONS
from api.acts.urls import urlpatterns as acts
from tests.fuzz import world

UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
MOST_GAPS = 11
BODIES = {"reports:make": {"audience": "public"}, "results:repeat_many": {"which": "failed"}}
"""Input without which a page answers that it does not exist."""


def methods(view):
    """Return the methods that a view accepts, by its decorators or class; None if it accepts all."""
    found = None
    while view is not None:
        kind = getattr(view, "view_class", None) or getattr(view, "cls", None)
        if kind is RedirectView:
            return {"GET"}
        if kind is not None:
            actions = getattr(view, "actions", None)
            return {name.upper() for name in actions or kind.http_method_names if actions or hasattr(kind, name)}
        names = getattr(getattr(view, "__code__", None), "co_freevars", ())
        if "request_method_list" in names:
            listed = set(view.__closure__[names.index("request_method_list")].cell_contents)
            found = listed if found is None else found & listed
        view = getattr(view, "__wrapped__", None)
    return found


def addresses():
    """Yield the name and methods of every address that accepts an unsafe method."""

    def walk(patterns, spaces):
        for entry in patterns:
            if isinstance(entry, URLPattern):
                yield ":".join((*spaces, entry.name or "")), methods(entry.callback)
            else:
                yield from walk(entry.url_patterns, (*spaces, entry.namespace) if entry.namespace else spaces)

    for name, found in walk(get_resolver().url_patterns, ()):
        if not name.startswith("admin:") and (found is None or found & UNSAFE):
            yield name, found


def test_every_address_that_changes_something_has_an_operation_or_a_reason():
    pages = {name for name, _ in addresses() if not name.startswith("api:")}
    assert pages == COUNTERPARTS.keys() | REASONS.keys() | GAPS
    assert not COUNTERPARTS.keys() & REASONS.keys()
    assert not GAPS & (COUNTERPARTS.keys() | REASONS.keys())


def test_every_named_operation_exists():
    operations = {name for name, _ in addresses() if name.startswith("api:")}
    assert {operation for found in COUNTERPARTS.values() for operation in found} <= operations


def test_the_acts_without_an_operation_become_fewer():
    assert len(GAPS) <= MOST_GAPS


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(request=None, public=True)


def test_every_act_is_described_with_summary_example_and_errors(schema):
    templates = {"/api/v1/" + entry.pattern._route for entry in acts}
    described = 0
    for path, operations in schema["paths"].items():
        if re.sub(r"\{(\w+)\}", "", path) not in {re.sub(r"<\w+:\w+>", "", template) for template in templates}:
            continue
        for method, operation in operations.items():
            where = f"{method} {path}"
            assert operation.get("summary"), where
            assert operation.get("description"), where
            if path.endswith(".png") or "uploads" in path:
                continue
            assert {"400", "401", "403", "404", "409"} <= operation["responses"].keys(), where
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                assert media != "application/json" or content.get("examples"), where
            described += 1
    assert described > 80


@pytest.mark.django_db
class TestRoles:
    """Role by operation: the operation and the page permit the same."""

    @pytest.fixture
    def made(self):
        return world.build()

    def test_operations_permit_what_pages_permit(self, made):
        found = {role: answers(made, role) for role in world.ROLES}
        different = {
            (role, *place): pair for role, rows in found.items() for place, pair in rows.items() if pair[0] != pair[1]
        }
        assert different == {}
        assert sum(len(rows) for rows in found.values()) > 300
        for place in ("challenges:close_phase", "reviews:settings", "registry:end", "test_sets:test_set_archives"):
            kinds = {rows[key][1] for rows in found.values() for key in rows if key[0] == place}
            assert "permitted" in kinds, place
            assert kinds - {"permitted"}, place


def answers(made, role):
    """Return what each page and its operations answer to a role."""
    token = made.tokens[role]
    page, program = Client(raise_request_exception=False), Client(raise_request_exception=False)
    if token is not None:
        digest = hashlib.sha256(token.encode()).hexdigest()
        page.force_login(AccessToken.objects.get(digest=digest).user)
    accepted, headers = dict(addresses()), made.headers(role)
    named = {entry.name for entry in acts}

    def send(client, method, name, content, content_type, **options):
        with transaction.atomic():
            response = client.generic(method, path_of(made, name), content, content_type=content_type, **options)
            transaction.set_rollback(True)
        return kind_of(response)

    rows = {}
    for name, operations in COUNTERPARTS.items():
        for operation in operations:
            if operation.partition(":")[2] not in named or "upload" in operation:
                continue
            body = BODIES.get(name, {})
            before = send(page, "POST", name, urlencode(body), "application/x-www-form-urlencoded")
            method = min(accepted[operation] & UNSAFE)
            after = send(program, method, operation, json.dumps(body), "application/json", headers=headers)
            rows[name, operation] = (before, after)
    return rows


def kind_of(response: HttpResponse) -> str:
    """Return what an answer means for a role."""
    if response.status_code in (401, 403, 404):
        return {401: "sign in", 403: "forbidden", 404: "not found"}[response.status_code]
    if response.status_code == 302 and "/accounts/login/" in response["Location"]:
        return "sign in"
    assert response.status_code < 500, response
    return "permitted"


def path_of(made, name):
    """Return the address with the values of the test world; parameters that it does not know lead nowhere."""
    entry = PATTERNS[name]
    place, values = f"/{entry[1]}", {}
    for parameter, converter in entry[2].items():
        kind = type(converter).__name__
        known = made.values(place, "slug" if parameter == "design" else parameter)
        known = [value for value in known if kind != "IntConverter" or str(value).isdigit()]
        values[parameter] = known[0] if known else OTHERS.get(kind, "x")
    return reverse(name, kwargs=values)


OTHERS = {"IntConverter": 1, "UUIDConverter": "00000000-0000-4000-8000-000000000000"}


def _patterns(patterns, spaces=(), before="", converters=None):
    for entry in patterns:
        known = (converters or {}) | entry.pattern.converters
        if isinstance(entry, URLPattern):
            yield ":".join((*spaces, entry.name or "")), (entry, before + str(entry.pattern), known)
        else:
            inner = (*spaces, entry.namespace) if entry.namespace else spaces
            yield from _patterns(entry.url_patterns, inner, before + str(entry.pattern), known)


PATTERNS = dict(_patterns(get_resolver().url_patterns))
