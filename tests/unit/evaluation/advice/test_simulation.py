"""The simulated challenge: ranked like the real one, exact for known formulas, honest in its statements."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from evaluation.advice.simulation import SimulationError, Spread, report_of, sentences, simulate
from evaluation.advice.simulation.board import decision_of, plan_of, simulated_assessment
from evaluation.advice.simulation.model import (
    Field,
    Scale,
    draw_field,
    draw_latent,
    model_of,
    variance_components,
)
from evaluation.advice.simulation.needed import CasesNeeded, cases_needed
from evaluation.advice.simulation.run import make_contest
from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.schemes.challenges import signed_rank_p_values
from evaluation.ranking.significance import wilcoxon_matrices
from evaluation.ranking.uncertainty.settling import units_to_show
from tests.sizes import size

EXCLUDED = {"missing": "exclude", "allow_gaming": True}
COMBINE = {"over": ["metric", "region"], "operator": "mean", "rerank": True}
SCHEMES = {
    "mean then rank": {"scheme": "aggregate_then_rank", "combine": COMBINE},
    "median then rank": {"scheme": "aggregate_then_rank", "operator": "median", "combine": COMBINE},
    "5 % percentile": {"scheme": "aggregate_then_rank", "operator": {"percentile": 5}, "combine": COMBINE},
    "rank then mean": {"scheme": "rank_then_aggregate", "combine": COMBINE},
    "test then rank": {"scheme": "test_then_rank", "combine": COMBINE},
    "scores of ranks": {"scheme": "rank_then_aggregate", "combine": {**COMBINE, "rerank": False}},
}


def segmentation(ranking=None, metrics=None, **more):
    return parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "anterior", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
            "metrics": metrics or [{"id": "dsc"}, {"id": "assd"}],
            "ranking": ranking or SCHEMES["mean then rank"],
            "uncertainty": {"bootstrap": 200, "seed": 1},
            **more,
        }
    )


def table(direction="higher", **ranking):
    return parse(
        {
            "problem": "table",
            "metrics": [
                {"id": "value", "direction": direction, "policy": {"missing": -5 if direction == "higher" else 5}}
            ],
            "ranking": {"scheme": "aggregate_then_rank", **ranking},
            "uncertainty": {"bootstrap": 200, "seed": 1},
        }
    )


def results_of(contest, latent, sample, gaps=None):
    """One simulated challenge as the results table that the platform would rank."""
    rows = []
    for model, drawn in zip(contest.models, latent, strict=True):
        values = model.scale.to_scores(drawn[sample]).astype(float)
        for case in range(values.shape[0]):
            for team in range(values.shape[1]):
                gone = gaps is not None and gaps[sample, case, team]
                rows.append(
                    (
                        f"t{team:02d}",
                        f"c{case:03d}",
                        model.region,
                        model.metric.name,
                        None if gone else values[case, team],
                        "missing" if gone else "ok",
                        200.0,
                    )
                )
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"])


def published_ranks(assessment, results):
    document = rank(assessment, results, bootstrap=0)
    return {entry["name"]: entry["rank"] for entry in document["overall"]["algorithms"]}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_simulated_challenge_is_ranked_as_the_platform_would_rank_it(name):
    assessment = segmentation(SCHEMES[name])
    contest = make_contest(assessment)
    random = np.random.default_rng(3)
    latent = draw_latent(random, contest.models, draw_field(random, 3, 6, 4, 0.5), 12, 0.5)
    ranks = contest.ranks(latent)
    for sample in range(3):
        published = published_ranks(assessment, results_of(contest, latent, sample))
        assert [published[f"t{team:02d}"] for team in range(6)] == ranks[sample].tolist()


@pytest.mark.parametrize("name", SCHEMES)
def test_cases_left_out_count_as_the_policies_say(name):
    assessment = segmentation(SCHEMES[name])
    contest = make_contest(assessment)
    random = np.random.default_rng(4)
    latent = draw_latent(random, contest.models, draw_field(random, 3, 5, 4, 0.5), 12, 0.5)
    gaps = np.zeros((3, 12, 5), dtype=bool)
    gaps[:, :3, 2] = True
    ranks = contest.ranks_with_gaps(latent, gaps, "registered", 200.0)
    for sample in range(3):
        published = published_ranks(assessment, results_of(contest, latent, sample, gaps))
        assert [published[f"t{team:02d}"] for team in range(5)] == ranks[sample].tolist()


def test_a_missing_case_can_get_the_last_rank_or_be_ignored():
    metrics = [{"id": "dsc", "policy": {"missing": "worst_rank"}}, {"id": "assd", "policy": {"missing": "worst_rank"}}]
    assessment = segmentation(SCHEMES["rank then mean"], metrics)
    contest = make_contest(assessment)
    random = np.random.default_rng(5)
    latent = draw_latent(random, contest.models, draw_field(random, 2, 5, 4, 0.5), 12, 0.5)
    gaps = np.zeros((2, 12, 5), dtype=bool)
    gaps[:, :6, 1] = True
    last = contest.ranks_with_gaps(latent, gaps, "registered", 200.0)
    for sample in range(2):
        published = published_ranks(assessment, results_of(contest, latent, sample, gaps))
        assert [published[f"t{team:02d}"] for team in range(5)] == last[sample].tolist()
    ignored = contest.ranks_with_gaps(latent, gaps, "ignore", 200.0)
    assert (ignored[:, 1] <= last[:, 1]).all()


def test_fast_signed_ranks_agree_with_the_ranking_s_own_test():
    random = np.random.default_rng(1)
    values = random.standard_normal((3, 15, 4)).astype(np.float32)
    values[0, :4, 1] = values[0, :4, 0]  # differences of zero are dropped
    values[1, 2, 3] = np.nan
    for sample, p_values in zip(values, signed_rank_p_values(values), strict=True):
        expected = wilcoxon_matrices(sample.astype(float), np.ones((15, 1)), higher_is_better=True)[0]
        np.testing.assert_allclose(p_values, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["mean then rank", "median then rank", "rank then mean", "test then rank"])
def test_true_ranks_are_those_of_very_many_cases(name):
    contest = make_contest(segmentation(SCHEMES[name]))
    field = Field(
        np.array([[1.5, 0.5, -0.5, -1.5]]),
        (np.array([[1.5, 0.5, -0.5, -1.5]]),) * 3 + (np.array([[0.5, 1.5, -0.5, -1.5]]),),
    )
    latent = draw_latent(np.random.default_rng(2), contest.models, field, 20_000, 0.5)
    assert contest.true_ranks(field).tolist() == contest.ranks(latent).tolist() == [[1, 2, 3, 4]]


@pytest.mark.parametrize("kind", ["logit", "log", "identity"])
@pytest.mark.parametrize("higher", [True, False])
def test_scales_lead_back_to_the_scores_and_point_upwards(kind, higher):
    low, high = {"logit": (0.0, 1.0), "log": (0.0, math.inf), "identity": (-math.inf, math.inf)}[kind]
    scale = Scale(kind, low, high, higher)
    scores = np.array([0.1, 0.4, 0.9])
    latent = scale.to_latent(scores)
    np.testing.assert_allclose(scale.to_scores(latent), scores)
    assert (np.diff(latent) > 0).all() == higher
    step = 1e-6
    numeric = (scale.to_latent(0.4 + step) - scale.to_latent(0.4)) * scale.sign / step
    assert 1 / scale.slope(0.4) == pytest.approx(float(numeric), rel=1e-4)


def test_variance_components_of_a_large_pilot_are_those_it_was_made_from():
    random = np.random.default_rng(7)
    latent = 1.0 + 0.8 * random.standard_normal((3000, 1)) + 0.3 * random.standard_normal((1, 300))
    latent = latent + 0.5 * random.standard_normal((3000, 300))
    assert variance_components(latent) == pytest.approx((1.0, 0.8, 0.3, 0.5), rel=0.12)


def seen_by_the_t_form(latent, true, model, teams):
    """Return whether the t form of the flips names an algorithm, and whether that is the correct one.

    The values of the challenge are known.
    """
    values = model.scale.sign * model.scale.to_scores(latent).astype(float)
    scores = values.mean(axis=0)
    first = int(scores.argmax())
    gaps = values[:, [first]] - np.delete(values, first, axis=1)
    critical = student.isf(0.1 / 3 / 2 if teams > 2 else 0.05 / 2, len(values) - 1)
    named = (gaps.mean(axis=0) >= critical * gaps.std(axis=0, ddof=1) / math.sqrt(len(values))).all()
    return bool(named), bool(named and first == true.argmin())


def test_boards_are_those_of_the_ranking_itself():
    assessment = segmentation()
    contest = make_contest(assessment)
    simulated = simulated_assessment(assessment, contest)
    plan = plan_of(simulated, 25, 1)
    random = np.random.default_rng(6)
    latent = draw_latent(random, contest.models, draw_field(random, 4, 5, 4, 0.5), 25, 0.5)
    named = 0
    for sample in range(4):
        decision, _ = decision_of(contest, latent, sample, plan, simulated)
        results = results_of(contest, latent, sample)
        results["case"] = results["case"].str.replace("c", "000")
        overall = rank(simulated, results, bootstrap=simulated.uncertainty.bootstrap)["overall"]
        rows = sorted(overall["algorithms"], key=lambda row: row["name"])
        assert [row["rank_set"] for row in rows] == np.stack([decision.low, decision.high], axis=1).tolist()
        winner = None if decision.winner is None else f"t{decision.winner:02d}"
        assert overall["winner"]["algorithm"] == winner
        named += any(row["rank_set"] != [1, 5] for row in rows)
    assert named


def test_t_form_names_about_as_often_as_flips_do():
    assessment = table()
    contest = make_contest(assessment, spread=Spread(0, 1, 1, 1.5))
    simulated = simulated_assessment(assessment, contest)
    plan = plan_of(simulated, 25, 1)
    random = np.random.default_rng(4)
    field = draw_field(random, 150, 4, 1, 0.8)
    latent, true = draw_latent(random, contest.models, field, 25, 0.8), contest.true_ranks(field)
    flips = [decision_of(contest, latent, sample, plan, simulated)[0].winner is not None for sample in range(150)]
    t_form = [seen_by_the_t_form(latent[0][s], true[s], contest.models[0], 4)[0] for s in range(150)]
    assert 0.2 < np.mean(flips) < 0.8
    assert abs(np.mean(t_form) - np.mean(flips)) <= 0.03


@pytest.mark.parametrize("ranking", [{}, {"scheme": "rank_then_aggregate"}])
def test_the_cases_needed_are_those_with_which_boards_name_the_better_of_two_in_80_of_100(ranking):
    """Of two teams, the same ones in all challenges: by the definition of boards, with the board's own code."""
    assessment = parse(
        {**table(**ranking).document, "metrics": [{"id": "value", "direction": "higher", "policy": EXCLUDED}]}
    )
    contest = make_contest(assessment, spread=Spread(0, 1, 1, 1))
    field = Field(np.array([[0.25, -0.25]]), (np.array([[0.25, -0.25]]),))
    limits = contest.limit_scores(contest.models[0], field.parts[0])[0]
    lead = np.abs(limits[:, 0] - limits[:, 1])
    random = np.random.default_rng(2)
    drawn = draw_latent(random, contest.models, field, 20_000, 0.8)[0][0]
    gaps = drawn[:, 0] - drawn[:, 1] if not ranking else np.sign(drawn[:, 0] - drawn[:, 1])
    needed = int(units_to_show(lead, np.array([gaps.std()]), level=0.025)[0])
    simulated = simulated_assessment(assessment, contest)
    plan = plan_of(simulated, needed, 1)
    named = []
    for _ in range(100):
        latent = draw_latent(random, contest.models, field, needed, 0.8)
        decision, _ = decision_of(contest, latent, 0, plan, simulated)
        named.append(decision.winner == 0)
    assert np.mean(named) == pytest.approx(0.8, abs=0.12)


