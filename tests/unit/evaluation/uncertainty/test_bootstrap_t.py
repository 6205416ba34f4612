"""Limits of a lead by sign flips and bootstrap-t: each inverts its test, which loops compute from the same counts."""

import itertools
import math

import numpy as np
import pytest

from evaluation.ranking.uncertainty.leads import Lead, flip_limits
from evaluation.ranking.uncertainty.sign_flips import flip_matrix
from evaluation.ranking.uncertainty.studentized import DRAWS, drawn_counts, resampled_differences, studentize
from tests.unit.evaluation.uncertainty.recomputed import (
    bootstrap_p,
    flip_limit,
    flip_p,
    mean_and_error,
    unit_counts,
)

STRATA = {
    "none": [0] * 9,
    "two": [0, 0, 0, 0, 0, 1, 1, 1, 1],
    "mixed order": [1, 0, 1, 0, 2, 2, 0, 1, 2],
}
CASES = [f"c{number}" for number in range(9)]


def weights_of(kind, strata):
    if kind == "equal":
        return [1 / 9] * 9
    if kind == "strata":  # each stratum has the same weight
        number = len(set(strata))
        return [1 / number / strata.count(stratum) for stratum in strata]
    sizes = [1, 4, 2, 2, 3, 1, 1, 5, 2]  # cases of patients
    return [size / sum(sizes) for size in sizes]


def differences_of(seed, weights):
    """Contributions of nine units to three differences: normal, skewed, and constant up to one failure."""
    random = np.random.default_rng(seed)
    plain = np.column_stack(
        [
            random.normal(0.05, 0.05, 9),
            0.15 - random.lognormal(-2.5, 1.0, 9),
            np.where(np.arange(9) == 4, -0.1, 0.06 + 0.001 * np.arange(9)),
        ]
    )
    return plain * np.array(weights)[:, None]


@pytest.mark.parametrize("strata", STRATA.values(), ids=STRATA)
def test_resamples_are_drawn_from_the_documented_words(strata):
    found = np.concatenate(list(drawn_counts(np.array(strata), seed=3, cases=CASES)))
    assert found.tolist() == unit_counts(strata, 3, CASES)
    assert found.shape == (2000, 9)
    assert DRAWS == 2000
    for stratum in set(strata):
        inside = np.array(strata) == stratum
        assert set(found[:, inside].sum(axis=1)) == {inside.sum()}


def test_resamples_are_the_same_in_blocks(monkeypatch):
    whole = np.concatenate(list(drawn_counts(np.array(STRATA["two"]), seed=1, cases=CASES, draws=50)))
    monkeypatch.setattr("evaluation.ranking.uncertainty.studentized._AT_ONCE", 63)
    blocks = list(drawn_counts(np.array(STRATA["two"]), seed=1, cases=CASES, draws=50))
    assert [len(block) for block in blocks] == [7, 7, 7, 7, 7, 7, 7, 1]
    assert np.concatenate(blocks).tolist() == whole.tolist()


@pytest.mark.parametrize("kind", ["equal", "strata", "patients"])
@pytest.mark.parametrize("strata", STRATA.values(), ids=STRATA)
def test_differences_and_errors_of_resamples(strata, kind):
    weights = weights_of(kind, strata)
    differences = differences_of(1, weights)
    counts = unit_counts(strata, 3, CASES, draws=60)
    means, errors = resampled_differences(
        differences, np.array(weights), np.array(strata), [np.array(counts, dtype=float)]
    )
    for row, column in itertools.product(range(60), range(3)):
        mean, error, _ = mean_and_error(differences[:, column], weights, strata, counts[row])
        assert means[row, column] == pytest.approx(mean, abs=1e-12)
        assert errors[row, column] == pytest.approx(error, abs=1e-8)


@pytest.mark.parametrize("kind", ["equal", "strata", "patients"])
@pytest.mark.parametrize("strata", STRATA.values(), ids=STRATA)
@pytest.mark.parametrize("level", [0.025, 1 / 60])
def test_a_difference_is_rejected_by_bootstrap_t_exactly_below_the_limit(strata, kind, level):
    weights = weights_of(kind, strata)
    differences, counts = differences_of(2, weights), unit_counts(strata, 3, CASES)
    found = studentize(
        differences, np.array(weights), np.array(strata), drawn_counts(np.array(strata), seed=3, cases=CASES)
    ).lower_limits(level)
    for column, limit in enumerate(found):
        own = differences[:, column]
        if math.isinf(limit):
            assert bootstrap_p(own, weights, strata, counts, claimed=-1e6) > level
            continue
        step = 1e-7
        assert bootstrap_p(own, weights, strata, counts, claimed=limit - step) <= level + 1e-12
        assert bootstrap_p(own, weights, strata, counts, claimed=limit + step) > level


