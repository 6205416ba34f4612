"""Costs of running on the command line: ranked and reported as they were measured, named where nothing measures them."""

import json
from typing import Any

import pytest

from evaluation.cli import main
from tests.unit.evaluation.scoring.conftest import DOCUMENT, labels, save, shifted

__all__ = ["labels", "save", "shifted"]

MEASURED = "The values of Wall time were measured while the algorithms ran. They are used as measured and were not computed again."
COSTLY: dict[str, Any] = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "whole", "labels": [1]}],
    "metrics": [{"id": "dsc"}, {"id": "run_wall_time", "by": "run", "worst": 60}],
    "ranking": [{"name": "quality", "metrics": ["dsc"]}, {"name": "speed", "metrics": ["Wall time"]}],
    "uncertainty": {"bootstrap": 20, "seed": 1},
}


@pytest.fixture
def ranked(tmp_path):
    """Assessment and results of two algorithms, one better and one quicker; the quick one fails once."""
    (tmp_path / "assessment.json").write_text(json.dumps(COSTLY))
    lines = ["algorithm,case,region,metric,value,outcome"]
    for name, quality, seconds in (("careful", 0.9, 12.5), ("swift", 0.7, 3.5)):
        for case in "abcdefgh":
            fails = name == "swift" and case == "h"
            lines.append(f"{name},{case},whole,dsc,{'' if fails else quality},{'missing' if fails else 'ok'}")
            lines.append(f"{name},{case},,Wall time,{'' if fails else seconds},{'missing' if fails else 'ok'}")
    (tmp_path / "results.csv").write_text("\n".join(lines) + "\n")
    return [str(tmp_path / "assessment.json"), "--results", str(tmp_path / "results.csv")]


def test_rank_takes_them_as_measured_and_says_so(ranked, capsys, tmp_path):
    assert main(["rank", *ranked, "--output", str(tmp_path / "ranking.json")]) == 0

    assert MEASURED in capsys.readouterr().err
    document = json.loads((tmp_path / "ranking.json").read_text())
    [speed] = [entry for entry in document["rankings"] if entry["metric"] == "Wall time"]
    scores = {own["name"]: own["score"] for own in speed["algorithms"]}
    assert scores == {"swift": (7 * 3.5 + 60) / 8, "careful": 12.5}
    assert document["costs"] == ["Wall time"]


def test_a_report_sets_quality_against_them_and_says_what_was_measured(ranked, tmp_path):
    assert main(["report", *ranked, "--output", str(tmp_path / "report.html")]) == 0

    page = (tmp_path / "report.html").read_text()
    assert MEASURED in page
    assert "Mean of Wall time (s), cheaper to the left" in page
    assert (
        "No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other."
        in page
    )


def test_whoever_scores_files_reads_what_is_left_out(tmp_path, labels, save, capsys):
    costly = {**DOCUMENT, "metrics": [*DOCUMENT["metrics"], COSTLY["metrics"][1]]}
    (tmp_path / "assessment.json").write_text(json.dumps(costly))
    for place in ("references", "predictions"):
        save(tmp_path / place / "a.nii.gz", labels)

    code = main(
        [
            "score",
            str(tmp_path / "assessment.json"),
            "--references",
            str(tmp_path / "references"),
            "--predictions",
            str(tmp_path / "predictions"),
        ]
    )

    told = capsys.readouterr()
    assert code == 0
    assert "Wall time is left out: it is measured where the platform runs the algorithm." in told.err
    assert "Wall time" not in told.out
