"""Reminders of dates (REG-7): in time, once, to whom it concerns, and no longer than needed."""

from datetime import date, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from accounts.notifications.models import Notification
from registry import hooks, services
from registry.hooks import Link
from registry.models import Registration
from registry.queries import stated_links
from registry.services.reminders import HALF_A_YEAR, remind_daily, remind_due
from reviews.models import Call
from tests.unit.registry.test_accepting import accept, change
from tests.unit.registry.world import person
from tests.unit.reviews.world import make_call, make_design

pytestmark = pytest.mark.django_db


@pytest.fixture
def chair():
    return person("charlie")


def made(chair, *events):
    """An accepted design with these events in its schedule."""
    owner = person("orla")
    design = make_design(owner)
    change(design, "challenge_schedule", list(events))
    return accept(make_call(chair), design, owner)


@pytest.fixture
def filing(chair):
    return made(chair, {"event": "results_release", "date": "2030-01"})


def told(kind):
    rows = Notification.objects.filter(kind=kind).order_by("created_at", "user__username")
    return [(row.user.username, row.subject) for row in rows]


def test_an_accepted_design_is_registered_in_time_or_its_people_hear_of_it(filing):
    due = filing.call.registration_at.date()
    assert remind_due(today=due - timedelta(days=15)) == 0
    for days, new in ((14, 1), (10, 0), (3, 1), (0, 0), (-1, 2), (-2, 0), (-40, 0)):
        assert remind_due(today=due - timedelta(days=days)) == new, days
    subjects = told("registration_due")
    assert sorted(name for name, _ in subjects) == ["charlie", "orla", "orla", "orla"]
    assert subjects[0][1] == f"Register “{filing.title}” by {due:%-d %B %Y}"
    assert {subject for name, subject in subjects if name == "charlie"} == {f"“{filing.title}” is not registered"}


def test_what_opens_earlier_counts(chair):
    opens = timezone.now().date() + timedelta(days=1)
    filing = made(chair, {"event": "registration_open", "date": opens.isoformat()})
    assert filing.call.registration_at.date() > opens
    assert remind_due(today=opens) == 1
    assert told("registration_due")[0][1] == f"Register “{filing.title}” by {opens:%-d %B %Y}"


def test_a_registered_design_hears_of_the_last_day_for_critical_changes_and_of_its_missing_report(filing, monkeypatch):
    monkeypatch.setattr(hooks, "links", [])
    version = services.register_design(design=filing.design, actor=person("root", is_superuser=True))
    today = timezone.now().date()
    assert remind_due(today=today) == 0
    Call.objects.update(
        registration_at=timezone.now(), revision_at=timezone.now() - timedelta(days=1),
        review_at=timezone.now() - timedelta(days=2), submission_at=timezone.now() - timedelta(days=3),
        critical_change_at=timezone.now() + timedelta(days=2),
    )  # fmt: skip
    assert [remind_due(today=today) for _ in range(2)] == [1, 0]
    assert told("critical_changes_end")[0][1].startswith(f"{version.registration.design.title}: critical changes until")
    over = date(2030, 1, 31)
    assert [remind_due(today=over + HALF_A_YEAR * part + timedelta(days=1)) for part in (0, 1, 1, 2, 5)] == [
        0,
        1,
        0,
        1,
        0,
    ]
    monkeypatch.setattr(hooks, "links", [lambda _: [Link("report", "Report", "/r/")]])
    assert remind_due(today=over + HALF_A_YEAR * 3 + timedelta(days=1)) == 0
    monkeypatch.setattr(hooks, "links", [])
    Registration.objects.update(state="abandoned", reason="No data.")
    assert remind_due(today=over + HALF_A_YEAR * 3 + timedelta(days=1)) == 0
    assert len(told("registration_report_due")) == 2


def test_the_sweep_looks_once_a_day(filing, monkeypatch):
    cache.clear()
    soon = timezone.now() + timedelta(days=2)
    Call.objects.update(**{f"{name}_at": soon - timedelta(days=4 - n) for n, name in enumerate(("submission", "review"))},
                        revision_at=soon, registration_at=soon)  # fmt: skip
    assert remind_daily() == 1
    Notification.objects.all().delete()
    assert remind_daily() == 0


def test_only_addresses_of_the_web_become_links():
    document = {
        "challenge": {"challenge_website": "https://example.org/c", "evaluation_code_url": "javascript:alert(1)"},
        "tasks": [{"key": "t", "data_centers": [{"data_set": "Leipzig", "url": "https://data.example.org/1"}]}],
    }
    found = [(link.kind, link.label, link.url) for link in stated_links(document)]
    assert found == [
        ("website", "Challenge website", "https://example.org/c"),
        ("data", "Data of Leipzig", "https://data.example.org/1"),
    ]
