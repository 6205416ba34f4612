"""No public address links an anonymous team to its name, or its pseudonyms in two phases to each other."""

import copy
import html
import json
from datetime import timedelta
from hashlib import sha256
from unittest import mock

import pytest
from django.conf import settings
from django.core import mail
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Phase, Task
from datastore.datasets.models import Publication, PublicationConsent
from datastore.datasets.queries import naming as names_in_data
from datastore.datasets.queries.publishing import Choice
from datastore.datasets.services import publishing
from evaluation.bundle import verify
from evaluation.designs.document import Entry, State
from evaluation.figures import publication
from leaderboards.models import OverallRanking, Pseudonym, RankingVersion, Standing
from leaderboards.queries import names
from leaderboards.services import analyses, following, public_rankings, rankings
from reports.exposure.queries.facts import Audience
from reports.models import Report
from reports.queries import naming as names_in_reports
from reports.services import reports
from submissions.models import MethodDescription, Run, Submission
from submissions.services.methods import describe
from tests.integration.leaderboards import world
from tests.integration.leaderboards.attacker import collect, links_between
from tests.integration.leaderboards.conftest import storages_in
from tests.integration.reports.conftest import PIXEL, UNTYPESET, untypeset, with_summaries
from tests.sizes import size

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Answers are searched for names. `test_permissions.py` and `test_announced.py` open these addresses on both databases."
    ),
]
HIDDEN = "Zebrafish"
TEAMS = (HIDDEN, "Benthos", "Cleopatra")
PHASES = ("open", "revealed")
# A moment that no other row has.
AT = timezone.now().replace(hour=3, minute=17, second=29, microsecond=0) - timedelta(days=1)
LEVELS = {"open": (0.91, 0.83, 0.72), "revealed": (0.87, 0.78, 0.66)}


@pytest.fixture(scope="module")
def base(django_db_setup, django_db_blocker, storage_folder):
    """Two phases in which the team of the attacker's interest was ranked first under its name, in two versions each.

    The world is built once for all tests of this file and rolled back after them.
    """
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        mock.patch.object(publishing, "registered_choice", registered_choice),
        mock.patch.object(publishing, "unrevealed_phases", return_value=[]),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        yield build()
        transaction.set_rollback(True)


@pytest.fixture
def made(base, db):
    """A copy of the world, in a transaction that ends with the test."""
    return copy.deepcopy(base)


def registered_choice(challenge):
    return Choice(
        references=False,
        predictions=False,
        case_results=True,
        licence="CC BY 4.0",
        teams=frozenset(challenge.teams.values_list("pk", flat=True)),
    )


def build() -> world.World:
    built = world.build(teams=TEAMS, ranked=())
    now = timezone.now()
    Phase.objects.update(announcement=Phase.Announcement.NOT_REFUSED)
    for hours, slug in enumerate(PHASES, start=1):
        ended = now - timedelta(hours=hours)
        Phase.objects.filter(slug=slug).update(opens_at=ended - timedelta(days=2), closes_at=ended, ended_at=ended)
    built.phases.update({phase.slug: phase for phase in Phase.objects.select_related("task__challenge")})
    for slug in PHASES:
        phase = built.phases[slug]
        for team, level in zip(built.teams.values(), LEVELS[slug], strict=True):
            world.scored_run(phase, team, built.people["member"], level=level)
        rank(phase)
        world.scored_run(phase, built.teams["Benthos"], built.people["other"], level=LEVELS[slug][1] + 0.01)
        rank(phase, analysed=slug == "revealed")
    Run.objects.update(summary={"values": [], "cases": 10, "missing_cases": 0})
    moments = {"created_at": AT}
    Submission.objects.filter(team=built.teams[HIDDEN]).update(**moments)
    RankingVersion.objects.update(**moments)
    Standing.objects.update(since=AT)
    for team in built.teams.values():
        PublicationConsent.objects.create(team=team, is_given=True)
    publish(built)
    return built


def rank(phase, *, analysed=False):
    """Rank a phase and what follows; figures only where they are read."""
    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    following.follow_phase(phase_id=phase.pk)
    if analysed:
        analyses.analyse_version(version_id=version.pk)


def publish(made):
    publishing.ask_for_publication(actor=None, challenge=made.challenge)
    publishing.publish(publication_id=Publication.objects.get().pk)
    publication = Publication.objects.get()
    assert publication.state == "published", publication.failure
    return publication.version


