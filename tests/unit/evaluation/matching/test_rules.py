"""Rules for ties, cutoffs, duplicates and ignored regions, each at its boundary."""

import numpy as np
import pytest

from evaluation.matching import CRITERIA, Objects, Pairs, Rule, match_objects
from evaluation.matching.assignment import assign, inside_ignored, pairs_of, passing_pairs

REFERENCE = Objects(boxes=[[0, 0, 10, 10]])


def rows(*boxes, **more):
    return Objects(boxes=list(boxes), **more)


def matched(found):
    return sorted(zip(found.reference.tolist(), found.prediction.tolist(), strict=True))


class TestDefaults:
    def test_of_a_rule(self):
        assert Rule() == Rule("loc_box_iou", 0.5, "greedy_by_score", "fp", ())

    def test_of_the_options_of_a_metric(self):
        assert Rule.from_options({}) == Rule()
        assert Rule.from_options({"localization_threshold": None}).threshold == 0.5

    def test_a_threshold_beside_the_options_comes_first(self):
        assert Rule.from_options({"localization_threshold": 0.75}, 0.25).threshold == 0.25
        assert Rule.from_options({"localization_threshold": 0.75}, 0).threshold == 0.0
        assert Rule.from_options({"localization_threshold": 0.75}).threshold == 0.75

    def test_a_criterion_by_its_name_has_no_options_and_lists_become_fixed(self):
        assert Rule.from_options({"localization_criterion": "loc_ior"}) == Rule("loc_ior")
        criterion = {"id": "loc_center_distance", "options": {"spacing": [1.0, 2.0], "a": "b"}}
        rule = Rule.from_options({"localization_criterion": criterion}, 3)
        assert rule.options == (("a", "b"), ("spacing", (1.0, 2.0)))

    @pytest.mark.parametrize(
        ("criterion", "refused"),
        [
            ("loc_mask_iou", set()),
            ("loc_center_distance", {"criterion_gt_half"}),
            ("loc_center_hit", {"criterion_gt_half", "greedy_by_criterion"}),
        ],
    )
    def test_which_assignments_suit_a_criterion(self, criterion, refused):
        for assignment in ("greedy_by_score", "greedy_by_criterion", "hungarian", "criterion_gt_half"):
            if assignment in refused:
                with pytest.raises(ValueError, match=f"{assignment} needs"):
                    Rule(criterion, assignment=assignment)
            else:
                assert Rule(criterion, assignment=assignment).assignment == assignment


class TestCutoff:
    @pytest.mark.parametrize(
        ("threshold", "assignment", "hits"),
        [
            (0.8, "hungarian", [0]),
            (0.8 + 1e-9, "hungarian", []),
            (0.6, "hungarian", [0, 1]),
            (0.5, "criterion_gt_half", [0, 1]),
            (0.9, "criterion_gt_half", [0, 1]),
            (0.5, "greedy_by_criterion", [0, 1, 2]),
            (0.0, "hungarian", [0, 1, 2, 3]),
        ],
    )
    def test_an_overlap_needs_as_much_or_more_than_a_half_or_any(self, threshold, assignment, hits):
        """Overlaps of 0.8, 0.6, 0.5, 0.01 and none; a threshold of 0 asks for any."""
        prediction = rows([0, 0, 10, 8], [0, 0, 10, 6], [0, 0, 10, 5], [0, 0, 1, 1], [10, 0, 20, 10])
        passing = passing_pairs(REFERENCE, prediction, Rule(threshold=threshold, assignment=assignment))
        assert sorted(passing.prediction.tolist()) == hits

    def test_what_is_a_half_but_for_rounding_is_a_half(self):
        prediction = rows([0, 0, 10, 5 + 1e-13])
        assert len(passing_pairs(REFERENCE, prediction, Rule(assignment="criterion_gt_half")).value) == 0
        assert len(passing_pairs(REFERENCE, rows([0, 0, 10, 5.001]), Rule(assignment="criterion_gt_half")).value) == 1
        just_less = rows([0, 0, 10, 5 - 1e-13])
        assert len(passing_pairs(REFERENCE, just_less, Rule(assignment="hungarian")).value) == 1
        less = rows([0, 0, 10, 4.999])
        assert len(passing_pairs(REFERENCE, less, Rule(assignment="hungarian")).value) == 0

    def test_a_point_hits_whatever_the_threshold(self):
        passing = passing_pairs(
            REFERENCE, Objects(points=[[5, 5], [11, 5]]), Rule("loc_point_in_box", 9.0, "hungarian")
        )
        assert passing.prediction.tolist() == [0]

    def test_pairs_are_put_in_order_by_the_place_of_the_prediction_and_then_of_the_reference(self):
        reference = rows([2, 0, 12, 10], [0, 0, 10, 10], [1, 0, 11, 10])
        prediction = rows([1, 0, 12, 10], [0, 0, 11, 10])
        passing = passing_pairs(reference, prediction, Rule(threshold=0.1, assignment="hungarian"))
        assert passing.prediction.tolist() == [1, 1, 1, 0, 0, 0]
        assert passing.reference.tolist() == [1, 2, 0] * 2
        # 11 columns of the prediction: shared 10, 10, 9 of 11, 11, 12 in all; then 9, 10, 10 of 12, 11, 11.
        assert passing.value == pytest.approx([10 / 11, 10 / 11, 9 / 12, 9 / 12, 10 / 11, 10 / 11])

    def test_how_splits_are_counted_is_no_option_of_the_criterion(self):
        rule = Rule("loc_ior", 0.1, "hungarian", options=(("non_split_errors", "penalize"),))
        assert passing_pairs(REFERENCE, rows([0, 0, 10, 5]), rule).value.tolist() == [0.5]


