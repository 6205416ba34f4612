"""Apps enter their links, sections and hints; the site imports none of them."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.safestring import mark_safe

from accounts.models import User
from web import examples, home
from web.hooks import Hook
from web.navigation import Menus


@pytest.fixture
def menus():
    return Menus()


def test_entries_come_in_their_order_and_then_by_name(menus):
    menus.register("Registry", "/registry/", order=20)
    menus.register("Calls", "/calls/", order=20)
    menus.register("Challenges", "/challenges/", order=10)
    assert [link.label for link in menus.links("main", path="/")] == ["Challenges", "Calls", "Registry"]


def test_an_entry_knows_whether_it_leads_here_or_above_here(menus):
    menus.register("Challenges", "/challenges/")
    assert menus.links("main", path="/challenges/")[0].current == "page"
    assert menus.links("main", path="/challenges/hippocampus/")[0].current == "true"
    assert menus.links("main", path="/")[0].current == ""


def test_the_home_page_is_not_above_everything(menus):
    menus.register("Home", "/")
    assert menus.links("main", path="/challenges/")[0].current == ""


def test_an_entry_without_a_page_behind_it_is_left_out(menus):
    menus.register("Later", "nowhere:list")
    assert menus.links("main", path="/") == []


def test_an_entry_may_hide_itself_from_a_visitor(menus, rf):
    menus.register("Organize", "/organize/", visible=lambda request: request.path == "/staff/")
    visitor, staff = rf.get("/"), rf.get("/staff/")
    # A request that failed before it had a user shows what everyone sees.
    assert menus.links("main", path="/", request=staff) == []
    visitor.user = staff.user = AnonymousUser()
    assert menus.links("main", path="/", request=visitor) == []
    assert [link.label for link in menus.links("main", path="/", request=staff)] == ["Organize"]


def test_menus_are_kept_apart_and_an_unknown_one_is_refused(menus):
    menus.register("Mine", "/mine/", menu="account")
    assert menus.links("main", path="/") == []
    with pytest.raises(ValueError, match="no menu 'side'"):
        menus.register("X", "/", menu="side")


def test_registering_again_replaces(menus):
    menus.register("Docs", "/old/")
    menus.register("Docs", "/new/")
    assert [link.url for link in menus.links("main", path="/")] == ["/new/"]


def test_sections_of_the_home_page_come_in_order_and_may_stay_away(monkeypatch, rf):
    monkeypatch.setattr(home, "_sections", Hook())
    home.register_section(lambda request: mark_safe("<p>second</p>"), order=20)
    home.register_section(lambda request: None, order=10)
    home.register_section(lambda request: mark_safe("<p>first</p>"), order=5)
    home.register_section(lambda request: mark_safe("<p>own</p>"), order=1, audience="people")
    request = rf.get("/")
    request.user = AnonymousUser()
    assert home.sections(request) == ["<p>first</p>", "<p>second</p>"]
    request.user = User(username="ada")
    assert home.sections(request) == ["<p>own</p>", "<p>first</p>", "<p>second</p>"]


def test_what_is_due_first_stands_on_top_and_what_has_no_date_below(monkeypatch, rf):
    monkeypatch.setattr(home, "next_steps", Hook())
    now = timezone.now()
    late, soon, whenever = (
        home.Next(text, "Liver", "/", at)
        for text, at in (("late", now + timedelta(days=9)), ("soon", now + timedelta(days=1)), ("whenever", None))
    )
    home.next_steps.register(lambda request: [whenever, late])
    home.next_steps.register(lambda request: [soon])
    assert home.steps(rf.get("/")) == [soon, late, whenever]


def test_a_hint_is_shown_only_if_it_leads_somewhere(monkeypatch):
    monkeypatch.setattr(examples, "_hints", Hook())
    examples.register_hint("Nowhere", "nowhere:detail", "x")
    examples.register_hint("Licences", "web:licences", order=2)
    examples.register_hint("Start", "/", order=1)
    assert [(hint.label, hint.url) for hint in examples.hints()] == [("Start", "/"), ("Licences", "/licences/")]
