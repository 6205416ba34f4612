"""Results of a simulated challenge under each form of ranking, on a board that can be counted by hand."""

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.ranking.schemes import get_scheme
from evaluation.ranking.schemes.challenges import Challenges

# One challenge, three cases, three teams: the first is lowest on all cases, the third highest on two.
VALUES = np.array([[[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]], dtype=np.float32)


def ranked(values, *, higher, quality=None):
    registered = parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher"}],
            "ranking": {"scheme": "rank_then_aggregate", "operator": "mean"},
        }
    ).rankings[0]
    challenges = Challenges(values=values, last=None, higher_is_better=higher, quality=quality)
    return get_scheme("rank_then_aggregate").simulated_scores(challenges, registered)


def test_the_mean_rank_goes_by_the_direction_of_the_metric():
    lowest_first, higher_is_better = ranked(VALUES, higher=False)
    assert lowest_first.tolist() == [[1.0, pytest.approx(7 / 3), pytest.approx(8 / 3)]]
    assert not higher_is_better, "a low mean rank is good whatever the values"
    highest_first, _ = ranked(VALUES, higher=True)
    assert highest_first.tolist() == [[3.0, pytest.approx(5 / 3), pytest.approx(4 / 3)]]


def test_a_value_that_is_missing_is_left_out_for_its_team():
    gappy = VALUES.copy()
    gappy[0, 0, 1] = np.nan
    scores, _ = ranked(gappy, higher=False)
    assert scores[0, 1] == pytest.approx((3 + 2) / 2)


def test_quality_decides_where_it_is_known():
    scores, _ = ranked(VALUES, higher=False, quality=-VALUES)
    assert scores.tolist() == ranked(VALUES, higher=False)[0].tolist()
