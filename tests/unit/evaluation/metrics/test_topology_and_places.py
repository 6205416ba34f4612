"""Topology, volumes and places of masks, and indices over instances: worked examples and properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import ndimage

from evaluation.assessment import parse
from evaluation.matching import Objects
from evaluation.metrics.instance import aji, aji_plus
from evaluation.metrics.masks import Mask
from evaluation.metrics.places_and_diameters import centre_distance, diameters, long_axis_error, short_axis_error
from evaluation.metrics.topology import betti_number_error, betti_numbers, euler_characteristic_difference
from evaluation.metrics.volumes import volume_similarity
from evaluation.outcomes import Outcome
from evaluation.problems import get
from evaluation.problems.cautions import of_volumes
from evaluation.readers import Geometry, LabelImage
from tests.unit.evaluation.metrics.test_mask_properties import cases, relaxed

WHOLE = {
    "parts": betti_number_error,
    "tunnels": lambda a, b, **more: betti_number_error(a, b, dimension=1, topology_connectivity="face", **more),
    "euler": euler_characteristic_difference,
}
SHARES = {"similarity": volume_similarity, "long": long_axis_error, "short": short_axis_error}


def ring(size=5):
    mask = np.zeros((size, size), dtype=bool)
    mask[1:-1, 1:-1] = True
    mask[2:-2, 2:-2] = False
    return mask


class TestBettiNumbers:
    def test_of_a_ring_a_shell_and_a_torus(self):
        assert betti_numbers(Mask(ring())) == (1, 1)
        shell = np.zeros((5, 5, 5), dtype=bool)
        shell[1:-1, 1:-1, 1:-1] = True
        shell[2, 2, 2] = False
        assert betti_numbers(Mask(shell)) == (1, 0, 1)
        assert betti_numbers(Mask(np.stack([np.zeros((5, 5), bool), ring(), np.zeros((5, 5), bool)]))) == (1, 1, 0)

    def test_voxels_that_meet_at_a_corner_are_one_part_or_two(self):
        assert betti_numbers(Mask(np.eye(2))) == (1, 0)
        assert betti_numbers(Mask(np.eye(2)), "face") == (2, 0)

    def test_errors_can_cancel_out_in_the_euler_characteristic(self):
        """A ring against a ring that is closed in the middle and a part that is added: 1 - 1 against 2 - 2."""
        reference = np.zeros((5, 12), dtype=bool)
        reference[:, :5] = ring()
        prediction = reference.copy()
        prediction[:, 6:11] = ring()
        assert betti_number_error(reference, prediction).value == 1
        assert betti_number_error(reference, prediction, dimension=1).value == 1
        assert euler_characteristic_difference(reference, prediction).value == 0

    def test_an_image_has_no_cavity(self):
        with pytest.raises(ValueError, match="from 0 to 1"):
            betti_number_error(ring(), ring(), dimension=2)
        with pytest.raises(ValueError, match="topology_connectivity"):
            betti_numbers(Mask(ring()), "edge")


class TestPlaces:
    def test_the_distance_of_centres_is_in_mm(self):
        reference, prediction = np.zeros((4, 4, 4), bool), np.zeros((4, 4, 4), bool)
        reference[0, 0, 0] = prediction[3, 0, 2] = True
        assert centre_distance(reference, prediction, spacing=(1, 1, 2)).value == 5.0

    def test_axes_of_a_rectangle_are_its_diagonals(self):
        """7 by 4 pixels: the diagonal has 6 by 3 steps; the longest line within 1 degree of perpendicular has 1.5 by 3."""
        assert diameters(Mask(np.ones((7, 4)))).long == pytest.approx(math.hypot(6, 3))
        assert diameters(Mask(np.ones((7, 4)))).short < math.hypot(6, 3)
        assert diameters(Mask(np.ones((7, 4)), (2.0, 1.0))).long == pytest.approx(math.hypot(12, 3))

    def test_the_largest_slice_and_its_largest_part_count(self):
        mask = np.zeros((9, 9, 2), dtype=bool)
        mask[0:3, 0, 0] = True
        mask[2, 1:8, 1] = True
        mask[6:8, 0, 1] = True
        assert diameters(Mask(mask)).long == 6.0

    def test_two_dots_have_no_diameter_and_no_error(self):
        dot = np.zeros((3, 3), dtype=bool)
        dot[1, 1] = True
        assert long_axis_error(dot, dot).value == short_axis_error(dot, dot).value == 0.0
        with pytest.raises(ValueError, match="slice_axis"):
            diameters(Mask(dot), 3)


@relaxed
@given(cases())
def test_value_or_reason_and_range(case):
    reference, prediction, spacing = case
    for name, metric in (WHOLE | SHARES | {"centre": centre_distance}).items():
        value, outcome = metric(reference, prediction, spacing=spacing)
        assert (value is None) == (outcome is not Outcome.OK), name
        if value is None:
            assert outcome is Outcome.BOTH_EMPTY or name not in WHOLE
            continue
        assert math.isfinite(value)
        assert 0 <= value <= (Mask(reference, spacing).diagonal if name == "centre" else math.inf)
        assert value <= 1 or name not in SHARES
        assert value == int(value) or name not in WHOLE


@relaxed
@given(cases())
def test_parts_and_cavities_agree_with_the_euler_characteristic(case):
    """Of the complement, whose neighbours are the others, tunnels are the same and parts are cavities and the outside."""
    mask = case[0]
    outside = ~np.pad(mask, 1)
    numbers, others = betti_numbers(Mask(mask)), betti_numbers(Mask(outside), "face")
    assert numbers[0] == ndimage.label(mask, np.ones((3,) * mask.ndim))[1]
    assert all(number >= 0 for number in numbers)
    assert others[0] == 1 + numbers[-1]
    if mask.ndim == 3:
        assert others[1] == numbers[1]
        assert others[2] == numbers[0]


class TestAggregatedJaccardIndex:
    """Objects of 4 and 2 pixels; one prediction covers both, one is surplus."""

    reference = np.array([[1, 1, 1, 1, 0, 2, 2, 0, 0, 0]])
    prediction = np.array([[5, 5, 5, 5, 5, 5, 5, 0, 8, 0]])

    def test_by_hand(self):
        """Pairs 4 / 7 and 2 / 7 and a surplus pixel; with unique pairs 4 / 7, 2 missed pixels and a surplus one."""
        assert aji(self.reference, self.prediction).value == pytest.approx(6 / 15)
        assert aji_plus(self.reference, self.prediction).value == pytest.approx(4 / 10)

    def test_ignored_objects_and_what_lies_in_them_do_not_count(self):
        objects = Objects(labels=self.reference, ignored=[False, True])
        prediction = np.array([[1, 1, 1, 1, 0, 2, 2, 0, 0, 0]])
        assert aji(objects, prediction).value == aji_plus(objects, prediction).value == 1.0

    def test_the_greatest_sum_wins_over_the_greatest_pair(self):
        reference = np.array([[1] * 6 + [2] * 4])
        prediction = np.array([[1] * 3 + [2] * 7])
        assert aji_plus(reference, prediction).value == pytest.approx((3 + 4) / (6 + 7))

    @pytest.mark.parametrize("metric", [aji, aji_plus])
    def test_an_empty_side_has_no_value(self, metric):
        nothing = np.zeros_like(self.reference)
        assert metric(nothing, nothing).outcome is Outcome.BOTH_EMPTY
        assert metric(nothing, self.prediction).outcome is Outcome.REF_EMPTY
        assert metric(self.reference, nothing).outcome is Outcome.PRED_EMPTY

    def test_from_label_maps_of_a_registered_assessment(self):
        metrics = [{"id": "aji"}, {"id": "aji_plus"}]
        assessment = parse({"problem": "instance_segmentation", "metrics": metrics})
        kind, geometry = get("instance_segmentation"), Geometry(self.reference.shape)
        reference = kind.prepare(assessment, LabelImage(self.reference, geometry))
        rows = kind.score(assessment, "a", reference, kind.submitted(LabelImage(self.prediction, geometry), None))
        assert [row.value for row in rows] == pytest.approx([6 / 15, 4 / 10])


def test_volume_similarity_ignores_places():
    assert volume_similarity([[1, 1, 1, 0]], [[0, 0, 0, 1]]).value == 0.5
    assert volume_similarity([[1, 0]], [[0, 1]]).value == 1.0


def test_counts_and_topology_alone_are_cautioned_against():
    regions = [{"name": "vessel", "labels": [1]}]
    sentence = "Counts of lesions and topology ignore position: add an overlap metric such as DSC."
    for metric in ("lesion_count_difference", "betti_number_error", "euler_characteristic_difference"):
        alone = {"problem": "semantic_segmentation", "regions": regions, "metrics": [{"id": metric}]}
        assert sentence in list(of_volumes(parse(alone)))
        assert not list(of_volumes(parse({**alone, "metrics": [{"id": metric}, {"id": "dsc"}]})))
