"""Severity of a change: later deadlines, severity per task, and corrections without which no team can submit."""

import re
from datetime import date, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.hooks import Arrivals
from challenges.models import Deviation, Phase
from challenges.queries import deviations, projection_differences
from challenges.services import close_phase
from challenges.services.deadlines import move_deadline
from designs.services import add_task, save_field
from registry.changes.models import ChangeRequest
from registry.changes.queries.documents import WHOLE_TASK, proposals
from registry.changes.services import Verdict, decide, request_change
from registry.queries import current_version
from reviews.models import FiledVersion
from tests.integration.challenges import world as challenges
from tests.integration.changes.world import World, accepted, arrived, build, wanted

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Severity is computed from two documents. `test_changes.py` writes the same rows on both databases."
    ),
]
YES = Verdict(approve=True, reason="Agreed.")


@pytest.fixture
def world() -> World:
    return build()


def schedule(*moves: tuple[str, str, int]) -> list[dict[str, str]]:
    """The registered schedule with some dates moved: event, phase and days."""
    rows = [dict(row) for row in challenges.schedule()]
    for event, phase, days in moves:
        row = next(row for row in rows if (row["event"], row.get("phase", "")) == (event, phase))
        row["date"] = (date.fromisoformat(row["date"]) + timedelta(days=days)).isoformat()
    return rows


def ask(world: World, rows) -> ChangeRequest:
    world.draft("challenge_schedule", rows, task=False)
    return request_change(
        actor=world.organizer,
        registration=world.registration,
        wanted=[wanted("challenge_schedule", task="challenge")],
    )


def later_final(days: int = 7) -> list[dict[str, str]]:
    return schedule(("submission_deadline", "Final phase", days), ("results_release", "", days))


def approve(world: World, request: ChangeRequest, **more) -> None:
    decide(actor=world.chair, request=request, verdicts={change.pk: YES for change in request.changes.all()}, **more)


def second_task(world: World) -> str:
    added = add_task(actor=world.organizer, design=world.design, name="Second task", like=world.design.tasks.get())
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted(WHOLE_TASK, task=added.key)]
    )
    ChangeRequest.objects.update(objections_until=None)
    request.refresh_from_db()
    approve(world, request)
    return added.key


def test_a_later_deadline_takes_effect_at_once_and_is_announced_without_a_mark(world, monkeypatch):
    world.accept_submission(monkeypatch)
    before = Phase.objects.get(slug="final").closes_at
    request = ask(world, later_final())
    version = current_version(world.registration)
    assert (request.state, request.change_class, request.objections_until) == ("decided", "extension", None)
    assert (version.number, version.level, version.is_deviation, version.is_late) == ("1.1", "minor", False, False)
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    assert phase.closes_at == before + timedelta(days=7)
    assert deviations(phase) == []
    assert not Deviation.objects.exists()
    assert projection_differences(world.challenge) == []
    letter = Notification.objects.get(user=world.member, kind="change_decided")
    assert "a deadline" in letter.subject or "deadlines" in letter.subject
    assert (
        f"Final phase: {before:%-d %B %Y}, 23:59 UTC → {before + timedelta(days=7):%-d %B %Y}, 23:59 UTC" in letter.text
    )
    assert Notification.objects.filter(user=world.chair, kind="change_decided").exists()
    page = Client().get(f"/registry/{world.registration.identifier}/").content.decode()
    assert "Challenge schedule" in page
    assert "later deadline" in page
    assert "Deviation" not in page
    board = Client().get(f"/challenges/{world.challenge.slug}/").content.decode()
    assert "data-deviation" not in board


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(schedule(("submission_deadline", "Final phase", -2)), id="earlier"),
        pytest.param(
            schedule(("submission_deadline", "Final phase", 3), ("submission_deadline", "Preliminary phase", -1)),
            id="one later, one earlier",
        ),
        pytest.param(schedule(("submission_open", "Final phase", -3)), id="another opening"),
        pytest.param(schedule(("results_release", "", 20)), id="later results alone"),
        pytest.param(
            schedule(("submission_deadline", "Preliminary phase", 9)), id="another phase becomes the test phase"
        ),
        pytest.param([*later_final(), {"event": "event_day", "date": "2030-01-01"}], id="another row"),
    ],
)
def test_every_other_change_of_the_schedule_stays_critical(world, monkeypatch, rows):
    world.accept_submission(monkeypatch)
    request = ask(world, rows)
    assert (request.state, request.change_class) == ("open", "critical")
    ChangeRequest.objects.update(objections_until=None)
    request.refresh_from_db()
    with pytest.raises(ValidationError, match="only as a deviation"):
        approve(world, request)


