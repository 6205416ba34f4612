"""What a team is told of its scores: rounded to their noise, or only when they beat it."""

import math

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation.feedback import Score, rounded, standard_error, tell


def score(values, *, higher=True, quantile=None):
    units = pd.Series(values, index=[f"case_{n}" for n in range(len(values))], dtype=float)
    return Score("dsc", "all", higher, float(units.mean()), units, quantile)


def climb(series, feedback="ladder", **more):
    """Told values of a series of submissions, each against the best one before it, as the service does it."""
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
