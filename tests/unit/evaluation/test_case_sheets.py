"""Sheets of slices for the viewer: every slice in its place, outlines alone, and a beginning that gives nothing away."""

import io

import numpy as np
import pytest
from PIL import Image

from evaluation.figures import case_pictures as slices
from evaluation.figures import case_sheets as strips
from evaluation.readers import Geometry

GEOMETRY = Geometry((20, 10, 5), spacing=(1.0, 1.0, 4.0))


def block(*, low: int = 1, high: int = 4) -> np.ndarray:
    labels = np.zeros(GEOMETRY.shape, dtype=np.uint8)
    labels[5:15, 3:7, low:high] = 1
    return labels


def cells(strip: strips.Strip, sheet: bytes, mode: str) -> list[np.ndarray]:
    whole = np.asarray(Image.open(io.BytesIO(sheet)).convert(mode)).astype(int)
    found = []
    for place in range(len(strip.slices)):
        left, top = strip.corner(place)
        found.append(whole[top : top + strip.height, left : left + strip.width])
    return found


def test_each_axis_has_all_its_slices_in_true_proportions():
    by_axis = {strip.axis: strip for strip in strips.strips(GEOMETRY)}
    assert {axis: len(strip.slices) for axis, strip in by_axis.items()} == {"z": 5, "y": 10, "x": 20}
    assert (by_axis["y"].width, by_axis["y"].height) == (320, 320)  # 20 × 20 mm
    assert (by_axis["z"].width, by_axis["z"].height) == (320, 160)  # 20 × 10 mm


def test_a_long_axis_is_thinned_and_a_short_volume_is_not_taken_for_a_picture():
    assert strips.strips(Geometry((4, 4, 500)))[0].slices == tuple(range(0, 500, 8))
    thin = strips.strips(Geometry((8, 8, 1)))
    assert [(strip.axis, strip.is_flat) for strip in thin] == [("z", False), ("y", False), ("x", False)]
    assert [strip.is_flat for strip in strips.strips(Geometry((8, 6)))] == [True]
    labels = np.ones((8, 8, 1), dtype=np.uint8)
    assert all(strips.outline_sheet(strip, labels, slices.PREDICTION) for strip in thin)


def test_slices_of_the_image_stand_in_their_order():
    image = np.broadcast_to(np.arange(5, dtype=np.uint8) * 50, GEOMETRY.shape).copy()
    strip = strips.strips(GEOMETRY)[0]
    found = [round(cell.mean()) for cell in cells(strip, strips.image_sheet(strip, image, GEOMETRY.shape), "L")]
    assert found == pytest.approx([0, 50, 100, 150, 200], abs=2)


def test_outlines_are_in_their_colour_on_a_transparent_ground_in_their_slices_only():
    strip = strips.strips(GEOMETRY)[0]
    drawn = cells(strip, strips.outline_sheet(strip, block(), slices.REFERENCE), "RGBA")
    assert [bool(cell[..., 3].any()) for cell in drawn] == [False, True, True, True, False]
    marked = drawn[1][drawn[1][..., 3] > 0]
    assert {tuple(pixel[:3]) for pixel in marked} == {slices.REFERENCE}
    assert drawn[1][80, 160, 3] == 0  # inside, the image shines through


def test_boxes_and_points_are_drawn_where_they_are():
    geometry = Geometry((40, 20))
    [strip] = strips.strips(geometry)
    for places in ([(10.0, 5.0, 20.0, 15.0)], [(10.0, 5.0)]):
        layer = slices.Boxes(places, slices.PREDICTION)
        [cell] = cells(strip, strips.object_sheet(strip, layer, geometry.shape), "RGBA")
        rows, columns = np.nonzero(cell[..., 3])
        assert abs(columns.min() - 80) <= 6
        assert abs(rows.min() - 40) <= 6


def test_one_begins_where_the_two_differ_most():
    strip = strips.strips(GEOMETRY)[0]
    assert strips.start_of(strip, block(low=1, high=3), block(low=1, high=4)) == 3


def test_without_the_reference_the_beginning_depends_on_the_prediction_alone():
    strip = strips.strips(GEOMETRY)[0]
    prediction = block(low=2, high=3)
    assert strips.start_of(strip, prediction, None) == 2
    assert strips.start_of(strip, None, None) == 2  # the middle
    assert strips.start_of(strip, prediction, prediction.copy()) == 2
