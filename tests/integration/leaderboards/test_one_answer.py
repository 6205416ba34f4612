"""Page, API table, files, embedded frame and reports show the same ranking."""

import csv
import io
import json

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils.html import escape

from api.rankings.serializers import OrderSerializer, RankedTeamSerializer, RankingSerializer, TeamOrderSerializer
from evaluation.boards import COLUMNS
from evaluation.boards.words import span
from evaluation.claims.ranking import headline
from tests.integration.leaderboards import examples, world
from tests.integration.leaderboards.conftest import storages_in

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Values of one stored ranking are compared. `test_pages.py` and `test_permissions.py` read rankings on both databases."
    ),
]

BOARDS = {
    "two teams": {"Ada": (0.9, 0), "Ben": (0.7, 0)},
    "a winner": {"Ada": (0.95, 0), "Ben": (0.6, 0), "Cleo": (0.5, 0)},
    "a close race": {"Ada": (0.8, 0), "Ben": (0.799, 0), "Cleo": (0.798, 0), "Dora": (0.5, 0)},
    "exact ties": {"Ada": (0.9, 0), "Eve": (0.9, 0), "Ben": (0.5, 0)},
    "a failed case": {"Ada": (0.9, 1), "Ben": (0.85, 0), "Cleo": (0.6, 0)},
}


@pytest.fixture(scope="module", params=BOARDS)
def board(request, django_db_setup, django_db_blocker, storage_folder):
    """A closed phase ranked by two metrics, its document, and the key of the order by DSC."""
    teams = BOARDS[request.param]
    with (
        pytest.MonkeyPatch.context() as patch,
        override_settings(STORAGES=settings.STORAGES | storages_in(storage_folder)),
        django_db_blocker.unblock(),
        transaction.atomic(),
    ):
        # Enough resamples for the sets of the ranking over both metrics.
        patch.setitem(examples.ASSESSMENT["uncertainty"], "bootstrap", 250)
        built = world.build(teams=tuple(teams), ranked=())
        phase = built.phases["revealed"]
        for name, (level, missing) in teams.items():
            world.scored_run(phase, built.teams[name], built.people["member"], level=level, missing=missing)
        world.rank(phase)
        address = reverse("leaderboards:document", args=["liver", "revealed", 1])
        yield json.loads(Client().get(address).content)
        transaction.set_rollback(True)


def entries_of(document: dict) -> dict[str, dict]:
    return {"overall": document["overall"]} | {
        f"{entry['metric']}/{entry['region']}": entry for entry in document["rankings"]
    }


def expected(algorithm: dict) -> dict:
    low, high = algorithm["rank_interval"]
    set_low, set_high = algorithm["rank_set"] or (None, None)
    return {
        "rank": algorithm["rank"],
        "rank_set_low": set_low,
        "rank_set_high": set_high,
        "within_reach": algorithm["within_reach"],
        "letters": algorithm["letters"],
        "rank_low": low,
        "rank_high": high,
        "failed": algorithm["failure"]["failed"],
        "failed_of": algorithm["failure"]["of"],
        "rank_if_one_more_failed": algorithm["rank_if_one_more_failed"],
    }


def page(name: str = "current", **asked: str) -> str:
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", "revealed"]), asked).content.decode()


def test_interface_and_json_have_the_values_of_the_document(board):
    answers = [
        Client().get(reverse("api:ranking", args=["liver", "revealed"])).json(),
        Client().get(reverse("leaderboards:table_json", args=["liver", "revealed", 1])).json(),
    ]
    for answer in answers:
        said = {order["key"]: order for order in answer["orders"]}
        for key, entry in entries_of(board).items():
            for name in ("winner", "verdict", "first_again", "sets", "margin", "warnings"):
                assert said[key][name] == entry[name], (key, name)
            assert said[key]["sensitivity"]["duplicates"] == entry["sensitivity"]["duplicates"]
            for algorithm in entry["algorithms"]:
                team = next(team for team in answer["teams"] if team["team"] == algorithm["name"])
                told = team["orders"][key]
                assert {name: told[name] for name in expected(algorithm)} == expected(algorithm)
        assert answer["says"][0] == headline(board)


def test_interface_is_described_as_it_answers(board):
    answer = Client().get(reverse("api:ranking", args=["liver", "revealed"])).json()
    assert set(RankingSerializer().fields) == set(answer)
    assert set(OrderSerializer().fields) == set(answer["orders"][0])
    assert set(RankedTeamSerializer().fields) == set(answer["teams"][0])
    assert set(TeamOrderSerializer().fields) == set(answer["teams"][0]["orders"]["overall"]) == set(COLUMNS.values())
    assert RankingSerializer(data=answer).is_valid(raise_exception=True)


def test_csv_has_the_values_of_the_document(board):
    text = Client().get(reverse("leaderboards:table_csv", args=["liver", "revealed", 1])).content.decode()
    rows = {row["team"]: row for row in csv.DictReader(io.StringIO(text))}
    assert all(f"dsc/whole:{name}" in next(iter(rows.values())) for name in COLUMNS.values())
    for key, entry in entries_of(board).items():
        for algorithm in entry["algorithms"]:
            for name, value in expected(algorithm).items():
                assert rows[algorithm["name"]][f"{key}:{name}"] == ("" if value is None else str(value))


def test_page_and_frame_have_the_headline_sets_and_letters_of_the_document(board):
    for key, entry in entries_of(board).items():
        for html in (page(by=key, failures="1"), page("embed", by=key)):
            assert "so far" not in html.split("<table")[0].replace("submitted so far", "")
            body = html.split("<tbody>")[1]
            for algorithm in entry["algorithms"]:
                row = next(row for row in body.split("</tr>") if f'scope="row">{algorithm["name"]}' in row)
                words = "–" if algorithm["rank_set"] is None else span(*algorithm["rank_set"])
                assert f'data-label="Rank set"><span>{words}<small>{algorithm["letters"]}</small>' in row
                assert ("is-group" in row) == (
                    algorithm["within_reach"] or algorithm["rank"] == min(a["rank"] for a in entry["algorithms"])
                )
    assert escape(headline(board)) in page()
    assert escape(headline(board)) in page("embed")


def test_no_page_calls_a_resampling_range_confidence_or_says_that_teams_cannot_be_told_apart(board):
    for asked in ({}, {"by": "dsc/whole"}, {"view": "stability"}, {"view": "pairs"}):
        html = page(**asked).casefold()
        assert "confidence" not in html
        assert "cannot be told apart" not in html