def test_a_later_deadline_after_the_close_stays_critical(world, monkeypatch):
    world.accept_submission(monkeypatch)
    close_phase(actor=world.organizer, phase=Phase.objects.get(slug="final"))
    assert ask(world, later_final()).change_class == "critical"


def test_a_later_deadline_does_not_wait_for_another_request(world):
    world.draft("tie_handling", "dense")
    request_change(actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling")])
    ask(world, later_final())
    assert current_version(world.registration).number == "1.1"
    open_request = ChangeRequest.objects.get(state="open")
    ChangeRequest.objects.filter(pk=open_request.pk).update(objections_until=timezone.now())
    approve(world, open_request)
    version = current_version(world.registration)
    assert (version.number, version.document["tasks"][0]["tie_handling"]) == ("2.0", "dense")
    assert version.document["challenge"]["challenge_schedule"] == later_final()


def test_a_reopened_phase_ends_once_more(world):
    phase = Phase.objects.get(slug="final")
    Phase.objects.filter(pk=phase.pk).update(ended_at=timezone.now())
    ask(world, later_final())
    assert Phase.objects.get(slug="final").ended_at is None


def test_a_submission_to_one_task_does_not_lock_another(world, monkeypatch):
    other = second_task(world)
    arrived(monkeypatch, task_1=accepted())
    task = world.design.tasks.get(key=other)
    save_field(actor=world.organizer, design=world.design, task=task, parameter="tie_handling", value="dense")
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling", task=other)]
    )
    ChangeRequest.objects.filter(pk=request.pk).update(objections_until=None)
    request.refresh_from_db()
    approve(world, request)
    version = current_version(world.registration)
    assert (version.number, version.is_deviation) == ("3.0", False)
    phases = Phase.objects.select_related("task__challenge")
    assert [deviations(phase) for phase in phases] == [[]] * 4


def test_a_deviation_in_one_task_leaves_no_mark_in_another(world, monkeypatch):
    other = second_task(world)
    arrived(monkeypatch, task_1=accepted())
    task = world.design.tasks.get(key=other)
    save_field(actor=world.organizer, design=world.design, task=task, parameter="tie_handling", value="dense")
    first = world.design.tasks.exclude(key=other).get()
    save_field(actor=world.organizer, design=world.design, task=first, parameter="tie_handling", value="dense")
    request = request_change(
        actor=world.organizer,
        registration=world.registration,
        wanted=[wanted("tie_handling", task=other), wanted("tie_handling", task=first.key)],
    )
    ChangeRequest.objects.filter(pk=request.pk).update(objections_until=None)
    request.refresh_from_db()
    approve(world, request, as_deviation=True)
    assert {change.task: change.decision.outcome for change in request.changes.all()} == {
        first.key: "deviation",
        other: "approved",
    }
    marked = set(Deviation.objects.values_list("phase__task__design_key", flat=True))
    assert marked == {first.key}


