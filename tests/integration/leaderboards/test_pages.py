"""Leaderboard pages for visitors, and their number of database queries."""

import json
import re

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from challenges.models import Phase, Task
from core.work.services import UNEXPECTED
from datastore.uploads.storage import load_json
from evaluation import boards, ranking
from leaderboards.models import RankingRequest
from leaderboards.queries.single_cases import names_cases
from leaderboards.services import rankings
from submissions.models import Submission
from tests.integration.leaderboards import world
from tests.integration.leaderboards.conftest import storages_in

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, storage_folder):
    """Ada leads, Eve has Ada's results, Dora lacks two cases."""
    with (
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        built = world.build(teams=("Ada", "Ben", "Cleo", "Dora", "Eve"), ranked=())
        phase = built.phases["open"]
        levels = {"Ada": 0.9, "Ben": 0.89, "Cleo": 0.6, "Dora": 0.5, "Eve": 0.9}
        for name, level in levels.items():
            world.scored_run(
                phase, built.teams[name], built.people["member"], level=level, missing=2 * (name == "Dora")
            )
        world.rank(phase)
        yield built
        transaction.set_rollback(True)


@pytest.fixture
def visitor():
    return Client()


def page(client: Client, key: str = "open", **asked: str) -> str:
    return client.get(reverse("leaderboards:current", args=["liver", key]), asked).content.decode()


def rows_of(html: str) -> list[str]:
    return [
        row.split("<tr")[-1] for row in html.split("<tbody>")[1].split("</tbody>", maxsplit=1)[0].split("</tr>")[:-1]
    ]


def test_a_sentence_says_who_leads_before_any_number(built, visitor):
    html = page(visitor)
    assert html.index("Ada and Eve") < html.index("<table")


def test_exact_tie_is_said_to_be_one(built, visitor):
    assert "Ada and Eve have identical results in every case" in page(visitor)


def test_every_row_has_rank_set_resampling_range_and_drawing(built, visitor):
    for row in rows_of(page(visitor, by="dsc/whole")):
        assert "board__rank" in row
        assert 'data-label="Rank set"' in row
        assert 'data-label="Resampling range"' in row
        for part in ("forest__set", "forest__range", "forest__point"):
            assert f'class="{part}"' in row


def test_every_row_is_one_sentence_for_a_screen_reader(built, visitor):
    rows = rows_of(page(visitor))
    assert "Dora: rank 5, " in rows[-1]
    # Cases and submissions stand in a cell that is read out by itself.
    assert re.search(r"<span class=\"visually-hidden\">Dora: rank 5, [^<]*\.</span>", rows[-1])


def test_missing_cases_are_marked(built, visitor):
    rows = rows_of(page(visitor))
    assert "8 of 10" in rows[-1]
    assert "10 of 10" in rows[0]


def test_teams_within_reach_of_the_first_are_marked(built, visitor):
    assert ["is-group" in row for row in rows_of(page(visitor))][0::4] == [True, False]


def test_scheme_seed_cases_and_digest_stand_below(built, visitor):
    html = page(visitor)
    version = built.phases["open"].rankings.get()
    assert version.digest in html
    assert "50 bootstrap samples, seed 1" in html
    assert "10 cases, 5 teams" in html
    for sentence in ranking.describe(built.phases["open"].assessment)[1:3]:
        assert sentence in html.replace("&#x27;", "'")


@pytest.fixture
def organizer(built):
    client = Client()
    client.force_login(built.people["organizer"])
    return client


def test_published_digest_is_that_of_the_published_document(built, organizer):
    version = built.phases["open"].rankings.get()
    answer = organizer.get(reverse("leaderboards:document", args=["liver", "open", 1]))
    assert ranking.digest(json.loads(answer.content)) == version.digest


def test_document_of_an_open_phase_that_names_a_case_is_for_organizers(built, visitor, organizer):
    assert names_cases(load_json(built.phases["open"].rankings.get().document_name))
    address = reverse("leaderboards:document", args=["liver", "open", 1])
    assert (visitor.get(address).status_code, organizer.get(address).status_code) == (403, 200)
    assert f'href="{address}"' not in page(visitor)
    assert "The ranking document names single cases." in page(visitor)
    assert f'href="{address}"' in page(organizer)


def test_compressed_document_is_sent_to_those_who_take_it(organizer):
    address = reverse("leaderboards:document", args=["liver", "open", 1])
    packed = organizer.get(address, headers={"Accept-Encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip"
    assert len(packed.content) < len(organizer.get(address).content)


def test_ranking_by_one_metric_has_its_own_sentence_and_order(built, visitor):
    html = page(visitor, by="dsc/whole")
    assert "Ranked by DSC, whole (mean)" in html
    assert '<option value="dsc/whole" selected>' in html


def test_choice_stays_in_the_addresses_of_the_page(built, visitor):
    assert "?by=dsc%2Fwhole&amp;view=stability" in page(visitor, by="dsc/whole")


@pytest.mark.parametrize(
    ("view", "figures"),
    [
        ("stability", ["blob", "agreement", "left-out"]),
        ("pairs", ["better", "better", "differences", "differences"]),
        ("schemes", ["schemes"]),
        ("metrics", ["metrics", "tau"]),
    ],
)
def test_figures_are_drawn_from_addresses_that_answer(built, visitor, view, figures):
    html = page(visitor, view=view)
    sources = [part.split('"')[0].replace("&amp;", "&") for part in html.split('data-plot-src="')[1:]]
    assert [source.split("/")[-1].split(".json")[0] for source in sources] == figures
    for source in sources:
        assert visitor.get(source).json()["data"]


def test_pairs_are_compared_by_the_ranking_itself_and_by_wilcoxons_test_on_a_switch(built, visitor):
    plain, switched = page(visitor, view="pairs"), page(visitor, view="pairs", test="wilcoxon")
    assert ("/better.json?" in plain, "/significance.json?" in plain) == (True, False)
    assert ("/better.json?" in switched, "/significance.json?" in switched) == (False, True)
    assert '<option value="wilcoxon" selected>' in switched


def test_column_of_failures_is_shown_on_demand_with_rank_after_one_more(built, visitor):
    assert 'data-label="Failures"' not in page(visitor)
    rows = rows_of(page(visitor, failures="1", by="dsc/whole"))
    assert "<span>2 of 10<small>up to 50.7 %</small>" in rows[-1]
    assert "one more: rank" in rows[0]


def test_open_board_says_so_far_and_that_each_update_is_a_statement_of_its_own(built, visitor):
    html = page(visitor)
    assert " so far" in html.split("<table")[0]
    assert escape(boards.looks(0.95)) in html


def test_figure_of_an_unknown_kind_or_order_does_not_exist(built, visitor):
    address = reverse("leaderboards:figure", args=["liver", "open", 1, "blob"])
    assert visitor.get(address, {"by": "nothing"}).status_code == 404
    assert visitor.get(address.replace("blob", "nothing")).status_code == 404


def test_own_team_is_marked_for_its_members_only(built, visitor):
    assert "your team" not in page(visitor)
    visitor.force_login(built.people["other"])
    assert ["your team" in row for row in rows_of(page(visitor))] == [False, False, True, False, False]


def test_filter_without_a_match_says_what_to_do(built, visitor):
    html = page(visitor, team="Zoe")
    assert "No team has “Zoe” in its name" in html
    assert "Show all teams" in html


def test_markup_in_a_team_name_or_a_query_is_text(built, visitor):
    html = page(visitor, team="<script>alert(1)</script>")
    assert "<script>alert(1)" not in html


def test_phase_without_a_ranking_says_when_there_will_be_one(built, visitor):
    phase = built.phases["open"]
    other = Phase.objects.create(
        task=phase.task,
        slug="later",
        name="Later",
        position=9,
        opens_at=phase.opens_at,
        closes_at=phase.closes_at,
        leaderboard=Phase.Leaderboard.PUBLIC,
        assessment_document=phase.assessment_document,
        assessment_digest=phase.assessment_digest,
    )
    assert "No team has been scored yet" in page(visitor, "later")
    one = Submission.objects.filter(phase=phase).first()
    Submission.objects.filter(pk=one.pk).update(phase=other, state=Submission.State.ACCEPTED)
    said = page(visitor, "later")
    assert "The first submissions are on their way" in said
    assert "1 submission to this phase is being checked and scored" in said
    Submission.objects.filter(pk=one.pk).update(state=Submission.State.RUNNING)
    Phase.objects.filter(pk=other.pk).update(algorithms={"interface": "podium-exec-1"})
    assert "1 submission to this phase is being run, checked and scored" in page(visitor, "later")
    rankings.request_ranking(other.pk)
    assert "The ranking is being computed" in page(visitor, "later")


def test_a_sealed_ranking_says_that_teams_see_their_own_scores_where_they_do(built, visitor):
    phase = built.phases["sealed"]
    Phase.objects.filter(pk=phase.pk).update(results=Phase.Results.VALIDATION)
    assert "only the organizers see scores and ranks" in page(visitor, "sealed")
    Phase.objects.filter(pk=phase.pk).update(results=Phase.Results.AGGREGATE)
    said = page(visitor, "sealed")
    assert "a team sees only its own scores, and only the organizers see ranks" in said
    assert "sees scores or ranks" not in said


def test_page_says_that_a_newer_ranking_is_on_its_way(built, visitor):
    assert "next version of this ranking is being computed" not in page(visitor)
    rankings.request_ranking(built.phases["open"].pk)
    assert "next version of this ranking is being computed" in page(visitor)


def test_failure_is_shown_to_organizers_with_a_way_on(built, visitor):
    RankingRequest.objects.update(failure=UNEXPECTED)
    assert "no policy" not in page(visitor)
    visitor.force_login(built.people["organizer"])
    html = page(visitor)
    assert UNEXPECTED in html
    assert "Compute again" in html


def test_version_that_no_longer_stands_says_so_and_stays(built, visitor):
    phase = built.phases["open"]
    world.scored_run(phase, built.teams["Cleo"], built.people["member"], level=0.97)
    world.rank(phase)
    old = visitor.get(reverse("leaderboards:version", args=["liver", "open", 1])).content.decode()
    assert "Version 1, not the current ranking" in old
    assert rows_of(page(visitor))[0].count("Cleo") > 0
    assert "Cleo" not in rows_of(old)[0]


def test_history_says_what_changed(built, visitor):
    phase = built.phases["open"]
    world.scored_run(phase, built.teams["Cleo"], built.people["member"], level=0.97)
    world.rank(phase)
    html = visitor.get(reverse("leaderboards:history", args=["liver", "open"])).content.decode()
    assert "new: Ada, Ben, Cleo, Dora, Eve" in html
    assert "new result: Cleo" in html
    assert html.index("Version 2") < html.index("Version 1")


def test_history_follows_the_ranks_over_time(built, visitor):
    phase = built.phases["open"]
    address = reverse("leaderboards:history", args=["liver", "open"])
    assert "data-plot-src" not in visitor.get(address).content.decode()
    world.scored_run(phase, built.teams["Cleo"], built.people["member"], level=0.97)
    world.rank(phase)
    assert "data-plot-src" in visitor.get(address).content.decode()
    figure = visitor.get(reverse("leaderboards:history_figure", args=["liver", "open"])).json()
    ranks = {trace["name"]: trace["y"] for trace in figure["data"]}
    assert ranks["Cleo"] == [4, 1]
    assert ranks["Dora"] == [5, 5]
    # Two rankings of one day have two places on the axis, and one label.
    assert all(trace["x"] == [1, 2] for trace in figure["data"])
    assert figure["layout"]["xaxis"]["ticktext"] == [timezone.now().date().isoformat()]


def test_phases_of_the_same_slug_in_two_tasks_have_two_addresses(built, visitor):
    first = built.phases["open"]
    task = Task.objects.create(challenge=built.challenge, slug="second", name="Second", position=2)
    Phase.objects.create(
        task=task,
        slug="open",
        name="Other",
        opens_at=first.opens_at,
        closes_at=first.closes_at,
        leaderboard=Phase.Leaderboard.PUBLIC,
        assessment_document=first.assessment_document,
        assessment_digest=first.assessment_digest,
    )
    html = page(visitor)
    assert reverse("leaderboards:current", args=["liver", "second.open"]) in html
    assert "No team has been scored yet" in page(visitor, "second.open")
    assert "<table" in page(visitor, "open")


def test_unknown_phase_does_not_exist(built, visitor):
    assert visitor.get(reverse("leaderboards:current", args=["liver", "nothing"])).status_code == 404
