"""Many challenges at once have the same results as each alone; infinitely many cases match the model."""

import numpy as np
import pytest
from scipy import stats

from evaluation.advice.simulation.model import PartModel, Scale
from evaluation.assessment import Operator, parse
from evaluation.ranking.schemes import get_scheme
from evaluation.ranking.schemes.challenges import (
    Challenges,
    aggregate_cases,
    ranks_without_ties,
    signed_rank_p_values,
)
from evaluation.ranking.significance import wilcoxon_matrices

RANDOM = np.random.default_rng(5)
VALUES = RANDOM.normal(size=(4, 9, 3)).astype(np.float32)
GAPPY = np.where(RANDOM.random(VALUES.shape) < 0.2, np.nan, VALUES).astype(np.float32)
NORMAL = {"identity": Scale("identity", -np.inf, np.inf, higher_is_better=True)}


def registered(scheme, **more):
    document = {"problem": "external", "metrics": [{"id": "quality", "direction": "higher"}]}
    return parse({**document, "ranking": {"scheme": scheme, **more}}).rankings[0]


@pytest.mark.parametrize("values", [VALUES, GAPPY], ids=["complete", "with gaps"])
def test_aggregates_are_those_of_each_team_in_each_challenge(values):
    def each(function):
        return [[function(own[~np.isnan(own)].astype(float)) for own in challenge.T] for challenge in values]

    for operator, function in (
        (None, np.mean),
        (Operator("mean"), np.mean),
        (Operator("median"), np.median),
        (Operator("min"), np.min),
        (Operator("max"), np.max),
        (Operator("percentile", 20.0), lambda own: np.quantile(own, 0.2)),
    ):
        assert aggregate_cases(values, operator, higher=True) == pytest.approx(np.array(each(function)), rel=1e-5), (
            operator
        )
    # The worse end of a metric of which less is better is the upper one.
    worse = aggregate_cases(values, Operator("percentile", 20.0), higher=False)
    assert worse == pytest.approx(np.array(each(lambda own: np.quantile(own, 0.8))), rel=1e-5)


def test_a_team_without_any_value_has_no_mean():
    values = VALUES.copy()
    values[1, :, 2] = np.nan
    means = aggregate_cases(values, None, higher=True)
    assert np.argwhere(np.isnan(means)).tolist() == [[1, 2]]


def test_ranks_are_those_of_scipy_where_nothing_is_tied():
    assert ranks_without_ties(VALUES).tolist() == stats.rankdata(-VALUES, axis=2).tolist()


@pytest.mark.parametrize("cases", [1, 2, 7, 40])
def test_p_values_are_those_of_single_challenges(cases):
    quality = np.random.default_rng(cases).normal(size=(3, cases, 4)).astype(np.float32)
    found = signed_rank_p_values(quality)
    alone = [wilcoxon_matrices(own.astype(float), np.ones((cases, 1)), higher_is_better=True)[0] for own in quality]
    assert found == pytest.approx(np.stack(alone), abs=1e-6, nan_ok=True)
    assert np.isnan(found[:, range(4), range(4)]).all()


def test_p_values_leave_out_equal_and_missing_cases():
    quality = np.random.default_rng(3).normal(size=(1, 12, 2)).astype(np.float32)
    quality[0, 0, 1] = quality[0, 0, 0]
    quality[0, 1, 0] = np.nan
    quality[0, 5, 1] = quality[0, 5, 0]
    rest = np.delete(quality, [0, 1, 5], axis=1)
    assert signed_rank_p_values(quality) == pytest.approx(signed_rank_p_values(rest), nan_ok=True)


def test_a_pair_that_never_differs_has_the_p_value_one():
    same = np.repeat(RANDOM.normal(size=(1, 5, 1)), 2, axis=2).astype(np.float32)
    assert signed_rank_p_values(same)[0, 0, 1] == signed_rank_p_values(same)[0, 1, 0] == 1.0


def model(**more):
    metric = parse({"problem": "external", "metrics": [{"id": "quality", "direction": "higher"}]}).metrics[0]
    facts = {"mean": 1.0, "cases": 0.3, "teams": 2.0, "noise": 0.4, "scale": NORMAL["identity"]} | more
    return PartModel(metric=metric, region=None, source="given", **facts)


