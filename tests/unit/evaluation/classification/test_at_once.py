"""All cases of a classification at once give what case by case gives."""

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.problems.image_classification import ClassificationPerformance
from evaluation.problems.performance import Performance
from evaluation.scoring.folders import score_folders

ASSESSMENT = {
    "schema": 1,
    "problem": "image_classification",
    "regions": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
    "metrics": [{"id": "balanced_accuracy"}, {"id": "auroc"}, {"id": "brier_score"}],
}
ROWS = {
    "scores": ("case,p_a,p_b,p_c", [f"c{place},{0.2 + place / 20},{0.3},{0.5 - place / 20}" for place in range(8)]),
    "labels": ("case,label", [f"c{place},{'abc'[place % 3]}" for place in range(8)]),
    "gaps": ("case,p_a,p_b,p_c", ["c1,0.5,0.25,0.25", "c2,2,0,0", "c9,1,0,0"]),
    "nothing": ("case,label", []),
}


@pytest.mark.parametrize("algorithms", [["scores"], ["labels"], ["gaps", "scores"], ["nothing"]])
def test_both_ways_give_the_same(tmp_path, monkeypatch, algorithms):
    (tmp_path / "references").mkdir()
    lines = [f"c{place},{'abc'[place // 3]}" for place in range(8)]
    (tmp_path / "references/labels.csv").write_text("\n".join(["case,label", *lines]) + "\n")
    folders = {}
    for name in algorithms:
        folders[name] = tmp_path / name
        folders[name].mkdir()
        head, rows = ROWS[name]
        (folders[name] / "labels.csv").write_text("\n".join([head, *rows]) + "\n")
    assessment = parse(ASSESSMENT)
    seen = []
    at_once = score_folders(assessment, tmp_path / "references", folders, progress=lambda *done: seen.append(done))
    assert seen == [(8, 8)]
    monkeypatch.setattr(ClassificationPerformance, "score_at_once", Performance.score_at_once)
    by_case = score_folders(assessment, tmp_path / "references", folders)
    assert [(row.algorithm, row.metric, row.region, row.outcome) for row in at_once.rows] == [
        (row.algorithm, row.metric, row.region, row.outcome) for row in by_case.rows
    ]
    assert [row.value for row in at_once.rows] == [row.value for row in by_case.rows]
    assert at_once.reasons == by_case.reasons
    assert len(at_once.blocks) == len(by_case.blocks)
    for one, other in zip(at_once.blocks, by_case.blocks, strict=True):
        assert one.cases == other.cases
        for name in ("counts", "count_starts", "values", "value_starts"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
