"""Verdict, letters, rank sets, intervals, differences and sentences of generated boards never contradict each other.

The challenges of `test_true` are checked as well, and fresh ones by `make claims`.
"""

from copy import deepcopy
from dataclasses import replace

import pytest

from evaluation.boards import build
from evaluation.boards.differences import texts_of
from evaluation.claims.ranking import sentences_of
from evaluation.ranking.reading import main_entry
from tests.claims.attack import case_of
from tests.claims.challenges import DECIDED
from tests.sizes import size

CHALLENGES = range(600_000, size(600_015, 600_040))
OF_TESTS = 900_042
"""Two algorithms that the registered tests leave at one rank, and sign flips at another level do not."""


@pytest.mark.parametrize("kind", ["", DECIDED])
def test_no_generated_board_contradicts_itself(kind):
    assert not [found for seed in CHALLENGES for found in case_of(seed, kind=kind).contradictions()]


def test_a_difference_of_a_later_step_is_shown_above_the_margin():
    case = case_of(600_179, kind=DECIDED)
    table = build(case.document, case.raw.assessment)
    order = next(order for order in table["orders"] if order["metric"] == "iou")
    place = table["teams"].index("team C")
    assert (order["difference_verdict"][place], order["difference_low"][place]) == ("better", 0.0)
    assert texts_of(order, place).interval.startswith("> 0.0")


def test_who_shares_the_first_place_is_not_shown_better():
    case = case_of(OF_TESTS)
    entry = main_entry(case.document)
    assert entry["winners"] == ["team A", "team B"]
    assert entry["shown_better"] == [[False, False], [False, False]]
    assert [row["rank_set"] for row in entry["algorithms"]] == [[1, 2], [1, 2]]
    assert [row["letters"] for row in entry["algorithms"]] == ["a", "a"]
    assert "it is open who is best" in sentences_of(entry, case.document)[0]
    assert not case.contradictions()


@pytest.fixture(scope="module")
def decided():
    """A challenge by one mean whose winner has a lead with an interval."""
    for seed in range(100):
        case = case_of(seed, kind=DECIDED)
        entry = main_entry(case.document)
        if entry["winner"]["named"] and entry.get("scheme") == "aggregate_then_rank" and entry["lead"]["interval"]:
            return case
    raise LookupError


def change_letters(entry):
    entry["algorithms"][0]["letters"] = entry["algorithms"][1]["letters"]


def change_set(entry):
    entry["algorithms"][0]["rank_set"] = [1, len(entry["algorithms"])]


def change_difference(entry):
    entry["algorithms"][1]["difference_from_first"]["interval"][0] = -0.1


def change_lead(entry):
    entry["lead"]["interval"][0] = -0.1


def change_verdict(entry):
    entry["verdict"] = "leaning"


def change_score(entry):
    entry["algorithms"][1]["score"] -= 0.1


def change_score_interval(entry):
    entry["algorithms"][0]["score_confidence_interval"] = {
        "method": "hall_and_t", "level": 0.95, "interval": [1.5, 1.6],
    }  # fmt: skip


def change_probability(entry):
    entry["false_claim_probability"] |= {"better": 0.3, "equivalent": 0.0, "worse": 0.7}


def change_order(entry):
    entry["algorithms"][0]["rank"] = entry["algorithms"][1]["rank"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (change_letters, "a letter is shared where neither is better"),
        (change_set, "a set follows from the comparisons"),
        (change_difference, "an interval below the margin is not better"),
        (change_lead, "a winner is named exactly where the lead is above the margin"),
        (change_verdict, "a verdict above leaning is that of a named winner"),
        (change_score, "the difference is that of the scores"),
        (change_score_interval, "a score interval contains its score"),
        (change_probability, "a named winner is better more probably than worse"),
        (change_order, "who is better ranks ahead"),
    ],
)
def test_a_planted_contradiction_is_found(decided, change, rule):
    document = deepcopy(decided.document)
    change(main_entry(document))
    found = [one.sentence for one in replace(decided, document=document).contradictions()]
    assert any(rule in sentence for sentence in found)
