"""Matching by distance: every pair within reach once, and of all ways to match most objects the shortest."""

import itertools

import numpy as np
import pytest

from evaluation.matching import Objects, Rule, match_objects
from evaluation.matching.assignment import pairs_of


@pytest.mark.parametrize(("ours", "theirs"), [(1, 3), (255, 2), (256, 2), (257, 2), (513, 1)])
def test_every_pair_within_reach_is_found_once(ours, theirs):
    random = np.random.default_rng(ours)
    one, other = random.random((ours, 2)) * 10, random.random((theirs, 2)) * 10
    pairs = pairs_of(Objects(points=one), Objects(points=other), "loc_center_distance", {"within": 4.0})
    expected = {
        (i, j): float(np.hypot(*(one[i] - other[j])))
        for i, j in itertools.product(range(ours), range(theirs))
        if np.hypot(*(one[i] - other[j])) <= 4.0
    }
    keys = list(zip(pairs.reference.tolist(), pairs.prediction.tolist(), strict=True))
    assert len(keys) == len(set(keys)) == len(expected)
    assert dict(zip(keys, pairs.value.tolist(), strict=True)) == pytest.approx(expected)


@pytest.mark.parametrize("ours", [1, 255, 256, 257, 512, 600])
def test_where_all_are_within_reach_each_of_them_is_found_once_and_in_its_order(ours):
    points = np.stack([np.arange(float(ours)), np.zeros(ours)], axis=1)
    pairs = pairs_of(Objects(points=points), Objects(points=[[0.0, 0.0]]), "loc_center_distance", {"within": 600.0})
    assert pairs.reference.tolist() == pairs.value.tolist() == list(range(ours))


def best(one, other, threshold):
    """Most matches first, then the smallest sum of distances: by trying every way."""
    gaps = np.sqrt(((one[:, None] - other[None]) ** 2).sum(axis=2))
    few, many = sorted((len(one), len(other)))
    ways = []
    for chosen in itertools.permutations(range(many), few):
        pairs = (
            list(enumerate(chosen)) if len(one) <= len(other) else [(big, small) for small, big in enumerate(chosen)]
        )
        near = [gaps[pair] for pair in pairs if gaps[pair] <= threshold]
        ways.append((-len(near), sum(near)))
    most, total = min(ways)
    return -most, total


@pytest.mark.parametrize("threshold", [0.3, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("seed", range(6))
def test_the_shortest_of_all_ways_that_match_most_is_taken(threshold, seed):
    random = np.random.default_rng(seed)
    scale = threshold * 1.5
    one, other = random.random((4, 2)) * scale, random.random((5 - seed % 3, 2)) * scale
    rule = Rule("loc_center_distance", threshold, "hungarian")
    matching = match_objects(Objects(points=one), Objects(points=other), rule)
    assert (matching.tp, matching.value.sum()) == (
        best(one, other, threshold)[0],
        pytest.approx(best(one, other, threshold)[1]),
    )


def test_at_distance_0_only_the_same_place_is_a_match():
    one = Objects(points=[[0.0, 0], [1, 0], [2, 0]])
    other = Objects(points=[[1.0, 0], [2, 1e-6], [0, 0]])
    matching = match_objects(one, other, Rule("loc_center_distance", 0.0, "hungarian"))
    assert sorted(zip(matching.reference.tolist(), matching.prediction.tolist(), strict=True)) == [(0, 2), (1, 0)]


def test_greedily_the_nearest_pair_is_taken_first():
    """A chain in which greed takes the middle pair and leaves the ends alone."""
    one, other = Objects(points=[[0.0, 0], [2.1, 0]]), Objects(points=[[1.1, 0], [3.2, 0]])
    greedy = match_objects(one, other, Rule("loc_center_distance", 1.2, "greedy_by_criterion"))
    assert (greedy.reference.tolist(), greedy.prediction.tolist()) == ([1], [0])
    assert greedy.value.tolist() == pytest.approx([1.0])
    both = match_objects(one, other, Rule("loc_center_distance", 1.2, "hungarian"))
    assert both.tp == 2


def test_distances_are_in_mm_where_voxels_have_a_size():
    labels = np.zeros((1, 9), dtype=int)
    labels[0, 1] = 1
    moved = np.zeros((1, 9), dtype=int)
    moved[0, 3] = 1
    one, other = (Objects(labels=array, spacing=(1.0, 0.5)) for array in (labels, moved))
    assert match_objects(one, other, Rule("loc_center_distance", 1.0, "hungarian")).tp == 1
    assert match_objects(one, other, Rule("loc_center_distance", 0.99, "hungarian")).tp == 0