def needed_of(assessment, spread=Spread(0, 1, 1, 1), teams=2, **more):  # noqa: B008
    contest = make_contest(assessment, spread=spread, **more)
    return cases_needed(contest, assessment, teams=teams, agreement=0.8, seed=1, least=6)


def test_cases_needed_follow_from_the_distance_of_two_normal_teams():
    """The distance of two standard normal teams has a known distribution; noise of two teams has deviation √2."""
    quantile = norm.isf(0.025) + norm.ppf(0.8)
    distance = math.sqrt(2) * norm.ppf(0.5 + np.array([0.95, 0.5, 0.05]) / 2)
    expected = (quantile * math.sqrt(2) / distance) ** 2
    found = needed_of(table())
    assert found.pilot is None
    assert found.median == pytest.approx(expected[1], rel=0.25)
    assert found.low == pytest.approx(max(expected[0], 6), rel=0.3)
    assert found.high == pytest.approx(expected[2], rel=1.0)


def test_failures_and_skewness_of_bounded_scores_raise_the_cases_needed():
    whole = {"schema": 1, "problem": "semantic_segmentation", "regions": [{"name": "whole", "labels": [1]}]}
    assessment, spread = parse({**whole, "metrics": [{"id": "dsc"}]}), Spread(0.85, 0.08, 0.02, 0.05)
    plain = needed_of(assessment, spread, 8, failures=0.0)
    failing = needed_of(assessment, spread, 8, failures=0.03)
    skewed = needed_of(assessment, spread, 8, skewness=-3.0)
    assert failing.median > 2 * plain.median
    assert skewed.median > 1.1 * plain.median