def stolen(made, person=None, *, begins=""):
    """Everything that a visitor, or a person of another team, can read."""
    client = Client()
    if person:
        client.force_login(made.people[person])
    values = {"slug": ["liver"], "key": PHASES, "number": [1, 2], "name": ["blob", "published"]}
    loot = collect(client, values, inside="/liver/", begins=begins)
    for version in Publication.objects.get().version.dataset.versions.all():
        for file in version.files.all():
            answer = client.post(f"/challenges/liver/data/files/{file.pk}/")
            if answer.status_code == 302:
                content = b"".join(client.get(answer["Location"]).streaming_content)
                loot.texts[f"published {version.number} {file.name}"] = content.decode("latin-1")
    for message in [*mail.outbox, *Notification.objects.exclude(user=made.people["member"])]:
        loot.texts[f"message {id(message)}"] = f"{message.subject} {getattr(message, 'body', '') or message.text}"
    return loot


def ask_for_anonymity(made):
    """Describe the newest submission of the team with a request for publication without its name."""
    entry = Entry(value="anonymously", state=State.PROVIDED)
    for row in Submission.objects.filter(team=made.teams[HIDDEN]):
        describe(actor=made.people["member"], submission=row, entries={"consent_result_publication": entry})


@pytest.mark.timeout(900)
def test_nothing_names_a_team_that_asked_for_anonymity_and_nothing_links_its_phases(made, tmp_path):
    public_rankings.tell_of_public_rankings()
    before = stolen(made, begins="/challenges/liver/leaderboard/")
    # The attacker finds names where they may be shown: on pages, in versions, in tables and in published files.
    found = " ".join(before.naming(HIDDEN))
    for place in (
        "/v/1/",
        "/v/2/",
        "table.csv",
        "table.json",
        "embed",
        "results.csv",
        "published 1 results",
        "dataset.json",
    ):
        assert place in found, place
    assert not [address for address in before.naming(HIDDEN) if address.startswith("message")]

    ask_for_anonymity(made)
    publish(made)
    of_other_team = stolen(made, "other")
    assert of_other_team.naming(HIDDEN) == []
    loot = stolen(made)
    assert loot.naming(HIDDEN) == []
    assert loot.naming("Benthos"), "the crawl still reads the rankings"
    for place in ("/sitemap.xml", "/registry/feed.atom", "/embed/", "/share.png", "/challenges/"):
        assert any(place in address for address in loot.texts), place
    files = [address for address in loot.texts if address.startswith("published 2")]
    assert len(files) == 7

    words = dict(Pseudonym.objects.filter(team=made.teams[HIDDEN]).values_list("phase__slug", "word"))
    for slug in PHASES:
        assert words[slug] in " ".join(loot.about(slug).values())
    for collected in (loot, of_other_team):
        shared = links_between(
            collected.about("open"),
            collected.about("revealed"),
            known={made.phases["open"].assessment_digest, "0" * 64, sha256(b"[]").hexdigest()},
        )
        outside = " ".join(text for address, text in collected.texts.items() if "liver" not in address)
        assert {token for token in shared if token not in outside} == set()
    # Neither the second of a submission nor that of its ranking.
    assert loot.naming("T03:17", "03:17:29", "03:17") == []

    for slug in PHASES:
        version = RankingVersion.objects.filter(phase__slug=slug).last()
        response = Client().get(reverse("leaderboards:bundle", args=["liver", slug, version.number]))
        file = tmp_path / f"{slug}.zip"
        file.write_bytes(b"".join(response.streaming_content))
        assert verify(file, digest=version.digest).same


def test_rows_without_a_name_have_no_counts_dates_or_marks_and_no_order_of_teams(made):
    ask_for_anonymity(made)
    for slug in PHASES:
        rows = Client().get(reverse("leaderboards:table_json", args=["liver", slug, 2])).json()["teams"]
        [row] = [row for row in rows if names.is_pseudonym(row["team"])]
        assert (row["submissions"], row["handed_in"], row["marks"], row["method"]) == (None, None, [], None)
        named = next(row for row in rows if row["team"] == "Benthos")
        assert (named["submissions"], len(named["handed_in"])) == (2, len("2027-01-27"))
        stored = RankingVersion.objects.filter(phase__slug=slug).last()
        labels = [team["name"] for team in stored.inputs["teams"]]
        assert labels == sorted(labels)
        assert all(map(names.is_pseudonym, labels))


def test_linked_phases_are_noticed():
    one = {"a": json.dumps({"team": "Anonymous 0123abcd", "handed_in": "2027-01-27T03:17:29"})}
    assert links_between(one, one) == {"Anonymous 0123abcd", "2027-01-27T03:17:29"}
    assert links_between(one, {"b": "Anonymous 0123abce"}) == set()


