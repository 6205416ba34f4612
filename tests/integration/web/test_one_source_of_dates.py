"""Dates, limits and states of phases: every page, message and interface gives the same ones, to every role."""

import copy
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from podium_client import cli

from accounts.notifications.models import Notification
from challenges.models import Challenge, Phase, Projection
from challenges.services import close_phase, follow, join_with_team, launch
from challenges.services.phase_messages import tell_of_phases
from datastore.uploads.services.refusals import UploadError
from registry.models import Registration, RegistrationVersion
from registry.services import add_version
from registry.services.states import end_registration
from reports.domain.content import Fill, Item, Ledger
from reports.exposure.queries.facts import Audience, collect
from reports.services.items import logged
from reports.services.items.source import Source
from submissions.services.submitting import create_upload
from tests.integration.challenges import world
from tests.sizes import IS_FULL
from web.wording import day_words, moment_words

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("Dates on pages are computed in Python from one timetable."),
]
DAY = timedelta(days=1)
PRELIMINARY, FINAL = "preliminary", "final"
LIMITS = {PRELIMINARY: "5/", FINAL: "/1"}


@dataclass
class Situation:
    """A challenge at one moment, and what participants experience."""

    registered: world.Registered
    challenge: Challenge
    states: dict[str, str]
    opens: dict[str, datetime | None]
    closes: dict[str, datetime | None]
    registration: str = "registered"
    is_public: bool = True
    hidden_dates: list[datetime] = field(default_factory=list)
    """Registered dates that did not take effect and that only the record's table shows."""
    name: str = ""

    @property
    def phases(self) -> dict[str, Phase]:
        return {phase.slug: phase for phase in Phase.objects.filter(task__challenge=self.challenge)}


def midnight(days: int) -> datetime:
    return datetime.combine(datetime.now(UTC).date() + timedelta(days=days), time.min, tzinfo=UTC)


def last_minute(days: int) -> datetime:
    return datetime.combine(datetime.now(UTC).date() + timedelta(days=days), time(23, 59), tzinfo=UTC)


def built(*, opens: int, closes: int, gate: int | None = None, shut: bool = False) -> Situation:
    """Launch a challenge whose phases open and close `opens` and `closes` days from today.

    `gate` moves the opening of the launch gate.
    """
    task = {"tie_handling__state": {"state": "embargoed_until", "event": "results_release"}} if shut else {}
    registered = world.registered({"challenge_schedule": world.schedule(opens=opens, closes=closes)}, **task)
    challenge = launch(actor=registered.owner, registration=registered.registration)
    if gate is not None:
        moment = timezone.now().replace(microsecond=0) + gate * DAY
        Projection.objects.filter(challenge=challenge).update(opened_at=moment)
        if hasattr(Phase, "admits_from"):
            Phase.objects.filter(task__challenge=challenge).update(admits_from=moment)
    opened = Projection.objects.get(challenge=challenge).opened_at
    registered_openings = {PRELIMINARY: midnight(opens), FINAL: midnight(opens + 1)}
    if opened is None:
        openings = {slug: None if day <= timezone.now() else day for slug, day in registered_openings.items()}
        states = dict.fromkeys(openings, "held")
    else:
        openings = {slug: max(day, opened) for slug, day in registered_openings.items()}
        states = {slug: "open" if day <= timezone.now() else "upcoming" for slug, day in openings.items()}
    closings = {PRELIMINARY: last_minute(closes), FINAL: last_minute(closes + 5)}
    for slug, day in closings.items():
        if day <= timezone.now():
            states[slug] = "closed"
    hidden = [day for slug, day in registered_openings.items() if openings[slug] != day]
    return Situation(
        registered, challenge, states, openings, closings, is_public=opened is not None, hidden_dates=hidden
    )


def held_beyond_the_registered_date() -> Situation:
    return built(opens=-4, closes=20, shut=True)


def held_before_the_registered_date() -> Situation:
    return built(opens=4, closes=20, shut=True)


def launched_early() -> Situation:
    return built(opens=3, closes=20)


def launched_late() -> Situation:
    return built(opens=-4, closes=20)


def opened_as_registered() -> Situation:
    return built(opens=-4, closes=20, gate=-9)


