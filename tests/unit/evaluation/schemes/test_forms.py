"""Traits, descriptions and scores of each built-in scheme, on boards that can be counted by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evaluation.advice.simulation.model import PartModel, Scale
from evaluation.assessment import Operator, parse
from evaluation.ranking.drawn import Samples
from evaluation.ranking.schemes import DEFAULT, ONE_VALUE, Values, all_schemes, case_ranks, get_scheme, win_shares
from evaluation.ranking.schemes.aggregate_then_rank import limit_aggregates
from evaluation.ranking.schemes.challenges import Challenges

TRAITS = ("takes_operator", "aggregates_values", "ranks_cases", "compares_pairs", "one_value", "simulated")
EXPECTED_TRAITS = {
    "aggregate_then_rank": (True, True, False, False, False, True),
    "rank_then_aggregate": (True, False, True, False, False, True),
    "test_then_rank": (False, False, False, True, False, True),
    "one_score": (False, False, False, False, True, True),
}


def registered(scheme, **more):
    document = {"problem": "external", "metrics": [{"id": "quality", "direction": "higher"}]}
    return parse({**document, "ranking": {"scheme": scheme, **more}}).rankings[0]


@pytest.mark.parametrize("name", EXPECTED_TRAITS)
def test_a_scheme_says_what_it_does_with_values(name):
    scheme = get_scheme(name)
    assert tuple(getattr(scheme, trait) for trait in TRAITS) == EXPECTED_TRAITS[name]
    assert scheme.option_names == (("alpha", "adjust") if name == "test_then_rank" else ())


def test_schemes_are_listed_with_the_default_first_and_a_kind_for_the_design_form():
    built_in = all_schemes()[:4]
    assert [scheme.id for scheme in built_in] == list(EXPECTED_TRAITS)
    assert built_in[0].id == DEFAULT
    assert [scheme.design_kind for scheme in built_in] == ["metric_based", "case_based", "test_based", "data_set_score"]


@pytest.mark.parametrize("name", EXPECTED_TRAITS)
def test_only_means_and_tests_are_sums_over_units(name):
    scheme = get_scheme(name)
    of_mean = scheme.is_linear(registered(name))
    assert of_mean is (name != "one_score")
    if scheme.takes_operator:
        assert not scheme.is_linear(registered(name, operator="median"))


@pytest.mark.parametrize(
    ("name", "decimals_of_share", "decimals_of_unit"),
    [("aggregate_then_rank", 3, 2), ("rank_then_aggregate", 2, 2), ("test_then_rank", 3, 2), ("one_score", 3, 2)],
)
def test_a_share_is_shown_with_three_decimals_and_what_has_a_unit_with_two(name, decimals_of_share, decimals_of_unit):
    scheme = get_scheme(name)
    assert (scheme.score_decimals(None), scheme.score_decimals("mm")) == (decimals_of_share, decimals_of_unit)


def test_the_words_of_tests_follow_the_adjustment():
    scheme = get_scheme("test_then_rank")
    plain, holm = registered("test_then_rank", alpha=0.02), registered("test_then_rank", adjust="holm")
    assert (plain.alpha, plain.adjust, holm.alpha, holm.adjust) == (0.02, "none", 0.05, "holm")
    assert scheme.option_document(holm) == {"alpha": 0.05, "adjust": "holm"}
    assert "on the same patients (level 0.02, not adjusted for the number of comparisons)" in scheme.sentence(
        plain, each="", units="patients"
    )
    assert "(level 0.05, adjusted by Holm's method)" in scheme.sentence(holm, each="", units="cases")
    assert scheme.pseudo_code(plain)[1] == "  score ← share of the others beaten at level 0.02 without adjustment"
    assert scheme.pseudo_code(holm)[1] == "  score ← share of the others beaten at level 0.05 after Holm's adjustment"
    assert scheme.score_name(plain) == "share of teams beaten"


@pytest.mark.parametrize("alpha", [0, 1])
def test_a_level_of_tests_lies_strictly_between_0_and_1(alpha):
    with pytest.raises(ValueError, match="a number above 0 and below 1"):
        registered("test_then_rank", alpha=alpha)


def test_other_schemes_name_their_score_after_the_operator():
    assert (
        get_scheme("aggregate_then_rank").score_name(registered("aggregate_then_rank", operator="median")) == "median"
    )
    assert get_scheme("rank_then_aggregate").score_name(registered("rank_then_aggregate")) == "mean rank"
    assert get_scheme("one_score").score_name(registered("one_score")) == "value"
    assert get_scheme("one_score").sentence(registered("one_score"), each="For each metric, ", units="cases") == (
        f"For each metric, {ONE_VALUE}"
    )


def test_usual_forms_are_means_medians_and_tests():
    forms = {label: settings for scheme in all_schemes()[:4] for label, settings in scheme.usual_forms().items()}
    assert {label: settings.get("operator") for label, settings in forms.items()} == {
        "mean, then rank": Operator("mean"),
        "median, then rank": Operator("median"),
        "rank, then mean": Operator("mean"),
        "rank, then median": Operator("median"),
        "significance tests": None,
    }


VALUES = np.array([[0.9, 0.4, 0.4], [0.2, 0.7, np.nan]])


def table(*, higher):
    read = parse({"problem": "external", "metrics": [{"id": "quality", "direction": "higher"}]})
    last_rank = np.array([[False, False, False], [False, False, True]])
    return Values(VALUES, last_rank, higher, read.aggregation, None)


@pytest.mark.parametrize("name", ["aggregate_then_rank", "test_then_rank"])
def test_what_is_averaged_is_negated_where_lower_is_better(name):
    scheme, rule = get_scheme(name), registered(name)
    np.testing.assert_array_equal(scheme.averaged_values(table(higher=True), rule), VALUES)
    np.testing.assert_array_equal(scheme.averaged_values(table(higher=False), rule), -VALUES)


def test_ranks_on_cases_follow_the_direction_and_the_rule_for_ties():
    rule = registered("rank_then_aggregate", ties="average")
    higher = get_scheme("rank_then_aggregate").averaged_values(table(higher=True), rule)
    # Two share places 2 and 3; who is missing on the second case is last there.
    assert higher.tolist() == [[-1.0, -2.5, -2.5], [-2.0, -1.0, -3.0]]
    lower = case_ranks(VALUES, np.isnan(VALUES), rule, higher_is_better=False)
    assert lower.tolist() == [[3.0, 1.5, 1.5], [1.0, 2.0, 3.0]]
    left_out = case_ranks(VALUES, np.zeros(VALUES.shape, dtype=bool), rule, higher_is_better=True)
    assert np.isnan(left_out[1]).tolist() == [False, False, True]


def test_contributions_to_tests_are_signed_ranks_of_sizes_without_zeros():
    differences = np.array([[0.5, 0.0], [-0.5, -0.1], [0.0, 0.3], [2.0, -0.2]])
    # First pair: sizes .5, .5 and 2 get ranks 1.5, 1.5 and 3. Second: .1, .3 and .2 get 1, 3 and 2.
    assert get_scheme("test_then_rank").contributions(differences).tolist() == [
        [1.5, 0.0],
        [-1.5, -1.0],
        [0.0, 3.0],
        [3.0, -2.0],
    ]
    assert get_scheme("aggregate_then_rank").contributions(differences) is differences


def test_a_win_is_a_p_value_of_at_most_the_level_and_its_share_is_of_the_others():
    p_values = np.array([[np.nan, 0.05, 0.01], [0.95, np.nan, 0.051], [0.99, 0.949, np.nan]])
    assert win_shares(p_values, alpha=0.05, adjust="none").tolist() == [1.0, 0.0, 0.0]
    # Holm's method: of six p-values the smallest counts six times, 0.06, so that none is left.
    assert win_shares(p_values, alpha=0.05, adjust="holm").tolist() == [0.0, 0.0, 0.0]
    assert win_shares(np.array([[np.nan]]), alpha=0.05, adjust="none").tolist() == [0.0]


def test_one_value_is_enough_to_have_lost_and_without_any_there_is_no_share():
    """The second sample contains the second case once and the first case not at all."""
    samples = Samples(np.array([[1.0, 0.0], [1.0, 1.0]]), None)
    scores, higher = get_scheme("test_then_rank").scores(table(higher=True), samples, registered("test_then_rank"))
    assert higher
    assert scores.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, pytest.approx(np.nan, nan_ok=True)]]


def test_a_scheme_of_its_own_cannot_be_simulated_unless_it_says_how():
    class Bare(type(get_scheme("one_score")).__base__):
        id = "bare"
        title = "Bare"
        scores = sentence = pseudo_code = score_name = None

    bare = Bare()
    assert tuple(getattr(bare, trait) for trait in TRAITS) == (False,) * 6
    assert not bare.is_linear(None)
    assert (bare.usual_forms(), bare.read_options(None), bare.option_document(None)) == ({}, {}, {})
    for call in (bare.averaged_values, bare.simulated_scores):
        with pytest.raises(NotImplementedError, match="bare"):
            call(None, None)
    with pytest.raises(NotImplementedError, match="bare"):
        bare.limit_scores(None, None, None)


# Simulated challenges

ONE_CHALLENGE = np.array([[[0.9, 0.4, 0.1], [0.8, 0.5, 0.2], [0.1, 0.6, 0.3]]])


def simulated(name, challenges, **rule):
    return get_scheme(name).simulated_scores(challenges, registered(name, **rule))


def test_simulated_aggregates_take_the_registered_operator_and_direction():
    scores, higher = simulated("aggregate_then_rank", Challenges(ONE_CHALLENGE, True), operator="median")
    assert (scores.tolist(), higher) == ([[0.8, 0.5, 0.2]], True)
    of_lower = Challenges(ONE_CHALLENGE, False)
    # The worse end of a distance is the upper one: a tenth from it, between .8 and .9.
    worst_tenth, higher = simulated("aggregate_then_rank", of_lower, operator={"percentile": 10})
    assert (worst_tenth[0, 0], higher) == (pytest.approx(0.88), False)
    means, higher = simulated("one_score", of_lower)
    assert means == pytest.approx(np.array([[0.6, 0.5, 0.2]]))
    assert higher is False


def test_simulated_ranks_count_a_missing_case_as_the_last_rank_of_that_case():
    values = ONE_CHALLENGE.copy()
    values[0, 0, 0] = np.nan
    scores, higher = simulated("rank_then_aggregate", Challenges(values, True, None, np.isnan(values)))
    # First case: 3, 1, 2; second: 1, 2, 3; third: 3, 1, 2.
    assert scores == pytest.approx(np.array([[7 / 3, 4 / 3, 7 / 3]]))
    assert not higher
    lower, _ = simulated("rank_then_aggregate", Challenges(values, False, None, np.isnan(values)))
    # First case: 3, 2, 1; second: 3, 2, 1; third: 1, 3, 2.
    assert lower == pytest.approx(np.array([[7 / 3, 7 / 3, 4 / 3]]))


def test_simulated_ranks_go_by_quality_where_values_are_bounded():
    tied = np.ones((1, 1, 3))
    quality = np.array([[[0.1, 0.3, 0.2]]])
    scores, _ = simulated("rank_then_aggregate", Challenges(tied, True, quality, np.zeros(tied.shape, dtype=bool)))
    assert scores.tolist() == [[3.0, 1.0, 2.0]]


def test_simulated_tests_turn_with_the_direction():
    cases = np.arange(1.0, 13.0)[:, None]
    values = np.stack([np.hstack([cases * 0, cases, -cases])]).astype(np.float32)
    higher_scores, higher = simulated("test_then_rank", Challenges(values, True))
    assert (higher_scores.tolist(), higher) == ([[0.5, 1.0, 0.0]], True)
    lower_scores, higher = simulated("test_then_rank", Challenges(values, False))
    assert (lower_scores.tolist(), higher) == ([[0.5, 0.0, 1.0]], True)


# With infinitely many cases


def model(direction="higher", **more):
    metric = parse({"problem": "external", "metrics": [{"id": "quality", "direction": direction}]}).metrics[0]
    higher = direction == "higher"
    facts = {"mean": 1.0, "cases": 0.3, "teams": 2.0, "noise": 0.4} | more
    scale = facts.pop("scale", Scale("identity", -np.inf, np.inf, higher_is_better=higher))
    return PartModel(metric=metric, region=None, source="given", scale=scale, **facts)


QUALITY = np.array([[0.0, 0.5, -1.0]])


def test_without_noise_the_order_of_qualities_is_that_of_every_case():
    scores, higher = get_scheme("rank_then_aggregate").limit_scores(
        model(noise=0), QUALITY, registered("rank_then_aggregate")
    )
    assert (scores.tolist(), higher) == ([[2.0, 1.0, 3.0]], False)


def test_the_direction_of_the_limit_of_one_score_is_that_of_the_metric():
    scores, higher = get_scheme("one_score").limit_scores(model("lower"), QUALITY, registered("one_score"))
    assert not higher
    assert scores == pytest.approx(-(1.0 + 2.0 * QUALITY))


def test_without_an_operator_a_limit_is_a_mean():
    expected = limit_aggregates(model(), QUALITY, Operator("mean"))
    assert limit_aggregates(model(), QUALITY, None).tolist() == expected.tolist()
    assert expected == pytest.approx(1.0 + 2.0 * QUALITY)


def test_the_mean_on_a_bounded_scale_is_that_of_a_fine_grid():
    bounded = Scale("logit", 0.0, 1.0, higher_is_better=True)
    result = limit_aggregates(model(scale=bounded), QUALITY, None)
    grid = np.linspace(-8.0, 8.0, 20_001)
    weights = stats.norm.pdf(grid)
    for quality, mean in zip(QUALITY[0], result[0], strict=True):
        shares = 1 / (1 + np.exp(-(1.0 + 2.0 * quality + 0.5 * grid)))
        assert mean == pytest.approx((shares * weights).sum() / weights.sum(), abs=1e-9)


def test_one_team_has_nobody_to_beat_with_infinitely_many_cases():
    scores, _ = get_scheme("test_then_rank").limit_scores(model(), QUALITY[:, :1], registered("test_then_rank"))
    assert scores.tolist() == [[0.0]]


def test_the_scheme_that_is_registered_is_the_one_that_ranks():
    scheme, rule = get_scheme("aggregate_then_rank"), registered("aggregate_then_rank", ties="max", missing_rank="last")
    ranked = scheme.rank_scores(np.array([[0.5, 0.5, np.nan]]), rule, higher_is_better=True)
    assert (ranked.ranks.tolist(), ranked.higher_is_better) == ([[2.0, 2.0, 3.0]], True)
    # Equal to twelve digits is equal.
    noise = scheme.rank_scores(np.array([[0.5, 0.5 + 1e-15]]), replace(rule, ties="min"), higher_is_better=False)
    assert noise.ranks.tolist() == [[1.0, 1.0]]
