"""Differences from the leader and numbers about the lead on pages, for rankings of schema 3 and stored ones of schema 2."""

import copy
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from api.rankings.serializers import RankingSerializer
from evaluation.boards import EFFECTS
from leaderboards.models import RankingVersion
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Numbers of one stored document are shown. `test_pages.py` reads rankings on both databases."
    ),
]
METRIC = {"by": "dsc/whole"}


@pytest.fixture
def ranked(db):
    return world.build(teams=("Ada", "Ben", "Cleo"), ranked=("open",))


def page(name: str = "current", **asked: str) -> str:
    return Client().get(reverse(f"leaderboards:{name}", args=["liver", "open"]), asked).content.decode()


def as_of_schema_2(version: RankingVersion) -> None:
    """Store the table of a version as it was stored before schema 3."""
    table = copy.deepcopy(version.table)
    for order in table["orders"]:
        order["verdict"] = "clear" if order["winner"]["named"] else order["verdict"]
        for key in (*EFFECTS, "difference_level"):
            del order[key]
    RankingVersion.objects.filter(pk=version.pk).update(table=table)


def test_the_board_of_a_metric_has_column_figure_and_numbers(ranked):
    html = page(**METRIC)
    assert html.count('data-label="Difference from the leader"') == len(ranked.teams)
    assert re.search(r"intervals? appl(?:y together|ies) if failures are as frequent as observed", html)
    assert html.count('class="differences__plot"') == 1
    terms = re.findall(r"<dt>([^<]+) <a", html.split('<dl class="effects">')[1].split("</dl>")[0])
    assert terms[0] == "Lead over Ben"
    assert "Leader is not the best" in terms
    anchors = re.findall(r'effects__help" href="[^"]*#([a-z-]+)"', html)
    assert len(anchors) == len(terms)
    manual = Client().get(reverse("web:help_page", args=["leaderboards"])).content.decode()
    assert all(f'id="{anchor}"' in manual for anchor in anchors)


def test_a_combined_board_has_neither_column_nor_figure(ranked):
    html = page()
    assert 'data-label="Difference from the leader"' not in html
    assert "differences__plot" not in html


def test_the_differences_of_all_metrics_come_after_the_map_of_a_combined_board(ranked):
    titles = re.findall(r'class="plot__title">([^<]+)<', page(view="pairs"))
    assert [title.split("?")[0] for title in titles] == [
        *["Who is shown to be better than whom"] * 2,
        *["How far is the leader ahead of the others"] * 2,
    ]
    of_metric = re.findall(r'class="plot__title">([^<]+)<', page(view="pairs", **METRIC))
    assert of_metric[0].startswith("How far is the leader ahead of the others")
    # On paper the figure is among the others, not twice.
    assert "differences__plot" not in page(view="all", **METRIC)


def test_sorting_by_the_difference_is_announced(ranked):
    assert re.search(r'board__difference"[^>]*aria-sort="descending"', page(sort="-difference", **METRIC))


def test_a_frame_shows_the_column(ranked):
    assert page("embed", **METRIC).count('data-label="Difference from the leader"') == len(ranked.teams)


def test_a_stored_ranking_of_schema_2_is_shown_and_answered(ranked):
    version = RankingVersion.objects.get(phase=ranked.phases["open"])
    as_of_schema_2(version)
    html = page(**METRIC)
    assert 'class="effects"' not in html
    assert html.count('data-label="Difference from the leader"') == len(ranked.teams)
    answer = Client().get(reverse("api:ranking", args=["liver", "open"])).json()
    assert all(order[key] is None for order in answer["orders"] for key in EFFECTS)
    assert RankingSerializer(data=answer).is_valid(raise_exception=True)
    for name in ("table_csv", "table_json"):
        assert Client().get(reverse(f"leaderboards:{name}", args=["liver", "open", 1])).status_code == 200


@pytest.mark.parametrize("asked", [METRIC, METRIC | {"sort": "difference"}], ids=["by rank", "by difference"])
def test_the_column_costs_no_query(ranked, asked):
    counts = []
    for extra in ({}, asked):
        page(**extra)
        with CaptureQueriesContext(connection) as queries:
            page(**extra)
        counts.append(len(queries))
    assert counts[0] == counts[1]
