"""Records of evaluations and model cards of a ranking: the values of the page with intervals, ranks with rank sets."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.integration.leaderboards.test_announced import built, ranked

pytestmark = pytest.mark.django_db


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
        for result in record["evaluation_results"]:
            assert result["score_details"]["details"]["rank"]
            assert {"rank_set", "rank_set_words"} & set(result["score_details"]["details"])
    for card in cards.values():
        for result in card["model-index"][0]["results"]:
            assert result["source"]["url"].endswith(
                reverse("leaderboards:version", args=["liver", version.phase.slug, version.number])
            )