class TestMemory:
    def test_pairs_are_found_once_for_all_metrics_of_a_case_and_for_each_criterion_and_option_anew(self):
        prediction = rows([0, 0, 10, 5])
        first = pairs_of(REFERENCE, prediction, "loc_box_iou")
        assert pairs_of(REFERENCE, prediction, "loc_box_iou") is first
        assert pairs_of(REFERENCE, prediction, "loc_box_iou", {}) is first
        options = {"box_convention": "inclusive_pixels"}
        assert pairs_of(REFERENCE, prediction, "loc_box_iou", options).value.tolist() == [66 / 121]
        assert pairs_of(REFERENCE, prediction, "loc_ior").value.tolist() == [0.5]
        assert pairs_of(REFERENCE, prediction, "loc_box_iou") is first

    def test_each_reference_has_its_own(self):
        prediction = rows([0, 0, 10, 5])
        assert pairs_of(REFERENCE, prediction, "loc_ior").value.tolist() == [0.5]
        assert pairs_of(rows([0, 0, 5, 5]), prediction, "loc_ior").value.tolist() == [1.0]

    def test_what_is_remembered_of_another_reference_under_the_same_number_is_not_taken(self):
        """A number of an object in memory can be that of another one after a copy."""
        prediction, other = rows([0, 0, 10, 5]), rows([0, 0, 5, 5])
        prediction.memory[id(REFERENCE), "loc_ior", ()] = (other, pairs_of(other, prediction, "loc_ior"))
        assert pairs_of(REFERENCE, prediction, "loc_ior").value.tolist() == [0.5]


class TestGreedy:
    def test_by_score_the_best_pair_of_the_surest_prediction_comes_first(self):
        reference = rows([0, 0, 10, 10], [0, 0, 10, 8])
        prediction = rows([0, 0, 10, 9.9], [0, 0, 10, 8], scores=[0.5, 0.6])
        assert matched(match_objects(reference, prediction, Rule())) == [(0, 0), (1, 1)]
        unsure = rows([0, 0, 10, 9.9], [0, 0, 10, 9], scores=[0.5, 0.6])
        # The surer one overlaps both by nine tenths or a little less: 9 / 10 against 8 / 9.
        assert matched(match_objects(reference, unsure, Rule())) == [(0, 1), (1, 0)]

    def test_values_that_differ_by_rounding_alone_are_a_tie_that_the_place_breaks(self):
        reference = Objects(points=[[0.0, 0.0]])
        for nearer in (1e-12, -1e-12):
            prediction = Objects(points=[[1.0 + nearer, 0.0], [-1.0, 0.0]])
            rule = Rule("loc_center_distance", 2.0, "greedy_by_criterion")
            assert matched(match_objects(reference, prediction, rule)) == [(0, 1)]

    @pytest.mark.parametrize(("nearer", "taken"), [(2e-10, 0), (4e-11, 1)])
    def test_the_tenth_decimal_place_of_a_value_is_the_last_that_counts(self, nearer, taken):
        prediction = Objects(points=[[1.0 - nearer, 0.0], [-1.0, 0.0]])
        rule = Rule("loc_center_distance", 2.0, "greedy_by_criterion")
        assert matched(match_objects(Objects(points=[[0.0, 0.0]]), prediction, rule)) == [(0, taken)]

    def test_by_a_distance_the_nearest_is_the_best(self):
        reference = Objects(points=[[0.0, 0.0]])
        prediction = Objects(points=[[3.0, 0.0], [1.0, 0.0], [2.0, 0.0]], scores=[0.5, 0.5, 0.5])
        for assignment in ("greedy_by_score", "greedy_by_criterion", "hungarian"):
            matching = match_objects(reference, prediction, Rule("loc_center_distance", 4.0, assignment))
            assert (matched(matching), matching.value.tolist()) == ([(0, 1)], [1.0])

    def test_more_than_a_half_takes_the_greatest_overlap_first(self):
        prediction = rows([0, 0, 10, 7], [0, 0, 10, 9], [0, 0, 10, 8])
        matching = match_objects(REFERENCE, prediction, Rule(assignment="criterion_gt_half"))
        assert (matched(matching), matching.value.tolist(), matching.surplus.tolist()) == ([(0, 1)], [0.9], [0, 2])


