"""Winner, sets, letters and sentences of random boards never contradict each other."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from evaluation import rank
from evaluation.claims.certainty import certainty, headline
from evaluation.claims.ranking import sentences_of
from evaluation.ranking.uncertainty.pairs import letters
from tests.sizes import size
from tests.unit.evaluation.uncertainty.boards import ranked, results
from tests.unit.evaluation.uncertainty.many_boards import (
    contradictions,
    random_board,
    rules_of,
)

NAMES = [f"team {letter}" for letter in "ABCDEFGH"]


@settings(max_examples=size(20, 60), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_decisions_sets_intervals_and_numbers_hold_together(seed):
    """Boards of all schemes; ``make boards`` runs more of them, and reproduces one from its seed."""
    board = random_board(seed)
    assert not contradictions(board)


@pytest.mark.parametrize(("seed", "scheme"), [(28, "re-ranked"), (1428, "tests")])
def test_comparisons_that_the_guard_leaves_out_follow_from_others(seed, scheme):
    """Hall's statistic is not transitive: without what follows, sets contradict comparisons or letters."""
    board = random_board(seed)
    assert board.scheme == scheme
    assert not contradictions(board)


@settings(max_examples=size(20, 60), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_is_said_holds_together(seed):
    document = random_board(seed).ranked()
    entry = document["overall"] or document["rankings"][0]
    rows = entry["algorithms"]
    first, words = rows[0], headline(entry, document)
    # Who is within reach may be first.
    reach = [row["name"] for row in rows[1:] if row["within_reach"]]
    of_reach = next((one for one in words.split(". ") if " tied " in one), "")
    for row in rows[1:]:
        if row["name"] in of_reach and len(reach) <= 3:
            assert row["rank_set"][0] == 1
            assert set(row["letters"]) & set(first["letters"])
    mentioned = sorted((words.index(row["name"]), row["rank"]) for row in rows if row["name"] in words)
    if mentioned:
        assert mentioned[0][1] == first["rank"]
    if len(rows) == 2:
        assert "all others" not in words
    for sentence in sentences_of(entry, document):
        assert "cannot be told apart" not in sentence
        assert not re.search(r"% of the (other|\d+) (algorithms|teams)", sentence)
        if "resampling range" in sentence:
            assert "significant" not in sentence


@pytest.mark.parametrize("text", ["a winner is named where the recomputed end is above the margin"])
def test_random_boards_reach_every_decision(text):
    """Boards without these verdicts and without recomputed limits would show nothing."""
    verdicts, texts = set(), set()
    for seed in (*range(12), 21, 22, 53):
        board = random_board(seed)
        document = board.ranked()
        for entry in document["rankings"]:
            verdicts.add((entry["verdict"], entry["winner"]["reason"]))
            texts |= {rule for rule, _ in rules_of(board, entry)}
    assert {"confirmed", "significant", "leaning", "open"} <= {verdict for verdict, _ in verdicts}
    assert {"one_more_failure", "not_shown", "tie", "too_few_units", "stratum_too_small"} <= {
        why for _, why in verdicts
    }
    assert text in texts


@settings(max_examples=size(20, 40), deadline=None)
@given(st.integers(2, 7), st.integers(0, 100_000))
def test_two_share_a_letter_exactly_if_neither_is_shown_better(count, seed):
    generator = np.random.default_rng(seed)
    shown = np.triu(generator.random((count, count)) < generator.random(), 1)
    made = letters(shown)
    for first in range(count):
        for second in range(first):
            assert bool(set(made[first]) & set(made[second])) != bool(shown[first, second] or shown[second, first])
    assert "a" in made[0]


def test_p_own_of_a_pair_is_the_exact_permutation_test_of_the_mean():
    generator = np.random.default_rng(4)
    values = generator.normal(0.5, 0.1, (9, 2)).round(2)
    entry, _ = ranked(values, ["A", "B"])
    first, second = (row["name"] for row in entry["algorithms"])
    column = {"A": 0, "B": 1}
    better, worse = values[:, column[first]], values[:, column[second]]
    expected = permutation_test(
        (better, worse), lambda x, y: x.mean() - y.mean(), permutation_type="samples", alternative="greater"
    )
    assert entry["p_own"][0][1] == pytest.approx(expected.pvalue, abs=1e-12)


def test_order_of_rows_makes_no_difference():
    generator = np.random.default_rng(5)
    table = results(generator.normal(0.5, 0.1, (12, 4)), NAMES[:4])
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    assert rank(document, table) == rank(document, table.sample(frac=1, random_state=1))


def test_one_failed_case_of_a_third_team_does_not_hide_a_difference():
    generator = np.random.default_rng(6)
    level = generator.normal(0.7, 0.1, 30)
    better, worse = level + 0.03, level + generator.normal(0, 0.005, 30)
    third = better + generator.normal(0, 0.005, 30)
    third[3] = 0.0
    entry, document = ranked(np.stack([better, worse, third], axis=1), ["A", "B", "C"])
    rows = {row["name"]: row for row in entry["algorithms"]}
    names = [row["name"] for row in entry["algorithms"]]
    assert entry["shown_better"][names.index("A")][names.index("B")]
    assert not set(rows["A"]["letters"]) & set(rows["B"]["letters"])
    assert entry["winner"]["reason"] == "not_shown"
    assert "C" in headline(entry, document)


def test_copies_entered_beside_a_team_do_not_crown_it():
    """Two slightly worse copies of A raise it above B in mean ranks of two metrics.

    The contest of A and B alone reveals this.
    """
    generator = np.random.default_rng(8)
    n = 30
    first, second = {}, {}
    base = generator.normal(0.7, 0.02, n)
    own, other = generator.normal(0, 0.002, (2, n))
    first["A"], first["B"] = base + own + 0.03, base + other
    second["A"], second["B"] = base + own, base + other + 0.031
    for name in "DEF":
        first[name] = second[name] = base - 0.2 + generator.normal(0, 0.01, n)
    for index in (1, 2):
        first[f"A copy {index}"] = first["A"] - 0.0002 * index
        second[f"A copy {index}"] = second["A"] - 0.0002 * index
    rows = []
    for metric, columns in (("dsc", first), ("iou", second)):
        for name, values in columns.items():
            rows += [(name, f"c{i}", "all", metric, value, "ok", 100.0) for i, value in enumerate(values)]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"])
    document = rank(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "all", "labels": [1]}],
            "metrics": [{"id": "dsc"}, {"id": "iou"}],
        },
        table,
    )
    overall = document["overall"]
    assert overall["winners"] == ["A"]
    assert overall["sensitivity"]["head_to_head"] == ["B"]
    assert overall["winner"] == {"named": False, "algorithm": None, "alpha": 0.05, "reason": "depends_on_entries"}
    assert "depends on the other participants" in certainty(overall, document)[0]
    assert overall["sensitivity"]["duplicates"] == [["A", "A copy 1", "A copy 2"]]
