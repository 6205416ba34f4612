"""Score feedback to a team: rounded to the noise of its scores, or shown only if they exceed the noise."""

import math
import statistics

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation.feedback import FeedbackDecision, Score, rounded, standard_error, tell


def score(values, *, higher=True, quantile=None):
    units = pd.Series(values, index=[f"case_{n}" for n in range(len(values))], dtype=float)
    return Score("dsc", "all", higher, float(units.mean()), units, quantile)


def climb(series, feedback="ladder", **more):
    """Return the feedback on a series of submissions, each compared with the best earlier one.

    This is the procedure of the service.
    """
    feedback_so_far, best = [], None
    for number, values in enumerate(series, start=1):
        now = score(values, **more)
        feedback_so_far.append(
            tell(
                now,
                number=number,
                feedback=feedback,
                best=best,
                before=feedback_so_far[-1] if feedback_so_far else None,
            )
        )
        best = now if feedback_so_far[-1].improved else best
    return feedback_so_far


def test_the_standard_error_of_a_mean_and_of_a_paired_difference():
    first, second = pd.Series([0.1, 0.4, 0.7, 0.8]), pd.Series([0.2, 0.4, 0.9, 0.8])
    assert standard_error(first) == pytest.approx(np.std(first, ddof=1) / math.sqrt(4))
    assert standard_error(second, None, first) == pytest.approx(np.std(second - first, ddof=1) / math.sqrt(4))
    assert standard_error(pd.Series([0.5])) is None
    assert standard_error(first, None, pd.Series([1.0], index=["elsewhere"])) is None


def test_the_standard_error_of_a_median_comes_from_resampling():
    values = pd.Series(np.random.default_rng(1).normal(size=400))
    # The asymptotic one of a normal median: 1.2533 times that of the mean.
    assert standard_error(values, 0.5) == pytest.approx(1.2533 / 20, rel=0.35)
    assert standard_error(values, 0.5, values) == 0


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [(0.87654, 0.012, 0.88), (0.87654, 0.00034, 0.8765), (12.3456, 2.5, 12.0), (0.5, 0, 0.5)],
)
def test_digits_below_the_noise_are_not_told(value, error, shown):
    assert rounded(value, error) == shown


def test_a_ladder_tells_a_score_only_when_it_beats_the_best_by_more_than_its_noise():
    base = [0.50, 0.60, 0.70, 0.80]
    noise = [0.54, 0.57, 0.74, 0.77]  # better by 0.005 on average, with a standard error of 0.02
    real = [0.60, 0.69, 0.81, 0.90]
    answers = climb([base, noise, base, real])
    assert [entry.improved for entry in answers] == [True, False, False, True]
    assert [entry.leader for entry in answers] == [1, 1, 1, 4]
    assert answers[0].shown == answers[1].shown == answers[2].shown == 0.65
    assert answers[3].shown == 0.75
    assert answers[1].step == pytest.approx(np.std([0.04, -0.03, 0.04, -0.03], ddof=1) / 2)
    assert 0 < answers[1].gain < answers[1].step


def test_a_ladder_knows_the_direction_of_a_metric():
    answers = climb([[3.0, 4.0, 5.0], [4.0, 5.0, 6.0], [1.0, 2.0, 3.1]], higher=False)
    assert [entry.improved for entry in answers] == [True, False, True]


def test_many_random_tries_do_not_climb_a_ladder():
    """The attack of Blum and Hardt: among predictions without any skill the best of many looks better and better."""
    draw = np.random.default_rng(5)
    answers = climb([draw.integers(0, 2, 400).astype(float) for _ in range(100)])
    best = max(entry.value for entry in answers)
    assert best > 0.55
    assert sum(entry.improved for entry in answers) < 6
    assert answers[-1].shown < best


def test_nothing_is_told_without_a_standard_error():
    one = Score("auroc", None, True, 0.91, pd.Series(dtype=float), None)
    for feedback, visible_score in (("exact", 0.91), ("rounded", None), ("ladder", None)):
        assert tell(one, number=1, feedback=feedback).shown == visible_score


def test_two_units_are_enough_for_a_standard_error_and_one_is_not():
    # The deviation of 1 and 3 is the root of 2, and so is that of their number.
    assert standard_error(pd.Series([1.0, 3.0])) == pytest.approx(1.0)
    assert standard_error(pd.Series([1.0]), 0.5) is None
    assert standard_error(pd.Series([1.0, 3.0]), 0.5) > 0


def test_only_units_of_both_scores_are_compared_and_by_their_name():
    own = pd.Series({"one": 3.0, "two": 5.0, "three": np.nan, "four": 9.0})
    other = pd.Series({"two": 1.0, "one": 1.0, "three": 1.0, "five": 1.0})
    # Differences 2 (one) and 4 (two).
    assert standard_error(own, None, other) == pytest.approx(1.0)


def bootstrap_of(quantile, *scores):
    """Compute the standard error from its definition, with 200 resamples of units that are always the same."""
    count = len(scores[0])
    draws = np.random.default_rng(0).integers(0, count, (200, count)).tolist()

    def order_statistic(values):
        position = quantile * (count - 1)
        low, share = int(position), position - int(position)
        ascending = [*sorted(values), math.inf]
        return ascending[low] + (share * (ascending[low + 1] - ascending[low]) if share else 0.0)

    of_samples = []
    for draw in draws:
        own, *other = [order_statistic([values[unit] for unit in draw]) for values in scores]
        of_samples.append(own - sum(other))
    return statistics.stdev(of_samples)