class TestSplits:
    RULE = Rule("loc_ior", assignment="criterion_gt_half", options=(("non_split_errors", "ignore"),))

    def test_each_reference_takes_the_prediction_that_covers_most_of_it(self):
        reference = rows([0, 0, 10, 10], [0, 10, 10, 20])
        prediction = rows([0, 0, 10, 6], [0, 0, 10, 19], [0, 3, 10, 20])
        matching = match_objects(reference, prediction, self.RULE)
        # The first: 0.6, 1.0 and 0.7; the second: 0, 0.9 and 1.0.
        assert (matched(matching), matching.value.tolist()) == ([(0, 1), (1, 2)], [1.0, 1.0])
        assert (matching.tp, matching.fn, matching.surplus.tolist()) == (2, 0, [0])

    def test_one_prediction_may_serve_several_and_counts_once_among_the_predictions(self):
        reference = rows([0, 0, 10, 10], [0, 10, 10, 20], [0, 20, 10, 40])
        matching = match_objects(reference, rows([0, 0, 10, 29]), self.RULE)
        assert (matched(matching), matching.missed.tolist(), matching.fp) == ([(0, 0), (1, 0)], [2], 0)

    @pytest.mark.parametrize("criterion", ["loc_box_iou", "loc_ior"])
    def test_only_that_criterion_with_that_option_and_that_assignment_lets_one_serve_several(self, criterion):
        reference, prediction = rows([0, 0, 10, 10], [0, 0, 10, 9.5]), rows([0, 0, 10, 10])
        plain = Rule(criterion, assignment="criterion_gt_half")
        hungarian = Rule("loc_ior", assignment="hungarian", options=self.RULE.options)
        for rule in (plain, hungarian):
            assert match_objects(reference, prediction, rule).tp == 1
        assert match_objects(reference, prediction, self.RULE).tp == 2


class TestHungarian:
    @staticmethod
    def chosen(table, rule):
        """Pairs of a table with one row a reference; absent where there is None."""
        cells = [(i, j, value) for i, line in enumerate(table) for j, value in enumerate(line) if value is not None]
        pairs = Pairs(*(np.array(part) for part in zip(*cells, strict=True)))
        sides = [Objects(points=[[float(n), 0.0] for n in range(count)]) for count in (len(table), len(table[0]))]
        taken = pairs.where(assign(pairs, *sides, rule))
        return sorted(zip(taken.reference.tolist(), taken.prediction.tolist(), strict=True))

    def test_one_more_match_is_worth_more_than_any_sum(self):
        """Three poor matches come before two perfect ones."""
        table = [[1.0, 0.01, None], [0.01, None, None], [None, 1.0, 0.01]]
        assert self.chosen(table, Rule(threshold=0.01, assignment="hungarian")) == [(0, 1), (1, 0), (2, 2)]

    def test_of_as_many_matches_the_greater_sum_is_taken(self):
        table = [[0.9, 0.6], [0.8, 0.1]]
        assert self.chosen(table, Rule(threshold=0.1, assignment="hungarian")) == [(0, 1), (1, 0)]

    def test_groups_that_cannot_compete_do_not_disturb_each_other(self):
        table = [[0.9, 0.8, None, None], [0.7, None, None, None], [None, None, None, 0.5], [None, None, 0.6, 0.9]]
        rule = Rule(threshold=0.1, assignment="hungarian")
        assert self.chosen(table, rule) == [(0, 1), (1, 0), (2, 3), (3, 2)]
        assert self.chosen([[None, 0.4], [0.6, None]], rule) == [(0, 1), (1, 0)]

    def test_of_distances_the_smaller_sum_is_taken_up_to_the_threshold_itself(self):
        rule = Rule("loc_center_distance", 4.0, "hungarian")
        assert self.chosen([[1.0, 4.0], [2.0, 3.5]], rule) == [(0, 0), (1, 1)]
        assert self.chosen([[1.0, 2.0], [2.0, 3.5]], rule) == [(0, 1), (1, 0)]
        assert self.chosen([[4.0, 3.0], [None, 4.0]], rule) == [(0, 0), (1, 1)]

    def test_two_matches_at_the_very_threshold_come_before_one_at_no_distance(self):
        rule = Rule("loc_center_distance", 4.0, "hungarian")
        but_for_rounding = 4.0 * (1 + 5e-7)
        for far in (4.0, but_for_rounding):
            assert self.chosen([[0.0, far], [far, None]], rule) == [(0, 1), (1, 0)]

    def test_who_is_left_over_has_no_match(self):
        """Two references fit the first prediction alone, and two predictions the last reference alone."""
        rule = Rule(threshold=0.1, assignment="hungarian")
        last = [0.7, 0.6, 0.5]
        assert self.chosen([[0.9, None, None], [0.8, None, None], last], rule) == [(0, 0), (2, 1)]
        assert self.chosen([[0.8, None, None], [0.9, None, None], last], rule) == [(1, 0), (2, 1)]

    def test_nothing_to_choose_from_is_no_match(self):
        nothing = Pairs(np.zeros(0, int), np.zeros(0, int), np.zeros(0))
        for assignment in ("hungarian", "greedy_by_criterion", "criterion_gt_half", "greedy_by_score"):
            result = assign(nothing, REFERENCE, REFERENCE, Rule(assignment=assignment))
            assert (result.shape, result.dtype) == ((0,), bool)


