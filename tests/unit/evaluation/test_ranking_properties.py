"""Properties of every ranking on any data: relabelling, mirroring, shifting, dominating, duplicating."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evaluation.assessment import parse
from evaluation.ranking import digest, rank
from evaluation.ranking.scores import rank as rank_rows
from evaluation.ranking.scores import snap
from tests.sizes import size

SCHEMES = [
    {"scheme": "aggregate_then_rank", "operator": "mean"},
    {"scheme": "aggregate_then_rank", "operator": "median", "ties": "average"},
    {"scheme": "aggregate_then_rank", "operator": {"percentile": 5}},
    {"scheme": "aggregate_then_rank", "operator": "min"},
    {"scheme": "rank_then_aggregate", "operator": "mean"},
    {"scheme": "rank_then_aggregate", "operator": "median", "ties": "average"},
    {"scheme": "test_then_rank"},
    {"scheme": "test_then_rank", "adjust": "holm", "ties": "dense"},
]
scheme = st.sampled_from(SCHEMES)
matrices = st.tuples(st.integers(3, 9), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 12)).map(lambda whole: whole / 8.0)
)
names = [f"algorithm {letter}" for letter in "bdace"]


def assessment(ranking, direction="higher", **changes):
    metric = {"id": "value", "direction": direction, "policy": {"missing": 0}}
    return parse({"problem": "table", "metrics": [metric], "ranking": ranking, **changes})


def long_table(values, algorithms=names, cases=None):
    cases = [f"case {index:03d}" for index in range(len(values))] if cases is None else cases
    return pd.DataFrame(
        [
            (algorithms[column], cases[row], values[row, column])
            for row in range(values.shape[0])
            for column in range(values.shape[1])
        ],
        columns=["algorithm", "case", "value"],
    )


def ranks(document):
    return {entry["name"]: entry["rank"] for entry in document["rankings"][0]["algorithms"]}


def measures(document):
    keys = ("rank", "rank_interval", "share_first", "rank_frequencies", "rank_set", "within_reach")
    return {entry["name"]: [entry[key] for key in keys] for entry in document["rankings"][0]["algorithms"]}


@given(values=matrices, ranking=scheme)
@settings(max_examples=size(8, 25), deadline=None)
def test_relabelling_algorithms_changes_nothing_but_their_names(values, ranking):
    other = [name[::-1] for name in names]
    document = rank(assessment(ranking), long_table(values), bootstrap=30)
    renamed = rank(assessment(ranking), long_table(values, other), bootstrap=30)
    assert {name[::-1]: found for name, found in measures(document).items()} == measures(renamed)


@given(values=matrices, ranking=scheme, seed=st.integers(0, 5))
@settings(max_examples=size(8, 25), deadline=None)
def test_relabelling_or_reordering_cases_changes_no_rank(values, ranking, seed):
    order = np.random.default_rng(seed).permutation(len(values))
    document = rank(assessment(ranking), long_table(values), bootstrap=0)
    assert ranks(rank(assessment(ranking), long_table(values[order]), bootstrap=0)) == ranks(document)


@given(values=matrices, ranking=scheme, seed=st.integers(0, 5))
@settings(max_examples=size(6, 15), deadline=None)
def test_the_order_of_rows_in_the_table_changes_no_digit(values, ranking, seed):
    table = long_table(values)
    shuffled = table.sample(frac=1, random_state=seed)
    first = rank(assessment(ranking), table, bootstrap=30)
    assert digest(rank(assessment(ranking), shuffled, bootstrap=30)) == digest(first)


@given(values=matrices, ranking=scheme)
@settings(max_examples=size(8, 25), deadline=None)
def test_reversing_direction_and_values_changes_nothing(values, ranking):
    mirrored = (
        {"min": "max", "max": "min"}.get(ranking.get("operator")) if isinstance(ranking.get("operator"), str) else None
    )
    other = {**ranking, "operator": mirrored} if mirrored else ranking
    higher = rank(assessment(ranking), long_table(values), bootstrap=30)
    lower = rank(assessment(other, "lower"), long_table(-values), bootstrap=30)
    assert measures(higher) == measures(lower)


@given(values=matrices, ranking=scheme, shift=st.sampled_from([-3.0, 0.5, 64.0]))
@settings(max_examples=size(8, 25), deadline=None)
def test_adding_a_constant_changes_no_rank_in_any_sample(values, ranking, shift):
    document = rank(assessment(ranking), long_table(values), bootstrap=30)
    assert measures(rank(assessment(ranking), long_table(values + shift), bootstrap=30)) == measures(document)


@given(values=matrices, ranking=scheme)
@settings(max_examples=size(8, 25), deadline=None)
def test_an_algorithm_that_dominates_every_case_is_first_in_every_sample(values, ranking):
    values = np.column_stack([values.max(axis=1) + 1.0, values])[:, :5]
    document = rank(assessment(ranking), long_table(values), bootstrap=30)
    best = document["rankings"][0]["algorithms"]
    winner = next(entry for entry in best if entry["name"] == names[0])
    assert winner["rank"] == min(entry["rank"] for entry in best)
    assert winner["share_first"] == 1.0


@given(values=matrices, ranking=scheme)
@settings(max_examples=size(8, 25), deadline=None)
def test_two_identical_algorithms_are_identical_in_every_sample(values, ranking):
    values = np.column_stack([values[:, 0], values])[:, :5]
    found = measures(rank(assessment(ranking), long_table(values), bootstrap=50))
    assert found[names[0]] == found[names[1]]


@given(values=matrices, ranking=st.sampled_from(SCHEMES[:6]), times=st.integers(2, 3))
@settings(max_examples=size(8, 25), deadline=None)
def test_cases_that_stand_there_twice_count_twice(values, ranking, times):
    """Repeating every case changes no mean, median of many or case rank; only interpolated percentiles may move."""
    if not isinstance(ranking["operator"], str):
        return
    document = rank(assessment(ranking), long_table(values), bootstrap=0)
    repeated = rank(assessment(ranking), long_table(np.repeat(values, times, axis=0)), bootstrap=0)
    assert ranks(repeated) == ranks(document)


@given(values=arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e6, 1e6, width=32)))
def test_the_rule_average_shares_out_all_places(values):
    m = len(values)
    assert rank_rows(values, higher_is_better=True, ties="average").sum() == m * (m + 1) / 2


@given(values=arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e9, 1e9)))
def test_snapping_moves_a_value_by_less_than_a_part_in_a_hundred_thousand_million(values):
    assert (np.abs(snap(values) - values) <= 1e-11 * np.abs(values)).all()
    # Next to a power of ten the second rounding may move the last bit.
    np.testing.assert_allclose(snap(snap(values)), snap(values), rtol=4e-16, atol=0.0)


def test_equal_multisets_get_equal_means_whatever_their_order():
    """The worst case of the simulation: every algorithm has each value equally often, in another order."""
    generator = np.random.default_rng(3)
    base = generator.random(512)
    values = np.column_stack([generator.permutation(base) for _ in range(5)])
    document = rank(assessment(SCHEMES[0]), long_table(values), bootstrap=0)
    scores = {entry["score"] for entry in document["rankings"][0]["algorithms"]}
    assert len(scores) == 1
    assert set(ranks(document).values()) == {1}


@pytest.mark.parametrize(("ties", "expected"), [("min", 3), ("max", 4), ("dense", 3), ("average", 3.5)])
def test_a_missing_entry_follows_the_largest_rank_that_is_there(ties, expected):
    found = rank_rows([0.9, 0.5, 0.5, np.nan], higher_is_better=True, ties=ties)
    assert found[-1] == {"min": 3, "max": 4, "dense": 3, "average": 3.5}[ties] == expected


def test_the_three_readings_of_the_last_rank():
    scores = [0.9, 0.5, 0.5, np.nan, np.nan]
    found = {
        rule: rank_rows(scores, higher_is_better=True, missing_rank=rule)[-1]
        for rule in ("toolkit", "last", "shared_last")
    }
    assert found == {"toolkit": 3, "last": 5, "shared_last": 4}
    everything = np.full(3, np.nan)
    assert rank_rows(everything, higher_is_better=True).tolist() == [1, 1, 1]
