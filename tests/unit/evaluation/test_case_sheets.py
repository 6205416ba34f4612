"""Sheets of slices for the viewer: every slice in its place, outlines alone, and a beginning that gives nothing away."""

import io

import numpy as np
import pytest
from PIL import Image

from evaluation.figures import case_pictures as slices
from evaluation.figures import case_sheets as strips
from evaluation.figures.pair_sheets import sheets_of_field, sheets_of_intensities
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


# --- Objects in a volume -------------------------------------------------------------------------------------------


def test_an_object_of_a_volume_stands_on_the_slices_that_it_is_on():
    strip = strips.strips(GEOMETRY)[0]
    box = slices.Boxes([(4.0, 2.0, 1.2, 10.0, 8.0, 2.8)], slices.PREDICTION)
    drawn = cells(strip, strips.object_sheet(strip, box, GEOMETRY.shape), "RGBA")
    assert [bool(cell[..., 3].any()) for cell in drawn] == [False, True, True, False, False]
    point = slices.Boxes([(4.0, 2.0, 3.5)], slices.PREDICTION)
    drawn = cells(strip, strips.object_sheet(strip, point, GEOMETRY.shape), "RGBA")
    assert [bool(cell[..., 3].any()) for cell in drawn] == [False, False, False, True, False]


def test_an_object_of_a_volume_is_drawn_upwards_as_its_image_is():
    image = np.zeros(GEOMETRY.shape, dtype=np.uint8)
    image[4:10, 6:9, 2] = 255
    strip = strips.strips(GEOMETRY)[0]
    bright = cells(strip, strips.image_sheet(strip, image, GEOMETRY.shape), "L")[2] > 128
    box = slices.Boxes([(4.0, 6.0, 2.0, 10.0, 9.0, 2.5)], slices.PREDICTION)
    marked = cells(strip, strips.object_sheet(strip, box, GEOMETRY.shape), "RGBA")[2][..., 3] > 0
    for axis in (0, 1):
        first, second = (np.flatnonzero(plane.any(axis=1 - axis)) for plane in (bright, marked))
        assert abs(first.min() - second.min()) <= 8
        assert abs(first.max() - second.max()) <= 8


def test_with_objects_one_begins_at_the_one_that_is_farthest_from_any_other():
    image = np.zeros(GEOMETRY.shape, dtype=np.uint8)
    near, far = (5.0, 5.0, 1.5), (5.0, 5.0, 4.5)
    sheets = strips.sheets_of_objects(image, [near], [near, far])
    assert sheets.starts_with_reference[0] == 4
    assert sheets.starts[0] == 1


# --- An image that was predicted -----------------------------------------------------------------------------------


@pytest.fixture
def predicted():
    reference = np.random.default_rng(1).random(GEOMETRY.shape) * 100
    prediction = reference.copy()
    prediction[:, :, 3] += 50
    return sheets_of_intensities(GEOMETRY, None, prediction, reference), prediction, reference


def test_a_predicted_image_lies_over_its_reference_with_the_error_switched_off(predicted):
    sheets, _, _ = predicted
    seen = sheets.shown(with_reference=True)
    assert [layer.label.split(",")[0] for layer in seen] == ["reference", "prediction", "absolute error"]
    assert [layer.is_on for layer in seen] == [True, True, False]
    assert [layer.is_grey for layer in seen] == [True, True, False]
    assert "strongest at 50" in seen[-1].label


def test_one_begins_on_the_slice_with_the_largest_error(predicted):
    sheets, _, _ = predicted
    assert sheets.starts_with_reference[0] == 3


def test_a_prediction_alone_has_grey_levels_of_its_own(predicted):
    sheets, prediction, _ = predicted
    other = sheets_of_intensities(GEOMETRY, None, prediction, np.zeros(GEOMETRY.shape))
    assert [layer.name for layer in sheets.shown(with_reference=False)] == ["prediction"]
    # Another reference changes nothing of what is shown without it.
    assert sheets.pictures["prediction", "z"] == other.pictures["prediction", "z"]
    assert sheets.starts == other.starts
    assert sheets.pictures["prediction-beside", "z"] != other.pictures["prediction-beside", "z"]


def test_the_error_is_stronger_where_it_is_larger(predicted):
    sheets, _, _ = predicted
    strip = strips.strips(GEOMETRY)[0]
    alphas = [cell[..., 3].mean() for cell in cells(strip, sheets.pictures["error", "z"], "RGBA")]
    assert alphas[3] > 200
    assert max(alphas[:3] + alphas[4:]) == 0


# --- A displacement field ------------------------------------------------------------------------------------------


def test_a_field_shows_its_grid_to_all_and_moved_labels_only_beside_the_reference():
    field = np.zeros((*GEOMETRY.shape, 3), dtype=np.float32)
    field[:, :, 2, 0] = 3.0
    sheets = sheets_of_field(GEOMETRY, None, field, block(low=1, high=3), block(low=1, high=4))
    assert [layer.name for layer in sheets.shown(with_reference=False)] == ["image", "grid"]
    assert [layer.name for layer in sheets.shown(with_reference=True)] == ["image", "grid", "prediction", "reference"]
    assert sheets.starts[0] == 2  # where it moves most
    assert sheets.starts_with_reference[0] == 3  # where the labels differ most


def test_the_grid_is_bent_within_its_slice():
    field = np.zeros((*GEOMETRY.shape, 3), dtype=np.float32)
    field[8:12, :, 2, 1] = 2.0
    strip = strips.strips(GEOMETRY)[0]
    sheets = sheets_of_field(GEOMETRY, None, field, None, None)
    drawn = cells(strip, sheets.pictures["grid", "z"], "RGBA")
    straight, bent = drawn[1][..., 3] > 0, drawn[2][..., 3] > 0
    assert straight.any()
    assert (straight != bent).any()
    assert not (straight != (drawn[0][..., 3] > 0)).any()


# --- The picture without a viewer ----------------------------------------------------------------------------------


def test_layers_are_put_on_each_other_where_there_is_no_viewer():
    sheets = strips.sheets_of_labels(GEOMETRY, None, block(), block(low=2))
    alone, both = (
        np.asarray(Image.open(io.BytesIO(sheets.composed(with_reference=shown)))).reshape(-1, 3)
        for shown in (False, True)
    )
    assert (alone == slices.PREDICTION).all(axis=1).any()
    assert not (alone == slices.REFERENCE).all(axis=1).any()
    assert (both == slices.REFERENCE).all(axis=1).any()
