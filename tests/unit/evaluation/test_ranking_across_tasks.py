"""Similarity, agreement and groups of the rankings of tasks, with each number verified by hand."""

import numpy as np
import pytest

from evaluation.ranking.compare import (
    _whole_numbers,
    footrule,
    kendall_tau_b,
    symmetric_difference,
    weighted_footrule,
)
from evaluation.ranking.consensus import cluster, consensus, task_distances, task_tau, winners_by_task


def test_distances_of_rankings_by_hand():
    first, second = [1, 2, 3, 4], [2, 4, 1, 3]
    assert footrule(first, second) == 1 + 2 + 2 + 1
    # Each difference by the better rank: 1/1, 2/2, 2/1 and 1/3.
    assert weighted_footrule(first, second) == pytest.approx(1 + 1 + 2 + 1 / 3)
    # Pairs: ab same, ac turned, ad same, bc turned, bd turned, cd same.
    assert symmetric_difference(first, second) == 6.0
    assert symmetric_difference([1, 1, 3], [1, 2, 3]) == 1.0
    assert symmetric_difference([1, 1, 1], [2, 2, 2]) == 0.0


def test_tau_counts_ties_of_either_ranking_by_hand():
    # Pairs: ab tied in the reference; of the others ac and bc agree.
    assert kendall_tau_b([1, 1, 3], [[1, 2, 3]])[0] == pytest.approx(2 / np.sqrt(2 * 3))
    assert kendall_tau_b([1, 2, 3], [[1, 1, 3]])[0] == pytest.approx(2 / np.sqrt(3 * 2))
    assert kendall_tau_b([1, 2, 2], [[1, 2, 2]])[0] == pytest.approx(1.0)
    # One of three turns: (2 - 1) / 3.
    assert kendall_tau_b([1, 2, 3], [1, 3, 2]) == pytest.approx([1 / 3])
    assert np.isnan(kendall_tau_b([1, 1, 1], [[1, 2, 3]])).all()


def test_a_ranking_with_a_gap_has_no_tau_and_the_others_keep_theirs():
    correlation = kendall_tau_b([1, 2, 3], [[1, np.nan, 3], [3, 2, 1]])
    assert (np.isnan(correlation[0]), correlation[1]) == (True, -1.0)
    assert np.isnan(kendall_tau_b([1, np.nan, 3], [[1, 2, 3]])).all()
    assert np.isnan(kendall_tau_b([1, 2, 3], [[np.nan] * 3])).all()


def test_ranks_that_are_no_halves_are_numbered_and_so_are_very_large_ones():
    assert _whole_numbers(np.array([[1.0, 2.5]])).tolist() == [[2, 5]]
    assert _whole_numbers(np.array([[1.0, 1.25, 7.0]])).tolist() == [[0, 1, 2]]
    assert _whole_numbers(np.array([[16383.0, 1.0]])).dtype == np.int16
    # Twice 16383.5 is the largest number of 16 bits.
    assert _whole_numbers(np.array([[16383.5, 1.0]])).tolist() == [[1, 0]]
    assert _whole_numbers(np.array([[-20000.0, 1.0]])).tolist() == [[0, 1]]
    assert kendall_tau_b([1, 2, 3], [[1.1, 1.2, 1.3], [1.3, 1.2, 40000]]) == pytest.approx([1.0, 1 / 3])


def test_a_consensus_is_of_fractional_ranks_whatever_the_rule_for_ties():
    """Two that share first place have 1.5, whether they were written as 1 and 1 or as 2 and 2."""
    for shared in ([1.0, 1.0, 3.0], [2.0, 2.0, 3.0]):
        means, ranks = consensus(np.array([shared, [2.0, 1.0, 3.0]]))
        assert means.tolist() == [1.75, 1.25, 3.0]
        assert ranks.tolist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize(("ties", "expected"), [("min", [1.0, 1.0, 3.0]), ("average", [1.5, 1.5, 3.0])])
def test_ties_of_the_consensus_follow_their_own_rule(ties, expected):
    _, ranks = consensus(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]), ties=ties)
    assert ranks.tolist() == expected
    default = consensus(np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]]))[1]
    assert default.tolist() == [1.0, 1.0, 3.0]


def test_a_consensus_is_found_in_every_sample():
    tasks = np.array([[[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]])
    means, ranks = consensus(tasks)
    assert means.tolist() == [[1.0, 2.0], [1.5, 1.5]]
    assert ranks.tolist() == [[1.0, 2.0], [1.0, 1.0]]


TASKS = np.array([[1.0, 2, 3, 4], [1.0, 2, 4, 3], [4.0, 3, 2, 1]])


@pytest.mark.parametrize(
    ("distance", "near", "far"),
    [("footrule", 2.0, 8.0), ("symmetric_difference", 2.0, 12.0), ("weighted_footrule", 2 / 3, 7.0)],
)
def test_distances_between_tasks_by_name(distance, near, far):
    result = task_distances(TASKS, distance)
    assert (result[0, 1], result[0, 2]) == pytest.approx((near, far))
    assert (np.diag(result) == 0).all()
    assert (result == result.T).all()


def test_the_distance_is_the_footrule_unless_another_is_asked_for():
    assert task_distances(TASKS).tolist() == task_distances(TASKS, "footrule").tolist()
    assert task_tau(TASKS)[0] == pytest.approx([1.0, 4 / 6, -1.0])


def test_tasks_are_merged_nearest_first_and_earlier_merges_are_numbered_from_0():
    distances = np.array([[0.0, 1.0, 6.0, 8.0], [1.0, 0.0, 7.0, 9.0], [6.0, 7.0, 0.0, 2.0], [8.0, 9.0, 2.0, 0.0]])
    names = ["p", "q", "r", "s"]
    complete = cluster(distances, names, "complete")
    assert complete["merges"] == [
        {"of": ["p", "q"], "height": 1.0},
        {"of": ["r", "s"], "height": 2.0},
        {"of": [0, 1], "height": 9.0},
    ]
    assert complete["method"] == "complete"
    assert sorted(complete["order"]) == names
    average = cluster(distances, names, "average")
    assert average["merges"][2]["height"] == (6.0 + 7.0 + 8.0 + 9.0) / 4
    # The last bracket goes from the middle of one pair to that of the other, at the height of the merge.
    assert max(max(line["y"]) for line in complete["lines"]) == 9.0
    assert [len(line["x"]) for line in complete["lines"]] == [4, 4, 4]


def test_two_tasks_are_not_clustered_and_three_are():
    two = np.array([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="more than two tasks, there are 2"):
        cluster(two, ["p", "q"], "average")
    three = cluster(np.array([[0.0, 1, 5], [1, 0, 5], [5, 5, 0]]), ["p", "q", "r"], "average")
    assert three["merges"] == [{"of": ["p", "q"], "height": 1.0}, {"of": ["r", 0], "height": 5.0}]


def test_all_who_share_first_place_win_a_task():
    result = winners_by_task({"x": np.array([1.0, 1.0, 3.0]), "y": np.array([2.0, 3.0, 1.0])}, ["a", "b", "c"])
    assert result == {"x": ["a", "b"], "y": ["c"]}