def test_cases_needed_are_not_stated_where_the_ranking_is_no_mean_over_cases():
    assert needed_of(table(operator="median")) is None
    assert needed_of(table(scheme="test_then_rank"), failures=0.1) is None
    assert needed_of(table(scheme="test_then_rank")).median > 6


def test_two_equal_best_are_never_told_apart_and_the_words_say_so():
    result = simulate(table(), cases=30, teams=4, spread=Spread(0, 1, 0, 1), samples=size(60, 200))
    assert result.needed == CasesNeeded(None, None, None)
    assert result.boards.wrong <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / result.boards.boards)
    assert any("More than 10,000 cases" in sentence for sentence in sentences(result))


def test_below_the_smallest_number_of_cases_no_winner_is_promised():
    result = simulate(table(), cases=4, teams=4, spread=Spread(0, 1, 1, 0.2), samples=50)
    assert result.boards.named == 0.0
    assert sentences(result)[0].startswith(
        "With 4 cases no winner can be named, whatever the results. The minimum is 6 cases."
    )


def test_a_design_that_resamples_nothing_names_nobody():
    document = {**table().document, "uncertainty": {"bootstrap": 0}}
    result = simulate(parse(document), cases=30, teams=4, spread=Spread(0, 1, 1, 0.2), samples=50)
    assert (result.boards.named, result.needed, result.units_needed) == (0.0, None, None)
    assert sentences(result)[0].startswith("No board of this design can name a winner")