QUALITY = np.array([[0.0, 0.5, -1.0]])
CENTRE = 1.0 + 2.0 * QUALITY
DEVIATION = 0.5  # the root of 0.3² + 0.4²


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("mean", CENTRE),
        ("median", CENTRE),
        ({"percentile": 10}, CENTRE + DEVIATION * stats.norm.ppf(0.1)),
        ("min", CENTRE + DEVIATION * stats.norm.ppf(1e-4)),
        ("max", CENTRE + DEVIATION * stats.norm.ppf(1 - 1e-4)),
    ],
)
def test_aggregates_over_infinitely_many_cases_are_those_of_the_normal_distribution(operator, expected):
    rule = registered("aggregate_then_rank", operator=operator)
    scores, higher = get_scheme("aggregate_then_rank").limit_scores(model(), QUALITY, rule)
    assert scores == pytest.approx(expected, abs=1e-9)
    assert higher


def test_the_worse_end_of_a_distance_is_the_upper_one():
    metric = parse({"problem": "external", "metrics": [{"id": "quality", "direction": "lower"}]}).metrics[0]
    scale = Scale("identity", -np.inf, np.inf, higher_is_better=False)
    lower = PartModel(metric, None, scale, mean=1.0, cases=0.3, teams=2.0, noise=0.4, source="given")
    rule = registered("aggregate_then_rank", operator={"percentile": 10})
    scores, higher = get_scheme("aggregate_then_rank").limit_scores(lower, QUALITY, rule)
    assert not higher
    # A tenth of the cases is worse, and worse is greater: the score is the negated quality at its lower tenth.
    assert scores == pytest.approx(-(CENTRE + DEVIATION * stats.norm.ppf(0.1)))


def test_means_on_a_bounded_scale_are_integrated():
    scale = Scale("logit", 0.0, 1.0, higher_is_better=True)
    rule = registered("aggregate_then_rank")
    scores, _ = get_scheme("aggregate_then_rank").limit_scores(model(scale=scale), QUALITY, rule)
    draws = np.random.default_rng(1).normal(size=200_000)
    expected = [1 / (1 + np.exp(-(centre + DEVIATION * draws))) for centre in CENTRE[0]]
    assert scores[0] == pytest.approx([own.mean() for own in expected], abs=2e-3)
    answer = Scale("answer", 0.0, 1.0, higher_is_better=True)
    right, _ = get_scheme("one_score").limit_scores(model(scale=answer), QUALITY, registered("one_score"))
    assert right == pytest.approx(stats.norm.cdf(CENTRE / DEVIATION))


def test_mean_ranks_over_infinitely_many_cases_count_the_chance_of_being_beaten():
    rule = registered("rank_then_aggregate")
    scores, higher = get_scheme("rank_then_aggregate").limit_scores(model(), QUALITY, rule)
    assert not higher
    # On a case the difference of two teams varies by the noise of both: their common effect falls out.
    centre = CENTRE[0]
    for team, score in enumerate(scores[0]):
        beaten = [stats.norm.cdf((other - centre[team]) / (0.4 * np.sqrt(2))) for other in np.delete(centre, team)]
        assert score == pytest.approx(1 + sum(beaten), abs=1e-6)


def test_with_infinitely_many_cases_every_difference_is_significant():
    scores, higher = get_scheme("test_then_rank").limit_scores(model(), QUALITY, registered("test_then_rank"))
    assert higher
    assert scores.tolist() == [[0.5, 1.0, 0.0]]


@pytest.mark.parametrize("name", ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank", "one_score"])
def test_many_challenges_are_scored_like_one_after_another(name):
    rule = registered(name)
    scheme = get_scheme(name)
    last = np.zeros(VALUES.shape, dtype=bool)
    together, higher = scheme.simulated_scores(Challenges(VALUES, True, VALUES, last), rule)
    for number in range(len(VALUES)):
        one = slice(number, number + 1)
        alone, same = scheme.simulated_scores(Challenges(VALUES[one], True, VALUES[one], last[one]), rule)
        assert same is higher
        assert together[one] == pytest.approx(alone)
