"""Nearly identical algorithms: equal on half of the cases, or correlated at a distance small for the field."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from evaluation.ranking import similar_values
from evaluation.ranking.similar_values import alike

NAN = np.nan


def plain_alike(values):
    """Pair by pair: half of the cases within a billionth, or residuals that go together and a gap that is small."""
    cases, count = values.shape
    filled = np.where(np.isnan(values), -np.inf, values)
    same = np.zeros((count, count), dtype=bool)
    gaps = np.full((count, count), NAN)
    residuals = np.zeros((cases, count))
    if all(any(np.isfinite(value) for value in row) for row in values):
        middle = [np.median([value for value in row if np.isfinite(value)]) for row in values]
        residuals = np.nan_to_num(values - np.array(middle)[:, None], nan=-np.inf)
    for one in range(count):
        for other in range(count):
            pairs = list(zip(filled[:, one], filled[:, other], strict=True))
            agreeing = sum(
                a == b or (np.isfinite(a - b) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))) for a, b in pairs
            )
            same[one, other] = one != other and agreeing >= cases / 2
            known = [abs(a - b) for a, b in pairs if not (np.isinf(a) and np.isinf(b))]
            gaps[one, other] = np.median(known) if known else NAN
    apart = [gaps[pair] for pair in zip(*np.triu_indices(count, 1), strict=True) if np.isfinite(gaps[pair])]
    for one in range(count):
        for other in range(count):
            first, second = rankdata(residuals[:, one]), rankdata(residuals[:, other])
            if one == other or np.ptp(first) == 0 or np.ptp(second) == 0:
                continue
            together = np.corrcoef(first, second)[0, 1] >= 0.95
            same[one, other] |= together and bool(apart) and gaps[one, other] <= 0.1 * np.median(apart)
    return same


def field(seed, cases, count):
    """Values of which some are copies with small changes, some agree in part, and some are missing."""
    generator = np.random.default_rng(seed)
    values = generator.integers(0, 4000, (cases, count)) / 100.0
    values[:, 1] = values[:, 0] + generator.integers(0, 2 + 30 * (seed % 3), cases) / 100.0
    values[: cases // 2 + seed % 3 - 1, 2] = values[: cases // 2 + seed % 3 - 1, 3]
    if seed % 2:
        values[generator.random(values.shape) < 0.1] = NAN
    return values


@pytest.mark.parametrize("at_once", [1, 50, 2_000_000])
@pytest.mark.parametrize("seed", range(12))
def test_who_is_nearly_who_is_found_as_pair_by_pair(monkeypatch, seed, at_once):
    monkeypatch.setattr(similar_values, "_PAIRS_AT_ONCE", at_once)
    values = field(seed, cases=9 + seed % 2, count=6)
    assert alike(values).tolist() == plain_alike(values).tolist()


def columns_of(*columns):
    return np.array(columns, dtype=float).T


@pytest.mark.parametrize("agreeing", range(9))
def test_agreeing_on_half_of_the_cases_is_being_alike(agreeing):
    # The third agrees with the first on the other cases but two.
    first = np.array([0.0, 9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0])
    second, third = first[::-1] + 20, first[::-1] + 40
    second[:agreeing] = first[:agreeing]
    alike_pairs = alike(columns_of(first, second, third))
    assert alike_pairs.tolist() == [[False, agreeing >= 4, False], [agreeing >= 4, False, False], [False] * 3]


def test_agreement_of_different_pairs_on_different_cases_does_not_add_up():
    # On half of the cases two of three agree, but no two of them on more than two of six.
    first, second, third = [1.0, 2, 3, 40, 50, 60], [1.0, 2, 9, 41, 52, 66], [7.0, 8, 9, 47, 40, 70]
    alike_pairs = alike(columns_of(first, second, third))
    assert not alike_pairs.any()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1e9, 1e9 - 1, True),  # a billionth
        (1e9, 1e9 - 1.5, False),
        (-1e9, 1 - 1e9, True),
        (0.0, 0.0, True),
        (1.0, 1.0, True),
        (0.0, 1e-12, False),
        (NAN, NAN, True),
        (NAN, 1.0, False),
        (NAN, np.inf, False),
        (np.inf, np.inf, True),
        (np.inf, 1.0, False),
    ],
)
def test_two_values_agree_within_a_billionth_and_the_missing_with_each_other(one, other, same):
    assert alike(columns_of([one], [other])).tolist() == [[False, same], [same, False]]
    beside = alike(columns_of([0.0], [one], [other], [3.0]))
    assert beside[1, 2] == beside[2, 1] == same


def test_one_algorithm_is_like_nobody():
    assert alike(columns_of([1.0, 2.0])).tolist() == [[False]]


# The two are 10 apart on five of seven cases.
FIVE_AWAY = np.array([5, -5, 5, -5, 5, -5, 5])
ALSO_FIVE_AWAY = np.array([-5, 5, -5, 5, 5, -5, -5])


def test_values_that_go_together_are_alike_up_to_a_tenth_of_the_usual_gap():
    # Median gaps with 0.5 from the first to the second: 0.5, 4.5, 5, 5, 5.5 and 10, of which the middle is 5.
    first = np.array([10.0, 31.0, 52.0, 13.0, 44.0, 25.0, 36.0])
    third, fourth = first + FIVE_AWAY, first + ALSO_FIVE_AWAY
    for gap, near in ((0.5, True), (0.75, False)):
        alike_pairs = alike(columns_of(first, first + gap, third, fourth))
        assert alike_pairs[0, 1] == near == plain_alike(columns_of(first, first + gap, third, fourth))[0, 1]


def test_two_cases_are_enough_to_go_together():
    values = np.array([[0.0, 0.01, 5.0, 9.0], [8.0, 8.02, 1.0, 4.0]])
    alike_pairs = alike(values)
    assert alike_pairs.tolist() == plain_alike(values).tolist()
    assert np.argwhere(alike_pairs).tolist() == [[0, 1], [1, 0]]


def test_without_any_value_on_a_case_only_agreement_counts():
    first = np.array([10.0, 31.0, 52.0, 13.0, 44.0, 25.0, NAN])
    values = columns_of(first, first + 0.001, first[::-1], first * 2)
    values[-1] = values[0] = NAN
    assert not alike(values).any()
    assert alike(columns_of(first, first, first + 5)).tolist() == [
        [False, True, False],
        [True, False, False],
        [False, False, False],
    ]


def test_an_algorithm_without_any_value_is_like_nobody_and_hides_no_others():
    first = np.array([10.0, 31.0, 52.0, 13.0, 44.0, 25.0, 36.0])
    third, fourth = first + FIVE_AWAY, first + ALSO_FIVE_AWAY
    alike_pairs = alike(columns_of(first, first + 0.01, third, fourth, [NAN] * 7))
    assert np.argwhere(alike_pairs).tolist() == [[0, 1], [1, 0]]
