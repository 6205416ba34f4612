"""The example of real microscopy: scored as instances and as detections, by command and with evidence."""

import shutil
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.scoring import read_evidence, read_results

NUCLEI = Path(__file__).parents[4] / "examples/nuclei"
CASES = ("nuclei_005", "nuclei_024", "nuclei_040")
ALGORITHMS = ("otsu-watershed", "otsu-oversplit")


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """A few cases of two algorithms."""
    folder = tmp_path_factory.mktemp("nuclei")
    for place in ("references", *(f"predictions/{name}" for name in ALGORITHMS)):
        (folder / place).mkdir(parents=True)
        for case in CASES:
            shutil.copy(NUCLEI / place / f"{case}.png", folder / place)
    return folder


def score(assessment, folder, target):
    return main(
        ["score", str(assessment), "--references", str(folder / "references"), "--predictions", str(folder / "predictions"),
         "--each", "--output", str(target / "r.csv"), "--evidence", str(target / "e.parquet")]
    )  # fmt: skip


def test_cutting_nuclei_into_pieces_costs_detection_and_spares_the_outlines_of_the_rest(part, tmp_path):
    assert score(NUCLEI / "assessment.json", part, tmp_path) == 0
    table = read_results(tmp_path / "r.csv")
    mean = table[table["case"] != ""].groupby(["algorithm", "metric"])["value"].mean()
    assert mean["otsu-oversplit", "detection_f1"] < mean["otsu-watershed", "detection_f1"]
    assert mean["otsu-oversplit", "outline_iou"] == pytest.approx(mean["otsu-watershed", "outline_iou"], abs=0.05)
    pooled = table[table["case"] == ""].set_index(["algorithm", "metric"])["value"]
    for name in ALGORITHMS:
        assert pooled[name, "pooled_pq"] == pytest.approx(pooled[name, "pooled_sq"] * pooled[name, "pooled_dq"])


def test_boxes_around_the_nuclei_are_a_detection_task(part, tmp_path, monkeypatch):
    from examples.nuclei import derive

    (part / "cases.csv").write_text("case\n" + "\n".join(CASES) + "\n")
    monkeypatch.setattr(derive, "HERE", part)
    derive.derive(tmp_path)
    assert score(NUCLEI / "detection.json", tmp_path, tmp_path) == 0
    table = read_results(tmp_path / "r.csv")
    assert set(table["outcome"]) == {"ok"}
    assert len(table) == 2 * (3 + len(CASES))
    assert read_evidence(tmp_path / "e.parquet").metrics == ("average_precision", "froc_score", "ece")
