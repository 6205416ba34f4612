"""Detections in each image: counting of steps, the rule without scores, and COCO's matching."""

import numpy as np
import pytest

from evaluation.matching import Objects, Rule
from evaluation.metrics import coco
from evaluation.metrics.box_batches import applies, match_boxes
from evaluation.metrics.detections import (
    Detections,
    count_detections,
    of_class,
    rule_without_scores,
    trace_classes,
    trace_detections,
)

SQUARE = [0, 0, 4, 4]
BESIDE = [6, 0, 10, 4]
FAR = [20, 0, 24, 4]
NO_BOXES = np.zeros((0, 4))


def scored(*boxes_and_scores, **more):
    boxes = np.array([box for box, _ in boxes_and_scores], dtype=float).reshape(-1, 4)
    return Objects(boxes=boxes, scores=[score for _, score in boxes_and_scores], **more)


def steps_of(detections):
    columns = (detections.image, detections.score, detections.tp, detections.fp)
    return [tuple(float(number) for number in step) for step in zip(*columns, strict=True)]


# Three images with 2, 0 and 1 objects; the second has one false positive, the third a hit and a false positive at one score.
FOUND = Detections(
    references=np.array([2, 0, 1]),
    image=np.array([0, 0, 1, 2, 2]),
    score=np.array([0.9, 0.5, 0.7, 0.5, 0.5]),
    tp=np.array([1.0, 1, 0, 0, 1]),
    fp=np.array([0.0, 0, 1, 1, 0]),
)


