"""An installed package brings a metric: it is listed, taken in assessments and scored like any other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.catalogue import all_metrics
from tests.unit.evaluation.scoring.conftest import DOCUMENT, labels, save, shifted

__all__ = ["labels", "save", "shifted"]

MODULE = '''
import numpy as np

from evaluation.catalogue import Metric, Option
from evaluation.outcomes import Outcome, ok, undefined


def volume_difference(reference, prediction, *, spacing, power):
    """Difference of the volumes as a share of the reference's."""
    truth, found = np.asarray(reference).sum(), np.asarray(prediction).sum()
    if truth == 0:
        return undefined(Outcome.REF_EMPTY if found else Outcome.BOTH_EMPTY)
    return ok(float(abs(found - truth) / truth) ** power)


METRIC = Metric(
    id="volume_difference",
    name="Relative volume difference",
    abbreviation="RVD",
    categories=("SemS",),
    direction="lower",
    range=(0, None),
    family="overlap",
    options=(Option("power", "number", 1.0, "Exponent", exclusive_minimum=0),),
    function=volume_difference,
    source="volume-metrics",
)
'''


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "site"
    info = folder / "volume_metrics-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "volume_metrics.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: volume-metrics\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[podium.metrics]\nvolume = volume_metrics:METRIC\n")
    return folder


def run(package, *arguments):
    root = Path(__file__).parents[4]
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{root}"}
    return subprocess.run(
        [sys.executable, "-m", "evaluation", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=root,
        check=False,
    )


def test_metric_of_a_package_is_listed(package):
    listed = json.loads(run(package, "metrics", "--json").stdout)
    built_in = [metric for metric in all_metrics() if metric.source == "podium"]
    assert len(listed) == len(built_in) + 1
    assert listed[-1]["id"] == "volume_difference"


def test_metric_of_a_package_is_scored_with_its_options(package, tmp_path, save, labels):
    document = {
        **DOCUMENT,
        "metrics": [
            {
                "id": "volume_difference",
                "options": {"power": 2},
                "policy": {"missing": 9, "ref_empty": 9, "pred_empty": 9, "degenerate": 9},
            }
        ],
    }
    (tmp_path / "assessment.json").write_text(json.dumps(document))
    save(tmp_path / "references/a.nii.gz", labels)
    labels[3:6] = 0
    save(tmp_path / "predictions/a.nii.gz", labels)
    done = run(
        package, "score", str(tmp_path / "assessment.json"), "--references", str(tmp_path / "references"),
        "--predictions", str(tmp_path / "predictions"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    row = done.stdout.splitlines()[2].split(",")
    assert row[2:4] == ["whole", "volume_difference"]
    assert float(row[4]) == pytest.approx(0.25)


@pytest.mark.parametrize("place", ["volume_metrics:volume_difference", "volume_metrics:nothing"])
def test_a_package_that_brings_something_else_is_named(package, place):
    (package / "volume_metrics-1.0.dist-info/entry_points.txt").write_text(f"[podium.metrics]\nvolume = {place}\n")
    done = run(package, "metrics")
    assert done.returncode != 0
    assert "volume" in done.stderr