WHOLE = {
    "classification": {
        "problem": "image_classification",
        "regions": [{"name": "lesion", "labels": ["lesion"]}],
        "metrics": [{"id": "auroc"}],
        "ranking": {"scheme": "one_score"},
    },
    "detection": {
        "problem": "object_detection",
        "regions": [{"name": "nodule", "labels": ["nodule"]}],
        "metrics": [{"id": "average_precision"}, {"id": "fppi", "policy": {"missing": 100}}],
        "ranking": {"scheme": "aggregate_then_rank", "combine": {"over": ["metric", "region"]}},
    },
}


@pytest.mark.parametrize("problem", WHOLE)
def test_metrics_of_the_whole_data_set_are_simulated_by_the_rule_of_their_board(problem):
    assessment = parse({**WHOLE[problem], "uncertainty": {"bootstrap": 200, "seed": 1}})
    result = simulate(assessment, cases=100, teams=4, samples=size(8, 20))
    assert any("the mean of what each case contributes" in note for note in result.notes)
    assert result.units_needed == 7
    assert 0.0 <= result.boards.wrong <= result.boards.named < 1.0
    assert 1.0 <= result.boards.first_width <= 4.0
    json.dumps(report_of(result), allow_nan=False)


def test_right_answers_scatter_like_shares_do():
    metric = parse({**WHOLE["classification"], "metrics": [{"id": "accuracy"}]}).metrics[0]
    model = model_of(metric, None, spread=Spread(0.8, 0.1, 0.0, 0.1), pilot=None, alone=True)
    field = Field(np.zeros((1, 2)), (np.zeros((1, 2)),))
    answers = model.scale.to_scores(draw_latent(np.random.default_rng(1), (model,), field, 20_000, 0.5)[0])[0]
    assert set(np.unique(answers)) == {0.0, 1.0}
    assert answers.mean() == pytest.approx(0.8, abs=0.01)
    assert model.document["typical"] == pytest.approx(0.8)


