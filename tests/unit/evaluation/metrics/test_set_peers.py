"""Values of sets of cases, landmarks, scores and doses against those of programs, which `docs/correctness/measure_set_peers.py` stored."""

import json
from pathlib import Path

import numpy as np
import pytest

from docs.correctness import dose_cases
from docs.correctness.set_cases import SETS, data_sets, landmark_sets, score_sets
from evaluation import metrics
from evaluation.metrics.masks import Mask
from evaluation.metrics.pooled_overlap import aggregated_dsc, dsc_of_counts, overlap_counts
from evaluation.outcomes import Outcome

STORED = json.loads(Path("docs/correctness/set_peers.json").read_text(encoding="utf-8"))
DATA = {each.name: each for each in data_sets()}
LANDMARKS, SCORES = landmark_sets(), score_sets()
LABELS = {"GTVp": 1, "GTVn": 2}


def exactly(number):
    return pytest.approx(number, rel=1e-6, abs=1e-6)


def sides(data_set, label):
    return [pair.reference == label for pair in data_set.pairs], [pair.prediction == label for pair in data_set.pairs]


def test_there_are_enough_sets_of_every_sort():
    assert set(STORED["HECKTOR 2022"]) == set(STORED["HNTS-MRG 2024"]) == set(DATA)
    assert all(len(STORED[name]) == SETS for name in ("Learn2Reg", "BIRL", "torchmetrics", "uncertainty-calibration"))
    assert sum(each.has_one_spacing for each in DATA.values()) >= 20
    assert sum(each.pairs[0].reference.ndim == 2 for each in DATA.values()) >= 5
    assert sum(not mask.any() for each in DATA.values() for label in (1, 2) for mask in sides(each, label)[0]) >= 20
    assert sum(each.moving.shape[1] == 2 for each in LANDMARKS) >= 5
    assert sum(len(set(each.spacing)) > 1 for each in LANDMARKS) >= 10


@pytest.mark.parametrize("name", [name for name, each in DATA.items() if each.has_one_spacing])
@pytest.mark.parametrize("region", LABELS)
@pytest.mark.parametrize("program", ["HECKTOR 2022", "HNTS-MRG 2024"])
def test_dice_of_all_cases(name, region, program):
    result = aggregated_dsc(*sides(DATA[name], LABELS[region]))
    stored = STORED[program][name][region]
    if result.outcome is Outcome.BOTH_EMPTY:
        assert stored is None  # 0 / 0 there
    elif result.value is None:
        assert result.outcome in (Outcome.REF_EMPTY, Outcome.PRED_EMPTY)
        assert stored == 0
    else:
        assert result.value == exactly(stored)


@pytest.mark.parametrize("name", [name for name, each in DATA.items() if not each.has_one_spacing])
@pytest.mark.parametrize("region", LABELS)
@pytest.mark.parametrize("program", ["HECKTOR 2022", "HNTS-MRG 2024"])
def test_dice_of_cases_with_voxels_of_different_sizes(name, region, program):
    """The programs sum mm³, and the published formula sums voxels."""
    references, predictions = sides(DATA[name], LABELS[region])
    stored = STORED[program][name][region]
    spacing = [pair.spacing for pair in DATA[name].pairs]
    assert aggregated_dsc(references, predictions, size_unit="mm3", spacing=spacing).value == exactly(stored)
    masks = [[Mask(one, size) for one, size in zip(side, spacing, strict=True)] for side in (references, predictions)]
    assert aggregated_dsc(*masks, size_unit="mm3").value == exactly(stored)
    counts = np.array([overlap_counts(*pair) for pair in zip(references, predictions, strict=True)], dtype=float)
    volumes = np.array([[np.prod(size) for size in spacing]])
    assert dsc_of_counts(counts, volumes).result().value == exactly(stored)
    assert aggregated_dsc(references, predictions).value != exactly(stored)


def test_an_unknown_unit_of_sizes_and_a_case_without_a_size_are_refused():
    masks = [np.ones((2, 2), dtype=bool)] * 2
    with pytest.raises(ValueError, match="voxels or mm3"):
        aggregated_dsc(masks, masks, size_unit="ml")
    with pytest.raises(ValueError, match="shorter"):
        aggregated_dsc(masks, masks, size_unit="mm3", spacing=[(1, 1)])


@pytest.mark.parametrize("index", range(SETS))
def test_errors_of_moved_landmarks(index):
    of = LANDMARKS[index]
    points = (of.moving * of.spacing, of.moved * of.spacing)
    assert metrics.tre(*points).value == exactly(STORED["Learn2Reg"][index]["mean"])
    for operator, stored in STORED["BIRL"][index].items():
        assert metrics.tre(*points, operator=operator).value == exactly(stored)


@pytest.mark.parametrize("index", range(SETS))
@pytest.mark.parametrize("metric", ["ece", "tce", "mce"])
def test_calibration_of_the_positive_and_of_the_winning_class(index, metric):
    of, stored = SCORES[index], STORED["torchmetrics"][index]
    measure = getattr(metrics, metric)
    positive = measure(of.is_positive, of.binary, classes=[0, 1], n_bins=of.bins, target="positive_class")
    winning = measure(of.classes, of.scores, classes=[0, 1, 2, 3], n_bins=of.bins, target="top_label")
    assert positive.value == exactly(stored[f"{metric} positive_class"])
    assert winning.value == exactly(stored[f"{metric} top_label"])
    if metric != "mce":
        published = STORED["uncertainty-calibration"][index]
        assert positive.value == exactly(published[f"{metric} positive_class"])
        assert winning.value == exactly(published[f"{metric} top_label"])


@pytest.mark.parametrize("seed", range(dose_cases.SETS))
def test_volumes_that_receive_a_dose(seed):
    of, stored = dose_cases.doses(seed), STORED["dicompyler-core"][seed]
    for name, value in stored.items():
        dose = float(name.removeprefix("V_"))
        result = metrics.dvh_volume_error(of.reference, of.prediction, region=of.region, dose=dose)
        assert result.value == exactly(value)
    assert len(stored) == 4