def extended() -> Situation:
    situation = built(opens=-9, closes=2, gate=-12)
    document = situation.registered.registration.versions.first().document
    document["challenge"]["challenge_schedule"] = world.schedule(opens=-9, closes=12)
    version = add_version(
        registration=situation.registered.registration,
        actor=situation.registered.owner,
        level="major",
        note="More time.",
        changes=[{"parameter": "challenge_schedule", "class": "major"}],
        document=document,
    )
    follow(version=version, actor=situation.registered.owner)
    situation.hidden_dates += situation.closes.values()
    situation.closes = {PRELIMINARY: last_minute(12), FINAL: last_minute(17)}
    return situation


def closed_early() -> Situation:
    situation = built(opens=-9, closes=20, gate=-12)
    moment = timezone.now().replace(microsecond=0) - DAY
    close_phase(actor=situation.registered.owner, phase=situation.phases[PRELIMINARY], at=moment)
    situation.hidden_dates.append(situation.closes[PRELIMINARY])
    situation.states[PRELIMINARY], situation.closes[PRELIMINARY] = "closed", moment
    return situation


def closed_with_results_to_come() -> Situation:
    return built(opens=-30, closes=-8, gate=-40)


def published() -> Situation:
    return built(opens=-60, closes=-30, gate=-70)


def withdrawn() -> Situation:
    situation = built(opens=-9, closes=20, gate=-12)
    end_registration(
        registration=situation.registered.registration,
        state=Registration.State.WITHDRAWN,
        actor=situation.registered.owner,
        reason="The data cannot be released.",
    )
    situation.registration = "withdrawn"
    return situation


def open_call() -> Situation:
    situation = built(opens=-9, closes=20, gate=-12)
    fields = {
        "stays_open": True,
        "closes_at": datetime(9000, 1, 1, tzinfo=UTC),
        "leaderboard": "public",
        "reveals_at": None,
    }
    Phase.objects.filter(task__challenge=situation.challenge, slug=FINAL).update(**fields)
    situation.closes[FINAL] = None
    situation.hidden_dates.append(datetime(9000, 1, 1, tzinfo=UTC))
    return situation


SITUATIONS = (
    *(held_beyond_the_registered_date, held_before_the_registered_date, launched_early, launched_late),
    *(opened_as_registered, extended, closed_early, closed_with_results_to_come, published, withdrawn, open_call),
)


@pytest.fixture(scope="module", params=SITUATIONS, ids=lambda build: build.__name__)
def base(request, django_db_setup, django_db_blocker):
    """A situation that is built once for all its tests and rolled back after them."""
    with django_db_blocker.unblock(), transaction.atomic():
        made = request.param()
        made.name = request.param.__name__
        yield made
        transaction.set_rollback(True)


@pytest.fixture
def situation(base, db):
    """A copy of a situation, in a transaction that ends with the test."""
    return copy.deepcopy(base)


