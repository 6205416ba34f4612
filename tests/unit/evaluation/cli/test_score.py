import json
import shutil

import pytest

from evaluation.catalogue import all_metrics
from evaluation.cli import main
from evaluation.scoring import read_results
from tests.unit.evaluation.scoring.conftest import DOCUMENT, labels, save, shifted

__all__ = ["labels", "save", "shifted"]


@pytest.fixture
def folder(tmp_path, labels, shifted, save):
    (tmp_path / "assessment.json").write_text(json.dumps(DOCUMENT))
    for case in ("a", "b", "c"):
        save(tmp_path / "references" / f"{case}.nii.gz", labels)
        save(tmp_path / "predictions" / "exact" / f"{case}.nii.gz", labels)
        save(tmp_path / "predictions" / "shifted" / f"{case}.nii", shifted)
    (tmp_path / "references" / "cases.csv").write_text("case,site\na,1\n")
    return tmp_path


def score(folder, *more, predictions="predictions"):
    return main(
        ["score", str(folder / "assessment.json"), "--references", str(folder / "references"),
         "--predictions", str(folder / predictions), *more]
    )  # fmt: skip


def test_folder_of_one_algorithm(folder, capsys):
    assert score(folder, predictions="predictions/exact") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "algorithm,case,region,metric,value,outcome,image_diagonal"
    assert lines[1].startswith("exact,a,core,dsc,1,ok,")
    assert len(lines) == 1 + 3 * 2 * 4


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_folder_an_algorithm_with_any_number_of_processes(folder, jobs):
    assert score(folder, "--each", "--jobs", jobs, "--output", str(folder / "r.csv")) == 0
    table = read_results(folder / "r.csv")
    assert table["algorithm"].unique().tolist() == ["exact", "shifted"]
    assert len(table) == 2 * 3 * 2 * 4
    assert set(table["outcome"]) == {"ok"}


def test_versions_and_options_stand_beside_the_results(folder):
    score(folder, "--output", str(folder / "r.csv"), predictions="predictions/exact")
    told = json.loads((folder / "r.csv.provenance.json").read_text())
    assert told["metrics"]["hd95"]["options"]["percentile"] == 95
    assert {"catalogue", "numpy", "scipy", "edt"} <= set(told["versions"])
    assert len(told["assessment"]) == 64


def test_name_of_the_algorithm_can_be_given(folder, capsys):
    assert score(folder, "--algorithm", "mine", predictions="predictions/exact") == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("mine,a,")


def test_missing_and_unreadable_cases_are_rows_and_reported(folder, labels, save, capsys):
    (folder / "predictions/exact/a.nii.gz").unlink()
    save(folder / "predictions/exact/b.nii.gz", labels[1:])
    save(folder / "predictions/exact/zzz.nii.gz", labels)
    assert score(folder, "--output", str(folder / "r.csv"), predictions="predictions/exact") == 0
    table = read_results(folder / "r.csv")
    assert table.groupby("case")["outcome"].unique().map(list).to_dict() == {
        "a": ["missing"],
        "b": ["missing"],
        "c": ["ok"],
    }
    said = capsys.readouterr().err
    assert "b.nii.gz: 11 × 14 × 10 voxels; expected 12 × 14 × 10 voxels. " in said
    assert "zzz.nii.gz" in said


def spoil_assessment(folder):
    (folder / "assessment.json").write_text("{")


def spoil_metric(folder):
    (folder / "assessment.json").write_text(json.dumps({**DOCUMENT, "metrics": [{"id": "dice"}]}))


def spoil_reference(folder):
    (folder / "references/a.nii.gz").write_bytes(b"nothing")


def spoil_references(folder):
    shutil.rmtree(folder / "references")


def spoil_problem(folder):
    value = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    (folder / "assessment.json").write_text(json.dumps({"schema": 1, "problem": "table", "metrics": [value]}))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_assessment, "not a JSON document"),
        (spoil_metric, "dice"),
        (spoil_problem, "cannot be scored from folders"),
        (spoil_reference, "a.nii.gz: the file is not gzip-compressed"),
        (spoil_references, "folder not found"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(folder, capsys, spoil, said):
    spoil(folder)
    assert score(folder, "--each") == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert "Traceback" not in error


def test_metrics_lists_all(capsys):
    assert main(["metrics", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["id"] for entry in listed] == [metric.id for metric in all_metrics()]
    assert main(["metrics"]) == 0
    assert capsys.readouterr().out.startswith("sensitivity ")
