"""Hall's statistic, its limits and the critical value of t, against root finding and plain loops."""

import math

import numpy as np
import pytest
from scipy import stats

from evaluation.ranking.uncertainty.skewness import critical_t, moments, typical_skewness
from tests.unit.evaluation.uncertainty import recomputed


def samples():
    random = np.random.default_rng(5)
    yield from (random.normal(0.1, 1.0, units) for units in (3, 4, 9, 40))
    yield from (random.lognormal(0.0, 1.0, units) - 1.2 for units in (3, 8, 20, 80))
    yield from (1.5 - random.exponential(1.0, units) for units in (5, 12))
    yield np.array([0.05] * 19 + [-0.8])
    yield np.array([-0.05] * 59 + [0.9])
    yield np.array([1.0, -1.0, 1.0, -1.0])


@pytest.mark.parametrize("values", list(samples()), ids=lambda values: f"{len(values)} units")
def test_moments_and_statistic(values):
    found = moments(values[:, None])
    assert found.skewness[0] == pytest.approx(stats.skew(values, bias=False), abs=1e-9)
    assert found.deviation[0] == pytest.approx(np.std(values, ddof=1))
    assert found.statistics()[0] == pytest.approx(recomputed.hall(values))


@pytest.mark.parametrize("values", list(samples()), ids=lambda values: f"{len(values)} units")
@pytest.mark.parametrize("quantile", [-3.0, -1.5, 0.0, 1.0, 2.5, 6.0])
def test_the_limit_is_where_the_statistic_of_the_moved_data_is_the_quantile(values, quantile):
    limit = moments(values[:, None]).limit(quantile)[0]
    assert limit == pytest.approx(recomputed.hall_limit(values, quantile), abs=1e-7)
    assert recomputed.hall(values - limit) == pytest.approx(quantile, abs=1e-7)


def test_a_positive_quantile_gives_the_lower_limit():
    values = np.array([[0.1], [0.3], [0.2], [0.6]])
    found = moments(values)
    assert found.limit(1.0)[0] < found.limit(0.0)[0] < found.limit(-1.0)[0]


def test_several_pairs_at_once_are_each_alone():
    random = np.random.default_rng(2)
    values = random.lognormal(0.0, 0.8, (15, 4)) - np.array([1.0, 0.5, 2.0, 0.0])
    together = moments(values)
    alone = [moments(values[:, [column]]) for column in range(4)]
    assert together.statistics() == pytest.approx([one.statistics()[0] for one in alone])
    assert together.limit(2.0) == pytest.approx([one.limit(2.0)[0] for one in alone])


def test_differences_that_do_not_vary_are_infinite_unless_they_are_zero():
    found = moments(np.column_stack([np.full(6, 0.1), np.full(6, -0.1), np.zeros(6)]), noise=1e-12)
    assert found.statistics().tolist() == [math.inf, -math.inf, 0.0]
    assert found.limit(3.0) == pytest.approx([0.1, -0.1, 0.0])


def test_noise_of_rounding_is_no_spread():
    almost = np.full(6, 0.1) + np.array([1, -1, 1, -1, 1, -1]) * 1e-15
    assert moments(almost[:, None], noise=1e-13).statistics()[0] == math.inf
    assert np.isfinite(moments(almost[:, None] + np.arange(6)[:, None] * 1e-6, noise=1e-13).statistics()[0])


def test_two_units_have_no_skewness():
    assert moments(np.array([[0.1], [0.5]])).skewness[0] == 0.0


@pytest.mark.parametrize("units", [5, 8, 20, 200])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_the_critical_value_of_t_belongs_to_that_of_the_self_normalized_sum(units, share):
    """A sample with sum / root of the sum of squares = c has t = critical_t(c)."""
    critical = share * math.sqrt(units)
    assert critical_t(critical, units) == pytest.approx(recomputed.critical_t(critical, units), rel=1e-9)
    mean = critical / math.sqrt(units)
    spread = math.sqrt(1 - mean**2)
    values = np.tile([mean - spread, mean + spread], units)[: 2 * (units // 2)]
    if units % 2 == 0:
        assert values.sum() / np.linalg.norm(values) == pytest.approx(critical)
        assert critical_t(critical, units) == pytest.approx(stats.ttest_1samp(values, 0.0).statistic)


def test_a_critical_value_that_no_sample_reaches_is_infinite():
    assert critical_t(3.0, 9) == math.inf
    assert critical_t(3.1, 9) == math.inf
    assert np.isfinite(critical_t(2.999, 9))


@pytest.mark.parametrize("quantile", [-3.0, -1.5, 1.0, 2.5])
@pytest.mark.parametrize("typical", [0.0, 0.4, 1.3])
def test_the_more_cautious_of_the_own_and_the_typical_skewness_applies(quantile, typical):
    for values in samples():
        found = moments(values[:, None])
        assert found.statistics(typical)[0] == pytest.approx(recomputed.hall(values, typical))
        limit = found.limit(quantile, typical)[0]
        assert limit == pytest.approx(recomputed.hall_limit(values, quantile, typical), abs=1e-7)
        # The limit is beyond 0 exactly where the statistic is beyond the quantile.
        if abs(found.statistics(typical)[0] - quantile) > 1e-6 and values.mean() * quantile > 0:
            assert (limit * quantile > 0) == (found.statistics(typical)[0] / quantile > 1)


def pairs_of(values):
    first, second = np.triu_indices(values.shape[1], 1)
    return moments(values[:, first] - values[:, second], noise=1e-12), first, second


def test_typical_skewness_by_plain_loops():
    random = np.random.default_rng(4)
    for teams, least in ((3, 0.0), (4, 0.0), (7, 0.5)):
        values = random.lognormal(0.0, 1.0, (15, teams)) * np.where(np.arange(teams) % 2, 1.0, -1.0)
        parts = {
            (one, other): values[:, one] - values[:, other]
            for one in range(teams)
            for other in range(teams)
            if one != other
        }
        assert typical_skewness(*pairs_of(values)) == pytest.approx(recomputed.typical_skewness(parts))
        assert typical_skewness(*pairs_of(values)) >= least


def test_failures_of_one_algorithm_and_pairs_without_spread_do_not_make_a_skewness_typical():
    rows = np.arange(20.0)
    values = np.column_stack([np.sin(rows * (team + 1)) for team in range(6)])
    even = typical_skewness(*pairs_of(values))
    values[3, 5] = -50.0
    assert even == typical_skewness(*pairs_of(values)) == 0.0
    assert typical_skewness(*pairs_of(np.column_stack([values[:, 5], values[:, 5], values[:, 5]]))) == 0.0
    assert typical_skewness(*pairs_of(values[:, 4:])) == 0.0, "two algorithms have one pair"