def test_a_version_computed_with_names_is_withheld_once_a_team_may_not_be_named(made):
    phase = made.phases["open"]
    Phase.objects.update(announcement=Phase.Announcement.ALL)
    phase = Phase.objects.select_related("task__challenge").get(pk=phase.pk)
    rank(phase)
    number = RankingVersion.objects.filter(phase=phase).latest("number").number
    address = reverse("leaderboards:version", args=["liver", "open", number])
    assert HIDDEN in Client().get(address).content.decode()
    Phase.objects.update(announcement=Phase.Announcement.NOT_REFUSED)
    ask_for_anonymity(made)
    for name in ("version", "table_csv", "table_json", "document", "results_csv", "bundle", "share_picture"):
        numbered = reverse(f"leaderboards:{name}", args=["liver", "open", number])
        assert Client().get(numbered).status_code == 403, name
    for path in ("current", "embed", "history"):
        assert HIDDEN not in Client().get(reverse(f"leaderboards:{path}", args=["liver", "open"])).content.decode()
    organizer = Client()
    organizer.force_login(made.people["organizer"])
    assert organizer.get(address).status_code == 200


def legible(figure, *, description="", dpi=300):
    """A printed figure whose text can be read: everything that the drawing is made from."""
    content = html.escape(json.dumps(figure, default=str, ensure_ascii=False) + description)
    return publication.Printed(
        svg=f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><desc>{content}</desc></svg>'.encode(),
        png=PIXEL,
    )


def published_report(made) -> Report:
    """Create a report of the challenge for the public, and publish it."""
    organizer = made.people["organizer"]
    asked = reports.request_report(actor=organizer, challenge=made.challenge, audience=Audience.PUBLIC)
    with mock.patch.object(publication, "printed", legible):
        reports.make_report(report_id=asked.pk)
    report = Report.objects.select_related("challenge").get(pk=asked.pk)
    assert report.failure == ""
    reports.publish(actor=organizer, report=report)
    return Report.objects.select_related("challenge").get(pk=report.pk)


def read_reports(made, *numbers: int):
    """Everything of these reports that a visitor can read: pages, and all files with their names."""
    files = sorted({name for report in Report.objects.all() for name in report.files})
    chapters = ("summary", "challenge", "data", "assessment", "results", "discussion", "deviations", "exposure")
    values = {"slug": ["liver"], "number": numbers, "name": files, "key": (*chapters, *PHASES, "team")}
    return collect(Client(), values, inside="/liver/", begins="/challenges/liver/report/")


FORMATS = ("html", "pdf", "docx!word/document.xml", "tex.zip!paper.tex", "items.html", "zip!report.md")


@pytest.mark.timeout(900)
def test_no_report_names_a_team_that_asked_for_anonymity(made):
    with_summaries(made)
    first = published_report(made)
    before = " ".join(read_reports(made, first.number).naming(HIDDEN))
    # The attacker finds names in every format where they may be shown, in the text of the PDF as well.
    for name in FORMATS:
        assert f"/files/{name}" in before, name
    assert "/paper/" in before
    assert "zip!figures/" in before, "figures are read"

    ask_for_anonymity(made)
    # The report with names is withheld, whoever knows its address.
    withheld = read_reports(made, first.number)
    assert withheld.naming(HIDDEN) == []
    assert not [address for address in withheld.texts if "!" in address]
    second = published_report(made)
    assert second.number != first.number
    loot = read_reports(made, first.number, second.number)
    assert loot.naming(HIDDEN) == []
    named = " ".join(loot.naming("Benthos"))
    for name in FORMATS:
        assert f"/files/{name}" in named, name
    # A report is about all phases: no line of it has pseudonyms of one team in two phases.
    words = dict(Pseudonym.objects.filter(team=made.teams[HIDDEN]).values_list("phase__slug", "word"))
    for address, text in loot.texts.items():
        assert not [
            line for line in text.splitlines() if all(word in line for word in words.values()) and len(line) < 2000
        ], address


@pytest.fixture
def over_tasks(made):
    """A second task with the same phase, and a registered ranking over both tasks."""
    first = made.phases["open"]
    Task.objects.filter(pk=first.task_id).update(design_key="task-1")
    second = Task.objects.create(
        challenge=made.challenge, slug="second", name="Second", position=2, design_key="task-2"
    )
    fields = ("name", "opens_at", "closes_at", "ended_at", "assessment_document", "assessment_digest", "announcement")
    phase = Phase.objects.create(
        task=second,
        slug="open",
        leaderboard=Phase.Leaderboard.PUBLIC,
        **{name: getattr(Phase.objects.get(pk=first.pk), name) for name in fields},
    )
    world.hidden_test_set(phase)
    step = {"over": ["metric", "region", "task"], "operator": "mean", "rerank": True, "ties": "min"}
    made.challenge.overall_rankings = [
        {"name": "All tasks", "tasks": ["task-1", "task-2"], "ranking": "", "absent": "refuse", "steps": [step]}
    ]
    made.challenge.save()
    phase = Phase.objects.select_related("task__challenge").get(pk=phase.pk)
    for team, level in zip(made.teams.values(), (0.93, 0.81, 0.74), strict=True):
        world.scored_run(phase, team, made.people["member"], level=level)
    rank(Phase.objects.select_related("task__challenge").get(pk=first.pk))
    rank(phase, analysed=True)
    made.phases["second"] = phase
    assert OverallRanking.objects.exists()
    return made


