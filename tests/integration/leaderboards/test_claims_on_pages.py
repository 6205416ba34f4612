"""Generated challenges on pages: each statement is true of the raw tables, and all pages agree."""

import csv
import html
import io
import re
import zipfile
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.test import Client, override_settings
from django.urls import reverse

from accounts.notifications.models import Notification
from challenges.models import Phase
from datastore.uploads.storage import load_json
from evaluation import bundle
from evaluation.analyses.catalogue import orders_of
from evaluation.boards import COLUMNS
from evaluation.boards.words import span
from evaluation.figures import publication
from leaderboards.models import RankingRequest
from leaderboards.services.public_rankings import tell_of_public_rankings
from reports.exposure.queries.facts import Audience, collect
from reports.exposure.services import exposure
from reports.services import reports, storing
from submissions.services import messages
from tests.claims.exposure_predicates import false_conclusions
from tests.claims.predicates import false_sentences
from tests.integration.leaderboards import staged
from tests.integration.leaderboards.conftest import storages_in
from tests.integration.reports.conftest import PIXEL, UNTYPESET, untypeset
from tests.sizes import size

pytestmark = pytest.mark.django_db
KEY = [staged.SLUG, "final"]
CHALLENGES = staged.seeds(size(9, 20))
ON_BOTH = 4
"""Number of challenges on both databases. The others differ in values, not in queries."""


