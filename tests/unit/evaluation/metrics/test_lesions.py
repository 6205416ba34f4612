"""Lesions: worked examples, properties of every pair of masks, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given

from evaluation.metrics.boundary import assd, hausdorff_percentile, nsd
from evaluation.metrics.instance import mi_dsc
from evaluation.metrics.lesions import (
    aggregated_lesion_f1,
    false_negative_volume,
    false_positive_volume,
    lesion_count_difference,
    lesion_f1,
    lesionwise_dsc,
    lesionwise_hausdorff,
)
from evaluation.metrics.masks import Mask
from evaluation.metrics.surfels import areas_by_code
from evaluation.outcomes import Outcome
from tests.unit.evaluation.metrics.test_mask_properties import cases, relaxed

OF_VOLUMES = {"fpv": false_positive_volume, "fnv": false_negative_volume}
OF_LESIONS = {
    "dsc": lesionwise_dsc,
    "grown": lambda a, b, **more: lesionwise_dsc(a, b, dilation=2, min_volume=1.5, **more),
    "pairs": lambda a, b, **more: lesionwise_dsc(a, b, matching="one_to_one", **more),
    "merged": lambda a, b, **more: lesionwise_dsc(a, b, dilation=1, predicted_lesions="as_reference", **more),
    "matched": lambda a, b, **more: lesionwise_dsc(a, b, unmatched="ignore", **more),
    "hd95": lesionwise_hausdorff,
    "surfels": lambda a, b, **more: lesionwise_hausdorff(a, b, boundary="surfels", **more),
    "f1": lesion_f1,
    "f1 of pairs": lambda a, b, **more: lesion_f1(a, b, min_iou=0.4, **more),
    "count": lesion_count_difference,
}
DISTANCES = ("hd95", "surfels", "count")


def line(*voxels, length=24):
    mask = np.zeros((1, length), dtype=bool)
    mask[0, list(voxels)] = True
    return mask


class TestWorkedExamples:
    """Two lesions of 4 and 2 voxels with a gap of 3; the prediction finds half of the first and adds one lesion."""

    reference = line(2, 3, 4, 5, 9, 10)
    prediction = line(4, 5, 20, 21)

    def test_missed_and_surplus_lesions_count_nothing(self):
        """(2 · 2 / (4 + 2) + 0 + 0) / 3."""
        assert lesionwise_dsc(self.reference, self.prediction).value == pytest.approx(2 / 9)
        assert lesionwise_dsc(self.reference, self.prediction, unmatched="zero_fn").value == pytest.approx(1 / 3)
        assert lesionwise_dsc(self.reference, self.prediction, unmatched="ignore").value == pytest.approx(2 / 3)

    def test_a_hit_needs_the_smallest_iou(self):
        """The first lesion has an IoU of 2 / 4: one hit of 2 and 2 lesions, or none above it."""
        assert lesion_f1(self.reference, self.prediction, min_iou=0.5).value == pytest.approx(1 / 2)
        assert lesion_f1(self.reference, self.prediction, min_iou=0.51).value == 0
        # Two parts hit one lesion by a voxel each, and only one of them is its partner.
        parts = line(2, 4, 5)
        assert lesion_f1(line(2, 3, 4, 5), parts).value == 1
        assert lesion_f1(line(2, 3, 4, 5), parts, min_iou=0.1).value == pytest.approx(2 / 3)
        with pytest.raises(ValueError, match="min_iou is a number from 0 to 1"):
            lesion_f1(self.reference, self.prediction, min_iou=1.5)

    def test_hits_of_all_cases_are_summed(self):
        """One hit of 2 and 2 lesions in the first case, one surplus lesion in the second: 2 / (4 + 1)."""
        empty, surplus = line(), line(7)
        sides = [self.reference, empty], [self.prediction, surplus]
        assert aggregated_lesion_f1(*sides, min_iou=0.5).value == pytest.approx(2 / 5)
        assert aggregated_lesion_f1(*sides).value == pytest.approx(2 / 5)
        assert aggregated_lesion_f1(*sides, min_iou=0.51).value == 0
        assert aggregated_lesion_f1([empty], [surplus]).outcome is Outcome.REF_EMPTY
        assert aggregated_lesion_f1([surplus], [empty]).outcome is Outcome.PRED_EMPTY
        assert aggregated_lesion_f1([empty], [empty], min_iou=0.5).outcome is Outcome.BOTH_EMPTY
        with pytest.raises(ValueError, match="min_iou is a number from 0 to 1"):
            aggregated_lesion_f1([empty], [empty], min_iou=-0.1)

    def test_lesions_merge_when_their_dilations_touch(self):
        """The dilations reach 7 and 7: one lesion of 6 voxels, 2 · 2 / 8, and the surplus one."""
        assert lesionwise_dsc(self.reference, self.prediction, dilation=2).value == pytest.approx(1 / 4)

    def test_small_lesions_are_not_judged_and_excuse_what_touches_them(self):
        found = line(4, 5, 9)
        assert lesionwise_dsc(self.reference, found, min_volume=2).value == pytest.approx(2 / 3)
        assert lesionwise_dsc(self.reference, found, min_volume=1.9).value == pytest.approx((2 / 3 + 2 / 3) / 2)
        assert lesionwise_dsc(line(9, 10), line(9), min_volume=2).outcome is Outcome.BOTH_EMPTY
        assert lesionwise_dsc(line(9, 10), line(3), min_volume=2).outcome is Outcome.REF_EMPTY

    def test_missed_and_surplus_lesions_count_the_penalty(self):
        """Directed distances of the first lesion are 2, 1, 0, 0 and 0, 0."""
        options = {"percentile": 100, "penalty": 50}
        assert lesionwise_hausdorff(self.reference, self.prediction, **options).value == pytest.approx(
            (2 + 50 + 50) / 3
        )
        diagonal = math.hypot(1, 24)
        value = lesionwise_hausdorff(self.reference, self.prediction, percentile=100).value
        assert value == pytest.approx((2 + 2 * diagonal) / 3)

    def test_hits_and_counts(self):
        """TP 1, FN 1, FP 1."""
        assert lesion_f1(self.reference, self.prediction).value == 0.5
        assert lesion_count_difference(self.reference, self.prediction).value == 0
        assert lesion_count_difference(self.reference, line(4)).value == 1

    def test_one_predicted_lesion_over_two_is_taken_whole_for_each(self):
        over = line(*range(2, 11))
        assert lesionwise_dsc(self.reference, over).value == pytest.approx((8 / 13 + 4 / 11) / 2)
        assert lesionwise_dsc(self.reference, over, matching="one_to_one").value == pytest.approx(8 / 13 / 2)

    def test_a_lesion_in_two_pieces_is_found_where_matching_one_to_one_at_half_is_not(self):
        """`mi_dsc` gives 0, since no piece overlaps by more than half."""
        reference, prediction = line(*range(13)), line(0, 1, 2, 5, 6, 9, 10)
        assert lesionwise_dsc(reference, prediction).value == pytest.approx(14 / 20)
        assert mi_dsc(reference.astype(int), prediction.astype(int), instance_connectivity="full").value == 0.0

    def test_volumes_are_in_millilitres(self):
        reference, prediction = self.reference[None], self.prediction[None]
        spacing = (10, 10, 5)
        assert false_positive_volume(reference, prediction, spacing=spacing).value == pytest.approx(1.0)
        assert false_negative_volume(reference, prediction, spacing=spacing).value == pytest.approx(1.0)

    def test_corners_join_lesions_unless_faces_are_asked_for(self):
        diagonal, dot = np.eye(3, dtype=bool), np.zeros((3, 3), dtype=bool)
        dot[0, 0] = True
        assert lesion_count_difference(diagonal, dot).value == 0
        assert lesion_count_difference(diagonal, dot, lesion_connectivity="face").value == 2
        assert lesion_f1(diagonal, dot, lesion_connectivity="face").value == 0.5


class TestAreasOfSurfaceElements:
    def test_a_plane_has_its_area_and_a_staircase_that_of_its_slope(self):
        plane = np.zeros((6, 8, 9), dtype=bool)
        plane[:3] = True
        surface = Mask(plane, (1.0, 2.0, 3.0)).surface("surfels")
        # Corners on the cut away from the edges of the image have the face of a voxel each.
        assert areas_by_code((1.0, 2.0, 3.0))[0b00001111] == pytest.approx(6.0)
        assert surface.areas.sum() > 7 * 8 * 6

    def test_one_voxel_has_eight_corners_cut_off(self):
        """Each by a triangle with sides of √½ in a voxel of size 1."""
        dot = np.zeros((3, 3, 3), dtype=bool)
        dot[1, 1, 1] = True
        surface = Mask(dot).surface("surfels")
        assert surface.size == 8
        assert surface.areas.tolist() == pytest.approx([math.sqrt(3) / 8] * 8)

    def test_configurations_and_their_complements_have_one_area(self):
        for spacing in ((0.7, 1.0, 2.5), (0.7, 2.5), (1.0,)):
            areas = areas_by_code(spacing)
            assert areas[0] == areas[-1] == 0
            assert areas.tolist() == pytest.approx(areas[::-1].tolist())
            assert (areas[1:-1] > 0).all()

    def test_a_neighbourhood_of_elements_is_refused(self):
        with pytest.raises(ValueError, match="no neighbourhood"):
            nsd([[1]], [[1]], tolerance=1, boundary="surfels", boundary_connectivity="full")
        with pytest.raises(ValueError, match="boundary is"):
            assd([[1]], [[1]], boundary="lines")


class TestDirections:
    """Distances 0, 0, 3 there and 0, 0 back."""

    reference, prediction = line(2, 3, 6), line(2, 3)

    @pytest.mark.parametrize(
        ("combine", "value"),
        [
            ("max_of_directed", 3),
            ("mean_of_directed", 1.5),
            ("reference_to_prediction", 3),
            ("prediction_to_reference", 0),
            ("pooled", 3),
        ],
    )
    def test_of_the_percentile(self, combine, value):
        assert hausdorff_percentile(self.reference, self.prediction, percentile=100, combine=combine).value == value

    def test_others_are_refused(self):
        with pytest.raises(ValueError, match="combine is one of"):
            hausdorff_percentile(self.reference, self.prediction, combine="least")


@relaxed
@given(cases())
def test_value_or_reason_and_range(case):
    reference, prediction, spacing = case
    metrics = OF_LESIONS | (OF_VOLUMES if reference.ndim == 3 else {})
    for name, metric in metrics.items():
        value, outcome = metric(reference, prediction, spacing=spacing)
        assert (value is None) == (outcome is not Outcome.OK), name
        if value is not None:
            assert math.isfinite(value)
            assert value >= 0
            assert value <= 1 or name in DISTANCES or name in OF_VOLUMES


@relaxed
@given(cases(empty=False))
def test_a_copy_is_perfect(case):
    reference, _, spacing = case
    for name, metric in (OF_LESIONS | (OF_VOLUMES if reference.ndim == 3 else {})).items():
        value, outcome = metric(reference, reference.copy(), spacing=spacing)
        if outcome is Outcome.BOTH_EMPTY:  # No lesion is large enough to be judged.
            assert name == "grown"
            continue
        assert value == (0.0 if name in DISTANCES or name in OF_VOLUMES else 1.0)


@relaxed
@given(cases(empty=False))
def test_an_image_is_a_volume_of_one_slice(case):
    reference, prediction, spacing = case
    if reference.ndim == 3:
        return
    for name, metric in OF_LESIONS.items():
        flat = metric(reference, prediction, spacing=spacing)
        if name == "grown":  # A cut-off is an area there and a volume here.
            continue
        volume = metric(reference[None], prediction[None], spacing=(1.0, *spacing))
        assert volume.outcome is flat.outcome
        if name not in ("hd95", "surfels"):
            assert volume.value == flat.value, name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lesion_connectivity": "corner"}, "lesion_connectivity"),
        ({"matching": "any"}, "matching"),
        ({"predicted_lesions": "all"}, "predicted_lesions"),
        ({"unmatched": "some"}, "unmatched"),
        ({"dilation": -1}, "dilation"),
        ({"min_volume": math.inf}, "min_volume"),
    ],
)
def test_values_that_do_not_exist_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        lesionwise_dsc([[1, 0, 1]], [[1, 0, 0]], **options)


@pytest.mark.parametrize("metric", [false_positive_volume, false_negative_volume])
def test_an_area_is_no_volume(metric):
    with pytest.raises(ValueError, match="3 dimensions"):
        metric([[1, 0]], [[1, 0]])
