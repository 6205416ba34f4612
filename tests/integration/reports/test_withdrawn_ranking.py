"""After a ranking was withdrawn, nothing that reads it states a rank, and reports made from it are marked as outdated."""

import io
import json
import re
from dataclasses import dataclass
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from accounts.notifications.models import Notification
from challenges.models import Member, Organizer, Phase, Seat, Task, Team
from datastore.datasets.hooks import Choice, artifacts
from leaderboards.contributions import exporting
from leaderboards.models import OverallRanking, RankingVersion
from leaderboards.queries.over_tasks import over_tasks
from leaderboards.services import public_rankings
from leaderboards.views import sharing
from reports.exposure.queries.facts import Audience
from reports.services import reports, storing
from submissions.models import Submission
from submissions.services.messages import tell_scored
from tests.integration.leaderboards import world
from tests.integration.reports.conftest import UNTYPESET, made, made_for_team, untypeset

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Pages and reports of one ranking are read. `test_permissions.py` reads reports on both databases."
    ),
]
RANKED = re.compile(r"Ada leads|were ranked on|Ada|Ben\b")


@dataclass(frozen=True)
class Consumer:
    """Something that is made from a ranking.

    Attributes
    ----------
    read
        Returns its text, for the world.
    states
        Matches where it states a rank or a leader.
    """

    read: object
    states: re.Pattern = RANKED
    states_before: bool = True


def page(name, *args, person=None):
    def read(built):
        client = Client()
        if person:
            client.force_login(built.people[person])
        return client.get(reverse(name, args=args)).content.decode()

    return read


def submission_page(built):
    client = Client()
    client.force_login(built.people["member"])
    submission = Submission.objects.filter(phase=built.phases["open"], team=built.teams["Ada"]).last()
    return client.get(submission.get_absolute_url()).content.decode()


def report_of(audience):
    def read(built):
        report = made(built.people["organizer"], built.challenge, audience)
        assert report.failure == ""
        return json.dumps(storing.read_content(report.content_name)["chapters"])

    return read


def team_report(built):
    try:
        report = made_for_team(built.people["member"], built.phases["revealed"], built.teams["Ada"])
    except ValidationError as error:
        return str(error)
    return json.dumps(storing.read_content(report.content_name)["chapters"])


def mails(send):
    def read(built):
        Notification.objects.all().delete()
        send(built)
        return " ".join(f"{row.subject} {row.text}" for row in Notification.objects.all())

    return read


def export(built):
    return "\n".join(f"{name}\n{text}" for name, text in exporting.exported(built.challenge))


def publication(built):
    teams = frozenset(team.pk for team in built.teams.values())
    choice = Choice(references=False, predictions=True, case_results=True, licence="CC0", teams=teams)
    return " ".join(entry.words for make in artifacts for entry in make(built.challenge, choice))


def picture(built):
    version = RankingVersion.objects.filter(phase=built.phases["open"]).last()
    with mock.patch.object(sharing, "share_picture", return_value=b"") as drawn:
        Client().get(reverse("leaderboards:share_picture", args=["liver", "open", version.number]))
    return f"{drawn.call_args.kwargs['sentence']} {drawn.call_args.kwargs['strips']}"


CONSUMERS = {
    "leaderboard": Consumer(page("leaderboards:current", "liver", "open")),
    "leaderboard of organizers": Consumer(page("leaderboards:current", "liver", "open", person="organizer")),
    "embed": Consumer(page("leaderboards:embed", "liver", "open")),
    "picture for other sites": Consumer(picture),
    "api": Consumer(page("api:ranking", "liver", "open")),
    "home page": Consumer(page("web:home")),
    "home page of a participant": Consumer(page("web:home", person="member"), re.compile(r"\d of 2</a>")),
    "challenge page": Consumer(page("challenges:detail", "liver"), states_before=False),
    "page of a submission": Consumer(submission_page, re.compile(r"[Yy]ou rank \d")),
    "exposure": Consumer(page("reports:exposure", "liver"), re.compile(r"Ada|ranking version"), states_before=False),
    "report for the organizers": Consumer(report_of(Audience.ORGANIZERS), re.compile(r"leads|were ranked on")),
    "report for the public": Consumer(report_of(Audience.PUBLIC), re.compile(r"leads|were ranked on")),
    "report of a team": Consumer(team_report, re.compile(r"[Rr]ank(s|ed)? \d|Against the field")),
    "mail of the public ranking": Consumer(mails(lambda built: public_rankings.tell_of_public_rankings())),
    "mail of a scored submission": Consumer(
        mails(lambda built: tell_scored(built.phases["open"], is_last=True)), re.compile(r"ranks? \d")
    ),
    "export": Consumer(export, re.compile(r"rankings/main-\w+-v\d")),
    "publication": Consumer(publication, re.compile(r"[Rr]ank|leads"), states_before=False),
    "feed": Consumer(page("registry:feed"), states_before=False),
}  # fmt: skip


