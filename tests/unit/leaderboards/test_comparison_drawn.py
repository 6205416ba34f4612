"""Two teams on the page of a submission: one scale per metric, with the resampling ranges."""

import re

import pytest

from leaderboards.contributions.places import compare
from submissions.templatetags.gaps import gap_pair

OWN, OTHER = 0, 1


def order(metric, region, scores, half=0.05, *, higher=True):
    return {
        "metric": metric,
        "title": metric,
        "region": region,
        "ranking": None,
        "unit": None,
        "decimals": 3,
        "higher": higher,
        "score": scores,
        "score_low": [None if value is None or half is None else value - half for value in scores],
        "score_high": [None if value is None or half is None else value + half for value in scores],
    }


def drawn(*orders):
    """Positions in percent of all marks, row by row."""
    rows = []
    for gap in compare({"orders": orders}, OWN, OTHER):
        svg = str(gap_pair(gap))
        row = {name: float(at) for name, at in re.findall(r'class="gap__(own|other)" cx="([\d.]+)%"', svg)}
        row |= {
            f"{name} range": (float(low), float(high))
            for name, low, high in re.findall(r'gap__range--(\w+)" x1="([\d.]+)%" x2="([\d.]+)%"', svg)
        }
        rows.append(row)
    return rows


def distance(row):
    return abs(row["own"] - row["other"])


def test_a_small_difference_of_a_metric_is_drawn_smaller_than_a_large_one_in_another_region():
    small, large = drawn(
        order("dice", "a", [0.901, 0.900, 0.902, 0.899]),
        order("dice", "b", [0.900, 0.400, 0.650, 0.660]),
    )
    assert distance(small) < 0.3
    assert distance(large) > 50


def test_the_ratio_of_two_drawn_differences_is_that_of_their_values():
    first, second = drawn(order("dice", "a", [0.7, 0.5]), order("dice", "b", [0.8, 0.4]))
    assert distance(second) == pytest.approx(2 * distance(first), abs=0.3)


def test_a_difference_within_the_resampling_ranges_is_drawn_within_them():
    (row,) = drawn(order("dice", "a", [0.801, 0.800, 0.8, 0.8], half=0.1))
    low, high = row["own range"]
    assert high - low > 100 * distance(row) > 0
    assert low < row["other"] < high


def test_better_is_to_the_right_whatever_the_direction():
    for higher, scores in ((True, [0.9, 0.5]), (False, [1.0, 9.0])):
        (row,) = drawn(order("metric", "a", scores, higher=higher))
        assert row["own"] > row["other"]
        low, high = row["own range"]
        assert low < row["own"] < high


def test_a_team_that_failed_does_not_hide_the_differences_of_all_others():
    others = [0.86, 0.84, 0.85, 0.83]
    (row,) = drawn(order("dice", "a", [0.88, 0.82, *others, 0.0]))
    (same,) = drawn(order("dice", "a", [0.88, 0.82, *others]))
    assert distance(row) == pytest.approx(distance(same), abs=2)


def test_another_metric_has_another_scale():
    rows = drawn(order("dice", "a", [0.9, 0.5]), order("hd95", "a", [5.0, 90.0], half=1.0, higher=False))
    assert all(distance(row) > 60 for row in rows)


@pytest.mark.parametrize("scores", [[0.5, None], [None, 0.5], [None, None], [0.5, 0.5]])
def test_what_has_no_value_is_not_drawn_and_nothing_leaves_the_line(scores):
    (row,) = drawn(order("dice", "a", scores))
    assert ("own" in row, "other" in row) == tuple(value is not None for value in scores)
    assert all(0 <= at <= 100 for name, at in row.items() if "range" not in name)


def test_values_without_ranges_are_drawn_without_them():
    (row,) = drawn(order("dice", "a", [0.5, 0.6], half=None))
    assert set(row) == {"own", "other"}
