"""Steps of rank sets that are small enough to be counted by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.ranking.uncertainty.budgets import allowed_rows
from evaluation.ranking.uncertainty.draws import Draws


def test_a_share_of_rows_is_rounded_down_but_not_by_the_error_of_a_product():
    # 0.29 × 100 is 28.999999999999996 in binary numbers.
    assert (allowed_rows(0.29, 100), allowed_rows(0.295, 100), allowed_rows(0.05, 99)) == (29, 29, 4)


def drawn(scores, deviations):
    return SimpleNamespace(
        ranking=SimpleNamespace(elementary=[SimpleNamespace(higher_is_better=True)]),
        full=[np.array(scores)],
        deviations=[np.array(deviations)],
    )


def test_an_interval_goes_from_the_lowest_to_the_highest_deviation_of_the_difference():
    estimate, interval = Draws.interval(drawn([0.9, 0.6], [[0.1, 0.0], [-0.2, 0.0]]), 0, 1, 1.0)
    assert (estimate, *interval) == pytest.approx((0.3, 0.1, 0.4))


@pytest.mark.parametrize(
    ("scores", "deviations"), [([np.nan, 0.6], [[0.1, 0.0]]), ([0.9, 0.6], [[0.1, 0.0], [np.nan, 0.0]])]
)
def test_without_a_score_or_with_a_draw_without_one_there_is_no_interval(scores, deviations):
    assert Draws.interval(drawn(scores, deviations), 0, 1, 1.0)[1] is None