@pytest.mark.parametrize(
    ("before", "after", "refused", "expected"),
    [
        pytest.param(None, "CSV with one row per case", 0, "repair", id="missing value"),
        pytest.param("ZIP", "CSV with one row per case", 3, "repair", id="every submission refused"),
        pytest.param("ZIP", "CSV with one row per case", 0, "critical", id="teams could submit"),
    ],
)
def test_a_correction_that_makes_submitting_possible_is_fast(monkeypatch, before, after, refused, expected):
    world = build(submission_format=before)
    arrived(monkeypatch, task_1=Arrivals(None, refused))
    world.draft("submission_format", after)
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted("submission_format")]
    )
    assert request.change_class == expected
    assert Notification.objects.filter(user=world.member, kind="change_requested").exists()
    assert (request.objections_until is None) == (expected == "repair")
    if expected == "repair":
        page = Client().get(request.get_absolute_url()).content.decode()
        assert "No submission has been accepted." in page
        approve(world, request)
        version = current_version(world.registration)
        assert (version.number, version.level, version.is_deviation) == ("1.1", "major", False)
        assert not Deviation.objects.exists()


@pytest.mark.parametrize("refused", [0, 2])
def test_settings_of_a_phase_are_never_a_correction_since_they_decide_who_sees_what(monkeypatch, refused):
    world = build()
    arrived(monkeypatch, task_1=Arrivals(None, refused))
    first, *others = current_version(world.registration).document["challenge"]["phase_settings"]
    world.draft("phase_settings", [first | {"least_share": 0.9}, *others], task=False)
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted("phase_settings", task="challenge")]
    )
    assert request.change_class == "critical"
    assert request.objections_until is not None


def test_a_correction_is_no_longer_fast_once_a_submission_is_accepted(monkeypatch):
    world = build(submission_format=None)
    world.draft("submission_format", "CSV")
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted("submission_format")]
    )
    assert request.change_class == "repair"
    world.accept_submission(monkeypatch)
    with pytest.raises(ValidationError, match="has been accepted since"):
        approve(world, request)


# The page that moves a deadline


class Browser:
    """A client that counts clicks: on links, and on buttons of forms."""

    def __init__(self, user) -> None:
        self.client, self.clicks = Client(), 0
        self.client.force_login(user)
        self.page = ""

    def open(self, address: str) -> None:
        self.page = self.client.get(address).content.decode()

    def click_link(self, words: str, near: str) -> None:
        part = self.page[self.page.index(near) :]
        found = re.search(rf'<a class="btn" href="([^"]+)">{words}</a>', part)
        self.clicks += 1
        self.address = found[1]
        self.open(self.address)

    def click_button(self, words: str) -> None:
        """Send the form that contains the button with what its fields contain."""
        form = next(part for part in re.findall(r"(?s)<form.*?</form>", self.page) if f">{words}</button>" in part)
        data = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
        data |= {
            name: value
            for value, name in re.findall(r'<input type="text"[^>]*?value="([^"]*)"[^>]*?name="([^"]+)"', form)
        }
        data |= dict(re.findall(r'<input type="text" name="([^"]+)" value="([^"]*)"', form))
        button = re.search(rf"<button([^>]*)>{words}</button>", form)[1]
        data |= dict(re.findall(r'name="([^"]+)" value="([^"]*)"', button))
        self.clicks += 1
        send = self.client.post if 'method="post"' in form else self.client.get
        self.page = send(self.address, data, follow=True).content.decode()


def test_a_deadline_moves_by_a_week_in_three_clicks(world, monkeypatch):
    world.accept_submission(monkeypatch)
    before = Phase.objects.get(slug="final").closes_at
    browser = Browser(world.organizer)
    browser.open(f"/challenges/{world.challenge.slug}/organize/")
    browser.click_link("Change dates", near="Final phase")
    browser.click_button("1 week later")
    assert "Rankings and reports get no deviation mark." in browser.page
    browser.click_button("Change dates")
    assert browser.clicks == 3
    assert "Participants are notified." in browser.page
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    assert phase.closes_at == before + timedelta(days=7)
    assert deviations(phase) == []
    letter = Notification.objects.get(user=world.member, kind="change_decided")
    assert "More time to submit." in letter.text
    record = Client().get(f"/registry/{world.registration.identifier}/").content.decode()
    assert "later deadline" in record
    assert "Deviation" not in record
    assert proposals(world.registration, current_version(world.registration)) == []  # the working design agrees


