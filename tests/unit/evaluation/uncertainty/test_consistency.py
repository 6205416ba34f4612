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
from tests.unit.evaluation.uncertainty.boards import ranked, results

NAMES = [f"team {letter}" for letter in "ABCDEFGH"]


@st.composite
def boards(draw):
    algorithms = draw(st.integers(2, 6))
    cases = draw(st.integers(2, 14))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    gap = draw(st.sampled_from([0.0, 0.02, 0.1, 0.4]))
    values = 0.6 - gap * np.arange(algorithms) / algorithms + generator.normal(0, 0.05, (cases, algorithms))
    if draw(st.booleans()):
        values[generator.integers(cases), generator.integers(algorithms)] = 0.0
    if draw(st.booleans()):
        values[:, -1] = values[:, 0]
    scheme = draw(st.sampled_from(SCHEMES))
    return values.round(3), NAMES[:algorithms], scheme


SCHEMES = [
    {"scheme": "aggregate_then_rank"},
    {"scheme": "aggregate_then_rank", "operator": "median"},
    {"scheme": "rank_then_aggregate"},
    {"scheme": "test_then_rank"},
]


@settings(max_examples=60, deadline=None)
@given(boards())
def test_what_is_said_holds_together(board):
    values, algorithms, scheme = board
    entry, document = ranked(values, algorithms, ranking=scheme, uncertainty={"bootstrap": 200})
    rows = entry["algorithms"]
    first, words = rows[0], headline(entry, document)
    others = rows[1:]
    named = entry["winner"]["named"]
    # A confirmed or significant verdict is a named winner, and a named winner shares nothing with anybody.
    assert (entry["verdict"] in ("confirmed", "significant")) == named
    if named:
        assert first["rank_set"] == [1, 1]
        assert all(row["rank_set"] is None or row["rank_set"][0] > 1 for row in others)
        assert not set(first["letters"]) & set("".join(row["letters"] for row in others))
    # Who is within reach may be first.
    reach = [row["name"] for row in others if row["within_reach"]]
    of_reach = next((one for one in words.split(". ") if " tied " in one), "")
    for row in others:
        if row["name"] in of_reach and len(reach) <= 3:
            assert row["rank_set"][0] == 1
            assert set(row["letters"]) & set(first["letters"])
    mentioned = sorted((words.index(row["name"]), row["rank"]) for row in rows if row["name"] in words)
    if mentioned:
        assert mentioned[0][1] == first["rank"]
    if len(rows) == 2:
        assert "all others" not in words
    # Sets hold the displayed rank, and agree with the matrix.
    for index, row in enumerate(rows):
        if row["rank_set"] is not None:
            low, high = row["rank_set"]
            assert low <= row["rank"] <= high
            shown = np.array(entry["shown_better"])
            assert low <= 1 + shown[:, index].sum()
            assert high >= len(rows) - shown[index].sum()
    for sentence in sentences_of(entry, document):
        assert "cannot be told apart" not in sentence
        assert "confidence" not in sentence
        assert not re.search(r"% of the (other|\d+) (algorithms|teams)", sentence)
        if "resampling range" in sentence:
            assert "significant" not in sentence


@settings(max_examples=40, deadline=None)
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
    assert "depends on who else did" in certainty(overall, document)[0]
    assert overall["sensitivity"]["duplicates"] == [["A", "A copy 1", "A copy 2"]]