class TestIgnored:
    def test_more_than_half_of_a_box_lies_in_it(self):
        region = rows([0, 0, 10, 10], ignored=[True])
        prediction = rows([0, 8, 10, 12], [0, 7.9, 10, 12], [0, 8.1, 10, 12], [20, 20, 21, 21])
        assert inside_ignored(region, prediction).tolist() == [1]

    def test_more_than_half_of_the_pixels_of_a_mask_lie_in_it(self):
        labels, region = np.zeros((2, 8, 8), dtype=int)
        region[:4] = 5
        labels[2:6, 0], labels[1:6, 2], labels[3:6, 4], labels[7, 7] = 1, 2, 3, 4
        assert inside_ignored(Objects(labels=region), Objects(labels=labels)).tolist() == [1]

    def test_parts_of_several_regions_count_together(self):
        regions = rows([0, 0, 10, 3], [0, 3, 10, 6])
        assert inside_ignored(regions, rows([0, 0, 10, 10], [0, 6, 10, 9])).tolist() == [0]

    def test_of_a_mask_and_a_box_the_boxes_are_compared(self):
        region = np.zeros((10, 10), dtype=int)
        region[0, 0:6] = region[0:6, 0] = 1
        mask, box = Objects(labels=region), rows([1, 1, 5, 5], [6, 6, 8, 8])
        assert inside_ignored(mask, box).tolist() == [0]
        # The mask's own box is six by six, though its pixels are eleven: half of it are 18.
        assert inside_ignored(rows([0, 0, 4, 4]), mask).tolist() == []
        assert inside_ignored(rows([0, 0, 3, 6]), mask).tolist() == []
        assert inside_ignored(rows([0, 0, 3.1, 6]), mask).tolist() == [0]

    @pytest.mark.parametrize("form", ["mask", "box"])
    def test_a_point_lies_in_it_or_does_not(self, form):
        region = np.zeros((10, 10), dtype=int)
        region[2:5, 2:5] = 1
        regions = Objects(labels=region) if form == "mask" else rows([2, 2, 5, 5])
        assert inside_ignored(regions, Objects(points=[[6.0, 6.0], [4.5, 4.5], [2.0, 2.0]])).tolist() == [1, 2]

    def test_a_match_counts_though_it_lies_in_an_ignored_region_and_places_are_those_of_the_whole(self):
        reference = rows([50, 50, 60, 60], [0, 0, 30, 30], [0, 0, 10, 10], ignored=[False, True, False])
        prediction = rows([20, 20, 25, 25], [0, 0, 10, 10], [70, 70, 75, 75], scores=[0.9, 0.8, 0.7])
        matching = match_objects(reference, prediction, Rule())
        assert (matching.reference.tolist(), matching.prediction.tolist(), matching.value.tolist()) == ([2], [1], [1.0])
        assert (matching.missed.tolist(), matching.surplus.tolist(), matching.dropped.tolist()) == ([0], [2], [0])
        assert (matching.tp, matching.fp, matching.fn) == (1, 1, 1)

    def test_an_ignored_region_is_not_matched(self):
        reference = rows([0, 0, 10, 10], ignored=[True])
        matching = match_objects(reference, rows([0, 0, 10, 10], scores=[1.0]), Rule())
        assert (matching.tp, matching.fn, matching.fp, matching.dropped.tolist()) == (0, 0, 0, [0])


def test_every_criterion_has_its_kind():
    kinds = {name: criterion.kind for name, criterion in CRITERIA.items()}
    overlaps = ("loc_mask_iou", "loc_box_iou", "loc_approx_iou", "loc_boundary_iou", "loc_ior")
    points = ("loc_center_cover", "loc_center_hit", "loc_point_in_mask", "loc_point_in_box", "loc_point_in_approx")
    assert kinds == {
        **dict.fromkeys(overlaps, "overlap"),
        "loc_center_distance": "distance",
        **dict.fromkeys(points, "point"),
    }
