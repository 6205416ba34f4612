"""Status and next step of designs, shown on their list and at the top of their overview."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from challenges.services import launch
from designs import hooks
from designs.models import Collaborator, Design
from designs.queries import texts
from designs.services.examples import load_example_design
from registry.models import Registration
from reviews.models import Call, Filing
from tests.integration.challenges import world as launching
from tests.unit.designs.world import design, person, save
from tests.unit.reviews.fixtures import base, world
from tests.unit.reviews.world import dates, make_design

__all__ = ["base", "world"]
pytestmark = pytest.mark.django_db


def next_of(client, user, stored):
    client.logout()
    if user:
        client.force_login(user)
    return client.get(stored.get_absolute_url()).context["step"]


def row_of(client, user, stored):
    client.force_login(user)
    page = client.get(reverse("designs:list"))
    return next(row for row in page.context["rows"] if row[0] == stored), page.content.decode()


def put(filing, state):
    """Set the state of a filing directly; the tests of reviews cover the transitions."""
    Filing.objects.filter(pk=filing.pk).update(state=state)


def another_call():
    return Call.objects.create(slug="autumn", title="Autumn challenges", is_public=True, **dates())


# ---- In a call ----


@pytest.mark.parametrize(
    ("state", "label", "kind", "text"),
    [
        ("submitted", "In review", "info", "waits for the chairs"),
        ("under_review", "In review", "info", "waits for the reviewers"),
        ("revision_required", "Revision due in 29 days", "warn", "then send the revision"),
        ("revision_submitted", "In review", "info", "waits for the chairs"),
        ("accepted", "Registration due in 39 days", "ok", "an owner registers it"),
    ],
)
def test_a_design_in_a_call_says_in_which_and_who_has_to_act(client, world, state, label, kind, text):
    filing = world.file()
    put(filing, state)
    step = next_of(client, world.owner, world.design)
    assert (step.label, step.kind, step.where) == (label, kind, "Spring challenges")
    assert text in step.text
    assert (step.act, step.act_address) == ("Go to the filing", filing.get_absolute_url())
    (_, _, standing), page = row_of(client, world.owner, world.design)
    assert standing == step
    assert label in page
    assert f'<a href="{filing.get_absolute_url()}">Spring challenges</a>' in page


def test_who_may_only_read_is_told_how_it_stands_and_offered_nothing(client, world):
    put(world.file(), "revision_required")
    reader = person("reader")
    Collaborator.objects.create(design=world.design, user=reader, role=Collaborator.Role.READER)
    step = next_of(client, reader, world.design)
    assert (step.words, step.act) == ("Revision due", "")
    assert "btn--primary" not in client.get(world.design.get_absolute_url()).content.decode()


def test_strangers_and_reviewers_are_not_told_of_the_call_of_a_public_design(client, world):
    world.under_review()
    Design.objects.update(is_public=True)
    for user in (None, person("eve"), world.panel["r1"].user):
        assert next_of(client, user, world.design) is None
        assert "Spring challenges" not in client.get(world.design.get_absolute_url()).content.decode()
        assert "Spring challenges" not in client.get(reverse("designs:list")).content.decode()


@pytest.mark.parametrize(("state", "words"), [("rejected", "Rejected"), ("declined", "Declined")])
def test_what_is_over_in_one_call_is_filed_to_another(client, world, state, words):
    put(world.file(), state)
    another_call()
    step = next_of(client, world.owner, world.design)
    assert step.words == "Ready to file"
    assert "before." in step.text or "declined." in step.text
    assert "Autumn challenges accepts it until" in step.text
    assert step.act_address == f"{reverse('reviews:file', args=['autumn'])}?design={world.design.slug}"
    (_, _, standing), _ = row_of(client, world.owner, world.design)
    assert standing.label == words


def test_a_withdrawn_design_is_as_one_that_was_never_filed(client, world):
    put(world.file(), "withdrawn")
    assert next_of(client, world.owner, world.design).act == "File it"
    (_, _, standing), page = row_of(client, world.owner, world.design)
    assert standing is None
    assert "Not filed" in page


# ---- Ready to be filed ----


def test_a_ready_design_is_filed_to_the_only_call_that_takes_it(client, world):
    step = next_of(client, world.owner, world.design)
    assert (step.label, step.kind, step.act) == ("Ready to file", "ok", "File it")
    assert client.get(step.act_address).context["chosen"] == world.design
    (_, ready, _), page = row_of(client, world.owner, world.design)
    assert ready.is_ready
    assert "Ready to file" in page
    another_call()
    step = next_of(client, world.owner, world.design)
    assert (step.text, step.act_address) == ("Several calls accept it.", reverse("reviews:calls"))


def test_calls_that_are_over_hidden_or_want_more_are_not_offered(client, world):
    for facts in ({"is_public": False}, {"submission_at": timezone.now() - timedelta(days=1)}):
        Call.objects.update(**{"is_public": True, "submission_at": world.call.submission_at, **facts})
        step = next_of(client, world.owner, world.design)
        assert step.text == "No open call accepts it as it is."
        assert step.act_address == reverse("reviews:calls")


def test_a_call_is_offered_only_what_it_takes(world):
    assert hooks.filing_of(world.owner, world.design, 89, True).act == "See the calls"
    assert hooks.filing_of(world.owner, world.design, 90, False).act == "File it"
    Call.objects.update(takes_unexecuted=False)
    assert hooks.filing_of(world.owner, world.design, 90, False).act == "See the calls"
    assert hooks.filing_of(world.owner, world.design, 90, True).act == "File it"


def test_editors_do_not_file(client, world):
    step = next_of(client, world.editor, world.design)
    assert (step.words, step.text, step.act) == ("Ready to file", "An owner files it.", "")


# ---- Being written ----


@pytest.fixture
def owner():
    return person("ada")


def test_an_empty_design_leads_to_its_first_open_field(client, owner):
    stored = design(owner)
    step = next_of(client, owner, stored)
    assert step.words.endswith(" required fields")
    first = reverse("designs:section", args=[stored.slug, "summary"])
    assert step.act_address.startswith(f"{first}#f-")
    (_, ready, standing), page = row_of(client, owner, stored)
    assert (ready.errors, standing) == (0, None)
    assert ready.words in page


def test_errors_go_before_open_fields_and_lead_to_the_errors_alone(client, owner):
    stored = design(owner)
    save(stored, "metrics", [{"metric": "dsc", "used_for_ranking": True}, {"metric": "nsd", "used_for_ranking": True}])
    step = next_of(client, owner, stored)
    (_, ready, _), _ = row_of(client, owner, stored)
    assert ready.errors > 0
    assert step.words == ready.words
    assert step.words.startswith(f"Fix {ready.errors} error")
    page = client.get(step.act_address)
    assert [(title, len(rows)) for title, _, rows in page.context["groups"] if rows] == [("Errors", ready.errors)]
    assert "All checks" in page.content.decode()
    all_rows = client.get(reverse("designs:checks", args=[stored.slug])).context["groups"]
    assert len(all_rows[0][2]) > ready.errors
    assert client.get(step.act_address.replace("errors", "warnings")).status_code == 404


def test_readers_of_a_design_in_work_are_offered_nothing(client, owner):
    stored, reader = design(owner), person("bo")
    Collaborator.objects.create(design=stored, user=reader, role=Collaborator.Role.READER)
    step = next_of(client, reader, stored)
    assert step.words.endswith("required fields")
    assert step.act == ""


def test_a_public_design_tells_strangers_nothing_of_what_is_left(client, owner):
    public, _ = load_example_design(name="nuclei", owner=owner)
    assert next_of(client, None, public) is None
    assert next_of(client, person("eve"), public) is None
    assert next_of(client, owner, public) is not None


def test_what_was_written_down_from_the_literature_is_not_asked_to_go_on(client, owner):
    public, _ = load_example_design(name="msd", owner=owner)
    assert next_of(client, owner, public) is None
    assert "From the literature" in row_of(client, owner, public)[1]


# ---- Registered ----


def test_a_registered_design_is_launched_by_who_writes_it_and_read_by_all(client):
    launched = launching.registered()
    record = launched.registration.get_absolute_url()
    for user in (launched.owner, launched.editor):
        step = next_of(client, user, launched.design)
        assert (step.label, step.where, step.address) == ("Registered", launched.registration.identifier, record)
        assert (step.act, step.act_address) == (
            "Launch the challenge", reverse("challenges:launch", args=[launched.registration.identifier])
        )  # fmt: skip
        assert client.get(step.act_address).status_code == 200
    assert next_of(client, launched.reader, launched.design).act == ""
    Design.objects.update(is_public=True)
    step = next_of(client, None, launched.design)
    assert (step.label, step.act) == ("Registered", "")
    assert record in client.get(launched.design.get_absolute_url()).content.decode()
    launch(actor=launched.owner, registration=launched.registration)
    step = next_of(client, launched.owner, launched.design)
    assert (step.text, step.act, step.act_address) == ("", "Open the record", record)
    assert launched.registration.identifier in row_of(client, launched.owner, launched.design)[1]


def test_a_record_that_has_ended_is_not_launched(client):
    launched = launching.registered()
    Registration.objects.update(state="withdrawn", reason="No data.")
    step = next_of(client, launched.owner, launched.design)
    assert (step.label, step.kind, step.act) == ("Withdrawn", "muted", "Open the record")


def test_a_record_in_its_comment_period_says_until_when(client):
    launched = launching.registered(comment_until=timezone.now() + timedelta(days=14))
    assert "It is open for comments until" in next_of(client, launched.reader, launched.design).text


def test_a_registered_design_that_was_rejected_before_is_registered(world):
    make_filing = world.file()
    put(make_filing, "rejected")
    Registration.objects.create(
        identifier="podium-2026-0009", slug="nine", year=2026, number=9, design=world.design, registered_by=world.owner
    )
    assert hooks.standings_of(world.owner, [world.design])[world.design.pk].words == "Registered"
    put(make_filing, "revision_required")
    assert hooks.standings_of(world.owner, [world.design])[world.design.pk].words == "Revision due"


# ---- What it costs ----


def queries_of(client, address):
    texts.forget()
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_the_list_takes_as_many_queries_for_twelve_designs_as_for_three(client, world):
    client.force_login(world.owner)
    counts = []
    for total in (3, 12):
        while Design.objects.count() < total:
            number = Design.objects.count()
            stored = make_design(world.owner, f"Design {number}")
            Design.objects.filter(pk=stored.pk).update(is_public=number % 2)
            if number % 3:
                Filing.objects.create(call=world.call, design=stored, number=number, title="x", state="submitted")
        counts.append(queries_of(client, reverse("designs:list")))
    assert counts[0] == counts[1]
    client.logout()
    Design.objects.update(is_public=True)
    assert len(client.get(reverse("designs:list")).context["public"]) == 12


def test_a_page_of_the_list_measures_its_own_designs_and_each_once_a_change(client, owner, monkeypatch):
    from designs.queries import readiness
    from designs.views import pages

    measured = []
    real = readiness.all_findings
    monkeypatch.setattr(
        readiness, "all_findings", lambda document, design: measured.append(design.pk) or real(document, design=design)
    )
    monkeypatch.setattr(pages, "ON_A_PAGE", 2)
    cache.clear()
    stored = [design(owner, title=f"Design {number}") for number in range(3)]
    client.force_login(owner)
    page = client.get(reverse("designs:list"))
    assert len(page.context["rows"]) == len(measured) == 2
    client.get(reverse("designs:list"))
    assert len(measured) == 2
    assert [row[0] for row in client.get(reverse("designs:list"), {"yours": 2}).context["rows"]] == [stored[0]]
    save(stored[2], "number_test_cases", 60)
    client.get(reverse("designs:list"))
    assert len(measured) == 4
