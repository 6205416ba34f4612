"""Metrics of masks and objects do not grow where a stranger can make them grow, also on a busy machine."""

from __future__ import annotations

import time

import numpy as np

from evaluation.metrics import instance
from tests.performance.bench_masks import case_c, five_metrics, organ
from tests.performance.bench_objects import boxes, everything_of_coco, nuclei


def processor_seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def test_two_stray_voxels_cost_little():
    shape, radii = (160, 160, 100), (40.0, 30.0, 15.0)
    plain = organ(shape, radii, 1), organ(shape, radii, 2, shift=1.0)
    five_metrics(*plain)
    assert (
        processor_seconds(lambda: five_metrics(*case_c(plain)))
        < 6 * processor_seconds(lambda: five_metrics(*plain)) + 0.1
    )


def test_noise_that_fills_the_image_ends_in_time():
    rng = np.random.default_rng(0)
    noise = rng.random((2, 120, 120, 60)) < 0.5
    assert processor_seconds(lambda: five_metrics(*noise)) < 5


def test_thousands_of_boxes_take_less_than_a_second():
    images = boxes()
    assert processor_seconds(lambda: everything_of_coco(*images)) < 1


def test_panoptic_quality_does_not_grow_with_instances_times_pixels():
    truth, found = nuclei()
    instance.panoptic_quality(truth, found)
    assert processor_seconds(lambda: instance.panoptic_quality(truth, found)) < 0.2
