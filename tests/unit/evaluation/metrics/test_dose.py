"""Dose metrics against stored values of pymedphys and OpenKBP, and by hand.

`docs/correctness/measure_dose_peers.py` made the stored values; the programs are not installed with the project.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from docs.correctness import dose_cases as cases
from evaluation.assessment import parse
from evaluation.metrics.dose import dvh_dose_error, dvh_volume_error, gamma_pass_rate, mean_dose_error
from evaluation.outcomes import Flag, Outcome
from evaluation.scoring import score_folders

PEERS = json.loads((Path(__file__).parents[4] / "docs/correctness/dose_peers.json").read_text())
SEEDS = range(cases.SETS)


@pytest.mark.parametrize("seed", SEEDS)
def test_gamma_pass_rates_are_those_of_pymedphys(seed):
    of = cases.doses(seed)
    options = {
        "spacing": of.spacing,
        "dose_percent": of.dose_percent,
        "distance": of.distance,
        "cutoff_percent": of.cutoff_percent,
        "normalization": "local" if of.is_local else "global",
    }
    published = PEERS["gamma"][seed]
    assert gamma_pass_rate(of.reference, of.prediction, **options).value == pytest.approx(published["all"], abs=1e-9)
    inside = gamma_pass_rate(of.reference, of.prediction, region=of.region, **options).value
    assert inside == pytest.approx(published["region"], abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_points_of_histograms_are_those_of_openkbp(seed):
    of = cases.doses(seed)
    published = PEERS["histograms"][seed]
    options = {"region": of.region, "spacing": of.spacing}
    ours = {
        "D_0.1_cc": dvh_dose_error(of.reference, of.prediction, volume=0.1, volume_unit="cc", **options),
        "mean": mean_dose_error(of.reference, of.prediction, region=of.region),
    } | {f"D_{volume}": dvh_dose_error(of.reference, of.prediction, volume=volume, **options) for volume in (99, 95, 1)}
    assert {name: result.value for name, result in ours.items()} == pytest.approx(published, abs=1e-9)


def test_the_stored_cases_tell_something():
    rates = [row["all"] for row in PEERS["gamma"]]
    assert len(set(rates)) > 8
    assert min(rates) < 0.5


def test_a_shift_within_the_distance_passes_and_a_further_one_does_not():
    ramp = np.tile(np.arange(20.0), (5, 1))
    reference, shifted = ramp[:, :18], ramp[:, 1:19]
    options = {"dose_percent": 1, "cutoff_percent": 20}
    assert gamma_pass_rate(reference, shifted, distance=2, **options).value == 1
    assert gamma_pass_rate(reference, shifted, distance=2, spacing=(1, 3), **options).value == 0


def test_volumes_by_hand():
    reference, prediction = np.arange(10.0), np.arange(10.0) * 2
    assert dvh_volume_error(reference, prediction, dose=9).value == pytest.approx(0.4)
    assert dvh_volume_error(reference, prediction, dose=0).value == 0
    assert dvh_dose_error(reference, prediction, volume=100).value == 0
    with pytest.raises(ValueError, match="at most 100 percent"):
        dvh_dose_error(reference, prediction, volume=101)


@pytest.mark.parametrize("function", [mean_dose_error, dvh_dose_error, gamma_pass_rate])
def test_an_empty_region_is_the_reference_s(function):
    result = function(np.ones((4, 4)), np.ones((4, 4)), region=np.zeros((4, 4)))
    assert (result.outcome, result.flag) == (Outcome.DEGENERATE, Flag.REFERENCE)


def test_a_reference_without_dose_has_no_pass_rate():
    assert gamma_pass_rate(np.zeros((4, 4)), np.ones((4, 4))).outcome is Outcome.DEGENERATE
    assert gamma_pass_rate(np.zeros((4, 4)), np.ones((4, 4)), prescription=10, cutoff_percent=0).value == 0


def test_spacings_come_from_the_files(tmp_path):
    import nibabel

    of = cases.doses(3)
    for folder, dose in (("references", of.reference), ("predictions", of.prediction)):
        (tmp_path / folder).mkdir()
        nibabel.save(nibabel.Nifti1Image(dose, np.diag([*of.spacing, 1.0])), tmp_path / folder / "case.nii.gz")
    options = {"dose_percent": of.dose_percent, "distance": of.distance, "cutoff_percent": of.cutoff_percent}
    document = {
        "schema": 1,
        "problem": "image_to_image",
        "settings": {"data_range": [0, 80]},
        "metrics": [
            {"id": "gamma_pass_rate", "options": options},
            {"id": "dvh_dose_error"},
            {"id": "dvh_volume_error", "options": {"dose": 20}},
            {"id": "mean_dose_error"},
        ],
    }
    rows = score_folders(parse(document), tmp_path / "references", {"a": tmp_path / "predictions"}).rows
    assert {row.outcome for row in rows} == {"ok"}
    assert rows[0].value == pytest.approx(PEERS["gamma"][3]["all"], abs=1e-3)
    assert [row.worst for row in rows] == [None, 80, None, 80]