@pytest.fixture(
    scope="module",
    params=[
        *CHALLENGES[:ON_BOTH],
        *(
            pytest.param(seed, marks=pytest.mark.any_database("Challenges differ in values, not in queries."))
            for seed in CHALLENGES[ON_BOTH:]
        ),
    ],
)
def scene(request, django_db_setup, django_db_blocker, storage_folder):
    """A generated challenge in the database and its ranking document, or None if no team can be ranked."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        made = staged.stage(request.param)
        if made is not None:
            # A visitor gets it once single cases are public.
            made = (made, load_json(made.version.document_name))
        yield made
        transaction.set_rollback(True)


def entries_of(document: dict, table: dict) -> dict[str, dict]:
    """The entries of a document by the key that the board gives them."""
    return {order["key"]: entry for order, entry in orders_of(document, table)}


def text_of(content: bytes) -> str:
    """Return the visible text of a page."""
    plain = re.sub(r"<(script|style|template)\b.*?</\1>", " ", content.decode(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", plain)).split())


def test_every_sentence_of_the_interface_is_true_of_the_raw_tables(scene):
    if scene is None:
        return
    made, document = scene
    answer = Client().get(reverse("api:ranking", args=KEY)).json()
    said = answer["says"]
    main = document["overall"] or document["rankings"][0]
    assert not false_sentences(made.raw, main, document, said)
    page = text_of(Client().get(reverse("leaderboards:current", args=KEY)).content)
    frame = text_of(Client().get(reverse("leaderboards:embed", args=KEY)).content)
    assert " ".join(said[0].split()) in page
    assert " ".join(said[0].split()) in frame


def test_a_board_that_cannot_say_how_sure_it_is_counts_nobody_as_within_reach(scene):
    if scene is None:
        return
    _, document = scene
    main = document["overall"] or document["rankings"][0]
    page = text_of(Client().get(reverse("leaderboards:current", args=KEY)).content)
    verdict = page.split("Main result")[1].split("Rank by")[0]
    if main["sets"]["reason"] is None and len(main["algorithms"]) > 1:
        reach = sum(row["within_reach"] or row["rank"] == 1 for row in main["algorithms"])
        assert f"Possible winners {reach} of {len(main['algorithms'])} :" in verdict
    elif main["sets"]["reason"] not in ("too_few_units", "stratum_too_small"):
        assert "Possible winners" not in verdict
    assert ("resamples lie in it" in page) == any(row["rank_interval"] for row in main["algorithms"])


def test_numbers_that_stand_twice_are_the_same(scene):
    """Board, interface, CSV, frame, document and the raw tables."""
    if scene is None:
        return
    made, document = scene
    teams = {team["team"]: team for team in Client().get(reverse("api:ranking", args=KEY)).json()["teams"]}
    text = Client().get(reverse("leaderboards:table_csv", args=[*KEY, made.version.number])).content.decode()
    rows = {row["team"]: row for row in csv.DictReader(io.StringIO(text))}
    assert set(teams) == set(rows) == set(made.raw.names)
    for key, entry in entries_of(document, made.version.table).items():
        pages = [
            Client().get(reverse(f"leaderboards:{name}", args=KEY), {"by": key}).content.decode()
            for name in ("current", "embed")
        ]
        by_hand = made.raw.ranks(entry)
        for row in entry["algorithms"]:
            name, told = row["name"], teams[row["name"]]["orders"][key]
            low, high = row["rank_set"] or (None, None)
            expected = {"rank": row["rank"], "rank_set_low": low, "rank_set_high": high, "letters": row["letters"]}
            assert {column: told[column] for column in expected} == expected
            assert by_hand is None or by_hand[name] == row["rank"]
            for column in (COLUMNS["rank"], "rank_set_low", "rank_set_high", "letters"):
                value = told[column]
                assert rows[name][f"{key}:{column}"] == ("" if value is None else str(value))
            lacking = made.raw.missing(entry, name)
            assert row["missing"] in (lacking, None) or "over" in entry
            if row["failure"]:
                assert row["failure"]["failed"] == lacking
            for page in pages:
                line = next(line for line in page.split("<tbody>")[1].split("</tr>") if f'scope="row">{name}<' in line)
                words = "–" if row["rank_set"] is None else span(*row["rank_set"])
                assert f'data-label="Rank set"><span>{words}<small>{row["letters"] or ""}</small>' in line


def test_the_exposure_report_says_what_ranking_and_page_say(scene):
    if scene is None:
        return
    made, document = scene
    facts = collect(made.phase.challenge, audience=Audience.PUBLIC)
    findings = exposure(facts)
    assert not false_conclusions(facts, findings)
    told = " ".join(evidence.text for finding in findings for evidence in finding.evidence)
    teams = len(made.raw.names)
    samples = document["bootstrap"]
    words = f"{samples:,} bootstrap samples" if samples else "no bootstrap samples"
    counted = f"{len(made.raw.cases)} case{'' if len(made.raw.cases) == 1 else 's'}"
    assert f"Final: {words} over {counted}, {teams} team{'' if teams == 1 else 's'}" in told
    assert f"{teams} of {teams} team{'' if teams == 1 else 's'} with an accepted submission ranked" in told
    page = text_of(Client().get(reverse("reports:exposure", args=[staged.SLUG])).content)
    for finding in findings:
        assert " ".join(finding.conclusion.split()) in page


def test_the_bundle_of_the_page_verifies(scene, tmp_path):
    if scene is None:
        return
    made, _ = scene
    client = Client()
    client.force_login(made.phase.challenge.organizer_set.get().user)
    response = client.get(reverse("leaderboards:bundle", args=[*KEY, made.version.number]))
    if response.status_code != 200:  # an open phase gives no bundle out
        assert not made.raw.challenge.closed
        return
    path = tmp_path / "bundle.zip"
    path.write_bytes(b"".join(response.streaming_content))
    assert zipfile.is_zipfile(path)
    checked = bundle.verify(path)
    assert checked.same, checked


IN_REPORTS = CHALLENGES[:2]
"""A report takes a second or two, also without its drawings."""


def printed(_figure, *, description="", dpi=300):
    """A picture without the drawing, which is tested on its own."""
    return publication.Printed(svg=b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>', png=PIXEL)


def items_of(report) -> dict[str, dict]:
    assert report.failure == ""
    chapters = storing.read_content(report.content_name)["chapters"]
    return {item["number"]: item for chapter in chapters for item in chapter["items"]}


def sentences_of(item: dict) -> list[str]:
    return [sentence["text"] for paragraph in item["text"] for sentence in paragraph]


@pytest.mark.parametrize("scene", IN_REPORTS, indirect=True)
def test_reports_say_what_the_board_says(scene, monkeypatch):
    monkeypatch.setattr(publication, "printed", printed)
    monkeypatch.setattr(UNTYPESET, untypeset)
    monkeypatch.setattr("reports.queries.work.REPORTS.lease", timedelta(hours=1))
    made, document = scene
    challenge, raw = made.phase.challenge, made.raw
    asked = reports.request_report(
        actor=challenge.organizer_set.get().user, challenge=challenge, audience=Audience.PUBLIC
    )
    items = items_of(reports.make_report(report_id=asked.pk))
    teams, said = len(raw.names), Client().get(reverse("api:ranking", args=KEY)).json()["says"]
    noun = "" if teams == 1 else "s"
    assert f"{teams} {'person' if teams == 1 else 'people'} registered in {teams} team{noun}." in sentences_of(
        items["32a"]
    )
    covered = f"Final: this report covers {teams} of {teams} team{noun} with an accepted submission."
    assert covered in sentences_of(items["32c"])
    assert said[0] in sentences_of(items["35a"])
    counted = f"{len(raw.cases)} case{'' if len(raw.cases) == 1 else 's'}"
    assert any(
        f"version 1 of {teams} team{noun} on {counted}, standing since" in one for one in sentences_of(items["35a"])
    )
    main = document["overall"] or document["rankings"][0]
    lacking = {
        tuple(row)
        for exhibit in items["30b"]["exhibits"]
        if exhibit.get("columns", [])[:1] == ["Team"]
        for row in exhibit["rows"]
    }
    by_hand = {(name, str(raw.missing(main, name))) for name in raw.names if raw.missing(main, name)}
    assert lacking == by_hand
    complete = any("every ranked team has a prediction for every case" in one for one in sentences_of(items["30b"]))
    assert complete == (not by_hand)
    for team in challenge.teams.all():
        if not raw.challenge.closed:
            break
        own = reports.request_team_report(actor=team.members.get().user, phase=made.phase, of=team)
        standing = items_of(reports.make_report(report_id=own.pk))["standing"]
        told = [one for one in sentences_of(standing) if one.startswith((f"{team.name} has rank", "Its "))]
        assert told
        assert not false_sentences(raw, main, document, told, team=team.name)


def test_a_mail_tells_the_rank_that_the_team_may_read_and_never_a_score(scene):
    if scene is None:
        return
    made, _ = scene
    # The ranking told them; what became of the state is told by nothing else, and once.
    told = list(Notification.objects.all())
    for submission in made.phase.submissions.all():
        messages.tell_team(submission, "scored")
    messages.tell_scored(made.phase, is_last=True)
    assert told
    assert Notification.objects.count() == len(told)
    for row in told:
        assert row.subject.startswith("Generated: submission ")
        assert " is scored" in row.subject
        assert not re.search(r"\d\.\d{2}", f"{row.subject} {row.text}")


def test_the_mail_about_a_final_ranking_says_what_the_board_says(scene):
    if scene is None or not scene[0].raw.challenge.closed:
        return
    made, document = scene
    Phase.objects.filter(pk=made.phase.pk).update(ended_at=made.phase.closes_at)
    RankingRequest.objects.filter(phase=made.phase).update(computed=F("requested"))
    assert tell_of_public_rankings() == 1
    sent = Notification.objects.filter(kind="ranking_public")
    headline = Client().get(reverse("api:ranking", args=KEY)).json()["says"][0]
    assert {row.text.split("\n\n")[1] for row in sent} == {headline}
    main = document["overall"] or document["rankings"][0]
    assert not false_sentences(made.raw, main, document, [headline])
    assert {row.subject for row in sent} == {"Generated: the final ranking of Final is public"}


def test_a_team_reads_its_rank_and_between_which_ranks_it_may_lie(scene):
    """On the page of its submission; “could be” is always the rank set."""
    if scene is None:
        return
    made, document = scene
    main = document["overall"] or document["rankings"][0]
    for row in main["algorithms"][:2]:
        submission = made.phase.submissions.get(team__name=row["name"])
        client = Client()
        client.force_login(submission.user)
        text = text_of(client.get(submission.get_absolute_url()).content)
        low, high = row["rank_set"] or (None, None)
        behind = f" (could be {span(low, high)})" if low is not None and low != high else ""
        if main["sets"]["reason"] in ("too_few_units", "stratum_too_small"):
            behind = " (too few cases to say more)"
        assert f"You rank {row['rank']:g} of {len(made.raw.names)}{behind}" in text
        assert "The result is stored" not in text
