"""Records of evaluations and model cards of a ranking: the values of the page with intervals, ranks with rank sets."""

from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from leaderboards.domain.badge import badge
from tests.integration.leaderboards.test_announced import built, ranked

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Documents of one stored ranking are read. `test_pages.py` reads rankings on both databases."
    ),
]


def file_of(version, name):
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", version.phase.slug, version.number]))


def test_records_and_cards_have_the_values_of_the_page():
    version = ranked(built())
    table = file_of(version, "table_json").json()
    records = {record["model_info"]["name"]: record for record in file_of(version, "evaluations").json()}
    cards = file_of(version, "model_index").json()
    assert set(records) == set(cards) == {team["team"] for team in table["teams"]}
    for record in records.values():
        assert record["evaluation_results"]
        assert int(record["retrieved_timestamp"]) % 86_400 == 0  # the day in UTC, not the second
        for result in record["evaluation_results"]:
            assert result["score_details"]["details"]["rank"]
            assert {"rank_set", "rank_set_words"} & set(result["score_details"]["details"])
    for card in cards.values():
        for result in card["model-index"][0]["results"]:
            assert result["source"]["url"].endswith(
                reverse("leaderboards:version", args=["liver", version.phase.slug, version.number])
            )


def badge_of(team, slug="revealed", **asked):
    return Client().get(reverse("leaderboards:badge", args=["liver", slug]), {"team": team, **asked})


def test_a_badge_shows_the_rank_with_its_rank_set():
    version = ranked(built())
    teams = {entry["team"]: entry for entry in file_of(version, "table_json").json()["teams"]}
    [first] = [key["key"] for key in file_of(version, "table_json").json()["orders"][:1]]
    for team, entry in teams.items():
        response = badge_of(team)
        assert response["Content-Type"] == "image/svg+xml"
        text = ET.fromstring(response.content.decode()).findtext("{http://www.w3.org/2000/svg}title")
        order = entry["orders"][first]
        assert f"rank {order['rank']}" in text
        assert "rank set" in text


def test_a_badge_has_no_team_that_is_not_named():
    version = ranked(built(announcement="top", announced_ranks=1))
    assert badge_of("Ada").status_code == 200
    assert badge_of("Ben").status_code == 404
    for entry in file_of(version, "table_json").json()["teams"]:
        assert badge_of(entry["team"]).status_code == (200 if entry["team"] == "Ada" else 404)
    assert badge_of("").status_code == 404


def test_a_title_cannot_become_markup():
    drawing = badge("<script>\"&'", "1", (1, 3))
    assert "<script>" not in drawing
    assert ET.fromstring(drawing).attrib["aria-label"].endswith("rank 1 · rank set 1–3")
    assert "rank set 2<" in badge("A", "2", (2, 2))
    assert "rank set not known" in badge("A", "2", None)