@pytest.mark.timeout(900)
def test_no_ranking_over_tasks_names_a_team_or_links_its_pseudonyms(over_tasks):
    leaderboards = "/challenges/liver/leaderboard/"
    few = size(f"{leaderboards}second.open/tasks/", leaderboards)

    def read(person=None, begins=leaderboards):
        client = Client()
        if person:
            client.force_login(over_tasks.people[person])
        keys = ("main.open", "second.open", "main.revealed")
        values = {"slug": ["liver"], "key": keys, "number": [1, 2, 3], "name": ["consensus", "clusters", "blob"]}
        loot = collect(client, values, inside="/liver/", begins=begins)
        for key, form in ((key, form) for key in keys for form in ("json", "csv")):
            address = f"{leaderboards}{key}/tasks/"
            loot.texts[f"{address}?format={form}"] = client.get(address, {"format": form}).content.decode()
        return loot

    found = " ".join(read(begins=few).naming(HIDDEN))
    for place in ("second.open/tasks/", "tasks/?format=csv", "tasks/consensus.json"):
        assert place in found, place
    ask_for_anonymity(over_tasks)
    loot = read()
    assert loot.naming(HIDDEN) == []
    for person, begins in (("other", leaderboards), ("stranger", few)):
        assert read(person, begins).naming(HIDDEN) == []
    assert "second.open/tasks/" in " ".join(loot.naming("Benthos"))
    words = list(Pseudonym.objects.filter(team=over_tasks.teams[HIDDEN]).values_list("word", flat=True))
    assert len(words) == 4, "one for each phase, and one for the ranking over tasks"
    # No answer has two of them: that would link the phases.
    assert not [address for address, text in loot.texts.items() if sum(word in text for word in words) > 1]


POLICIES = (
    (Phase.Announcement.ALL, None, True),
    (Phase.Announcement.ALL, "anonymously", True),
    (Phase.Announcement.NOT_REFUSED, None, True),
    (Phase.Announcement.NOT_REFUSED, "under_team_name", True),
    (Phase.Announcement.NOT_REFUSED, "anonymously", False),
    (Phase.Announcement.NOT_REFUSED, "not_public", False),
    (Phase.Announcement.AGREED, None, False),
    (Phase.Announcement.AGREED, "under_team_name", True),
    (Phase.Announcement.AGREED, "anonymously", False),
)


def answer(made, value: str) -> None:
    """Let the team answer whether its result is published under its name, in its newest description."""
    entry = Entry(value=value, state=State.PROVIDED)
    for row in Submission.objects.filter(team=made.teams[HIDDEN]):
        describe(actor=made.people["member"], submission=row, entries={"consent_result_publication": entry})


@pytest.mark.timeout(900)
def test_published_data_and_reports_with_names_are_open_exactly_where_the_policy_names_the_team(made):
    """The functions that decide, in both directions: a name that may be shown opens the file, and one that may not withholds it."""
    with_summaries(made)
    with mock.patch(UNTYPESET, untypeset):
        report = published_report(made)
    version = Publication.objects.get().version
    others = [made.teams["Benthos"], made.teams["Cleopatra"]]
    for team in others:
        entry = Entry(value="under_team_name", state=State.PROVIDED)
        for row in Submission.objects.filter(team=team):
            describe(actor=made.people["organizer"], submission=row, entries={"consent_result_publication": entry})
    file = version.files.filter(name__startswith="results-").first()
    for announcement, consent, is_allowed in POLICIES:
        Phase.objects.update(announcement=announcement)
        MethodDescription.objects.filter(submission__team=made.teams[HIDDEN]).delete()
        if consent:
            answer(made, consent)
        version.dataset.challenge.refresh_from_db()
        case = (announcement, consent)
        assert names_in_data.names_are_allowed(version) == is_allowed, case
        assert names_in_reports.names_are_allowed(report) == is_allowed, case
        status = Client().get(reverse("reports:report", args=["liver", report.number])).status_code
        assert status == (200 if is_allowed else 404), case
        answered = Client().post(f"/challenges/liver/data/files/{file.pk}/").status_code
        assert answered == (302 if is_allowed else 403), case
        organizer = Client()
        organizer.force_login(made.people["organizer"])
        assert organizer.get(reverse("reports:report", args=["liver", report.number])).status_code == 200