class TestCounting:
    def test_each_image_has_its_hits_false_alarms_and_misses(self):
        counts = FOUND.by_image()
        assert [column.tolist() for column in counts] == [[2, 0, 1], [0, 1, 1], [0, 0, 0], [0, 0, 0]]

    def test_images_count_as_often_as_they_were_drawn(self):
        assert [column.tolist() for column in FOUND.counts()] == [[3], [2], [0], [0]]
        assert [column.tolist() for column in FOUND.counts(np.array([[1.0, 3, 0]]))] == [[2], [3], [0], [0]]

    def test_equal_scores_are_one_point_of_the_curve_or_one_each(self):
        together = FOUND.curve()
        assert together.thresholds.tolist() == [0.9, 0.7, 0.5]
        assert (together.tp.tolist(), together.fp.tolist()) == ([[1, 1, 3]], [[0, 1, 2]])
        assert (together.positive.tolist(), together.negative.tolist()) == ([[3]], [[0]])
        apart = FOUND.curve(grouped=False)
        assert apart.thresholds.tolist() == [0.9, 0.7, 0.5, 0.5, 0.5]
        assert (apart.tp.tolist(), apart.fp.tolist()) == ([[1, 1, 2, 2, 3]], [[0, 1, 1, 2, 2]])
        drawn = FOUND.curve(np.array([[1.0, 0, 4]]))
        assert (drawn.tp.tolist(), drawn.fp.tolist(), drawn.positive.tolist()) == ([[1, 1, 6]], [[0, 0, 4]], [[6]])

    def test_the_curve_of_nothing_has_no_point(self):
        empty = Detections(np.array([1]), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
        assert [part.shape for part in empty.curve()[:3]] == [(0,), (1, 0), (1, 0)]
        assert empty.curve().positive.tolist() == [[1]]

    def test_copies_of_an_image_are_images_of_their_own(self):
        written_out = FOUND.repeated(np.array([2, 0, 3]))
        assert written_out.references.tolist() == [2, 2, 1, 1, 1]
        assert sorted(steps_of(written_out)) == sorted(
            [(image, score, 1, 0) for image in (0, 1) for score in (0.9, 0.5)]
            + [(image, 0.5, hit, 1 - hit) for image in (2, 3, 4) for hit in (0, 1)]
        )


class TestOneThreshold:
    def test_scores_from_the_threshold_on_count(self):
        result = [scored((SQUARE, 0.5), (BESIDE, 0.4), (FAR, -1.0))]
        truth = [Objects(boxes=[SQUARE, BESIDE])]
        assert steps_of(count_detections(truth, result, Rule())) == [(0, np.inf, 2, 1)]
        assert steps_of(count_detections(truth, result, Rule(), score_threshold=0.4)) == [(0, np.inf, 2, 0)]
        assert steps_of(count_detections(truth, result, Rule(), score_threshold=0.5)) == [(0, np.inf, 1, 0)]
        assert steps_of(count_detections(truth, result, Rule(), score_threshold=0.6)) == [(0, np.inf, 0, 0)]

    def test_decisions_say_which_count_whatever_the_scores_are(self):
        found = [scored((SQUARE, 0.1), (BESIDE, 0.9), (FAR, 0.8), decisions=[1, 0, 1])]
        truth = [Objects(boxes=[SQUARE, BESIDE])]
        for threshold in (0.0, 0.5, 0.95):
            assert steps_of(count_detections(truth, found, Rule(), score_threshold=threshold)) == [(0, np.inf, 1, 1)]
        without_scores = [Objects(boxes=[SQUARE, BESIDE, FAR], decisions=[1, 0, 1])]
        assert steps_of(count_detections(truth, without_scores, Rule())) == [(0, np.inf, 1, 1)]
        none = [scored((SQUARE, 0.9), decisions=[0])]
        assert steps_of(count_detections(truth, none, Rule())) == [(0, np.inf, 0, 0)]

    def test_curves_read_scores_and_no_decisions(self):
        plain = scored((SQUARE, 0.9), (FAR, 0.8))
        decided = scored((SQUARE, 0.9), (FAR, 0.8), decisions=[0, 0])
        truth = [Objects(boxes=[SQUARE, BESIDE])]
        assert steps_of(trace_detections(truth, [plain], Rule())) == steps_of(
            trace_detections(truth, [decided], Rule())
        )

    def test_without_scores_all_count_whatever_the_threshold(self):
        result = [Objects(boxes=[SQUARE, FAR])]
        counted = count_detections([Objects(boxes=[SQUARE])], result, Rule(), score_threshold=0.9)
        assert steps_of(counted) == [(0, np.inf, 1, 1)]

    def test_without_scores_the_criterion_decides_or_where_it_cannot_the_number_of_matches(self):
        by_value = rule_without_scores(Rule("loc_mask_iou", 0.3, "greedy_by_score", "ignore"))
        assert by_value == Rule("loc_mask_iou", 0.3, "greedy_by_criterion", "ignore")
        by_point = rule_without_scores(Rule("loc_point_in_box", options=(("a", 1),)))
        assert by_point == Rule("loc_point_in_box", assignment="hungarian", options=(("a", 1),))
        kept = Rule(assignment="hungarian")
        assert rule_without_scores(kept) is kept

    def test_regions_to_ignore_are_no_reference_objects(self):
        truth = [Objects(boxes=[SQUARE, BESIDE], ignored=[False, True]), Objects(boxes=NO_BOXES)]
        counted = count_detections(truth, [scored((SQUARE, 0.9), (BESIDE, 0.8)), scored()], Rule())
        assert counted.references.tolist() == [1, 0]
        assert steps_of(counted) == [(0, np.inf, 1, 0), (1, np.inf, 0, 0)]


class TestEveryThreshold:
    # The second prediction covers the reference better than the first, which has the higher score.
    TRUTH = Objects(boxes=[SQUARE, BESIDE])
    FOUND = scored(([0, 0, 4, 3], 0.8), (SQUARE, 0.6), (BESIDE, 0.6), (FAR, 0.4))

    def test_by_score_each_prediction_is_one_step(self):
        expected = [(0, 0.4, 0, 1), (0, 0.6, 0, 1), (0, 0.6, 1, 0), (0, 0.8, 1, 0)]
        assert sorted(steps_of(trace_detections([self.TRUTH], [self.FOUND], Rule()))) == expected
        # A region to be ignored elsewhere changes nothing but the way in which it is computed.
        region = Objects(boxes=[SQUARE, BESIDE, [40, 0, 44, 4]], ignored=[False, False, True])
        assert sorted(steps_of(trace_detections([region], [self.FOUND], Rule()))) == expected

    def test_steps_of_an_image_stand_in_the_order_of_their_places(self):
        shuffled = self.FOUND.select([3, 2, 0, 1])
        region = Objects(boxes=[SQUARE, BESIDE, [40, 0, 44, 4]], ignored=[False, False, True])
        for truth in (self.TRUTH, region):
            traced = steps_of(trace_detections([truth], [shuffled], Rule()))
            assert traced == [(0, 0.8, 1, 0), (0, 0.6, 0, 1), (0, 0.6, 1, 0), (0, 0.4, 0, 1)]

    def test_places_are_compared_along_the_first_axis_first(self):
        # The false one begins further to the left and lies further down.
        objects = scored(([6, 0, 10, 4], 0.5), ([0, 9, 4, 13], 0.5))
        with_region = Objects(boxes=[BESIDE, [40, 0, 44, 4]], ignored=[False, True])
        for truth in (Objects(boxes=[BESIDE]), with_region):
            assert steps_of(trace_detections([truth], [objects], Rule())) == [(0, 0.5, 0, 1), (0, 0.5, 1, 0)]

    def test_by_criterion_a_better_prediction_takes_the_place_of_a_surer_one_that_becomes_false(self):
        rule = Rule(assignment="greedy_by_criterion")
        # At 0.8 one hit; at 0.6 the better prediction takes its place, the other becomes false, and one more is found.
        traced = steps_of(trace_detections([self.TRUTH], [self.FOUND], rule))
        assert traced == [(0, 0.8, 1, 0), (0, 0.6, 1, 1), (0, 0.4, 0, 1)]

    def test_with_the_best_assignment_a_prediction_moves_on_to_another_reference(self):
        # The first prediction overlaps both by 16 of 28; the second fits the left one, so that the first takes the right one.
        truth = Objects(boxes=[[0, 0, 4, 4], [3, 0, 7, 4]])
        objects = scored(([0, 0, 7, 4], 0.9), ([0, 0, 4, 4], 0.5))
        traced = steps_of(trace_detections([truth], [objects], Rule(assignment="hungarian")))
        assert traced == [(0, 0.9, 1, 0), (0, 0.5, 1, 0)]

    def test_curves_need_scores_where_anything_is_predicted(self):
        nothing = Objects(boxes=NO_BOXES)
        for rule in (Rule(), Rule(assignment="hungarian")):
            assert steps_of(trace_detections([self.TRUTH], [nothing], rule)) == []
            with pytest.raises(ValueError, match="a score for every predicted object"):
                trace_detections([self.TRUTH], [Objects(boxes=[SQUARE])], rule)

    def test_classes_are_traced_one_by_one(self):
        truth = Objects(boxes=[SQUARE, BESIDE], classes=["a", "b"])
        objects = scored((SQUARE, 0.9), (BESIDE, 0.8), (FAR, 0.7), classes=["a", "a", "b"])
        for rule in (Rule(), Rule(assignment="hungarian")):
            of_a, of_b = trace_classes([truth], [objects], rule, ["a", "b"])
            assert sorted(steps_of(of_a)) == [(0, 0.8, 0, 1), (0, 0.9, 1, 0)]
            assert steps_of(of_b) == [(0, 0.7, 0, 1)]
            assert (of_a.references.tolist(), of_b.references.tolist()) == ([1], [1])

    def test_a_region_without_a_class_belongs_to_every_class(self):
        truth = Objects(boxes=[SQUARE, BESIDE, FAR], classes=["a", "b", ""], ignored=[False, False, True])
        assert of_class(truth, "a").boxes.tolist() == [SQUARE, FAR]
        assert of_class(truth, "").boxes.tolist() == [FAR]
        unnamed = Objects(boxes=[SQUARE])
        assert of_class(unnamed, "a") is unnamed


class TestAllImagesAtOnce:
    BOXES = Objects(boxes=[SQUARE])
    FOUND = scored((SQUARE, 0.5))
    LABELS = Objects(labels=np.array([[1, 1], [1, 1]]))

    def test_it_is_for_scored_boxes_by_their_overlap_and_score_without_regions_to_ignore(self):
        nothing = Objects(boxes=NO_BOXES)
        assert applies([self.BOXES], [self.FOUND], Rule())
        assert applies([self.BOXES], [nothing], Rule())
        assert applies([nothing], [Objects(boxes=np.zeros((0, 6)))], Rule())
        assert not applies([self.BOXES], [self.BOXES], Rule())
        assert not applies([self.BOXES], [self.FOUND], Rule("loc_center_distance"))
        assert not applies([self.BOXES], [self.FOUND], Rule(assignment="hungarian"))
        assert not applies([Objects(boxes=[SQUARE], ignored=[True])], [self.FOUND], Rule())
        assert not applies([self.LABELS], [self.FOUND], Rule())
        assert not applies([self.BOXES], [Objects(labels=np.array([[1]]), scores=[0.5])], Rule())
        solid = Objects(boxes=[[0, 0, 0, 2, 2, 2]])
        assert not applies([self.BOXES, solid], [self.FOUND, self.FOUND], Rule())

    def test_an_overlap_that_equals_the_threshold_is_a_hit_and_with_a_threshold_of_0_any_overlap(self):
        half = scored(([0, 0, 4, 2], 0.5))
        touching = scored(([4, 0, 8, 4], 0.5))
        for result, threshold, hits in ((half, 0.5, 1), (half, 0.51, 0), (half, 0.0, 1), (touching, 0.0, 0)):
            [steps] = match_boxes([self.BOXES], [result], Rule(threshold=threshold))
            assert (steps.tp.tolist(), steps.fp.tolist()) == ([hits], [1 - hits])

    def test_an_overlap_that_misses_the_threshold_by_rounding_alone_is_a_hit(self):
        unit = Objects(boxes=[[0, 0, 1, 1]])
        for missing, hits in ((1e-12, 1), (3e-12, 0)):
            objects = scored(([0, 0, 1, 0.5 * (1 - missing)], 0.5))
            assert match_boxes([unit], [objects], Rule())[0].tp.tolist() == [hits]

    def test_pixels_that_are_counted_at_both_ends_make_boxes_one_larger(self):
        # 5 × 5 and 5 × 3 pixels: 15 of 25 shared, 0.6; as lengths, 8 of 16.
        objects = scored(([0, 0, 4, 2], 0.5))
        inclusive = Rule(threshold=0.55, options=(("box_convention", "inclusive_pixels"),))
        other = Rule(threshold=0.55, options=(("box_convention", "half_open"),))
        assert match_boxes([self.BOXES], [objects], inclusive)[0].tp.tolist() == [1]
        assert match_boxes([self.BOXES], [objects], other)[0].tp.tolist() == [0]

    def test_a_second_prediction_of_a_found_object_is_false_or_ignored(self):
        objects = scored((SQUARE, 0.9), (SQUARE, 0.8), (FAR, 0.7))
        as_false = match_boxes([self.BOXES], [objects], Rule(double_assignment="fp"))[0]
        ignoring = match_boxes([self.BOXES], [objects], Rule(double_assignment="ignore"))[0]
        assert sorted(zip(as_false.score, as_false.tp, strict=True)) == [(0.7, 0), (0.8, 0), (0.9, 1)]
        assert sorted(zip(ignoring.score, ignoring.tp, ignoring.fp, strict=True)) == [(0.7, 0, 1), (0.9, 1, 0)]

    def test_images_and_classes_are_kept_apart_in_three_dimensions_too(self):
        cube, other = [0, 0, 0, 2, 2, 2], [5, 5, 5, 7, 7, 8]
        truth = [Objects(boxes=[cube, other], classes=["b", "a"]), Objects(boxes=[cube], classes=["a"])]
        result = [
            Objects(boxes=[cube], classes=["a"], scores=[0.9]),
            Objects(boxes=[other, cube], classes=["a", "a"], scores=[0.8, 0.7]),
        ]
        of_a, of_b = match_boxes(truth, result, Rule(), ["a", "b"])
        assert (of_a.references.tolist(), of_b.references.tolist()) == ([1, 1], [1, 0])
        found_a = sorted(zip(of_a.image.tolist(), of_a.score, of_a.tp, of_a.fp, strict=True))
        assert found_a == [(0, 0.9, 0, 1), (1, 0.7, 1, 0), (1, 0.8, 0, 1)]
        assert of_b.score.tolist() == []

    def test_objects_without_classes_are_of_the_one_class_without_a_name(self):
        [steps] = match_boxes([self.BOXES, Objects(boxes=NO_BOXES)], [self.FOUND, scored((FAR, 0.4))], Rule(), [""])
        assert (steps.references.tolist(), steps.image.tolist()) == ([1, 0], [0, 1])
        assert (steps.tp.tolist(), steps.fp.tolist()) == ([1, 0], [0, 1])


class TestAsCocoMatches:
    """Rows of 10 pixels height 1, so that the IoU of [0, w] and [0, 10] is w / 10."""

    def match(self, truth, guess, threshold=0.5, crowd=None):
        """Return whether each prediction, best first, is a hit; predictions that count neither way are left out."""
        references = Objects(boxes=[[a, 0, b, 1] for a, b in truth], ignored=crowd)
        scores = np.linspace(0.9, 0.1, len(guess))
        predictions = Objects(boxes=[[a, 0, b, 1] for a, b in guess], scores=scores)
        traced = coco.trace_coco([references], [predictions], {}, threshold)
        return [(round(float(score), 3), bool(tp)) for score, tp in zip(traced.score, traced.tp, strict=True)]

    def test_each_takes_the_free_reference_it_overlaps_most(self):
        # Both prefer the first reference; the second prediction has to take what is left, as far as it overlaps enough.
        assert self.match([(0, 10), (4, 14)], [(0, 10), (1, 11)]) == [(0.9, True), (0.1, True)]
        assert self.match([(0, 10), (8, 18)], [(0, 10), (1, 11)]) == [(0.9, True), (0.1, False)]
        # Of equals the last, so that the first stays free for the next.
        assert self.match([(0, 10), (4, 14)], [(2, 12), (0, 10)]) == [(0.9, True), (0.1, True)]
        assert self.match([(4, 14), (0, 10)], [(2, 12), (0, 10)]) == [(0.9, True), (0.1, False)]

    def test_the_threshold_itself_is_enough_and_1_means_all_but_1(self):
        assert self.match([(0, 10), (20, 30)], [(0, 5), (20, 24.9)]) == [(0.9, True), (0.1, False)]
        assert self.match([(0, 10)], [(0, 10 - 1e-10)], threshold=1.0) == [(0.9, True)]
        assert self.match([(0, 10)], [(0, 10 - 1e-8)], threshold=1.0) == [(0.9, False)]

    def test_a_crowd_takes_any_number_but_only_what_hits_no_object(self):
        found = self.match([(0, 30), (0, 10)], [(0, 10), (1, 11), (2, 12)], crowd=[True, False])
        assert found == [(0.9, True)]

    def test_overlap_with_a_crowd_is_the_share_of_the_prediction_for_boxes_and_masks(self):
        # 4 of 10 pixels lie in the crowd: enough at 0.4, not at 0.41.
        assert self.match([(0, 100)], [(96, 106)], threshold=0.4, crowd=[True]) == []
        assert self.match([(0, 100)], [(96, 106)], threshold=0.41, crowd=[True]) == [(0.9, False)]
        labels = np.zeros((2, 4, 10), dtype=int)
        labels[0, :, :4], labels[0, :, 4:8], labels[1, :, 2:6] = 1, 2, 1
        masks = [Objects(labels=labels[0], ignored=[False, True])], [Objects(labels=labels[1], scores=[0.5])]
        by_mask = {"localization_criterion": "loc_mask_iou"}
        # 8 of 24 pixels of the object, which is less than 0.5; 8 of the prediction's 16 in the crowd.
        assert steps_of(coco.trace_coco(*masks, by_mask, 0.5)) == []
        assert steps_of(coco.trace_coco(*masks, by_mask, 0.51)) == [(0, 0.5, 0, 1)]
        assert steps_of(coco.trace_coco(*masks, by_mask, 0.33)) == [(0, 0.5, 1, 0)]

    def test_objects_outside_a_range_of_areas_count_neither_way(self):
        truth = [Objects(boxes=[[0, 0, 10, 10], [50, 50, 90, 90]])]
        guess = [
            scored(([0, 0, 10, 10], 0.9), ([50, 50, 90, 90], 0.8), ([200, 0, 210, 10], 0.7), ([200, 50, 240, 90], 0.6))
        ]
        small, large = (coco.trace_coco(truth, guess, {"area": area}) for area in ("small", [1024.5, 9216]))
        assert (steps_of(small), small.references.tolist()) == ([(0, 0.9, 1, 0), (0, 0.7, 0, 1)], [1])
        assert (steps_of(large), large.references.tolist()) == ([(0, 0.8, 1, 0), (0, 0.6, 0, 1)], [1])

    def test_steps_are_those_of_predictions_that_count(self):
        truth = [Objects(boxes=[SQUARE]), Objects(boxes=[FAR], ignored=[True]), Objects(boxes=NO_BOXES)]
        result = [scored((FAR, 0.4), (SQUARE, 0.6)), scored((FAR, 0.9), (SQUARE, 0.3)), Objects(boxes=NO_BOXES)]
        traced = coco.trace_coco(truth, result, {})
        assert steps_of(traced) == [(0, 0.6, 1, 0), (0, 0.4, 0, 1), (1, 0.3, 0, 1)]
        assert traced.references.tolist() == [1, 0, 0]
        best_only = coco.trace_coco(truth, result, {"max_detections": 1})
        assert steps_of(best_only) == [(0, 0.6, 1, 0)]
        # A cutoff goes before the threshold among the options.
        half = [scored(([0, 0, 4, 2], 0.6)), *result[1:]]
        assert steps_of(coco.trace_coco(truth, half, {"localization_threshold": 0.4}))[0] == (0, 0.6, 1, 0)
        assert steps_of(coco.trace_coco(truth, half, {"localization_threshold": 0.4}, 0.6))[0] == (0, 0.6, 0, 1)

    @pytest.mark.parametrize(
        "options",
        [
            {"localization_criterion": "loc_center_distance"},
            {"assignment": "hungarian"},
            {"double_assignment": "ignore"},
        ],
    )
    def test_other_ways_of_matching_are_refused(self, options):
        with pytest.raises(ValueError, match="choose points_101 for others"):
            coco.trace_coco([Objects(boxes=[SQUARE])], [scored((SQUARE, 0.5))], options)

    def test_scores_are_needed_and_mask_overlap_will_do(self):
        with pytest.raises(ValueError, match="a score for every predicted object"):
            coco.trace_coco([Objects(boxes=[SQUARE])], [Objects(boxes=[SQUARE])], {})
        labels = np.array([[1, 1, 0]])
        traced = coco.trace_coco(
            [Objects(labels=labels)],
            [Objects(labels=labels, scores=[0.5])],
            {"localization_criterion": "loc_mask_iou"},
        )
        assert steps_of(traced) == [(0, 0.5, 1, 0)]
