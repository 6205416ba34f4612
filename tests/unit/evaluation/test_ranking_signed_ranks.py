"""The signed rank test compared with a plain version, and its adjustment by Holm.

The tests cover ties, zeros, gaps, infinities, strata, samples and rounding.
"""

from __future__ import annotations

from math import erfc, inf, isnan, nan, sqrt

import numpy as np
import pytest

from evaluation.ranking import significance
from evaluation.ranking.significance import (
    NUMBERS_OF_ALGORITHMS,
    can_be_significant,
    cases_needed,
    holm,
    smallest_p,
    stratified_matrix,
    wilcoxon_matrices,
)


def sums(differences):
    """The rank sum of the positive differences above its mean, its variance, and how many differences there are."""
    used = [difference for difference in differences if difference != 0 and not isnan(difference)]
    sizes = [abs(difference) for difference in used]
    middle = [sum(b < a for b in sizes) + (sum(b == a for b in sizes) + 1) / 2 for a in sizes]
    n = len(used)
    excess = (
        sum(position for position, difference in zip(middle, used, strict=True) if difference > 0) - n * (n + 1) / 4
    )
    ties = sum(sizes.count(size) ** 3 - sizes.count(size) for size in set(sizes))
    return excess, n * (n + 1) * (2 * n + 1) / 24 - ties / 48, n


def upper_tail(value):
    return erfc(value / sqrt(2)) / 2


def plain(differences):
    excess, variance, n = sums(differences)
    return upper_tail((excess - 0.5) / sqrt(variance)) if n else 1.0


def stratified(parts):
    """Sums of strata, each divided by one more than its number of differences; corrected by half of the smallest step."""
    counted = [one for one in map(sums, parts) if one[2]]
    if not counted:
        return 1.0
    excess = sum(value / (n + 1) for value, _, n in counted)
    variance = sum(value / (n + 1) ** 2 for _, value, n in counted)
    return upper_tail((excess - min(0.5 / (n + 1) for *_, n in counted)) / sqrt(variance))


DIFFERENCES = {
    "one": [0.5],
    "one, lost": [-0.5],
    "several sizes": [0.5, -0.25, 1.0, 2.0, -3.0],
    "two tied": [1.0, 1.0, -2.0],
    "a pair tied beside one zero": [0.0, 1.0, -1.0, 3.0],
    "tied beside two zeros": [0.0, 0.0, 1.0, 1.0, -1.0, 0.5],
    "two zeros and no ties": [0.0, 0.0, 1.0, 2.0, -0.5],
    "a pair tied beside one gap": [nan, 1.0, 1.0, 2.0, -0.5],
    "tied beside two gaps and two zeros": [nan, nan, 0.0, 0.0, 2.0, 2.0, -2.0, 1.0],
    "two gaps and no ties": [nan, nan, 3.0, -1.0],
    "one infinite": [inf, -1.0, -2.0],
    "two infinite": [inf, -inf, -1.0, 2.0, inf],
    "two groups of ties": [1.0, 1.0, -2.0, 2.0, 2.0, -4.0],
    "two of the smallest numbers there are": [5e-324, 5e-324, -1.0],
    "nothing but zeros": [0.0, 0.0],
    "nothing but gaps": [nan, nan],
}
each_kind = pytest.mark.parametrize("differences", DIFFERENCES.values(), ids=DIFFERENCES)


def against_nothing(differences):
    return np.column_stack([differences, np.zeros(len(differences))])


@each_kind
def test_once_or_in_samples_the_test_is_the_plain_one(differences):
    values = against_nothing(differences)
    backwards = [-difference for difference in differences]
    expected = np.array([[nan, plain(differences)], [plain(backwards), nan]])
    once = wilcoxon_matrices(values, np.ones((len(values), 1)), higher_is_better=True)
    assert once[0] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    counts = np.ones((len(values), 3))
    counts[:, 1], counts[0, 2] = 2.0, 0.0
    sampled = wilcoxon_matrices(values, counts, higher_is_better=True)
    assert sampled[0] == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert sampled[1, 0, 1] == pytest.approx(plain(differences * 2), abs=1e-12)
    assert sampled[2, 1, 0] == pytest.approx(plain(backwards[1:]), abs=1e-12)
    assert wilcoxon_matrices(values, counts, higher_is_better=False)[:, 1, 0] == pytest.approx(sampled[:, 0, 1])
    assert wilcoxon_matrices(values, counts[:, :1], higher_is_better=False)[0, 1, 0] == pytest.approx(once[0, 0, 1])


