"""Overlap of small and large masks is computed at least as fast as by the plain formulas of other libraries."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.metrics.overlap import cldice, dsc
from tests.performance.bench_dice import block, compared, plain_cldice, plain_dice, tubes


def ratio(ours, theirs, masks):
    """Speed of ours over theirs, after both gave the same value."""
    row = compared("", ours, ("the plain formula", theirs), masks, 20)
    return row.peer_seconds / row.seconds


@pytest.mark.parametrize("size", [64, 128, 256])
def test_dice_and_centreline_dice_of_small_images(size):
    masks = tubes(size)
    assert ratio(dsc, plain_dice, masks) >= 1
    assert ratio(cldice, plain_cldice, masks) >= 1


def test_dice_of_a_volume():
    assert ratio(dsc, plain_dice, block()) >= 1


def test_values_that_differ_give_no_row():
    with pytest.raises(RuntimeError, match=r"DSC: 0\.5 here"):
        compared("DSC", dsc, ("another", lambda *_: 0.25), (np.array([[1, 1, 0]]), np.array([[0, 1, 1]])), 1)