class Facts(HTMLParser):
    """Marked facts of a page: kind, subject, exact value, the text shown, and the moments in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.facts: list[dict] = []
        self.moments: list[str] = []
        self._open: list[dict] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "time":
            self.moments.append(values["datetime"])
            for entry in self._open:
                entry["moments"].append(values["datetime"])
        if tag == "span":
            entry = {"text": "", "moments": [], "attributes": values}
            self._open.append(entry)
            if "data-fact" in values:
                self.facts.append(entry)

    def handle_endtag(self, tag):
        if tag == "span" and self._open:
            self._open.pop()

    def handle_data(self, data):
        for entry in self._open:
            entry["text"] += data


def clients(situation: Situation) -> dict[str, Client]:
    """Return clients of all roles; in the short form, of the organizer and of one other role, which differs by situation."""
    found = {"visitor": Client()}
    people = {"organizer": situation.registered.owner, "stranger": world.person("zoe"), "staff": None}
    people["staff"] = world.person("root", is_superuser=True, is_staff=True)
    if situation.is_public:
        people["member"] = world.person("max")
        join_with_team(user=people["member"], challenge=situation.challenge, team_name="Blue")
    for role, user in people.items():
        found[role] = Client()
        found[role].force_login(user)
    if IS_FULL:
        return found
    others = [role for role in found if role != "organizer"]
    place = [build.__name__ for build in SITUATIONS].index(situation.name)
    return {role: found[role] for role in ("organizer", others[place % len(others)])}


def addresses(situation: Situation) -> list[str]:
    base = f"/challenges/{situation.challenge.slug}/"
    phases = situation.phases.values()
    return [
        "/",
        "/challenges/",
        base,
        f"{base}organize/",
        f"{base}team/",
        f"/registry/{situation.registered.registration.identifier}/",
        *(f"{base}submit/?phase={phase.pk}" for phase in phases),
        *(f"{base}leaderboard/{phase.task.slug}.{phase.slug}/" for phase in phases),
        *(f"{base}leaderboard/{phase.task.slug}.{phase.slug}/embed/" for phase in phases),
    ]


def other_pages(situation: Situation) -> list[str]:
    """Pages next to those of phases: lists, data, reports."""
    base = f"/challenges/{situation.challenge.slug}/"
    identifier = situation.registered.registration.identifier
    return [
        "/registry/",
        f"/registry/{identifier}/versions/",
        f"{base}data/",
        f"{base}discussion/",
        f"{base}report/",
        f"{base}report/exposure/",
    ]


def iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


def published_at(situation: Situation, slug: str) -> str:
    phase, closes = situation.phases[slug], situation.closes[slug]
    return "" if closes is None else iso(max(closes, phase.reveals_at or closes))


def expected_facts(situation: Situation) -> dict[tuple[str, str], str]:
    """Return the facts that a person must read, derived from the construction of the situation."""
    found = {("registration", situation.registered.registration.identifier): situation.registration}
    for slug, phase in situation.phases.items():
        found |= {
            ("state", str(phase.pk)): situation.states[slug],
            ("opens", str(phase.pk)): iso(situation.opens[slug]),
            ("closes", str(phase.pk)): iso(situation.closes[slug]),
            ("published", str(phase.pk)): published_at(situation, slug),
            ("limits", str(phase.pk)): LIMITS[slug],
        }
    return found


def test_all_pages_show_the_same_dates_limits_and_states(situation):
    expected, kinds = expected_facts(situation), set()
    wrong = []
    for role, client in clients(situation).items():
        for address in addresses(situation):
            response = client.get(address)
            if response.status_code != 200:
                continue
            page = Facts(response.content.decode())
            for entry in page.facts:
                attributes = entry["attributes"]
                kind, value = attributes["data-fact"], attributes["data-value"]
                subject = attributes.get("data-phase") or attributes.get("data-subject")
                if subject is None:
                    continue
                kinds.add(kind)
                if value != expected.get((kind, subject)):
                    wrong.append((role, address, kind, value, expected.get((kind, subject))))
                # A page that shows the day alone contains the day alone.
                if entry["moments"] and entry["moments"] not in ([value], [value[:10]]):
                    wrong.append((role, address, kind, entry["moments"], value))
                if kind == "state" and entry["text"] != Phase.State(value).label:
                    wrong.append((role, address, kind, entry["text"], value))
            if "/registry/" not in address:
                stray = {iso(moment) for moment in situation.hidden_dates} & set(page.moments)
                wrong += [(role, address, "registered date shown as actual", moment, "") for moment in stray]
    assert not wrong
    assert {"state", "opens", "closes", "limits"} <= kinds


def test_the_record_and_the_page_of_the_challenge_agree_about_the_opening(situation):
    record = Client().get(f"/registry/{situation.registered.registration.identifier}/").content.decode()
    told = re.findall(r'data-fact="submissions-opened" data-value="([^"]+)"', record)
    days = [moment for moment in situation.opens.values() if moment is not None]
    is_over = bool(days) and min(days) <= timezone.now()
    assert [datetime.fromisoformat(text) for text in told] == ([min(days)] if situation.is_public and is_over else [])
    ended = re.findall(r'data-fact="closed" data-value="([^"]+)"', record)
    closings = list(situation.closes.values())
    is_closed = None not in closings and max(closings) <= timezone.now()
    assert [datetime.fromisoformat(text) for text in ended] == ([max(closings)] if is_closed else [])
    if situation.is_public:
        page = Client().get(f"/challenges/{situation.challenge.slug}/").content.decode()
        registered_at = situation.registered.registration.versions.last().registered_at
        before = (min(days).date() - registered_at.astimezone(UTC).date()).days
        ago = "published after submissions had opened" in page
        assert ago == (registered_at > min(days)), page
        if before > 0:
            assert f"published {before} day{'' if before == 1 else 's'} before submissions open" in page


def test_the_interface_and_the_command_line_agree_with_the_pages(situation):
    if not situation.is_public:
        assert Client().get(f"/api/v1/challenges/{situation.challenge.slug}/").status_code == 404
        return
    rows = {
        row["slug"]: row for row in Client().get(f"/api/v1/challenges/{situation.challenge.slug}/").json()["phases"]
    }
    for slug, row in rows.items():
        moments = {
            name: row[name] and iso(datetime.fromisoformat(row[name]))
            for name in ("opens_at", "ends_at", "published_at")
        }
        assert row["state"] == situation.states[slug]
        assert row["is_open"] == (situation.states[slug] == "open")
        assert (moments["opens_at"] or "") == iso(situation.opens[slug])
        assert (moments["ends_at"] or "") == iso(situation.closes[slug])
        assert (moments["published_at"] or "") == published_at(situation, slug)
        assert f"{row['submissions_per_day'] or ''}/{row['submissions_in_total'] or ''}" == LIMITS[slug]
        state, when = cli._when(row)
        closes = situation.closes[slug]
        shown = {
            "open": closes and f"until {closes:%Y-%m-%d %H:%M} UTC",
            "closed": closes and f"since {closes:%Y-%m-%d %H:%M} UTC",
        }
        if situation.states[slug] in shown:
            assert (state, when) == (situation.states[slug], shown[situation.states[slug]] or "no deadline")
        else:
            assert (state, when) == ("not open", f"opens {situation.opens[slug]:%Y-%m-%d %H:%M} UTC")


def test_reports_refusals_and_messages_agree_with_the_pages(situation):
    for slug, entry in {
        phase.name: phase for phase in collect(situation.challenge, audience=Audience.ORGANIZERS).phases
    }.items():
        key = next(name for name, phase in situation.phases.items() if phase.name == slug)
        assert entry.state == {"held": "upcoming"}.get(situation.states[key], situation.states[key])
        if situation.opens[key] is not None:
            assert datetime.fromisoformat(entry.opens_at) == situation.opens[key]
    if not situation.is_public:
        return
    person = world.person("mia")
    team = join_with_team(user=person, challenge=situation.challenge, team_name="Red")
    for slug, phase in situation.phases.items():
        if situation.states[slug] != "open":
            with pytest.raises(UploadError) as refused:
                create_upload(user=person, phase=phase, team=team, file_name="a.zip", size=9)
            moment = situation.closes[slug] if situation.states[slug] == "closed" else situation.opens[slug]
            assert moment_words(moment) in str(refused.value)
    tell_of_phases()
    now = timezone.now()
    for slug, phase in situation.phases.items():
        told = Notification.objects.filter(user=person, key=f"{phase.pk} opened")
        is_news = situation.states[slug] == "open" and situation.opens[slug] > now - DAY
        assert told.exists() == is_news
        for message in told:
            assert moment_words(situation.closes[slug]) in message.text


def wrong_words(situation: Situation, text: str) -> set[str]:
    """Dates in a text at which nothing happens: registered ones that did not take effect, and the end of what has none."""
    found = {words(moment) for moment in situation.hidden_dates for words in (moment_words, day_words)}
    return {words for words in {*found, "9000"} if re.search(rf"(?<!\d){re.escape(words)}", text)}


def test_lists_data_and_reports_show_the_same_dates_and_states(situation):
    expected, kinds, wrong, opened = expected_facts(situation), set(), [], set()
    for role, client in clients(situation).items():
        for address in other_pages(situation):
            response = client.get(address)
            if response.status_code != 200:
                continue
            opened.add(address)
            text = response.content.decode()
            page = Facts(text)
            for entry in page.facts:
                attributes = entry["attributes"]
                subject = attributes.get("data-phase") or attributes.get("data-subject")
                if subject is None:
                    continue
                kinds.add(attributes["data-fact"])
                value, fact = attributes["data-value"], (attributes["data-fact"], subject)
                if value != expected.get(fact):
                    wrong.append((role, address, fact, value, expected.get(fact)))
            # What was planned may be named as the plan alone.
            actual = re.sub(r"; planned was from [^<;]*", "", text)
            wrong += [
                (role, address, "a date at which nothing happens", words) for words in wrong_words(situation, actual)
            ]
            if "/registry/" not in address:
                stray = {iso(moment) for moment in situation.hidden_dates} & set(page.moments)
                wrong += [(role, address, "registered date shown as actual", moment) for moment in stray]
    assert not wrong
    assert opened == set(other_pages(situation)), "each of these pages was read"
    assert "registration" in kinds


def test_the_exposure_report_states_when_each_phase_really_opens_and_closes(situation):
    text = Client()
    text.force_login(situation.registered.owner)
    page = text.get(f"/challenges/{situation.challenge.slug}/report/exposure/").content.decode()
    for slug, phase in situation.phases.items():
        opens, closes = situation.opens[slug], situation.closes[slug]
        begins = "not opened," if opens is None else f"from {moment_words(opens)}"
        ends = "without end" if closes is None else f"until {moment_words(closes)}"
        assert f"{phase.name}: {begins} {ends}" in page, slug


def test_the_challenge_report_states_the_dates_of_the_pages(situation):
    source = Source(collect(situation.challenge, audience=Audience.ORGANIZERS), Ledger())
    item = Item(number="11", title="Schedule", fill=Fill.FULL, parameters=())
    logged.dates(item, source)
    rows = {row[0]: row for row in item.exhibits[0].rows}
    for slug, phase in situation.phases.items():
        _, _, actual, state, _ = rows[phase.name]
        opens, closes = situation.opens[slug], situation.closes[slug]
        words = [moment and f"{moment:%-d %B %Y, %H:%M}" for moment in (opens, closes)]
        assert actual == f"{words[0] or 'not opened'} – {words[1] or 'no end'}", slug
        assert state == {"held": "upcoming"}.get(situation.states[slug], situation.states[slug])


def test_feed_sitemap_and_interface_of_the_registry_state_the_moments_of_the_record(situation):
    registration = situation.registered.registration
    # Registered on another day than its newest version, so that one date cannot pass for the other.
    earlier = registration.registered_at - 3 * DAY
    Registration.objects.filter(pk=registration.pk).update(registered_at=earlier)
    registration.refresh_from_db()
    versions = list(RegistrationVersion.objects.filter(registration=registration).order_by("registered_at"))
    moments = [version.registered_at for version in versions]
    feed = ET.fromstring(Client().get("/registry/feed.atom").content)
    atom = "{http://www.w3.org/2005/Atom}"
    entries = [entry for entry in feed.iter(f"{atom}entry") if registration.identifier in "".join(entry.itertext())]
    for name in ("published", "updated"):
        stated = sorted(datetime.fromisoformat(entry.find(f"{atom}{name}").text) for entry in entries)
        assert stated == sorted(moments), name
    site = ET.fromstring(Client().get("/sitemap.xml").content)
    spaces = {"": "http://www.sitemaps.org/schemas/sitemap/0.9"}
    changed = {url.find("loc", spaces).text: url.find("lastmod", spaces) for url in site.findall("url", spaces)}
    [record] = [day for address, day in changed.items() if address.endswith(registration.get_absolute_url())]
    assert record.text == f"{moments[-1]:%Y-%m-%d}"
    is_listed = any(address.endswith(f"/challenges/{situation.challenge.slug}/") for address in changed)
    assert is_listed == situation.is_public
    [row] = Client().get("/api/v1/registry/").json()["results"]
    detail = Client().get(f"/api/v1/registry/{registration.identifier}/").json()
    for told in (row, detail):
        assert told["state"] == situation.registration
        assert datetime.fromisoformat(told["registered_at"]) == registration.registered_at
    listed = [row["slug"] for row in Client().get("/api/v1/challenges/").json()["results"]]
    assert (situation.challenge.slug in listed) == situation.is_public