@pytest.fixture(scope="module")
def states(built):
    """Statements of each consumer before and after the ranking is withdrawn."""
    Phase.objects.filter(pk=built.phases["revealed"].pk).update(ended_at=timezone.now())
    Organizer.objects.get_or_create(challenge=built.challenge, user=built.people["organizer"])
    built.phases["revealed"].refresh_from_db()
    member = Member.objects.get(user=built.people["member"])
    Seat.objects.create(member=member, task=built.phases["open"].task, user=member.user)
    before = {}
    for name, consumer in CONSUMERS.items():
        with transaction.atomic():
            before[name] = consumer.read(built)
            transaction.set_rollback("mail" in name)
    kept = {
        "organizers": made(built.people["organizer"], built.challenge),
        "public": made(built.people["organizer"], built.challenge, Audience.PUBLIC),
        "team": made_for_team(built.people["member"], built.phases["revealed"], built.teams["Ada"]),
    }
    reports.publish(actor=built.people["organizer"], report=kept["public"])
    withdraw(built)
    # The content alone of these reports is read; those of before have the same files as the ones that are kept.
    with mock.patch(UNTYPESET, untypeset):
        after = {name: consumer.read(built) for name, consumer in CONSUMERS.items()}
    return before, after, kept


def withdraw(built):
    Team.objects.filter(challenge=built.challenge).update(standing=Team.Standing.DISQUALIFIED, standing_reason="copied")
    for phase in built.phases.values():
        world.rank(phase)


@pytest.mark.parametrize("name", CONSUMERS)
def test_nothing_states_a_rank_after_the_ranking_was_withdrawn(states, name):
    before, after, _ = states
    consumer = CONSUMERS[name]
    if consumer.states_before:
        assert consumer.states.search(before[name]), "the test would find nothing"
    assert not consumer.states.search(after[name])


@pytest.mark.parametrize("kind", ["organizers", "public", "team"])
def test_a_report_names_its_ranking_and_is_marked_as_outdated(built, states, kind):
    report = states[2][kind]
    client = Client()
    client.force_login(built.people["organizer"])
    text = client.get(reverse("reports:report", args=["liver", report.number])).content.decode()
    assert re.search(r"ranking 1 of", text)
    assert "This report is outdated." in text
    assert "Ranking version 1 of Revealed was withdrawn. No team is ranked now." in text
    answer = client.get(reverse("reports:file", args=["liver", report.number, "pdf"]))
    assert f"liver-report-{report.number}-outdated.pdf" in answer["Content-Disposition"]
    pages = PdfReader(io.BytesIO(answer.content)).pages
    assert all(sheet.extract_text().count("Outdated. Ranking version 1 of") == 1 for sheet in pages)
    html = client.get(reverse("reports:file", args=["liver", report.number, "html"])).content.decode()
    assert "Outdated. Ranking version 1 of" in html.split("<body", 1)[1][:400]
    assert storing.read(report.files["html"]).decode() not in (html, "")


def test_lists_of_reports_mark_the_outdated_ones(built, states):
    client = Client()
    assert "This report is outdated." in client.get(reverse("reports:index", args=["liver"])).content.decode()
    client.force_login(built.people["organizer"])
    desk = client.get(reverse("reports:desk", args=["liver"])).content.decode()
    rows = [row for row in desk.split('id="made"')[1].split("<tr>") if "reports/" in row or "/report/" in row]
    marked = [">outdated<" in row for row in rows]
    # The newest two were made after the withdrawal.
    assert marked[:2] == [False, False]
    assert marked[2:4] == [True, True]
    client.force_login(built.people["member"])
    own = client.get(reverse("reports:team", args=["liver", "revealed"])).content.decode()
    assert ">outdated<" in own


def restore(built):
    Team.objects.filter(challenge=built.challenge).update(standing=Team.Standing.RANKED)
    for phase in built.phases.values():
        world.rank(phase)


def test_a_replaced_ranking_marks_a_report_until_it_is_current_again(built):
    restore(built)
    client = Client()
    client.force_login(built.people["organizer"])
    report = made(built.people["organizer"], built.challenge)
    address = reverse("reports:report", args=["liver", report.number])
    assert "This report is outdated." not in client.get(address).content.decode()
    Team.objects.filter(name="Ben").update(standing=Team.Standing.DISQUALIFIED, standing_reason="copied")
    world.rank(built.phases["open"])
    assert "Version 2 replaced ranking version 1 of Open." in client.get(address).content.decode()
    Team.objects.filter(name="Ben").update(standing=Team.Standing.RANKED)
    world.rank(built.phases["open"])
    assert "This report is outdated." not in client.get(address).content.decode()


def test_no_ranking_over_tasks_as_long_as_a_task_has_none(built):
    restore(built)
    phase = built.phases["open"]
    Task.objects.filter(pk=phase.task_id).update(design_key="task-1")
    phase = Phase.objects.select_related("task__challenge").get(pk=phase.pk)
    registered = {"name": "Overall", "tasks": ["task-1"], "steps": [], "ranking": "default", "absent": "left_out"}
    version = RankingVersion.objects.filter(phase=phase).order_by("number").first()
    OverallRanking.objects.create(
        challenge=built.challenge,
        phase_slug="open",
        name="Overall",
        inputs={"registered": registered, "tasks": [{"task": "task-1", "digest": version.digest}]},
        inputs_digest="1" * 64,
        document={},
        problem="none",
    )
    with mock.patch.object(phase.challenge, "overall_rankings", [registered]):
        assert over_tasks([phase], user=built.people["organizer"])[0].stored is not None
        withdraw(built)
        assert over_tasks([phase], user=built.people["organizer"])[0].stored is None