def test_without_noise_the_best_always_wins_and_nothing_is_uncertain():
    """The rule of one more failure does not apply where a failure has no registered value."""
    policy = {"missing": "exclude", "allow_gaming": True}
    metric = {"id": "value", "direction": "higher", "policy": policy}
    assessment = parse(
        {"problem": "table", "metrics": [metric], "uncertainty": {"bootstrap": 200, "seed": 1}},
    )
    result = simulate(assessment, cases=10, teams=6, spread=Spread(0, 1, 1, 1e-3), samples=size(40, 100))
    assert result.best_wins == 1.0
    assert (result.boards.widths < 1.05).all()
    assert result.boards.named == 1.0
    np.testing.assert_array_equal(result.places, np.eye(6))


def test_without_noise_only_a_failure_can_cost_the_best_its_place():
    """The best is named where its lead is larger than a tenth of the costliest failure, which counts as -5."""
    result = simulate(table(), cases=10, teams=6, spread=Spread(0, 1, 1, 1e-3), samples=size(40, 100))
    assert result.best_wins == 1.0
    assert (result.boards.widths < 1.05).all()
    assert result.boards.wrong == 0.0
    generator = np.random.default_rng(1)
    teams, cases = np.sort(generator.normal(size=(20_000, 6))), generator.normal(size=(20_000, 10))
    survives = teams[:, -1] - teams[:, -2] > (teams[:, -1] + cases.max(axis=1) + 5) / 10
    assert result.boards.named == pytest.approx(survives.mean(), abs=size(0.2, 0.15))


def test_teams_that_do_not_differ_win_by_chance():
    result = simulate(table(), cases=30, teams=4, spread=Spread(0, 1, 1e-9, 1), samples=size(200, 2000))
    assert result.best_wins == pytest.approx(0.25, abs=size(0.08, 0.04))
    assert result.needed == CasesNeeded(None, None, None)


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_more_cases_find_the_best_team_more_often(direction):
    spread = Spread(0, 1, 0.3, 1)
    shares = [
        simulate(table(direction), cases=cases, teams=5, spread=spread, samples=size(25, 150)).best_wins
        for cases in size((5, 320), (5, 40, 320))
    ]
    assert shares == sorted(shares)
    assert shares[-1] - shares[0] > 0.3


def test_places_are_shares_and_curves_run_over_growing_numbers_of_cases():
    result = simulate(segmentation(), cases=20, teams=5, samples=size(10, 30))
    np.testing.assert_allclose(result.places.sum(axis=1), 1.0)
    assert [point.cases for point in result.curve] == [3, 5, 10, 20, 40, 80]
    assert 0 <= result.best_wins <= result.best_shares_first <= 1
    assert (result.boards.widths >= 1).all()
    assert (result.boards.widths <= 5).all()
    assert all(max(point.right, point.confirmed) <= point.named <= 1 for point in result.curve)


