"""Readiness message of a design that is not filed yet, and the offered action."""

from dataclasses import replace

import pytest

from designs import hooks
from designs.hooks import Standing
from designs.models import Design
from designs.queries.readiness import Readiness
from designs.views.progress import Place, next_step
from web.hooks import Hook

READY = Readiness(percent=100, essential=100, errors=0, to_fill=0, open_fields=0, is_executed=True)
PLACES = [
    Place("summary", "Summary", "", "the challenge", "/full/", 2, 2, 0),
    Place("mission", "Mission", "task-1", "Task", "/open/", 1, 3, 0, ("aims-task-1", "cohort-task-1")),
]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"errors": 1, "open_fields": 3}, "Fix 1 error before you file it"),
        ({"errors": 2}, "Fix 2 errors before you file it"),
        ({"open_fields": 1, "to_fill": 4}, "Complete 1 required field"),
        ({"open_fields": 12, "essential": 50}, "Complete 12 required fields"),
        ({"to_fill": 1}, "Complete 1 empty field before you file it"),
        ({"to_fill": 2}, "Complete 2 empty fields before you file it"),
        ({"essential": 89}, "89 % of the essential fields are filled; calls ask for 90 % as a rule"),
        ({"essential": 90}, "Ready to file"),
    ],
)
def test_what_comes_first_is_said(facts, words):
    assert replace(READY, **facts).words == words
    assert replace(READY, **facts).is_ready == words.startswith("Ready")


def step(monkeypatch, facts, **may):
    monkeypatch.setattr(hooks, "standings", Hook())
    monkeypatch.setattr(hooks, "filings", Hook())
    rights = {"collaborates": True, "may_edit": True, "may_file": True, **may}
    return next_step(None, Design(pk=1, slug="d"), replace(READY, **facts), places=PLACES, **rights)


@pytest.mark.parametrize(
    ("facts", "kind", "act", "end"),
    [
        ({"errors": 1, "open_fields": 3}, "bad", "See the errors", "checks/?only=errors"),
        ({"open_fields": 2, "to_fill": 4}, "info", "Go to the next one", "/open/#f-aims-task-1"),
        ({"to_fill": 1}, "warn", "See the fields", "checks/?only=needed"),
        ({"essential": 89}, "warn", "See the checks", "checks/"),
        ({}, "ok", "", ""),
    ],
)
def test_each_state_leads_to_where_it_is_seen_to(monkeypatch, facts, kind, act, end):
    next_step = step(monkeypatch, facts)
    assert (next_step.kind, next_step.act) == (kind, act)
    assert next_step.act_address.endswith(end)
    assert step(monkeypatch, facts, may_edit=False, may_file=False).act == ""
    assert step(monkeypatch, facts, collaborates=False) is None


def test_what_runs_goes_before_what_is_over_and_the_first_app_before_later_ones(monkeypatch):
    monkeypatch.setattr(hooks, "standings", Hook())
    hooks.standings.register(lambda user, designs: {1: Standing("Rejected", is_over=True), 2: Standing("In review")})
    hooks.standings.register(lambda user, designs: {1: Standing("Registered"), 2: Standing("Registered")})
    assert {key: standing.words for key, standing in hooks.standings_of(None, [Design(pk=1)]).items()} == {
        1: "Registered",
        2: "In review",
    }
    assert hooks.standings_of(None, []) == {}