@each_kind
def test_one_stratum_is_the_test_without_strata(differences):
    p_values = stratified_matrix(
        against_nothing(differences), np.zeros(len(differences), dtype=np.int64), higher_is_better=True
    )
    assert p_values[0, 1] == pytest.approx(plain(differences), abs=1e-12)
    assert p_values[1, 0] == pytest.approx(plain([-difference for difference in differences]), abs=1e-12)
    assert np.isnan(np.diag(p_values)).all()


@pytest.mark.parametrize(
    "parts",
    [
        [[1.0, 2.0, -0.5], [0.5, -1.0, 3.0, 4.0, 2.0]],
        [[1.0, 1.0, -2.0, 0.0], [3.0], [nan, 2.0, 2.0, -2.0]],
        [[0.0, 0.0], [1.0, -2.0, 3.0]],
        [[0.0], [nan]],
    ],
    ids=str,
)
def test_strata_are_ranked_each_for_itself(parts):
    differences = [difference for part in parts for difference in part]
    strata = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    turned = [[-difference for difference in part] for part in parts]
    for higher_is_better, one, other in ((True, parts, turned), (False, turned, parts)):
        p_values = stratified_matrix(against_nothing(differences), strata, higher_is_better=higher_is_better)
        assert p_values[0, 1] == pytest.approx(stratified(one), abs=1e-12)
        assert p_values[1, 0] == pytest.approx(stratified(other), abs=1e-12)


def test_strata_may_be_numbered_with_gaps_and_stand_in_any_order():
    values = against_nothing([1.0, 0.5, 2.0, -1.0, -0.5, 3.0])
    p_values = stratified_matrix(values, np.array([7, 2, 7, 2, 7, 2]), higher_is_better=True)
    assert p_values[0, 1] == pytest.approx(stratified([[1.0, 2.0, -0.5], [0.5, -1.0, 3.0]]), abs=1e-12)


def test_both_infinite_is_no_difference():
    values = np.array([[inf, inf], [2.0, 1.0], [5.0, 3.0]])
    expected = plain([1.0, 2.0])
    assert wilcoxon_matrices(values, np.ones((3, 1)), higher_is_better=True)[0, 0, 1] == pytest.approx(expected)
    assert stratified_matrix(values, np.zeros(3, dtype=np.int64), higher_is_better=True)[0, 1] == pytest.approx(
        expected
    )


# In doubles 0.3 - 0.2 is a hair below 0.1, so that these two are tied on paper only.
NOISY = np.array([[0.3, 0.2], [0.0, 0.1], [0.7, 0.4]])


@pytest.mark.parametrize("samples", [1, 2])
def test_differences_are_rounded_before_ties_are_looked_for_where_digits_are_given(samples):
    assert 0.3 - 0.2 < 0.1
    counts = np.ones((3, samples))
    as_they_are = wilcoxon_matrices(NOISY, counts, higher_is_better=True)
    rounded = wilcoxon_matrices(NOISY, counts, higher_is_better=True, digits=10)
    assert as_they_are[:, 0, 1] == pytest.approx([plain([1.0, -2.0, 3.0])] * samples)
    assert rounded[:, 0, 1] == pytest.approx([plain([1.0, -1.0, 3.0])] * samples)


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("at_once", [1, 8, 100])
def test_every_pair_of_several_algorithms_is_compared_however_many_at_once(monkeypatch, samples, at_once):
    monkeypatch.setattr(significance, "_AT_ONCE", at_once)
    values = np.array([[3.0, 1.0, 2.0, 2.0], [5.0, 4.0, 1.0, 0.0], [2.0, 2.0, 8.0, 9.0], [7.0, 1.0, 4.0, nan]])
    p_values = wilcoxon_matrices(values, np.ones((4, samples)), higher_is_better=True)
    assert p_values.shape == (samples, 4, 4)
    for first in range(4):
        for second in range(4):
            expected = nan if first == second else plain((values[:, first] - values[:, second]).tolist())
            assert p_values[:, first, second] == pytest.approx([expected] * samples, nan_ok=True)
    strata = np.zeros(4, dtype=np.int64)
    assert stratified_matrix(values, strata, higher_is_better=True) == pytest.approx(p_values[0], nan_ok=True)


