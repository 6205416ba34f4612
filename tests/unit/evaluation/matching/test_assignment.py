"""Assignment of objects: worked examples, ambiguous cases, and independence of the order of files."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evaluation.matching import ASSIGNMENTS, CRITERIA, Objects, Pairs, Rule, match_objects
from evaluation.matching.assignment import assign, inside_ignored, pairs_of, passing_pairs
from evaluation.matching.objects import from_label_map


def count(table, assignment, cutoff=0.5, scores=None):
    """Matches of a table with one row a prediction and one column a reference, as the reference prints them."""
    table = np.array(table, dtype=float)
    predictions, references = table.shape
    rows, columns = np.nonzero(table >= cutoff)
    pairs = Pairs(columns, rows, table[rows, columns])
    reference = Objects(points=np.arange(2.0 * references).reshape(-1, 2))
    prediction = Objects(points=np.arange(2.0 * predictions).reshape(-1, 2), scores=scores)
    chosen = pairs.where(assign(pairs, reference, prediction, Rule(threshold=cutoff, assignment=assignment)))
    return sorted(zip(chosen.prediction.tolist(), chosen.reference.tolist(), strict=True))


class TestWorkedExamples:
    AMBIGUOUS = ([0.60, 0.55], [0.58, 0])

    def test_greedy_by_criterion_takes_the_best_pair_and_loses_the_rest(self):
        assert count(self.AMBIGUOUS, "greedy_by_criterion") == [(0, 0)]

    def test_hungarian_finds_two(self):
        assert count(self.AMBIGUOUS, "hungarian") == [(0, 1), (1, 0)]

    def test_greedy_by_score_depends_on_who_comes_first(self):
        assert count(self.AMBIGUOUS, "greedy_by_score", scores=[0.7, 0.9]) == [(0, 1), (1, 0)]
        assert count(self.AMBIGUOUS, "greedy_by_score", scores=[0.9, 0.7]) == [(0, 0)]

    def test_cutoff_comes_before_the_assignment(self):
        assert count([[0.55, 0.49], [0.49, 0]], "hungarian") == [(0, 0)]

    def test_most_matches_come_before_the_best_sum(self):
        assert count([[0.95, 0.32], [0.35, 0]], "hungarian", cutoff=0.3) == [(0, 1), (1, 0)]


class TestAmbiguousCases:
    def test_equal_scores_are_broken_by_the_criterion(self):
        assert count([[0.6], [0.9]], "greedy_by_score", scores=[0.5, 0.5]) == [(1, 0)]

    def test_taken_references_make_way_for_the_next_best(self):
        # A common alternative looks at the best reference even if taken, and calls the second prediction false.
        assert count([[0.9, 0], [0.8, 0.6]], "greedy_by_score", scores=[0.9, 0.8]) == [(0, 0), (1, 1)]

    def test_overlap_of_exactly_one_half_is_not_more_than_one_half(self):
        half = Objects(boxes=[[0, 0, 2, 1]]), Objects(boxes=[[0, 0, 1, 1]])
        assert match_objects(*half, Rule(assignment="criterion_gt_half")).tp == 0
        assert match_objects(*half, Rule(assignment="hungarian", threshold=0.5)).tp == 1

    def test_boxes_that_overlap_may_both_exceed_one_half_and_the_better_one_is_taken(self):
        reference = Objects(boxes=[[0, 0, 10, 10]])
        prediction = Objects(boxes=[[0, 0, 9, 10], [0, 0, 8, 10]])
        matching = match_objects(reference, prediction, Rule(assignment="criterion_gt_half"))
        assert (matching.prediction.tolist(), matching.surplus.tolist()) == ([0], [1])

    def test_distance_equal_to_the_cutoff_is_a_hit(self):
        one, other = Objects(points=[[0.0, 0]]), Objects(points=[[0.3, 0]], scores=[1])
        assert match_objects(one, other, Rule("loc_center_distance", 0.1 * 3)).tp == 1

    @pytest.mark.parametrize(("splits", "hits", "missed"), [("penalize", 1, 1), ("ignore", 2, 0)])
    def test_one_prediction_over_two_references(self, splits, hits, missed):
        reference = Objects(labels=np.array([[1, 1, 0, 2, 2]]))
        prediction = Objects(labels=np.array([[1, 1, 1, 1, 1]]))
        rule = Rule("loc_ior", assignment="criterion_gt_half", options=(("non_split_errors", splits),))
        matching = match_objects(reference, prediction, rule)
        assert (matching.tp, matching.fn, matching.fp) == (hits, missed, 0)


class TestDuplicates:
    reference = Objects(boxes=[[0, 0, 10, 10]])
    prediction = Objects(boxes=[[0, 0, 10, 9], [0, 0, 10, 8], [50, 50, 60, 60]], scores=[0.9, 0.8, 0.7])

    def test_surplus_hits_are_false_positives(self):
        matching = match_objects(self.reference, self.prediction, Rule())
        assert (matching.tp, matching.fp, matching.fn) == (1, 2, 0)

    def test_surplus_hits_can_be_ignored_but_not_predictions_that_hit_nothing(self):
        matching = match_objects(self.reference, self.prediction, Rule(double_assignment="ignore"))
        assert (matching.tp, matching.fp, matching.dropped.tolist()) == (1, 1, [1])


class TestIgnoredRegions:
    def test_predictions_inside_count_neither_way(self):
        reference = Objects(boxes=[[0, 0, 4, 4], [10, 10, 30, 30]], ignored=[False, True])
        prediction = Objects(boxes=[[0, 0, 4, 4], [12, 12, 14, 14], [28, 28, 40, 40]], scores=[0.9, 0.8, 0.7])
        matching = match_objects(reference, prediction, Rule())
        assert (matching.tp, matching.fn) == (1, 0)
        assert matching.dropped.tolist() == [1]
        assert matching.surplus.tolist() == [2]

    def test_masks_are_judged_as_whole_objects(self):
        labels = np.zeros((6, 10), dtype=int)
        labels[:, 5:] = 1
        reference = Objects(labels=labels, ignored=[True])
        guess = np.zeros((6, 10), dtype=int)
        guess[0, 4:7], guess[3, 1:6] = 1, 2
        matching = match_objects(reference, Objects(labels=guess), Rule("loc_mask_iou", assignment="hungarian"))
        assert (matching.dropped.tolist(), matching.surplus.tolist()) == ([0], [1])

    def test_points_are_judged_by_where_they_lie(self):
        reference = Objects(boxes=[[10, 10, 30, 30]], ignored=[True])
        prediction = Objects(points=[[11, 11], [5, 5]], scores=[0.9, 0.8])
        matching = match_objects(reference, prediction, Rule("loc_point_in_box"))
        assert (matching.dropped.tolist(), matching.surplus.tolist()) == ([0], [1])


def box_sets(scored):
    corner = st.integers(0, 6)
    box = st.tuples(corner, corner, st.integers(1, 5), st.integers(1, 5)).map(
        lambda b: [b[0], b[1], b[0] + b[2], b[1] + b[3]]
    )
    entry = st.tuples(box, st.sampled_from([0.2, 0.5, 0.9])) if scored else box
    return st.lists(entry, max_size=7)


RULES = [
    Rule(criterion, threshold, assignment)
    for criterion in ("loc_box_iou", "loc_center_distance", "loc_center_hit", "loc_ior")
    for threshold in (0.3, 2.0 if criterion == "loc_center_distance" else 0.5)
    for assignment in ASSIGNMENTS
    if not (assignment == "criterion_gt_half" and CRITERIA[criterion].kind != "overlap")
    and not (assignment == "greedy_by_criterion" and CRITERIA[criterion].kind == "point")
]


@settings(max_examples=150, deadline=None)
@given(box_sets(scored=False), box_sets(scored=True), st.sampled_from(RULES), st.randoms(use_true_random=False))
def test_every_rule_is_one_to_one_complete_and_independent_of_the_order(truth, guess, rule, random):
    def objects(order_of_truth, order_of_guess):
        return (
            Objects(boxes=[truth[i] for i in order_of_truth]),
            Objects(boxes=[guess[i][0] for i in order_of_guess], scores=[guess[i][1] for i in order_of_guess]),
        )

    straight = [list(range(len(truth))), list(range(len(guess)))]
    reference, prediction = objects(*straight)
    matching = match_objects(reference, prediction, rule)
    assert len(set(matching.reference.tolist())) == len(set(matching.prediction.tolist())) == matching.tp
    assert matching.tp + matching.fn == len(truth)
    assert matching.tp + matching.fp + len(matching.dropped) == len(guess)
    shuffled = [random.sample(order, len(order)) for order in straight]
    again = match_objects(*objects(*shuffled), rule)
    found = {
        (tuple(truth[i]), tuple(guess[j][0]), guess[j][1])
        for i, j in zip(matching.reference, matching.prediction, strict=True)
    }
    moved = {
        (tuple(truth[shuffled[0][i]]), tuple(guess[shuffled[1][j]][0]), guess[shuffled[1][j]][1])
        for i, j in zip(again.reference, again.prediction, strict=True)
    }
    assert found == moved


@cache
def crowded(seed, relabeled):
    """Eight blocks of 4 × 4 that touch and overlap their counterparts by more or less, with these label numbers or others."""
    rng = np.random.default_rng(seed)
    truth, guess = np.zeros((2, 20, 20), dtype=np.int64)
    for number, (row, column) in enumerate([(r, c) for r in (1, 6, 11) for c in (1, 5, 11)][:8], start=1):
        truth[row : row + 4, column : column + 4] = number
        down, right = rng.choice([-1, 0, 0, 0, 1, 2], 2)
        guess[row + down : row + down + 4, column + right : column + right + 4] = number
    names = np.array([0, 17, 3, 20, 5, 11, 2, 8, 1]) if relabeled else np.arange(9)
    scores = dict(zip(names.tolist(), rng.choice([0.3, 0.6, 0.9], 9).tolist(), strict=True))
    found = Objects(labels=names[guess])
    chosen = [scores[label] for label in found.ids.tolist()]
    return Objects(labels=truth), Objects(labels=names[guess], ids=found.ids.tolist(), scores=chosen)


@pytest.mark.parametrize("double", ["fp", "ignore"])
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_criterion_with_every_assignment_and_double_assignment(criterion, assignment, double):
    kind = CRITERIA[criterion].kind
    impossible = {"distance": {"criterion_gt_half"}, "point": {"criterion_gt_half", "greedy_by_criterion"}}
    cutoff = 1.5 if kind == "distance" else 0.4
    if assignment in impossible.get(kind, ()):
        with pytest.raises(ValueError, match=assignment):
            Rule(criterion, cutoff, assignment, double)
        return
    rule = Rule(criterion, cutoff, assignment, double)
    for seed in range(2):
        reference, prediction = crowded(seed, relabeled=False)
        pairs = pairs_of(reference, prediction, criterion, {"within": cutoff} if kind == "distance" else {})
        table = np.full((reference.size, prediction.size), np.inf if kind == "distance" else 0.0)
        table[pairs.reference, pairs.prediction] = pairs.value
        passes = (
            table <= cutoff
            if kind == "distance"
            else table > 0.5
            if assignment == "criterion_gt_half"
            else table >= 0.4
        )
        found = match_objects(reference, prediction, rule)
        # Each object once, no pair that fails, nothing left over that would fit together.
        assert len(set(found.reference.tolist())) == len(set(found.prediction.tolist())) == found.tp > 0
        assert passes[found.reference, found.prediction].all()
        assert not passes[np.ix_(found.missed, np.union1d(found.surplus, found.dropped))].any()
        assert found.tp + found.fn == reference.size
        assert found.tp + found.fp + len(found.dropped) == prediction.size
        # A surplus hit is false or left out, as the rule says; what hits nothing is always false.
        again = np.flatnonzero(passes.any(axis=0) & ~np.isin(np.arange(prediction.size), found.prediction))
        assert found.dropped.tolist() == (again.tolist() if double == "ignore" else [])
        # Label numbers, which decide the order in a file, change nothing.
        known, renamed = crowded(seed, relabeled=True)
        other = match_objects(known, renamed, rule)
        ours = {(int(r), tuple(prediction.boxes[p])) for r, p in zip(found.reference, found.prediction, strict=True)}
        assert ours == {
            (int(r), tuple(renamed.boxes[p])) for r, p in zip(other.reference, other.prediction, strict=True)
        }


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_hungarian_finds_the_most_matches_and_then_the_best_sum(predictions, references, data):
    cells = st.lists(st.sampled_from([0.0, 0.5, 0.6, 0.7, 0.95]), min_size=references, max_size=references)
    table = np.array(data.draw(st.lists(cells, min_size=predictions, max_size=predictions)))
    chosen = count(table, "hungarian")
    most = linear_sum_assignment(-(table >= 0.5).astype(float))
    assert len(chosen) == (table >= 0.5)[most].sum()
    best = linear_sum_assignment(-(table + 10 * (table >= 0.5)))
    assert sum(table[i, j] for i, j in chosen) == pytest.approx(table[best][table[best] >= 0.5].sum())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Rule("loc_nothing"), "criterion is one of loc_mask_iou, loc_box_iou,"),
        (lambda: Rule(assignment="best"), "assignment is one of greedy_by_score, greedy_by_criterion,"),
        (lambda: Rule(double_assignment="keep"), "double_assignment is"),
        (
            lambda: Rule("loc_center_hit", assignment="greedy_by_criterion"),
            "greedy_by_criterion needs a criterion that can",
        ),
        (
            lambda: Rule("loc_center_distance", assignment="criterion_gt_half"),
            "criterion_gt_half needs an overlap, which loc_center_distance",
        ),
        (
            lambda: match_objects(Objects(boxes=[[0, 0, 1, 1]]), Objects(boxes=[[0, 0, 1, 1]]), Rule()),
            "greedy_by_score needs scores; use greedy_by_criterion or",
        ),
    ],
)
def test_rules_that_cannot_work_are_an_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_rule_comes_from_the_options_of_a_metric():
    options = {
        "localization_criterion": {"id": "loc_boundary_iou", "options": {"distance": 2.0, "distance_ratio": 0.02}},
        "localization_threshold": 0.4,
        "assignment": "hungarian",
        "double_assignment": "ignore",
    }
    rule = Rule.from_options(options)
    assert rule == Rule("loc_boundary_iou", 0.4, "hungarian", "ignore", (("distance", 2.0), ("distance_ratio", 0.02)))


def test_what_lies_beside_an_ignored_outline_but_within_its_box_is_not_ignored():
    ignored, predicted = np.zeros((8, 8), dtype=np.uint8), np.zeros((8, 8), dtype=np.uint8)
    ignored[:, 0] = ignored[7, :] = 1
    predicted[1:4, 3:6], predicted[4:8, 0] = 1, 2
    found = inside_ignored(from_label_map(ignored), from_label_map(predicted))
    assert found.tolist() == [1]


def test_objects_are_put_in_order_by_their_first_coordinate_and_only_then_by_the_next_and_their_score():
    found = Objects(points=np.array([[2.0, 1.0], [1.0, 3.0], [1.0, 2.0], [1.0, 2.0]]), scores=[0.9, 0.9, 0.1, 0.2])
    assert found.order.tolist() == [3, 2, 1, 0]


@pytest.mark.parametrize("criterion", CRITERIA)
def test_where_one_side_has_nothing_nothing_is_asked_of_the_form_of_the_other(criterion):
    """An empty prediction is of any form: a criterion that would refuse points or boxes has nothing to refuse."""
    rule = Rule(criterion, threshold=1.0)
    boxes, nothing = Objects(boxes=[[0, 0, 4, 4], [6, 6, 9, 9]]), Objects(points=np.zeros((0, 2)))
    for reference, prediction in ((boxes, nothing), (nothing, boxes)):
        pairs = passing_pairs(reference, prediction, rule)
        assert len(pairs.reference) == len(pairs.prediction) == len(pairs.value) == 0
