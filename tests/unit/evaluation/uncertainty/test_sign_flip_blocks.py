"""Sign flips in blocks: for every block size, every pair has the same statistic as alone."""

import itertools
import math

import numpy as np
import pytest

from evaluation.canonical import sha256
from evaluation.ranking.resampling import Contributions
from evaluation.ranking.uncertainty import sign_flips
from evaluation.ranking.uncertainty.sign_flips import (
    FLIPS_VERSION,
    _Largest,
    _marked,
    _ordered_maximum,
    compare_by_flips,
    flip_matrix,
    flipped_sums,
)
from tests.unit.evaluation.uncertainty.recomputed import hall, shown_step_by_step, typical_skewness

UNITS, TEAMS = 6, 5


def contributed(values):
    return Contributions(
        values, None, np.ones(values.shape[1], dtype=bool), np.full(len(values), 1 / len(values)), np.ones(values.shape)
    )


def board(seed, teams=TEAMS, units=UNITS):
    random = np.random.default_rng(seed)
    values = random.normal(0, 0.12, (units, teams)) + np.linspace(0.6, 0.0, teams)
    return values / units


def plainly(values, signs, share, extra=None, transform=None):
    """Pair by pair and flip by flip, as the specification has it (sections 3.2 and 3.3)."""
    teams = values.shape[1]
    parts = {pair: values[:, pair[0]] - values[:, pair[1]] for pair in itertools.permutations(range(teams), 2)}
    if transform is not None:
        parts = {pair: transform(own[:, None])[:, 0] for pair, own in parts.items()}
    parts = {pair: own for pair, own in parts.items() if np.abs(own).max() > 1e-12}
    flipped, observed, halls, typical = {}, {}, {}, typical_skewness(parts)
    for pair, own in parts.items():
        norm = math.sqrt(sum(part**2 for part in own))
        flipped[pair] = np.array([sum(own * row) / norm for row in signs.astype(float)])
        wider = 0.0 if extra is None else extra[pair[0]] + extra[pair[1]]
        observed[pair] = sum(own) / math.sqrt(norm**2 + wider)
        halls[pair] = hall(own, typical) * norm / math.sqrt(norm**2 + wider)
    p_own = {pair: np.mean(own >= observed[pair] - 1e-9) for pair, own in flipped.items()}
    shown, first = shown_step_by_step(observed, flipped, share, halls, values.shape[0])
    return shown, p_own, first


def check(values, signs, share, **more):
    comparison = compare_by_flips(contributed(values), signs, share, **{
        "extra_variance" if name == "extra" else name: value for name, value in more.items()
    })  # fmt: skip
    shown, p_own, critical = plainly(values, signs, share, **more)
    assert {(int(row), int(column)) for row, column in np.argwhere(comparison.shown)} == shown
    for pair in itertools.permutations(range(values.shape[1]), 2):
        assert comparison.p_own[pair] == pytest.approx(p_own.get(pair, 1.0)), pair
    assert np.isnan(np.diag(comparison.p_own)).all()
    assert comparison.critical == pytest.approx(critical)
    return shown


SIGNS = flip_matrix(UNITS, bootstrap=0, seed=1, cases=())


@pytest.mark.parametrize("in_cache", [1, 64, 128, 192, 320, 60_000])
@pytest.mark.parametrize("seed", [58, 10])
def test_pairs_that_are_taken_some_at_a_time_have_their_own_statistics(monkeypatch, in_cache, seed):
    """With 64 flips of six units a block holds one, two, three or five pairs, or all ten; with seed 58 a second round shows more."""
    monkeypatch.setattr(sign_flips, "_IN_CACHE", in_cache)
    better_pairs = check(board(seed), SIGNS, 0.1)
    assert better_pairs
    assert len(better_pairs) < TEAMS * (TEAMS - 1) / 2


@pytest.mark.parametrize("in_cache", [128, 60_000])
def test_two_that_are_identical_are_never_told_apart_in_a_block_with_others(monkeypatch, in_cache):
    monkeypatch.setattr(sign_flips, "_IN_CACHE", in_cache)
    values = board(3)
    values[:, 2] = values[:, 1]
    better_pairs = check(values, SIGNS, 0.1)
    assert (1, 2) not in better_pairs
    assert compare_by_flips(contributed(values), SIGNS, 0.1).p_own[1, 2] == 1.0


def signed_roots(differences):
    """Return a separate transformation of each pair, so that sums of algorithms cannot be used."""
    return np.sign(differences) * np.sqrt(np.abs(differences))


@pytest.mark.parametrize("at_once", [1, 64, 128, 4_000_000])
def test_transformed_differences_are_taken_some_at_a_time_too(monkeypatch, at_once):
    monkeypatch.setattr(sign_flips, "_AT_ONCE", at_once)
    better_pairs = check(board(4), SIGNS, 0.1, transform=signed_roots)
    assert better_pairs


@pytest.mark.parametrize("at_once", [64, 4_000_000])
def test_identical_pairs_have_no_place_among_transformed_ones(monkeypatch, at_once):
    monkeypatch.setattr(sign_flips, "_AT_ONCE", at_once)
    values = board(5)
    values[:, 3] = values[:, 0]
    better_pairs = check(values, SIGNS, 0.15, transform=signed_roots)
    assert (0, 3) not in better_pairs


@pytest.mark.parametrize("seed", [1, 34])
def test_unseen_failures_widen_what_is_observed_and_leave_the_flips(seed):
    values = board(seed)
    values[:, 4] = values[:, 3]
    extra = np.array([0.0, 0.001, 0.0, 0.002, 0.003])
    narrow, wide = check(values, SIGNS, 0.1), check(values, SIGNS, 0.1, extra=extra)
    assert wide < narrow


