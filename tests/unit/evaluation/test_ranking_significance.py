"""The one-sided Wilcoxon test exactly as specified, Holm over all ordered pairs, and what can be significant at all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from evaluation.ranking.significance import can_be_significant, cases_needed, holm, smallest_p, wilcoxon_matrices


def p_better(differences, *, higher_is_better=True):
    values = np.column_stack([np.asarray(differences, dtype=float), np.zeros(len(differences))])
    return float(wilcoxon_matrices(values, np.ones((len(values), 1)), higher_is_better=higher_is_better)[0, 0, 1])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([0.1], 0.5),
        ([0.1, 0.2, 0.3, 0.4], 0.0502),
        ([0.5, 0.5, 0.5, 0.5], 0.0359),
        ([0.1, 0.2, 0.3, 0.4, 0.5], 0.0295),
        ([0.0, 0.0], 1.0),
        ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], 0.0295),
    ],
)
def test_check_values_of_the_specification(differences, expected):
    assert p_better(differences) == pytest.approx(expected, abs=5e-5)
    assert p_better([-d for d in differences], higher_is_better=False) == pytest.approx(expected, abs=5e-5)


whole = st.lists(st.integers(-6, 6), min_size=2, max_size=14).filter(any)


@given(differences=whole, sign=st.sampled_from(["greater", "less"]))
@settings(max_examples=80, deadline=None)
def test_it_is_scipys_test_with_the_right_settings(differences, sign):
    expected = wilcoxon(
        np.array(differences, dtype=float), zero_method="wilcox", correction=True, method="asymptotic", alternative=sign
    ).pvalue
    assert p_better(differences, higher_is_better=sign == "greater") == pytest.approx(expected, abs=1e-9)


@given(differences=whole, seed=st.integers(0, 9))
@settings(max_examples=50, deadline=None)
def test_a_case_drawn_k_times_counts_as_k_cases(differences, seed):
    counts = np.random.default_rng(seed).multinomial(len(differences), [1 / len(differences)] * len(differences))
    values = np.column_stack([np.array(differences, dtype=float), np.zeros(len(differences))])
    weighted = wilcoxon_matrices(values, counts[:, None].astype(float), higher_is_better=True)[0]
    copied = np.repeat(values, counts, axis=0)
    written_out = wilcoxon_matrices(copied, np.ones((len(copied), 1)), higher_is_better=True)[0]
    np.testing.assert_allclose(weighted, written_out, atol=1e-12, equal_nan=True)


def test_algorithms_without_a_common_case_are_not_told_apart():
    values = np.array([[0.9, np.nan], [0.8, np.nan], [np.nan, 0.1], [np.nan, 0.2]])
    p_values = wilcoxon_matrices(values, np.ones((4, 1)), higher_is_better=True)[0]
    assert p_values[0, 1] == p_values[1, 0] == 1.0


@pytest.mark.parametrize(
    ("algorithms", "needed"),
    [(2, 6), (3, 8), (4, 10), (5, 11), (6, 12), (8, 13), (10, 14), (15, 17), (19, 18), (30, 20)],
)
def test_how_many_cases_holm_needs(algorithms, needed):
    assert cases_needed(algorithms) == needed
    assert (
        smallest_p(needed) * algorithms * (algorithms - 1)
        <= 0.05
        < smallest_p(needed - 1) * algorithms * (algorithms - 1)
    )


def test_with_nineteen_teams_and_ten_cases_nothing_can_be_significant():
    row = next(row for row in can_be_significant(10) if row["algorithms"] == 19)
    assert row == {"algorithms": 19, "tests": 342, "needed": 18, "possible": False}
    values = np.arange(19)[None, :] * 0.05 + np.arange(1, 11)[:, None] * np.arange(19)[None, :] * 0.001
    adjusted = holm(wilcoxon_matrices(values, np.ones((10, 1)), higher_is_better=True)[0])
    assert np.nanmin(adjusted) > 0.05


def test_holm_counts_all_ordered_pairs_together_and_leaves_out_what_is_undefined():
    p_values = np.array([[np.nan, 0.001, 0.02], [0.9, np.nan, np.nan], [0.8, 0.03, np.nan]])
    adjusted = holm(p_values)
    assert adjusted[0, 1] == pytest.approx(5 * 0.001)
    assert adjusted[0, 2] == pytest.approx(4 * 0.02)
    assert adjusted[2, 1] == pytest.approx(3 * 0.03)
    assert adjusted[2, 0] == adjusted[1, 0] == 1.0
    assert np.isnan(adjusted[1, 2])


@given(p_values=st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_adjusting_never_lowers_a_p_value_and_keeps_the_order(p_values):
    matrix = np.full((3, 3), np.nan)
    matrix[~np.eye(3, dtype=bool)] = p_values
    adjusted = holm(matrix)[~np.eye(3, dtype=bool)]
    assert (adjusted >= np.array(p_values) - 1e-15).all()
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@given(
    values=st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=2, max_size=12),
    gaps=st.integers(0, 3),
)
@settings(max_examples=50, deadline=None)
def test_all_pairs_at_once_are_the_pairs_one_by_one(values, gaps):
    matrix = np.array(values, dtype=float)
    matrix[:gaps, 0] = np.nan
    once = np.ones((len(matrix), 1))
    several = wilcoxon_matrices(matrix, np.repeat(once, 2, axis=1), higher_is_better=True)[0]
    np.testing.assert_allclose(wilcoxon_matrices(matrix, once, higher_is_better=True)[0], several, atol=1e-13)