def test_results_that_would_be_released_before_the_close_move_with_it(world):
    request = move_deadline(actor=world.organizer, phase=Phase.objects.get(slug="final"), days=14, reason="Later.")
    registered = current_version(world.registration).document["challenge"]["challenge_schedule"]
    assert registered == later_final(14)
    assert request.change_class == "extension"


def test_other_drafts_of_the_schedule_stay_drafts(world):
    rows = [*schedule(), {"event": "event_day", "date": "2030-01-01"}]
    world.draft("challenge_schedule", rows, task=False)
    move_deadline(actor=world.organizer, phase=Phase.objects.get(slug="final"), days=7, reason="Later.")
    registered = current_version(world.registration).document["challenge"]["challenge_schedule"]
    assert registered == schedule(("submission_deadline", "Final phase", 7), ("results_release", "", 7))
    (draft,) = proposals(world.registration, current_version(world.registration))
    assert draft.after[""] == [*registered, rows[-1]]


def test_the_page_refuses_what_is_more_than_a_later_deadline(world):
    client = Client()
    client.force_login(world.organizer)
    preliminary, final = Phase.objects.order_by("position")
    address = f"/challenges/{world.challenge.slug}/organize/phases/{preliminary.pk}/deadline/"
    assert "This needs a change request" in client.get(address, {"days": 9}).content.decode()
    refused = client.post(address, {"days": 9, "reason": "Later."})
    assert refused.status_code == 422
    assert client.get(address, {"until": "2020-01-01"}).status_code == 422
    close_phase(actor=world.organizer, phase=final)
    address = f"/challenges/{world.challenge.slug}/organize/phases/{final.pk}/deadline/"
    assert "The phase is closed" in client.get(address, {"days": 7}).content.decode()
    assert ChangeRequest.objects.count() == 0


@pytest.mark.parametrize(
    ("role", "answer"),
    [("stranger", 403), ("member", 403), ("reader", 403), ("chair", 403), ("administrator", 403), ("organizer", 200)],
)
def test_who_moves_a_deadline(world, role, answer):
    client = Client()
    phase = Phase.objects.get(slug="final")
    address = f"/challenges/{world.challenge.slug}/organize/phases/{phase.pk}/deadline/"
    assert client.get(address).status_code == 302
    client.force_login(getattr(world, role))
    assert client.get(address).status_code == answer
    client.post(address, {"days": 7, "reason": "Later."})
    assert ChangeRequest.objects.exists() == (role == "organizer")


# Chairs


def test_chairs_see_the_open_request_on_their_pages(world):
    call = world.registration.filing.call
    chair, organizer = Client(), Client()
    chair.force_login(world.chair)
    organizer.force_login(world.organizer)
    address = f"/calls/{call.slug}/"
    freeze_filing(world)
    assert "Decide about a change" not in chair.get(address).content.decode()
    world.draft("tie_handling", "dense")
    request = request_change(actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling")])
    page = chair.get(address).content.decode()
    assert "Decide about a change" in page
    assert request.get_absolute_url() in page
    assert "from <time" in page
    assert "Decide about a change" in chair.get("/").content.decode()
    assert "Decide about a change" not in organizer.get(address).content.decode()
    ChangeRequest.objects.update(objections_until=None)
    request.refresh_from_db()
    approve(world, request)
    assert "Decide about a change" not in chair.get(address).content.decode()


def freeze_filing(world: World) -> None:
    """The version of the design that was filed."""
    filing = world.registration.filing
    FiledVersion.objects.create(
        filing=filing, number=1, version=world.design.versions.order_by("-number").first(), filed_by=world.organizer
    )


def test_the_review_of_a_closing_names_the_deviation(world):
    client = Client()
    client.force_login(world.organizer)
    phase = Phase.objects.get(slug="final")
    page = client.get(f"/challenges/{world.challenge.slug}/organize/phases/{phase.pk}/close/").content.decode()
    assert "This is a deviation" in page
    assert f"The registered deadline is {phase.closes_at:%-d %B %Y, %H:%M} UTC." in page
    assert "The team has not submitted anything." in page