def test_leaving_out_cases_pays_only_if_they_are_ignored():
    result = simulate(segmentation(), cases=40, teams=9, samples=size(8, 25))
    assert all(point.ignored > 0.5 for point in result.selective)
    assert all(point.registered < 0 for point in result.selective)
    lenient = [{"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}]
    gamed = simulate(segmentation(metrics=lenient), cases=40, teams=9, samples=size(8, 25))
    assert all(point.registered == point.ignored for point in gamed.selective)
    assert any("invites selective submission" in sentence for sentence in sentences(gamed))


def test_equal_seeds_give_equal_results_and_others_do_not():
    first, again, other = (
        json.dumps(simulate(segmentation(), cases=15, teams=4, samples=size(4, 12), seed=seed).document)
        for seed in (5, 5, 6)
    )
    assert first == again
    assert first != other


def test_a_pilot_gives_the_spread_and_the_words_say_so():
    random = np.random.default_rng(8)
    scores = Scale("logit", 0.0, 1.0, higher_is_better=True).to_scores(
        1.5
        + 0.7 * random.standard_normal((60, 1))
        + 0.2 * random.standard_normal((1, 8))
        + 0.3 * random.standard_normal((60, 8))
    )
    pilot = pd.DataFrame(
        [(f"a{team}", f"c{case}", scores[case, team]) for case in range(60) for team in range(8)],
        columns=["algorithm", "case", "value"],
    )
    assessment = segmentation(metrics=[{"id": "dsc"}])
    contest = make_contest(assessment, pilot=pilot)
    model = contest.models[0]
    assert (model.source, model.noise) == ("pilot", pytest.approx(0.3, rel=0.1))
    assert (model.mean, model.cases) == (pytest.approx(1.5, abs=0.4), pytest.approx(0.7, rel=0.3))
    result = simulate(assessment, cases=30, teams=5, pilot=pilot, samples=size(8, 50))
    assert any("the spread of the pilot" in sentence for sentence in sentences(result))


@pytest.mark.parametrize(
    ("pilot", "words"),
    [
        (pd.DataFrame({"team": ["a"], "value": [1.0]}), "no column 'algorithm'"),
        (pd.DataFrame({"algorithm": ["a"] * 5, "case": list("12345"), "value": [0.5] * 5}), "1 algorithms"),
        (pd.DataFrame({"algorithm": ["a", "a"], "case": ["1", "1"], "value": [0.5, 0.6]}), "several values"),
    ],
)
def test_a_pilot_that_does_not_fit_is_named(pilot, words):
    with pytest.raises(SimulationError, match=words):
        simulate(segmentation(), cases=20, teams=4, pilot=pilot)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"cases": 2}, "cases: 2 is not a whole number from 3"),
        ({"teams": 1}, "teams: 1"),
        ({"samples": 0}, "samples: 0"),
        ({"cases": 5000, "teams": 50}, "more than 100000 scores"),
        ({"agreement": 1.5}, "agreement: 1.5"),
        ({"spread": {"dsc": Spread(1.2, 0.1, 0.1, 0.1)}}, "does not lie within the range of dsc"),
        ({"ranking": "robust"}, "no ranking 'robust'"),
    ],
)
def test_numbers_out_of_range_are_named(changed, words):
    with pytest.raises(SimulationError, match=words):
        simulate(segmentation(), **{"cases": 20, "teams": 4, **changed})


def test_a_spread_is_a_number_of_0_or_more():
    with pytest.raises(SimulationError, match=r"spread\.noise: -1"):
        Spread(0.8, 0.1, 0.1, -1)


def test_what_a_simulation_leaves_out_is_said():
    document = {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": "tumour", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
        "aggregation": {"levels": ["case", "patient"], "operator": "mean"},
        "ranking": {"scheme": "rank_then_aggregate", "combine": {"over": ["metric", "region", "site"]}},
    }
    notes = simulate(parse(document), cases=10, teams=3, samples=20).notes
    assert any("one patient" in note for note in notes)
    assert any("groups of cases" in note for note in notes)
    apart = segmentation({"scheme": "aggregate_then_rank", "combine": None})
    assert any("keeps its rankings apart" in note for note in simulate(apart, cases=10, teams=3, samples=20).notes)


def test_a_missing_value_without_a_policy_is_said_to_be_ignored():
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    result = simulate(parse(document), cases=10, teams=3, spread=Spread(0, 1, 1, 1), samples=20)
    assert any("Nothing says what a missing value counts as" in note for note in result.notes)
    assert all(point.registered == point.ignored for point in result.selective)


def test_one_spread_for_all_metrics_keeps_its_proportions_on_other_scales():
    contest = make_contest(segmentation(), spread=Spread(0.8, 0.08, 0.032, 0.048))
    assert {round(model.cases, 6) for model in contest.models} == {0.5}
    assert {round(model.teams, 6) for model in contest.models} == {0.2}


def test_progress_counts_up_to_its_total():
    seen: list[tuple[int, int]] = []
    simulate(segmentation(), cases=10, teams=3, samples=10, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == list(range(1, seen[-1][1] + 1))
    assert len({total for _, total in seen}) == 1


def test_the_document_is_json_and_its_figures_are_figures():
    document = report_of(simulate(segmentation(), cases=12, teams=4, samples=8))
    json.dumps(document, allow_nan=False)
    assert len(document["figures"]) == 3
    for figure in document["figures"]:
        assert go.Figure(figure).layout.title.text.endswith("?")
