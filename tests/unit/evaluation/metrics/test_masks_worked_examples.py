"""The worked examples of the metrics reference for masks, to the digits given there."""

import numpy as np
import pytest

from evaluation.metrics.boundary import (
    assd,
    boundary_iou,
    hausdorff_distance,
    hausdorff_percentile,
    masd,
    nsd,
)
from evaluation.metrics.masks import Mask
from evaluation.metrics.overlap import cldice, dsc, fbeta, ior, iou

E4A = (1.0, 2.5)


def reference():
    mask = np.zeros((12, 12), dtype=bool)
    mask[3:9, 3:9] = True
    return mask


def prediction(*, stray=True):
    mask = np.zeros((12, 12), dtype=bool)
    mask[3:9, 3:8] = True
    mask[0, 11] = stray
    return mask


def four_digits(value):
    return pytest.approx(value, abs=0.5e-4)


class TestSquareWithOneColumnMissingAndOneStrayPixel:
    """Fixture E4; E4a has columns of 2.5 mm, E4b lacks the stray pixel."""

    @pytest.mark.parametrize(
        ("metric", "options", "value"),
        [
            (dsc, {}, 0.8955),
            (iou, {}, 0.8108),
            (ior, {}, 0.8333),
            (fbeta, {"beta": 0.5}, 0.9375),
            (fbeta, {"beta": 2}, 0.8571),
            (hausdorff_distance, {}, 4.2426),
            (hausdorff_distance, {"spacing": E4A}, 8.0777),
            (hausdorff_percentile, {}, 1.3243),
            (hausdorff_percentile, {"combine": "pooled"}, 1.0),
            (hausdorff_percentile, {"spacing": E4A}, 2.6078),
            (hausdorff_percentile, {"spacing": E4A, "combine": "pooled"}, 2.5),
            (assd, {}, 0.3652),
            (assd, {"spacing": E4A}, 0.7456),
            (masd, {}, 0.3669),
            (masd, {"spacing": E4A}, 0.7455),
            (nsd, {"tolerance": 0}, 0.7179),
            (nsd, {"tolerance": 1}, 0.9744),
            (nsd, {"tolerance": 2}, 0.9744),
            (nsd, {"tolerance": 1, "spacing": E4A}, 0.7692),
            (nsd, {"tolerance": 2, "spacing": E4A}, 0.8205),
            (nsd, {"tolerance": 3, "spacing": E4A}, 0.9744),
            (boundary_iou, {"distance": 1}, 0.56),
            (boundary_iou, {"distance": 2}, 0.7429),
            (boundary_iou, {"distance": 10}, 0.8108),
        ],
    )
    def test_value(self, metric, options, value):
        assert metric(reference(), prediction(), **options).value == four_digits(value)

    def test_without_the_stray_pixel_the_hausdorff_distance_is_one(self):
        assert hausdorff_distance(reference(), prediction(stray=False)).value == 1.0

    def test_number_of_boundary_pixels(self):
        assert Mask(reference()).surface().size == 20
        assert Mask(prediction()).surface().size == 19

    def test_mean_distance_halves_when_the_prediction_is_one_pixel_of_the_boundary(self):
        dot = np.zeros((12, 12), dtype=bool)
        dot[3, 5] = True
        assert masd(reference(), dot).value == four_digits(1.7488)
        assert assd(reference(), dot).value == four_digits(3.3310)


class TestBoundaryConvention:
    def diamond(self):
        rows, columns = np.indices((11, 11))
        return abs(rows - 5) + abs(columns - 5) <= 4

    def test_neighbourhood_decides_how_long_a_boundary_is(self):
        mask = Mask(self.diamond())
        assert mask.count == 41
        assert mask.surface("face").size == 16
        assert mask.surface("full").size == 28

    def test_edge_of_the_image_is_outside(self):
        mask = np.zeros((12, 12), dtype=bool)
        mask[3:9, :3] = True
        assert Mask(mask).surface().size == 14

    def test_volume_of_one_slice_has_the_boundary_of_the_image(self):
        assert Mask(self.diamond()[:, :, None]).surface().size == 16
        assert hausdorff_percentile(reference()[None], prediction()[None]).value == four_digits(1.3243)


@pytest.mark.parametrize(("layer", "value"), [(-1, 0.6154), (1, 0.72)])
def test_too_large_outlines_are_favoured_by_dice_but_not_by_distance(layer, value):
    truth, mask = np.zeros((2, 14, 14), dtype=bool)
    truth[4:10, 4:10] = True
    mask[4 - layer : 10 + layer, 4 - layer : 10 + layer] = True
    assert dsc(truth, mask).value == four_digits(value)
    assert hausdorff_distance(truth, mask).value == four_digits(1.4142)


class TestHole:
    """A square of 10 × 10 predicted with a hole of 4 × 4."""

    truth = np.pad(np.ones((10, 10), dtype=bool), 5)

    def holed(self):
        mask = self.truth.copy()
        mask[8:12, 8:12] = False
        return mask

    @pytest.mark.parametrize(("distance", "value"), [(2, 0.7619), (3, 1.0), (5, 0.84)])
    def test_band_decides_whether_it_is_seen(self, distance, value):
        assert boundary_iou(self.truth, self.holed(), distance=distance).value == four_digits(value)

    def test_together_with_the_mask_it_cannot_go_unseen(self):
        combined = boundary_iou(self.truth, self.holed(), distance=3, combine_with_mask_iou=True)
        assert combined.value == four_digits(0.84) == four_digits(iou(self.truth, self.holed()).value)


class TestBar:
    """A tube of 3 × 20 pixels; thick but short, or one pixel thin over the whole length."""

    truth = np.zeros((9, 26), dtype=bool)
    truth[3:6, 3:23] = True

    def test_centreline_dice_and_dice_prefer_different_predictions(self):
        short, thin = np.zeros_like(self.truth), np.zeros_like(self.truth)
        short[3:6, 3:10] = True
        thin[4, 3:23] = True
        assert cldice(self.truth, short).value == four_digits(0.5385)
        assert cldice(self.truth, thin).value == four_digits(0.9730)
        assert dsc(self.truth, short).value == four_digits(0.5185)
        assert dsc(self.truth, thin).value == four_digits(0.5)
