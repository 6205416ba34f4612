"""Values of masks and their parts against those of libraries, which `docs/correctness/measure_library_peers.py` stored."""

import json
from pathlib import Path

import pytest

from docs.correctness.mask_cases import library_cases, parts, with_centrelines
from evaluation.metrics import (
    assd,
    centre_distance,
    cldice,
    detection_quality,
    dsc,
    hausdorff_distance,
    iou,
    panoptic_quality,
    segmentation_quality,
    volume_similarity,
)

STORED = json.loads(Path("docs/correctness/library_peers.json").read_text(encoding="utf-8"))
CASES = {case.name: case for case in library_cases()}


def exactly(number):
    return pytest.approx(number, rel=1e-6, abs=1e-6)


def test_each_value_is_stored_for_twenty_cases_at_least():
    for library in ("medpy", "SimpleITK", "panoptica"):
        assert set(STORED[library]) == set(CASES)
        values = [stored for by_name in STORED[library].values() for stored in by_name.items()]
        for name in {name for name, _ in values} - {"sq", "sq_dsc"}:
            assert sum(stored == name and number is not None for stored, number in values) >= 20, name


@pytest.mark.parametrize("name", CASES)
def test_masks(name):
    case, medpy, itk = CASES[name], STORED["medpy"][name], STORED["SimpleITK"][name]
    pair, spacing = (case.reference, case.prediction), {"spacing": case.spacing}
    assert dsc(*pair).value == exactly(medpy["dsc"]) == exactly(itk["dsc"])
    assert iou(*pair).value == exactly(itk["iou"])
    assert hausdorff_distance(*pair, **spacing).value == exactly(medpy["hd"])
    assert assd(*pair, **spacing).value == exactly(medpy["assd"])
    # SimpleITK has the difference over the mean of both volumes, with a sign.
    assert volume_similarity(*pair).value == exactly(1 - abs(itk["volume_similarity"]) / 2)


@pytest.mark.parametrize("name", CASES)
def test_parts_and_places(name):
    case, stored = CASES[name], STORED["panoptica"][name]
    pair = (parts(case.reference), parts(case.prediction))
    assert panoptic_quality(*pair).value == exactly(stored["pq"])
    assert detection_quality(*pair).value == exactly(stored["rq"])
    if stored["rq"]:
        assert segmentation_quality(*pair).value == exactly(stored["sq"])
    assert centre_distance(case.reference, case.prediction, spacing=case.spacing).value == exactly(
        stored["centre_distance"]
    )
    if stored["cldice"] is not None:
        thick = (with_centrelines(case.reference), with_centrelines(case.prediction))
        assert cldice(*thick).value == exactly(stored["cldice"])