def test_one_sample_in_which_cases_stand_twice_is_not_every_case_once():
    values = against_nothing([1.0, -2.0, 3.0])
    p_values = wilcoxon_matrices(values, np.array([[1.0], [2.0], [0.0]]), higher_is_better=True)
    assert p_values[0, 0, 1] == pytest.approx(plain([1.0, -2.0, -2.0]))


def test_no_cases_tell_no_algorithms_apart():
    p_values = wilcoxon_matrices(np.empty((0, 2)), np.ones((0, 1)), higher_is_better=True)[0]
    assert p_values.tolist() == pytest.approx(np.array([[nan, 1.0], [1.0, nan]]), nan_ok=True)


def test_more_cases_than_are_compared_at_once_are_compared_pair_by_pair():
    values = np.zeros((100_001, 3))
    values[0, 0] = values[1, 2] = 1.0
    p_values = wilcoxon_matrices(values, np.ones((len(values), 1)), higher_is_better=True)[0]
    assert p_values[0] == pytest.approx([nan, plain([1.0]), plain([1.0, -1.0])], nan_ok=True)


def test_holm_adjusts_every_matrix_of_several_for_itself():
    one, other = [[nan, 0.01, 0.2], [0.04, nan, 0.9], [0.03, 0.6, nan]], [[nan, 0.6, nan], [0.001, nan, nan], [nan] * 3]
    adjusted = holm(np.array([one, other]))
    # Six p-values in order: 6 · 0.01, 5 · 0.03, 4 · 0.04, 3 · 0.2, and 2 · 0.6 is 1 at most; then 2 · 0.001 and 0.6.
    assert adjusted[0] == pytest.approx(np.array([[nan, 0.06, 0.6], [0.16, nan, 1.0], [0.15, 1.0, nan]]), nan_ok=True)
    assert adjusted[1] == pytest.approx(np.array([[nan, 0.6, nan], [0.002, nan, nan], [nan] * 3]), nan_ok=True)
    assert holm(np.array(one)) == pytest.approx(adjusted[0], nan_ok=True)


def test_an_adjusted_p_value_is_never_below_a_smaller_one():
    # 2 · 0.03 is more than 0.04: the second is raised to the first.
    assert holm(np.array([[nan, 0.03], [0.04, nan]])) == pytest.approx(
        np.array([[nan, 0.06], [0.06, nan]]), nan_ok=True
    )


@pytest.mark.parametrize("differences", range(9))
def test_the_smallest_p_value_is_that_of_so_many_wins_by_different_margins(differences):
    assert smallest_p(differences) == pytest.approx(plain([float(margin) for margin in range(1, differences + 1)]))


def test_a_level_that_one_case_reaches_needs_one_case():
    # One difference gives a p-value of 0.5, two give less.
    assert cases_needed(2, alpha=0.5, adjust="none") == 1
    assert cases_needed(2, alpha=1.0, adjust="none") == 1
    assert cases_needed(2, alpha=0.49, adjust="none") == 2
    assert cases_needed(2, alpha=1.0) == 1


def test_unadjusted_the_number_of_algorithms_does_not_matter():
    assert {cases_needed(algorithms, adjust="none") for algorithms in NUMBERS_OF_ALGORITHMS} == {5}


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_how_many_cases_are_needed_is_told_for_boards_of_many_sizes(alpha):
    rows = can_be_significant(12, alpha=alpha)
    assert [row["algorithms"] for row in rows] == [2, 3, 4, 5, 6, 8, 10, 15, 19, 30]
    assert [row["tests"] for row in rows] == [2, 6, 12, 20, 30, 56, 90, 210, 342, 870]
    for row in rows:
        assert smallest_p(row["needed"]) * row["tests"] <= alpha < smallest_p(row["needed"] - 1) * row["tests"]
        assert row["possible"] == (row["needed"] <= 12)
