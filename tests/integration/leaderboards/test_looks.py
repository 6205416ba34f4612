"""Each version of a public ranking spends a part of the error; a sealed one is a single claim."""

import math

import pytest

from challenges.models import Phase
from challenges.services import close_phase
from datastore.uploads.storage import load_json
from evaluation.ranking.uncertainty.looks import Look
from leaderboards.models import RankingVersion
from leaderboards.services import computing
from tests.integration.leaderboards import world

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "The error that versions spend is computed in Python. `test_services.py` stores versions on both databases."
    ),
]


@pytest.fixture
def phase(scored):
    return scored


def documents(phase):
    return [
        load_json(version.document_name) for version in RankingVersion.objects.filter(phase=phase).order_by("number")
    ]


def test_each_change_of_a_public_ranking_spends_a_smaller_part(phase):
    assert phase.leaderboard == Phase.Leaderboard.PUBLIC
    world.rank(phase)
    run = RankingVersion.objects.get(phase=phase)
    assert run.number == 1
    assert computing.look_of(phase) == Look(2)
    (document,) = documents(phase)
    assert document["look"] == {"change": 1, "planned": None}
    assert document["overall"]["spent_level"] == pytest.approx(0.05 * 6 / math.pi**2)
    assert any(text.startswith("This is change 1 of the board.") for text in run.sentences["overall"]) or (
        document["overall"]["winner"]["reason"] in ("too_few_units", "too_few_draws")
    )


def test_a_sealed_ranking_is_one_claim(phase):
    Phase.objects.filter(pk=phase.pk).update(leaderboard=Phase.Leaderboard.SEALED)
    phase.refresh_from_db()
    assert computing.look_of(phase) is None
    world.rank(phase)
    (document,) = documents(phase)
    assert "look" not in document
    assert document["overall"]["spent_level"] is None


def test_a_ranking_that_is_first_computed_after_the_close_is_one_claim(phase):
    close_phase(phase=phase, actor=None)
    phase.refresh_from_db()
    assert computing.look_of(phase) is None


def test_what_was_shown_while_the_phase_was_open_counts_after_the_close(phase):
    world.rank(phase)
    close_phase(phase=phase, actor=None)
    phase.refresh_from_db()
    assert computing.look_of(phase) == Look(2)