def test_where_all_are_identical_nothing_is_shown_and_no_interval_is_wider_than_nothing():
    comparison = compare_by_flips(contributed(np.full((UNITS, 3), 0.1)), SIGNS, 0.1)
    assert not comparison.shown.any()
    assert comparison.critical == 0.0


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_pair_that_is_as_large_as_the_critical_value_is_not_shown(order):
    """Six units on one side: the flips that turn none and all of them are the largest two of 64."""
    values = np.column_stack([np.linspace(0.5, 0.6, UNITS), np.zeros(UNITS)])[:, order]
    one_flip, two_flips = (compare_by_flips(contributed(values), SIGNS, share) for share in (1 / 64, 2 / 64))
    assert one_flip.critical == pytest.approx(abs(values[:, 0] - values[:, 1]).sum() / np.linalg.norm(values))
    assert not one_flip.shown.any()
    assert two_flips.shown.tolist() == [[False, order == [0, 1]], [order == [1, 0], False]]


def test_a_share_of_all_flips_leaves_the_smallest_one():
    values = board(7, teams=2)
    comparison = compare_by_flips(contributed(values), SIGNS, 1.0)
    one = (values[:, 0] - values[:, 1]) / math.sqrt(sum((values[:, 0] - values[:, 1]) ** 2))
    assert comparison.critical == pytest.approx(min(abs(SIGNS.astype(float) @ one)))


def test_up_to_ten_units_every_combination_of_signs_stands_there_once():
    ten = flip_matrix(10, bootstrap=5000, seed=1, cases=())
    assert ten.shape == (1024, 10)
    assert len({tuple(row) for row in ten.tolist()}) == 1024
    assert ten[0].tolist() == [1] * 10
    assert ten[1].tolist() == [-1, *[1] * 9]


@pytest.mark.parametrize(("bootstrap", "rows"), [(0, 1000), (1000, 1000), (1001, 1001)])
def test_of_more_units_there_are_as_many_random_rows_as_samples_and_a_thousand_at_least(bootstrap, rows):
    signs = flip_matrix(11, bootstrap=bootstrap, seed=4, cases=["x", "y"])
    assert signs.shape == (rows, 11)
    assert signs[0].tolist() == [1] * 11
    # Bits of Philox, lowest first, one after another along the rows: 1 turns a sign.
    key = int(sha256([FLIPS_VERSION, 4, ["x", "y"]])[:32], 16)
    words = np.random.Philox(key=key).random_raw(-(-(rows - 1) * 11 // 64))
    bits = [int(word) >> position & 1 for word in words for position in range(64)][: (rows - 1) * 11]
    assert signs[1:].ravel().tolist() == [1 - 2 * bit for bit in bits]


def test_sums_of_many_units_are_added_part_by_part(monkeypatch):
    random = np.random.default_rng(2)
    signs, values = random.choice([-1, 1], (7, 11)).astype(np.int8), random.normal(size=(11, 3))
    expected = [[sum(s * v for s, v in zip(row, column, strict=True)) for column in values.T] for row in signs]
    for at_once in (1, 4, 10, 11, 4096):
        monkeypatch.setattr(sign_flips, "_UNITS_AT_ONCE", at_once)
        assert flipped_sums(signs, values) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("columns", [0, 1, 7, 8, 9, 2040, 2041, 2047, 2048, 4096, 4099])
def test_marks_are_counted_eight_at_once_and_the_rest_one_by_one(columns):
    """A byte holds 255: of 2040 marks or more several sums are taken."""
    assert _marked(np.ones((2, columns), dtype=bool)).tolist() == [columns, columns]
    some = np.zeros((2, columns), dtype=bool)
    some[1, ::3] = True
    assert _marked(some).tolist() == [0, len(range(0, columns, 3))]


def test_the_largest_of_ordered_pairs_looks_forwards_and_backwards():
    statistic = np.array([[1.0, -3.0], [2.0, 0.5]])
    both = np.ones((2, 2), dtype=bool)
    assert _ordered_maximum(statistic, both).tolist() == [2.0, 3.0]
    forwards = np.array([[True, True], [False, False]])
    assert _ordered_maximum(statistic, forwards).tolist() == [2.0, 0.5]
    backwards = np.array([[False, False], [True, False]])
    assert _ordered_maximum(statistic, backwards).tolist() == [-1.0, 3.0]
    nothing = np.zeros((2, 2), dtype=bool)
    assert _ordered_maximum(statistic, nothing).tolist() == [-np.inf, -np.inf]


def test_the_block_of_the_largest_is_the_first_that_has_it():
    largest = _Largest(3)
    assert (largest.values.tolist(), largest.block.tolist()) == ([-np.inf] * 3, [0, 0, 0])
    largest.include(np.array([0, 1]), np.array([1.0, 2.0, 3.0]))
    largest.include(np.array([2]), np.array([1.0, 2.5, 0.0]))
    assert (largest.values.tolist(), largest.block.tolist()) == ([1.0, 2.5, 3.0], [0, 1, 0])
    others = _Largest(2)
    others.include(np.array([1]), np.array([0.5, 0.25]))
    others.include(np.array([2]), np.array([0.5, 0.75]))
    largest.replace(np.array([0, 2]), others)
    assert largest.values.tolist() == [0.5, 2.5, 0.75]
    assert largest.block.tolist() == [2, 1, 3]
    assert [numbers.tolist() for numbers in largest.blocks] == [[0, 1], [2], [1], [2]]
