"""Simulated failures and skewed deviations: drawn as stated, estimated from a pilot, refused out of range."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evaluation.advice.simulation import SimulationError, Spread, sentences, simulate
from evaluation.advice.simulation.model import Field, draw_latent, noise_skewness, shape_of
from evaluation.advice.simulation.result import share_interval
from evaluation.advice.simulation.run import make_contest
from evaluation.assessment import parse
from tests.sizes import size

DSC = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "lesion", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "uncertainty": {"bootstrap": 200, "seed": 1},
}
FREE = {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": -5}}]}


@pytest.mark.parametrize("skewness", [0.3, 1.0, 6.0])
def test_the_shape_of_a_lognormal_variable_has_the_skewness(skewness):
    assert float(stats.lognorm.stats(shape_of(skewness), moments="s")) == pytest.approx(skewness)


@pytest.mark.parametrize("skewness", [-2.0, 0.0, 1.0])
def test_noise_has_mean_0_deviation_1_and_its_skewness_whatever_the_agreement(skewness):
    contest = make_contest(parse(FREE), spread=Spread(0.0, 0.0, 0.0, 1.0), skewness=skewness)
    zeros = np.zeros((1, 2))
    drawn = draw_latent(np.random.default_rng(3), contest.models, Field(zeros, (zeros,)), 400_000, 0.4)[0].ravel()
    assert drawn.mean() == pytest.approx(0.0, abs=0.01)
    assert drawn.std() == pytest.approx(1.0, abs=0.02)
    assert stats.skew(drawn) == pytest.approx(skewness, abs=0.25)


def test_limit_scores_with_skewed_noise_are_means_of_very_many_cases():
    contest = make_contest(parse(DSC), spread=Spread(0.85, 0.05, 0.02, 0.08), skewness=-2.0)
    field = Field(np.array([[1.0, -1.0]]), (np.array([[1.0, -1.0]]),))
    latent = draw_latent(np.random.default_rng(1), contest.models, field, 200_000, 0.8)[0]
    means = contest.models[0].scale.to_scores(latent).mean(axis=1)
    assert contest.limit_scores(contest.models[0], field.parts[0])[0] == pytest.approx(means, abs=1e-3)


def pilot_of(values, **columns):
    cases, algorithms = values.shape
    rows = [(f"a{j}", f"c{i}", values[i, j]) for i in range(cases) for j in range(algorithms)]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"]).assign(**columns)


def skewed_pilot(cases=2000, algorithms=4, seed=1):
    random = np.random.default_rng(seed)
    noise = -(random.lognormal(0.0, shape_of(2.0), (cases, algorithms)))
    noise = (noise - noise.mean()) / noise.std()
    return random.normal(0.0, 1.0, (cases, 1)) + 0.5 * noise


def test_skewness_is_estimated_from_the_residuals_of_three_algorithms_or_more():
    for algorithms in (3, 4, 10):
        assert noise_skewness(skewed_pilot(20_000, algorithms)) == pytest.approx(-2.0, abs=0.4)
    assert noise_skewness(skewed_pilot(500, 2)) == 0.0
    assert noise_skewness(np.zeros((5, 4))) == 0.0


def test_failures_of_a_pilot_are_counted_and_are_no_spread():
    values = skewed_pilot(200)
    plain = make_contest(parse(FREE), pilot=pilot_of(values))
    failed = values.copy()
    failed[:10, 0] = -5.0
    failed[10:12, 1] = math.nan
    contest = make_contest(parse(FREE), pilot=pilot_of(failed))
    assert (plain.failures, contest.failures) == (0.0, 12 / 800)
    assert contest.models[0].noise == pytest.approx(plain.models[0].noise, rel=0.1)
    outcome = np.where(np.arange(800) < 8, "missing", "ok")
    assert make_contest(parse(FREE), pilot=pilot_of(values, outcome=outcome)).failures == 0.01
    assert make_contest(parse(FREE), pilot=pilot_of(failed), failures=0.2).failures == 0.2


def test_failed_cases_have_the_registered_value_and_cost_the_winner_its_verdict():
    contest = make_contest(parse(FREE), spread=Spread(0, 1, 1, 0.2), failures=0.25)
    field = Field(np.zeros((1, 3)), (np.zeros((1, 3)),))
    random = np.random.default_rng(5)
    latent = draw_latent(random, contest.models, field, 4000, 0.8)
    failed = contest.failed(random, latent)
    values = contest.values(contest.models[0], latent[0], failed)
    assert ((values == -5.0) == failed).all()
    assert failed.mean() == pytest.approx(0.25, abs=0.02)
    more = {"cases": 30, "teams": 4, "spread": Spread(0, 1, 1, 0.2), "samples": 60}
    plain, failing = simulate(parse(FREE), **more), simulate(parse(FREE), **more, failures=0.1)
    assert failing.boards.named < plain.boards.named
    assert "Each team fails in 10 % of cases." in sentences(failing)
    assert any(sentence.startswith("No failures are simulated") for sentence in sentences(plain))
    json.dumps(failing.document, allow_nan=False)


def test_a_pilot_gives_a_range_and_a_small_one_is_said_to_be_too_small():
    values = np.random.default_rng(2).normal(0, 1, (300, 1)) + np.random.default_rng(3).normal(0, 0.5, (300, 12))
    values += np.linspace(-2, 2, 12)
    large = simulate(parse(FREE), cases=40, teams=4, pilot=pilot_of(values), samples=size(6, 20))
    low, high = large.needed.pilot
    assert low <= large.needed.median <= high < 1000
    small = simulate(parse(FREE), cases=40, teams=4, pilot=pilot_of(values[:4, 5:7]), samples=size(6, 20))
    assert small.needed.pilot[1] is None
    assert any(sentence.endswith("this pilot is too small to plan with.") for sentence in sentences(small))
    assert any(sentence.startswith("Resampled pilots give") for sentence in sentences(large))
    too_few = "The skewness of the pilot is not estimated: this needs 3 algorithms."
    assert (too_few in sentences(small), too_few in sentences(large)) == (True, False)


def test_symmetric_deviations_are_called_too_favourable():
    few = {"cases": 10, "teams": 3, "spread": Spread(0, 1, 1, 0.2), "samples": 5}
    symmetric, skewed = (" ".join(sentences(simulate(parse(FREE), **few, skewness=one))) for one in (None, -2.0))
    assert ("No skewness is simulated." in symmetric, "No skewness is simulated." in skewed) == (True, False)
    assert "have a skewness of -2" in skewed


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({**DSC, "ranking": {"scheme": "aggregate_then_rank", "operator": "median"}}, "Skewness is not simulated"),
        (
            {**DSC, "metrics": [{"id": "dsc", "policy": {"missing": "exclude", "allow_gaming": True}}]},
            "Failures are not",
        ),
    ],
)
def test_what_cannot_be_simulated_is_noted(document, words):
    contest = make_contest(parse(document), failures=0.02, skewness=-1.0)
    assert any(note.startswith(words) for note in contest.notes)
    assert contest.failures == 0.0 or contest.models[0].skewness == 0.0


@pytest.mark.parametrize(("changed", "words"), [({"failures": 0.7}, "failures: 0.7"), ({"skewness": 9}, "skewness: 9")])
def test_numbers_out_of_range_are_named(changed, words):
    with pytest.raises(SimulationError, match=words):
        make_contest(parse(DSC), **changed)


def test_intervals_of_shares_are_those_of_clopper_and_pearson():
    for hits, number in ((0, 40), (3, 40), (40, 40)):
        exact = stats.binomtest(hits, number).proportion_ci(0.95, "exact")
        assert share_interval(hits / number, number) == pytest.approx((exact.low, exact.high))
