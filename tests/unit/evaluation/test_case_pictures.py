"""Pictures of slices: true proportions, outlines where they belong."""

import io

import numpy as np
import pytest
from PIL import Image

from evaluation.figures import case_pictures as slices
from evaluation.readers import Geometry

GEOMETRY = Geometry((20, 10, 5), spacing=(1.0, 1.0, 4.0))


def drawn(*layers, image=None, around=None, geometry=GEOMETRY) -> np.ndarray:
    content = slices.picture(geometry, image, list(layers), around=around)
    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)


def block(value: int = 1) -> np.ndarray:
    labels = np.zeros(GEOMETRY.shape, dtype=np.uint8)
    labels[5:15, 3:7, 1:4] = value
    return labels


def has(picture: np.ndarray, colour: tuple[int, int, int]) -> bool:
    return bool((picture == np.array(colour)).all(axis=-1).any())


def test_three_slices_stand_side_by_side_in_true_proportions():
    height, width, _ = drawn().shape
    # Across z: 20 × 10 mm; across y: 20 × 20 mm; across x: 10 × 20 mm; the longer side is always 300 pixels.
    assert (height, width) == (300, 300 + 300 + 150 + 2 * slices.GAP)


def test_a_plain_image_has_one_panel():
    assert drawn(geometry=Geometry((40, 20))).shape == (150, 300, 3)


@pytest.mark.parametrize("colour", [slices.REFERENCE, slices.PREDICTION])
def test_a_layer_is_outlined_in_its_colour(colour):
    assert has(drawn(slices.Layer(block(), colour), around=block()), colour)


def test_without_the_reference_nothing_has_its_colour():
    assert not has(drawn(slices.Layer(block(), slices.PREDICTION), around=block()), slices.REFERENCE)


def test_inside_a_label_the_image_shines_through():
    image = np.full(GEOMETRY.shape, 200, dtype=np.uint8)
    picture = drawn(slices.Layer(block(), slices.PREDICTION), image=image, around=block())
    assert has(picture, (200, 200, 200))


def test_the_cut_goes_through_the_middle_of_what_is_shown():
    corner = np.zeros(GEOMETRY.shape, dtype=np.uint8)
    corner[0:2, 0:2, 0:1] = 1
    assert has(drawn(slices.Layer(corner, slices.PREDICTION), around=corner), slices.PREDICTION)
    assert not has(drawn(slices.Layer(corner, slices.PREDICTION), around=None), slices.PREDICTION)


def test_an_image_of_another_shape_is_left_out():
    assert drawn(image=np.zeros((3, 3, 3), dtype=np.uint8)).max() == slices.BACKDROP