@pytest.mark.parametrize("kind", ["equal", "strata", "patients"])
@pytest.mark.parametrize("level", [0.025, 1 / 60])
def test_a_difference_is_rejected_by_flips_exactly_below_the_limit(kind, level):
    strata = STRATA["two"]
    weights = weights_of(kind, strata)
    differences = differences_of(3, weights)
    signs = flip_matrix(9, bootstrap=0, seed=1, cases=CASES)
    found = flip_limits(signs, differences, np.array(weights), level)
    rows = signs.tolist()
    for column, limit in enumerate(found):
        own = differences[:, column]
        assert limit == pytest.approx(flip_limit(rows, own, weights, level))
        for claimed, is_rejected in ((limit - 1e-7, True), (limit + 1e-7, False)):
            moved = [d - claimed * w for d, w in zip(own, weights, strict=True)]
            assert (flip_p(rows, moved) <= level) == is_rejected


def test_limits_of_flips_are_those_of_each_pair_in_blocks_too(monkeypatch):
    differences = differences_of(4, [1 / 9] * 9)
    signs = flip_matrix(9, bootstrap=0, seed=1, cases=CASES)
    whole = flip_limits(signs, differences, np.full(9, 1 / 9), 0.025)
    monkeypatch.setattr("evaluation.ranking.uncertainty.leads._AT_ONCE", 600)
    assert flip_limits(signs, differences, np.full(9, 1 / 9), 0.025) == pytest.approx(whole, abs=1e-14)


def test_a_level_below_one_flip_or_one_resample_has_no_limit():
    differences = differences_of(1, [1 / 9] * 9)
    signs = flip_matrix(9, bootstrap=0, seed=1, cases=CASES)
    assert np.isneginf(flip_limits(signs, differences, np.full(9, 1 / 9), 1 / 513)).all()
    assert not np.isneginf(flip_limits(signs, differences, np.full(9, 1 / 9), 1 / 512)).any()
    found = studentize(
        differences,
        np.full(9, 1 / 9),
        np.zeros(9, dtype=int),
        drawn_counts(np.zeros(9, dtype=int), seed=3, cases=CASES),
    )
    assert np.isneginf(found.lower_limits(1 / 2002)).all()


@pytest.mark.parametrize("shift", [-1.0, 0.0, 2.5])
def test_the_limit_of_constant_differences_is_the_difference(shift):
    differences = np.full((9, 1), shift / 9)
    found = studentize(
        differences,
        np.full(9, 1 / 9),
        np.zeros(9, dtype=int),
        drawn_counts(np.zeros(9, dtype=int), seed=3, cases=CASES),
    )
    assert found.lower_limits(0.025)[0] == pytest.approx(shift)


def test_a_resample_without_spread_counts_against_the_claim_above_the_data():
    """159 cases at +0.05 ± 0.002 and a failure of -0.85: a third of resamples lack the failure."""
    values = np.array([0.05 + 0.002 * (-1) ** case for case in range(159)] + [-0.85])
    strata, cases = np.zeros(160, dtype=int), [f"c{case}" for case in range(160)]
    found = studentize(values[:, None] / 160, np.full(160, 1 / 160), strata, drawn_counts(strata, seed=1, cases=cases))
    estimate = values.mean()
    p = (1 + (found.statistics[:, 0] >= estimate / found.errors[0]).sum()) / 2001
    assert p == pytest.approx(0.36, abs=0.04)
    constant = np.array([0.05] * 159 + [-0.85])
    found = studentize(
        constant[:, None] / 160, np.full(160, 1 / 160), strata, drawn_counts(strata, seed=1, cases=cases)
    )
    counts = np.concatenate(list(drawn_counts(strata, seed=1, cases=cases)))
    assert np.isposinf(found.statistics[:, 0]).sum() == (counts[:, -1] == 0).sum() > 600
    assert np.isneginf(found.lower_limits(0.025)[0])


def test_a_lead_is_claimed_where_both_limits_are_above_the_margin():
    weights = np.full(9, 1 / 9)
    differences, strata = differences_of(5, weights), np.zeros(9, dtype=int)
    signs = flip_matrix(9, bootstrap=0, seed=1, cases=CASES)

    def lead(margin):
        counts = lambda: drawn_counts(strata, seed=3, cases=CASES)  # noqa: E731
        return Lead(differences, weights, strata, signs, level=0.025, margin=margin, counts=counts)

    free = lead(0.0)
    assert free.lower.tolist() == np.minimum(free.by_flips, free.by_draws).tolist()
    for column in range(3):
        limit = free.lower[column]
        assert lead(limit - 1e-6).exceeds(free.lower[[column]])
        assert not lead(limit + 1e-6).exceeds(free.lower[[column]])
    changes = np.array([[-0.01, 0.02, 0.03]] + [[0.005, 0.01, -0.2]] * 8)
    assert free.with_one_more_failure(changes) == pytest.approx(differences.sum(axis=0) + np.array([-0.01, 0.0, -0.2]))
    assert np.isposinf(free.with_one_more_failure(None)).all()