@pytest.mark.parametrize("quantile", [0.0, 0.25, 0.5, 1.0])
def test_the_standard_error_of_a_quantile_is_that_of_200_samples_which_are_the_same_every_time(quantile):
    own, other = [0.9, 0.1, 0.4, 0.35, 0.7], [0.5, 0.2, 0.45, 0.1, 0.95]
    assert standard_error(pd.Series(own), quantile) == pytest.approx(bootstrap_of(quantile, own), rel=1e-9)
    paired = standard_error(pd.Series(own), quantile, pd.Series(other))
    assert paired == pytest.approx(bootstrap_of(quantile, own, other), rel=1e-9)


def test_exactly_the_noise_is_no_gain():
    # Better by 0 and 2: by 1 on average, and that with a standard error of 1.
    assert [entry.improved for entry in climb([[0.0, 0.0], [0.0, 2.0]])] == [True, False]
    assert [entry.improved for entry in climb([[0.0, 0.0], [0.001, 2.0]])] == [True, True]


def test_the_gain_is_the_difference_in_the_direction_of_the_metric():
    assert climb([[3.0, 4.0], [4.0, 6.5]])[1].gain == pytest.approx(1.75)
    assert climb([[3.0, 4.0], [4.0, 6.5]], higher=False)[1].gain == pytest.approx(-1.75)
    assert climb([[4.0, 6.5], [3.0, 4.0]], higher=False)[1].gain == pytest.approx(1.75)


def test_without_an_earlier_score_there_is_neither_step_nor_gain():
    first = climb([[0.5, 0.7]])[0]
    assert (first.step, first.gain, first.leader) == (None, None, 1)
    assert first.standard_error == pytest.approx(0.1)


def test_a_first_score_that_is_undefined_leads_nothing_and_the_next_defined_one_does():
    defined = score([0.5, 0.7])
    undefined = Score("dsc", "all", True, None, defined.units, None)
    first = tell(undefined, number=1, feedback="ladder")
    assert (first.value, first.improved, first.shown, first.leader) == (None, False, None, None)
    # The same whether the caller hands on the undefined score as the best so far or none.
    for best in (None, undefined):
        second = tell(defined, number=2, feedback="ladder", best=best, before=first)
        assert (second.improved, second.shown, second.leader) == (True, 0.6, 2)
        assert (second.step, second.gain) == (None, None)


def test_a_score_that_is_undefined_after_a_defined_one_changes_nothing():
    best = score([0.5, 0.7])
    before = tell(best, number=1, feedback="ladder")
    undefined = Score("dsc", "all", True, None, best.units, None)
    now = tell(undefined, number=2, feedback="ladder", best=best, before=before)
    assert (now.improved, now.step, now.gain, now.shown, now.leader) == (False, None, None, 0.6, 1)
    assert tell(undefined, number=2, feedback="exact", best=best, before=before).shown is None
    assert tell(undefined, number=2, feedback="rounded", best=best, before=before).shown is None


def test_where_no_step_can_be_told_no_later_score_is_better():
    """One value of the whole data set has no noise that anybody knows."""
    one, better = (Score("auroc", None, True, value, pd.Series(dtype=float), None) for value in (0.7, 0.9))
    before = tell(one, number=1, feedback="ladder")
    now = tell(better, number=2, feedback="ladder", best=one, before=before)
    assert (now.step, now.gain, now.improved, now.leader) == (None, pytest.approx(0.2), False, 1)


def test_each_way_of_telling_tells_its_own():
    """An average gain of 0.004 is noise: 0.604 if exact, 0.6 if rounded, and the earlier 0.62 on the ladder."""
    best, now = score([0.5, 0.7]), score([0.4, 0.808])
    before = FeedbackDecision("dsc", "all", 0.62, 0.1, None, None, True, 0.62, 7)
    exact, plain, ladder = (
        tell(now, number=9, feedback=kind, best=best, before=before) for kind in ("exact", "rounded", "ladder")
    )
    assert (exact.shown, plain.shown, ladder.shown) == (pytest.approx(0.604), 0.6, 0.62)
    assert exact.leader == plain.leader == ladder.leader == 7


def test_a_decision_as_json_names_every_part():
    document = tell(score([0.0, 2.0]), number=3, feedback="exact").document()
    assert document == {
        "metric": "dsc",
        "region": "all",
        "value": 1.0,
        "standard_error": pytest.approx(1.0),
        "step": None,
        "gain": None,
        "improved": True,
        "shown": 1.0,
        "leader": 3,
    }


@pytest.mark.parametrize(
    ("value", "error", "shown"),
    [(0.9449, 0.1, 0.9), (0.9449, 0.0999, 0.94), (14.9, 1.0, 15.0), (14.94, 0.999, 14.9), (149.0, 10.0, 150.0)],
)
def test_a_power_of_ten_is_the_first_digit_of_its_own_place(value, error, shown):
    assert rounded(value, error) == shown
