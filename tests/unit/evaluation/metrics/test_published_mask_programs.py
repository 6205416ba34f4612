"""Values of masks against those of published evaluation programs, which `docs/correctness/measure_mask_peers.py` stored."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from docs.correctness.mask_cases import mask_cases
from evaluation.metrics.boundary import hausdorff_distance, hausdorff_percentile, masd, nsd
from evaluation.metrics.instance import aji, aji_plus
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
from evaluation.metrics.places_and_diameters import diameters, long_axis_error, short_axis_error
from evaluation.metrics.topology import betti_number_error, betti_numbers, euler_characteristic_difference
from evaluation.metrics.volumes import absolute_volume_difference
from evaluation.outcomes import Outcome

STORED = json.loads(Path("docs/correctness/mask_peers.json").read_text(encoding="utf-8"))
CASES = {case.name: case for case in mask_cases()}
VOLUMES = [name for name, case in CASES.items() if case.reference.ndim == 3]
BOTH = [name for name, case in CASES.items() if case.reference.any() and case.prediction.any()]
EMPTY = {Outcome.BOTH_EMPTY: "perfect", Outcome.REF_EMPTY: "worst", Outcome.PRED_EMPTY: "worst"}
BRATS_2023 = {"BraTS-GLI": {"dilation": 3, "min_volume": 50}, "BraTS-MET": {"dilation": 1, "min_volume": 2}}
BRATS_2024 = {"dilation": 1, "min_volume": 50, "predicted_lesions": "as_reference", "unmatched": "zero_fn"}
BRATS_2025 = {"matching": "one_to_one", "min_volume": 19.999999}


def exactly(number):
    return pytest.approx(float(number), rel=1e-6, abs=1e-6)


def number(result, *, perfect, worst):
    """The value, or what the default policy makes of an empty side."""
    return {"perfect": perfect, "worst": worst}[EMPTY[result.outcome]] if result.value is None else result.value


def test_there_are_enough_cases_of_every_sort():
    assert len(CASES) >= 20
    assert len(VOLUMES) == 20
    assert sum(len(set(case.spacing)) > 1 for case in CASES.values()) >= 10
    assert all(set(STORED[program]) >= set(VOLUMES) for program in ("BraTS 2023", "BraTS 2024", "autoPET", "ISLES"))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("challenge", BRATS_2023)
def test_lesions_of_brats_2023(name, challenge):
    case, stored = CASES[name], STORED["BraTS 2023"][name]
    masks, options = (case.reference, case.prediction), {"spacing": case.spacing, **BRATS_2023[challenge]}
    assert number(lesionwise_dsc(*masks, **options), perfect=1, worst=0) == exactly(stored[f"{challenge} dice"])
    if (
        case.reference.ndim == 3
    ):  # The program measures an image as a volume of one slice, with surfaces above and below.
        distance = lesionwise_hausdorff(*masks, **options, boundary="surfels", penalty=374)
        assert number(distance, perfect=0, worst=374) == exactly(stored[f"{challenge} hd95"])


@pytest.mark.parametrize("name", CASES)
def test_lesions_of_brats_2024(name):
    case, stored = CASES[name], STORED["BraTS 2024"][name]
    masks, options = (case.reference, case.prediction), {"spacing": case.spacing, **BRATS_2024}
    # The program takes the diagonal in voxels.
    diagonal = sum(size**2 for size in case.reference.shape) ** 0.5
    dice = lesionwise_dsc(*masks, **options)
    distance = lesionwise_hausdorff(*masks, **options, boundary="surfels", penalty=diagonal)
    if dice.outcome is Outcome.REF_EMPTY:
        # Surplus lesions alone are perfect there, since they do not count; here they have no value.
        assert (stored["dice"], stored["hd95"]) == (1, 0)
        return
    assert number(dice, perfect=1, worst=0) == exactly(stored["dice"])
    if case.reference.ndim == 3:
        assert number(distance, perfect=0, worst=diagonal) == exactly(stored["hd95"])


@pytest.mark.parametrize("name", VOLUMES)
def test_lesions_of_brats_2025(name):
    case, stored = CASES[name], STORED["brats-evaluation"][name]
    masks = (case.reference, case.prediction)
    dice = lesionwise_dsc(*masks, spacing=case.spacing, **BRATS_2025)
    if stored["dice"] == "nan":
        assert dice.outcome in (Outcome.BOTH_EMPTY, Outcome.REF_EMPTY)
        return
    assert number(dice, perfect=1, worst=0) == exactly(stored["dice"])
    # panoptica 2.1.7 takes the spacing of SimpleITK for its arrays, whose axes have the opposite order.
    volume = {**BRATS_2025, "spacing": case.spacing[::-1], "penalty": 373, "combine": "pooled"}
    assert number(lesionwise_hausdorff(*masks, **volume), perfect=0, worst=373) == exactly(stored["hd95"])


@pytest.mark.parametrize("name", VOLUMES)
def test_volumes_of_autopet(name):
    case, stored = CASES[name], STORED["autoPET"][name]
    options = {"spacing": case.spacing, "lesion_connectivity": "edge"}
    assert false_positive_volume(case.reference, case.prediction, **options).value == exactly(stored["false_pos_vol"])
    missed = false_negative_volume(case.reference, case.prediction, **options)
    if case.reference.any():
        assert missed.value == exactly(stored["false_neg_vol"])
    else:
        assert missed.value is None
        assert stored["false_neg_vol"] == 0


@pytest.mark.parametrize("name", VOLUMES)
def test_lesions_of_isles(name):
    case, stored = CASES[name], STORED["ISLES"][name]
    masks = (case.reference, case.prediction)
    assert number(lesion_f1(*masks), perfect=1, worst=0) == exactly(stored["f1"])
    assert lesion_count_difference(*masks).value == stored["count"]
    assert absolute_volume_difference(*masks, spacing=case.spacing).value == exactly(stored["volume"])


@pytest.mark.parametrize("name", VOLUMES)
def test_lesions_of_isles_2024(name):
    case, stored = CASES[name], STORED["ISLES 2024"][name]
    masks = (case.reference, case.prediction)
    assert number(lesion_f1(*masks, min_iou=0.5), perfect=1, worst=0) == exactly(stored["f1"])
    assert lesion_count_difference(*masks).value == stored["count"]


@pytest.mark.parametrize("draw", range(24))
def test_lesions_of_several_cases_together(draw):
    """F1 of each case as panoptica has it, weighted with the lesions of both sides, is that of the sums of TP, FP and FN."""
    rng = np.random.default_rng(draw)
    names = rng.choice(VOLUMES, size=int(rng.integers(2, 9)), replace=False)
    pairs = [(CASES[name].reference, CASES[name].prediction) for name in names]
    full = np.ones((3, 3, 3))
    lesions = [sum(ndimage.label(side, structure=full)[1] for side in pair) for pair in pairs]
    hits = sum(STORED["ISLES 2024"][name]["f1"] * count for name, count in zip(names, lesions, strict=True))
    result = aggregated_lesion_f1(*zip(*pairs, strict=True), min_iou=0.5)
    assert number(result, perfect=1, worst=0) == exactly(hits / sum(lesions) if sum(lesions) else 1)


@pytest.mark.parametrize("name", BOTH)
def test_surface_elements_of_surface_distance(name):
    case, stored = CASES[name], STORED["surface-distance"][name]
    masks, options = (case.reference, case.prediction), {"spacing": case.spacing, "boundary": "surfels"}
    assert hausdorff_distance(*masks, **options).value == exactly(stored["hd"])
    assert hausdorff_percentile(*masks, **options).value == exactly(stored["hd95"])
    assert masd(*masks, **options).value == exactly(stored["masd"])
    assert nsd(*masks, tolerance=1.0, **options).value == exactly(stored["nsd1"])
    assert nsd(*masks, tolerance=2.3, **options).value == exactly(stored["nsd2.3"])


@pytest.mark.parametrize("name", CASES)
def test_betti_numbers_of_cubical_complexes(name):
    """Voxels that meet at corners are one part, as in the complex of closed voxels."""
    for side in ("reference", "prediction"):
        mask = getattr(CASES[name], side)
        stored = tuple(STORED["gudhi"][name][f"{side} {dimension}"] for dimension in range(mask.ndim))
        assert betti_numbers(Mask(mask)) == stored


@pytest.mark.parametrize("name", VOLUMES)
def test_topology_of_topcow_and_feta(name):
    case = CASES[name]
    masks = (case.reference, case.prediction)
    parts = betti_number_error(*masks)
    if parts.value is None:
        assert parts.outcome is Outcome.BOTH_EMPTY
        return
    assert parts.value == STORED["TopCoW 2024"][name]["b0"]
    stored = STORED["FeTA 2024"][name]
    for side in ("reference", "prediction"):
        mask = getattr(case, side)
        if mask.any():
            numbers = tuple(stored[f"{side} {dimension}"] for dimension in range(3))
            assert betti_numbers(Mask(mask), "face") == numbers
    euler = [stored.get(f"{side} euler", 0) for side in ("reference", "prediction")]
    difference = euler_characteristic_difference(*masks, topology_connectivity="face")
    assert difference.value == abs(euler[1] - euler[0])


@pytest.mark.parametrize("name", BOTH)
def test_aggregated_jaccard_indices_of_hover_net(name):
    sides = [ndimage.label(side)[0] for side in (CASES[name].reference, CASES[name].prediction)]
    stored = STORED["hover_net"][name]
    assert aji(*sides).value == exactly(stored["aji"])
    assert aji_plus(*sides).value == exactly(stored["aji+"])


@pytest.mark.parametrize("name", [name for name in VOLUMES if CASES[name].reference.any()])
def test_diameters_of_uls23(name):
    """In voxels, as the program has them; slices lie across the first axis of its arrays."""
    case, stored = CASES[name], STORED["ULS23"][name]
    assert diameters(Mask(case.reference), 0) == (exactly(stored["long"]), exactly(stored["short"]))
    if case.prediction.any():
        masks = (case.reference, case.prediction)
        assert long_axis_error(*masks, slice_axis=0).value == exactly(stored["long error"])
        assert short_axis_error(*masks, slice_axis=0).value == exactly(stored["short error"])
