"""The worked examples of the specification come out, number by number."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking.uncertainty.failures import failure_bound
from evaluation.ranking.uncertainty.grounds import budget
from evaluation.ranking.uncertainty.pairs import letters
from evaluation.ranking.uncertainty.sign_flips import flip_matrix
from tests.unit.evaluation.uncertainty.boards import EXAMPLES, ranked

BOARDS = {board["name"]: board for board in EXAMPLES["boards"]}


def close(given, expected):
    """Equal, numbers to 1e-9."""
    if isinstance(expected, dict):
        return set(expected) <= set(given) and all(close(given[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(given) == len(expected) and all(map(close, given, expected))
    if isinstance(expected, float) and given is not None:
        return abs(given - expected) <= 1e-9
    return given == expected


@pytest.mark.parametrize("name", BOARDS)
def test_board_says_what_the_example_says(name):
    board = BOARDS[name]
    entry, _ = ranked(board["values"], board["algorithms"])
    rows = {row["name"]: row for row in entry["algorithms"]}
    expected = board["expected"]
    assert list(rows) == expected["order"]
    for key in ("rank_set", "letters", "difference_from_first", "failure", "rank_if_one_more_failed"):
        for algorithm, value in expected[key].items():
            assert close(rows[algorithm][key], value), (key, algorithm, rows[algorithm][key])
    for key in ("shown_better", "p_own", "winner", "sets"):
        assert close(entry[key], expected[key]), (key, entry[key])
    if "verdict" in expected:
        assert entry["verdict"] == expected["verdict"]


def test_margin_of_the_example_makes_a_small_difference_equivalent():
    example = EXAMPLES["margin"]
    board = BOARDS[example["board"]]
    entry, _ = ranked(board["values"], board["algorithms"], uncertainty={"margin": example["margin"]})
    assert entry["margin"] == example["margin"]
    for row in entry["algorithms"]:
        assert close(row["difference_from_first"], example["expected"][row["name"]])


@pytest.mark.parametrize("example", EXAMPLES["letters"])
def test_letters_of_the_example(example):
    assert letters(np.array(example["shown_better"])) == example["letters"]


def test_strata_of_the_example():
    example = EXAMPLES["strata"]
    cases = pd.DataFrame({"case": [f"c{index:03d}" for index in range(10)], "scanner": list(example["cases"].values())})
    entry, document = ranked(example["values"], ["A", "B"], cases=cases, aggregation=example["aggregation"])
    expected = example["expected"]
    rows = {row["name"]: row for row in entry["algorithms"]}
    assert {name: row["score"] for name, row in rows.items()} == pytest.approx(expected["score"])
    assert {name: row["rank_set"] for name, row in rows.items()} == expected["rank_set"]
    for key in ("p_own", "winner", "sets"):
        assert close(entry[key], expected[key]), key
    assert entry["drawn_units"] == expected["drawn_units"]
    assert document["resampling"]["version"] == "podium-resample-2"


@pytest.mark.parametrize("example", EXAMPLES["failure_upper"])
def test_failure_bound_of_the_example(example):
    assert failure_bound(example["failed"], example["of"]) == pytest.approx(example["upper"], abs=1e-9)


def test_random_flips_of_the_example():
    signs = flip_matrix(12, bootstrap=1000, seed=1, cases=[f"c{index:02d}" for index in range(12)])
    assert signs.shape == (1000, 12)
    assert (signs[0] == 1).all()
    assert signs[1:4].tolist() == EXAMPLES["flips"]["rows"]


@pytest.mark.parametrize("example", EXAMPLES["units_needed"])
def test_fewest_units_of_the_example(example):
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "uncertainty": {"interval": example["interval"]},
    }
    shares = budget(parse(document).uncertainty, example["k"])
    assert (shares.units_for_sets, shares.units_for_winner) == (example["sets"], example["winner"])
