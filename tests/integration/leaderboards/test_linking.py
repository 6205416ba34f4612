"""No public address links an anonymous team to its name, or its pseudonyms in two phases to each other."""

import json
from datetime import timedelta
from hashlib import sha256

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase
from datasets.models import Publication, PublicationConsent
from datasets.queries.publishing import Choice
from datasets.services import publishing
from evaluation.bundle import verify
from evaluation.designs.document import Entry, State
from leaderboards.models import Pseudonym, RankingVersion, Standing
from leaderboards.queries import names
from leaderboards.services import analyses, following, public_rankings, rankings
from notifications.models import Notification
from submissions.models import Run, Submission
from submissions.services.methods import describe
from tests.integration.leaderboards import world
from tests.integration.leaderboards.attacker import collect, links_between

pytestmark = pytest.mark.django_db
HIDDEN = "Zebrafish"
TEAMS = (HIDDEN, "Benthos", "Cleopatra")
PHASES = ("open", "revealed")
# A moment that no other row has.
AT = timezone.now().replace(hour=3, minute=17, second=29, microsecond=0) - timedelta(days=1)
LEVELS = {"open": (0.91, 0.83, 0.72), "revealed": (0.87, 0.78, 0.66)}


@pytest.fixture
def made(monkeypatch):
    """Two phases in which the team of the attacker's interest was ranked first under its name, in two versions each."""
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
    monkeypatch.setattr(
        publishing,
        "registered_choice",
        lambda challenge: Choice(
            references=False,
            predictions=False,
            case_results=True,
            licence="CC BY 4.0",
            teams=frozenset(challenge.teams.values_list("pk", flat=True)),
        ),
    )
    monkeypatch.setattr(publishing, "unrevealed_phases", lambda challenge: [])
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
    assert stolen(made, "other").naming(HIDDEN) == []
    loot = stolen(made)
    assert loot.naming(HIDDEN) == []
    assert loot.naming("Benthos"), "the crawl still reads the rankings"
    files = [address for address in loot.texts if address.startswith("published 2")]
    assert len(files) == 7

    words = dict(Pseudonym.objects.filter(team=made.teams[HIDDEN]).values_list("phase__slug", "word"))
    for slug in PHASES:
        assert words[slug] in " ".join(loot.about(slug).values())
    shared = links_between(
        loot.about("open"),
        loot.about("revealed"),
        known={made.phases["open"].assessment_digest, "0" * 64, sha256(b"[]").hexdigest()},
    )
    outside = " ".join(text for address, text in loot.texts.items() if "liver" not in address)
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
