"""The worked examples of the guides run as they are printed."""

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.catalogue import Metric, register, unregister
from evaluation.outcomes import Outcome
from evaluation.scoring import score_folders
from tests.unit.evaluation.readers import files

GUIDES = Path(__file__).parents[3] / "docs" / "guides"


def blocks(guide, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", (GUIDES / guide).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The metric of the guide, found as its `pyproject.toml` names it."""
    (tmp_path / "volume_metrics.py").write_text(blocks("add-a-metric.md", "python")[0], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    project = tomllib.loads(blocks("add-a-metric.md", "toml")[0])["project"]
    module, _, name = project["entry-points"]["podium.metrics"]["volume"].partition(":")
    metric = getattr(importlib.import_module(module), name)
    yield register(metric)
    unregister(metric.id)
    del sys.modules[module]


def test_the_metric_of_the_guide_is_one(installed):
    assert isinstance(installed, Metric)
    reference = np.array([[1, 1, 0, 0]])
    assert installed.compute(reference, [[1, 1, 1, 0]], spacing=(1, 1)).value == 0.5
    assert installed.compute(reference, [[1, 1, 1, 0]], spacing=(1, 1), power=2.0).value == 0.25
    assert installed.compute([[0, 0]], [[0, 1]], spacing=(1, 1)).outcome is Outcome.REF_EMPTY
    assert installed.compute([[0, 0]], [[0, 0]], spacing=(1, 1)).outcome is Outcome.BOTH_EMPTY


def test_the_assessment_of_the_guide_scores_folders_with_it(installed, tmp_path):
    assessment = parse(json.loads(blocks("add-a-metric.md", "json")[0]))
    labels = np.zeros((4, 4, 4), dtype=np.uint8)
    labels[:2] = 1
    for name, image in (("references", labels), ("predictions", np.roll(labels, 1, axis=0) | labels)):
        (tmp_path / name).mkdir()
        files.nifti(tmp_path / name / "a.nii.gz", image)
    scored = score_folders(assessment, tmp_path / "references", {"net": tmp_path / "predictions"})
    assert [(row.metric, row.value) for row in scored.rows] == [("volume_difference", 0.25)]
