"""Laplace's approximation compared with a separate plain minimization, and its parameter search step by step."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from scipy.optimize import minimize
from scipy.special import comb, expit, logit

from evaluation.ranking import laplace
from evaluation.ranking.laplace import _hessian, _Model, fit_logistic

HITS = np.array([3.0, 8.0, 5.0, 9.0, 1.0, 6.0, 4.0, 7.0])
TRIALS = np.array([10.0, 10.0, 9.0, 10.0, 8.0, 7.0, 10.0, 9.0])
INTERCEPT = np.ones((8, 1))
SMOKE = np.column_stack([np.ones(8), [0, 1, 0, 1, 0, 1, 0, 1]])
PATIENTS = list("aabbccdd")
SITES = list("xyxyxxyy")


def plain_deviance(deviations, estimates, design, groups, hits=HITS, trials=TRIALS):
    """Minus twice the log-likelihood by Laplace: the likeliest effects are found by a minimiser that knows no derivatives of ours."""
    columns, spread = [], []
    for names, deviation in zip(groups, deviations, strict=True):
        for group in sorted(set(names)):
            columns.append([float(name == group) for name in names])
            spread.append(deviation)
    scaled = np.array(columns).T * np.array(spread)

    def penalised(effects):
        linear = design @ estimates + scaled @ effects
        return -2 * np.sum(hits * linear - trials * np.logaddexp(0, linear)) + effects @ effects

    def slope(effects):
        return -2 * scaled.T @ (hits - trials * expit(design @ estimates + scaled @ effects)) + 2 * effects

    best = minimize(penalised, np.zeros(scaled.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-9})
    chance = expit(design @ estimates + scaled @ best.x)
    information = scaled.T @ np.diag(trials * chance * (1 - chance)) @ scaled + np.eye(scaled.shape[1])
    combinations = np.log(comb(trials, hits)).sum()
    return best.fun + np.linalg.slogdet(information)[1] - 2 * combinations


@pytest.mark.parametrize(
    ("deviations", "estimates", "design", "groups"),
    [
        ([0.5], [0.3], INTERCEPT, {"patient": PATIENTS}),
        ([1.5], [-0.4, 1.0], SMOKE, {"patient": PATIENTS}),
        ([0.7, 1.2], [0.3, -0.8], SMOKE, {"patient": PATIENTS, "site": SITES}),
        ([0.0, 2.0], [0.3], INTERCEPT, {"patient": PATIENTS, "site": SITES}),
    ],
)
def test_the_deviance_is_that_of_a_plain_minimisation(deviations, estimates, design, groups):
    model = _Model(HITS, TRIALS, design, groups)
    expected = plain_deviance(deviations, np.array(estimates), design, groups.values())
    assert model.deviance(np.array([*deviations, *estimates])) == pytest.approx(expected, abs=1e-8)
    mirrored = np.array([-deviation for deviation in deviations])
    assert model.deviance(np.array([*mirrored, *estimates])) == pytest.approx(expected, abs=1e-8)


def test_without_spread_the_deviance_is_that_of_independent_trials():
    model = _Model(HITS, TRIALS, INTERCEPT, {"patient": PATIENTS})
    chance = expit(0.3)
    likelihood = np.log(comb(TRIALS, HITS)) + HITS * np.log(chance) + (TRIALS - HITS) * np.log(1 - chance)
    assert model.deviance(np.array([0.0, 0.3])) == pytest.approx(-2 * likelihood.sum(), abs=1e-9)


@pytest.mark.parametrize("start", [8.0, -9.0])
def test_effects_are_found_where_whole_steps_lead_too_far(start):
    # Nearly nothing is a hit where nearly all should be (or the reverse): the curvature there says nothing about the way.
    model = _Model(HITS, TRIALS, INTERCEPT, {"patient": PATIENTS})
    expected = plain_deviance([6.0], np.array([start]), INTERCEPT, [PATIENTS])
    assert model.deviance(np.array([6.0, start])) == pytest.approx(expected, abs=1e-7)


class Counted(_Model):
    calls = 0

    def _penalised(self, predictor, effects):
        self.calls += 1
        return super()._penalised(predictor, effects)


def test_the_steps_towards_the_likeliest_effects_are_newtons():
    model = Counted(HITS, TRIALS, SMOKE, {"patient": PATIENTS, "site": SITES})
    parameters = np.array([0.7, 1.2, 0.3, -0.8])
    first = model.deviance(parameters)
    # Errors are squared step by step, so that six steps leave nothing; one look before and one after them.
    assert model.calls <= 8
    model.calls = 0
    assert model.deviance(parameters) == pytest.approx(first, abs=1e-9)
    assert model.calls <= 3  # the effects that were found are where the next search begins


def test_a_search_that_begins_on_the_wrong_side_finds_the_other():
    model = _Model(HITS, TRIALS, INTERCEPT, {"all": ["x"] * 8})
    model.deviance(np.array([2.0, -1.0]))
    # Where the effect that was found is as much too high as it was needed before, the opposite one is looked for.
    start = -1.0 + 4.0 * model.effects[0]
    expected = plain_deviance([2.0], np.array([start]), INTERCEPT, [["x"] * 8])
    assert model.deviance(np.array([2.0, start])) == pytest.approx(expected, abs=1e-8)


def test_the_plain_fit_of_two_groups_is_the_log_odds_of_their_shares_within_seven_steps(monkeypatch):
    steps = []
    monkeypatch.setattr(laplace, "expit", lambda linear: steps.append(1) or expit(linear))
    result = _Model(HITS, TRIALS, SMOKE, {"patient": PATIENTS}).plain_fit()
    without, with_smoke = (logit(HITS[start::2].sum() / TRIALS[start::2].sum()) for start in (0, 1))
    assert result == pytest.approx([without, with_smoke - without], abs=1e-13)
    assert len(steps) <= 7


def test_curvature_is_told_by_differences_on_either_side():
    quadratic = np.array([[2.0, -1.0, 0.5], [-1.0, 3.0, 0.25], [0.5, 0.25, 4.0]])
    result = _hessian(lambda point: point @ quadratic @ point + 7 * point[0] - 3, np.array([0.3, -0.2, 1.0]))
    assert result == pytest.approx(2 * quadratic, abs=1e-7)


def searched(monkeypatch, *found, design=SMOKE, groups=None):
    """Return a fit whose searches end one after the other at scripted points, and the start of each search."""
    results, asked = iter(found), []

    def scripted(function, start, **settings):
        asked.append({"start": np.array(start), **settings})
        fun, *parameters = next(results)
        return SimpleNamespace(fun=fun, x=np.array(parameters), success=fun < 100, message=f"at {fun}")

    monkeypatch.setattr(scipy.optimize, "minimize", scripted)
    return fit_logistic(HITS, TRIALS, design, {"patient": PATIENTS} if groups is None else groups), asked


def test_the_search_begins_at_the_plain_fit_and_keeps_deviations_above_nothing(monkeypatch):
    groups = {"patient": PATIENTS, "site": SITES}
    _, asked = searched(monkeypatch, (9.0, 1.0, 1.0, 0.0, 0.0), (9.0, 1.0, 1.0, 0.5, 0.5), groups=groups)
    plain = _Model(HITS, TRIALS, SMOKE, groups).plain_fit()
    assert asked[0]["start"] == pytest.approx([0.5, 0.5, *plain])
    assert asked[1]["start"].tolist() == [1.0, 1.0, 0.0, 0.0]
    for one in asked:
        assert one["bounds"] == [(0.0, None), (0.0, None), (None, None), (None, None)]
        assert one["options"] == {"maxiter": 500, "ftol": 1e-13, "gtol": 1e-5}


def test_the_search_is_begun_again_until_nothing_is_gained_and_the_best_is_kept(monkeypatch):
    fit, asked = searched(
        monkeypatch, (10.0, 1.0, 0.1, 0.1), (9.5, 2.0, 0.2, 0.2), (9.4, 3.0, 0.3, 0.4), (9.7, 4.0, 0, 0)
    )
    assert [one["start"].tolist() for one in asked[1:]] == [[1.0, 0.1, 0.1], [2.0, 0.2, 0.2], [3.0, 0.3, 0.4]]
    assert fit.estimates.tolist() == [0.3, 0.4]
    assert fit.deviations == {"patient": 3.0}
    assert fit.log_likelihood == -4.7
    assert (fit.converged, fit.message) == (True, "at 9.4")


def test_a_gain_of_less_than_a_ten_millionth_ends_the_search(monkeypatch):
    fit, asked = searched(monkeypatch, (10.0, 1.0, 0.1, 0.1), (10 - 2e-7, 2.0, 0, 0), (10 - 2.5e-7, 3.0, 0, 0))
    assert (len(asked), fit.deviations) == (3, {"patient": 3.0})


def test_a_gain_of_just_a_ten_millionth_is_one_and_of_equals_the_first_is_kept(monkeypatch):
    fit, asked = searched(monkeypatch, (1e-7, 1.0, 0.1, 0.1), (0.0, 2.0, 0.2, 0.2), (0.0, 3.0, 0.3, 0.3))
    assert (len(asked), fit.deviations) == (3, {"patient": 2.0})


def test_the_search_is_begun_again_ten_times_at_most(monkeypatch):
    fit, asked = searched(monkeypatch, *((200.0 - round_, 1.0, 0.1, 0.1) for round_ in range(20)))
    assert len(asked) == 11
    assert (fit.converged, fit.message, fit.log_likelihood) == (False, "at 190.0", -95.0)


def test_a_deviation_at_nothing_leaves_the_covariance_of_a_plain_regression(monkeypatch):
    model = _Model(HITS, TRIALS, SMOKE, {"patient": PATIENTS})
    best = (9.0, 0.0, *model.plain_fit())
    fit, _ = searched(monkeypatch, best, best)
    chance = expit(SMOKE @ np.array(best[2:]))
    information = SMOKE.T @ np.diag(TRIALS * chance * (1 - chance)) @ SMOKE
    assert fit.covariance == pytest.approx(np.linalg.inv(information), rel=1e-4)


@pytest.mark.parametrize(("deviation", "counts"), [(0.0035, False), (0.004, False), (0.0045, True)])
def test_a_deviation_counts_as_nothing_where_steps_of_two_thousandths_reach_below_it(monkeypatch, deviation, counts):
    best = (9.0, deviation, -0.4, 1.0)
    fit, _ = searched(monkeypatch, best, best)
    curvature = _hessian(_Model(HITS, TRIALS, SMOKE, {"patient": PATIENTS}).deviance, np.array(best[1:]))
    together, alone = 2 * np.linalg.inv(curvature)[1:, 1:], 2 * np.linalg.inv(curvature[1:, 1:])
    assert np.abs(together / alone - 1).max() > 1e-6
    assert fit.covariance == pytest.approx(together if counts else alone, rel=1e-7)


# Patients a and d are hit far more often than b and c, with and without smoke.
APART = np.array([3.0, 8.0, 1.0, 9.0, 1.0, 3.0, 7.0, 9.0])


@pytest.fixture(scope="module")
def best():
    return fit_logistic(APART, TRIALS, SMOKE, {"patient": PATIENTS})


def deviance_of(parameters):
    return plain_deviance(parameters[:1], parameters[1:], SMOKE, [PATIENTS], APART)


def test_a_fit_ends_where_no_neighbour_is_likelier(best):
    assert best.converged
    point = np.array([best.deviations["patient"], *best.estimates])
    reached = deviance_of(point)
    assert best.log_likelihood == pytest.approx(-reached / 2, abs=1e-8)
    for direction in np.vstack([np.eye(3), -np.eye(3)]):
        assert deviance_of(point + 1e-3 * direction) > reached


def test_the_covariance_is_what_the_curvature_of_the_deviance_says_of_deviations_and_effects_together(best):
    step, point = 2e-3, np.array([best.deviations["patient"], *best.estimates])
    unit = np.eye(3) * step
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    curvature = [
        [
            sum(one * other * deviance_of(point + one * unit[row] + other * unit[column]) for one, other in signs)
            / (4 * step**2)
            for column in range(3)
        ]
        for row in range(3)
    ]
    assert best.covariance == pytest.approx(2 * np.linalg.inv(curvature)[1:, 1:], rel=1e-4)
