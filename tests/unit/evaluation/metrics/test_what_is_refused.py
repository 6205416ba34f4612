"""Input that makes a metric impossible is rejected with a reason, and no other input is."""

import numpy as np
import pytest

from evaluation import metrics as m
from evaluation.metrics.confidence_values import confidence_arrays
from evaluation.metrics.deformations import jacobian_determinants
from evaluation.metrics.landmarks import distances
from evaluation.metrics.survival_values import event_free_survival, followed, survival_reach

NAN = float("nan")
ONE = [[1, 0], [0, 1]]

REFUSED = {
    "labels: one case": (lambda: m.hamming_loss([1, 0], [1, 0]), "reference of shape"),
    "labels: other shapes": (lambda: m.hamming_loss(ONE, [[1, 0]]), "reference of shape"),
    "labels: a reference of 2": (lambda: m.hamming_loss([[2, 0]], [[1, 0]]), "decisions 0 or 1"),
    "labels: a decision of 0.5": (lambda: m.hamming_loss([[1, 0]], [[0.5, 0]]), "decisions 0 or 1"),
    "labels: no decision": (lambda: m.hamming_loss([[1, 0]], [[NAN, 0]]), "decisions 0 or 1"),
    "risks: other shapes": (lambda: confidence_arrays([0, 1], [0.5]), "one number a case"),
    "risks: two axes": (lambda: confidence_arrays(ONE, ONE), "one number a case"),
    "risks: below 0": (lambda: confidence_arrays([-0.1, 0], [1, 1]), "at least 0"),
    "risks: infinite": (lambda: confidence_arrays([np.inf, 0], [1, 1]), "at least 0"),
    "risks: no confidence": (lambda: confidence_arrays([0, 0], [NAN, 1]), "at least 0"),
    "images: other shapes": (lambda: m.psnr([0, 1], [0], data_range=(0, 1)), "a prediction of shape"),
    "images: other shapes, windowed": (lambda: m.ssim(np.zeros((9, 9)), np.zeros((9, 8)), data_range=(0, 1)), "a prediction of shape"),
    "images: an even window": (lambda: m.ssim(np.zeros((9, 9)), np.zeros((9, 9)), data_range=(0, 1), size=4), "is odd, not 4"),
    "landmarks: one row": (lambda: distances([1, 2], [1, 2]), "rows of coordinates"),
    "landmarks: other shapes": (lambda: m.radial_error([[1, 2]], [[1, 2], [3, 4]]), "as many on both sides"),
    "landmarks: no such operator": (lambda: m.radial_error([[1, 2]], [[1, 2]], operator="sum"), "operator is one of"),
    "registration: other shapes": (lambda: m.tre([[1, 2, 3]], [[1, 2, 3], [1, 2, 3]]), "as many landmarks"),
    "field: components for other axes": (lambda: jacobian_determinants(np.zeros((3, 3, 3, 2))), "as many components"),
    "field: one voxel along an axis": (lambda: jacobian_determinants(np.zeros((3, 1, 2))), "two voxels or more"),
    "survival: three columns": (lambda: followed(np.ones((4, 3))), r"\(n, 2\)"),
    "survival: one row": (lambda: followed([1, 1]), r"\(n, 2\)"),
    "survival: at time 0": (lambda: followed([[0, 1]]), "above 0"),
    "survival: an event of 2": (lambda: followed([[1, 2]]), "events 0 or 1"),
    "survival: without a time": (lambda: followed([[NAN, 1]]), "have to be finite"),
    "survival: risks of other cases": (lambda: m.harrell_c([[1, 1], [2, 0]], [0.5]), "one finite number for each of 2"),
    "survival: no risk": (lambda: m.harrell_c([[1, 1], [2, 0]], [0.5, NAN]), "one finite number"),
    "regression: no such form": (lambda: m.icc([1, 2, 3], [1, 2, 3], form="1,1"), "form is"),
    "classes: as many as there are": (lambda: m.top_k_accuracy([0, 1], [[0.5, 0.5], [0.4, 0.6]], k=2), "less than the 2 classes"),
    "classes: none": (lambda: m.top_k_accuracy([0, 1], [[0.5, 0.5], [0.4, 0.6]], k=0), "at least 1"),
    "masks: one axis": (lambda: m.dsc([1, 0], [1, 0]), "2 or 3 dimensions"),
    "masks: four axes": (lambda: m.dsc(np.ones((1, 1, 1, 1)), np.ones((1, 1, 1, 1))), "2 or 3 dimensions"),
    "masks: no voxel": (lambda: m.dsc(np.ones((0, 3)), np.ones((0, 3))), "at least one voxel"),
}  # fmt: skip
TAKEN = {
    "labels: a reference that nobody knows": lambda: m.hamming_loss([[NAN, 0]], [[1, 0]]),
    "risks: a rejected case": lambda: confidence_arrays([0, 0.5], [-np.inf, 1]),
    "images: an odd window": lambda: m.ssim(np.zeros((9, 9)), np.ones((9, 9)), data_range=(0, 1), size=3),
    "field: two voxels along each axis": lambda: jacobian_determinants(np.zeros((2, 2, 2))),
    "survival: an event at the smallest time": lambda: followed([[1e-9, 1], [1, 0]]),
    "classes: one less than there are": lambda: m.top_k_accuracy([0, 1], [[0.5, 0.3, 0.2], [0.4, 0.5, 0.1]], classes=[0, 1, 2], k=2),
    "masks: one voxel": lambda: m.dsc(np.ones((1, 1)), np.ones((1, 1))),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_reason(name):
    compute, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        compute()


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_only_just_right_is_taken(name):
    assert TAKEN[name]() is not None


def test_the_interval_of_a_survival_curve_is_greenwoods_on_the_scale_of_log_log():
    """Six cases, by hand: events at 1, 2 and 4 of 6, 5 and 3 at risk, one of two more that were lost before."""
    known = followed([[1, 1], [2, 1], [3, 0], [4, 1], [5, 0], [6, 0]])
    found = event_free_survival(known)
    assert found.survival == pytest.approx([5 / 6, 4 / 6, 4 / 6, 4 / 9, 4 / 9, 4 / 9])
    low, high = survival_reach(known, 1.96)
    variance = 1 / (6 * 5) + 1 / (5 * 4)
    spread = 1.96 * np.sqrt(variance) / abs(np.log(4 / 6))
    assert (low[1], high[1]) == pytest.approx(((4 / 6) ** np.exp(spread), (4 / 6) ** np.exp(-spread)))
    assert (low[2], high[2]) == (low[1], high[1]), "nothing changes where somebody is lost"
    variance += 1 / (3 * 2)
    spread = 1.96 * np.sqrt(variance) / abs(np.log(4 / 9))
    assert (low[3], high[3]) == pytest.approx(((4 / 9) ** np.exp(spread), (4 / 9) ** np.exp(-spread)))


def test_where_all_or_none_survive_there_is_no_interval():
    low, high = survival_reach(followed([[1, 0], [2, 1]]), 1.96)
    assert np.isnan([low[0], high[0], low[1], high[1]]).all()
