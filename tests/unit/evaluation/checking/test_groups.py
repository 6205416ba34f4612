"""Files that are one image are found by names and headers, and scored from the command line."""

import json

import numpy as np
import pandas as pd
import pytest
import SimpleITK

from docs.correctness.dicom_cases import blocks, write_segmentation, write_series
from evaluation.checking.groups import groups_of, without_parts
from evaluation.cli import main
from evaluation.problems.folders import case_of_image

DICOM = bytes(128) + b"DICM"
HEADER = b"ObjectType = Image\nNDims = 3\nDimSize = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = %s\n"
SHAPE = (4, 5, 6)


def grouped(contents, cases=("case_1", "case_2"), **options):
    groups = groups_of(
        list(contents),
        cases,
        stem_of=case_of_image,
        head=lambda path, size: contents[path][:size],
        **options,
    )
    return groups, without_parts(list(contents), groups)


def test_a_header_and_its_data_file_are_one_image():
    contents = {"a/case_1.mhd": HEADER % b"x.raw", "a/x.raw": b"", "b/x.raw": b"", "case_2.mhd": HEADER % b"no.raw"}
    groups, paths = grouped(contents)
    assert [group.parts for group in groups] == [("a/case_1.mhd", "a/x.raw")]
    assert sorted(paths) == ["a/case_1.mhd", "b/x.raw", "case_2.mhd"]


def test_a_data_file_is_part_of_one_image_only():
    names = [b"x.raw", b"x.raw", b"a.mhd", b"y.raw"]
    contents = {f"{letter}.mhd": HEADER % name for letter, name in zip("abcd", names, strict=True)}
    contents |= {"x.raw": b"", "y.raw": b""}
    groups, paths = grouped(contents)
    assert [group.parts for group in groups] == [("a.mhd", "x.raw"), ("d.mhd", "y.raw")]
    assert sorted(paths) == ["a.mhd", "b.mhd", "c.mhd", "d.mhd"]


@pytest.mark.parametrize("name", [b"../x.raw", b"LOCAL", b"LIST", b"case_1.mhd"])
def test_a_header_without_a_file_next_to_it_stays_alone(name):
    contents = {"a/case_1.mhd": HEADER % name, "x.raw": b"", "a/LIST": b""}
    assert grouped(contents)[0] == []


def test_dicom_files_in_the_folder_of_a_case_are_one_image():
    contents = {
        "run/case_1/study/IM1": DICOM,
        "run/case_1/study/2.dcm": DICOM,
        "run/case_1/notes.txt": b"",
        "IM3": DICOM,
    }
    groups, paths = grouped(contents)
    assert [(group.path, group.folder) for group in groups] == [("run/case_1/case_1.dcm", "run/case_1")]
    assert groups[0].parts == ("run/case_1/study/2.dcm", "run/case_1/study/IM1")
    assert sorted(paths) == ["IM3", "run/case_1/case_1.dcm", "run/case_1/notes.txt"]


def test_a_file_of_another_format_counts_before_a_folder():
    contents = {"case_1/IM1": DICOM, "case_1.nii.gz": b"", "case_2/IM1": DICOM, "case_2/pred.nii.gz": b""}
    assert [group.path for group in grouped(contents)[0]] == ["case_2/case_2.dcm"]
    assert grouped(contents, pattern="{case}/pred.nii.gz")[0] == []


def test_without_expected_cases_each_folder_is_one():
    contents = {"a/CT/1": DICOM, "a/SEG/1": DICOM, "b/1": DICOM, "c.dcm": DICOM}
    groups, paths = grouped(contents, None)
    assert [group.path for group in groups] == ["a/a.dcm", "b/b.dcm"]
    assert paths == ["c.dcm", "a/a.dcm", "b/b.dcm"]


def test_a_folder_with_an_umlaut_is_that_of_its_case():
    contents = {"Mu\u0308ller/1": DICOM}
    assert [group.path for group in grouped(contents, ("M\u00fcller",))[0]] == ["Mu\u0308ller/M\u00fcller.dcm"]


# Command line ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tmp_path, capsys):
    """Score a folder of predictions against references in DICOM; returns exit code, table and standard error."""
    assessment = {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": "one", "labels": [1]}, {"name": "two", "labels": [2]}],
        "metrics": [{"id": "dsc"}],
        "ranking": {"scheme": "aggregate_then_rank", "operator": "mean"},
    }
    (tmp_path / "assessment.json").write_text(json.dumps(assessment))
    for case in ("case_1", "case_2"):
        source = write_series(tmp_path / "references" / case / "CT")
        write_segmentation(tmp_path / "references" / case / "SEG" / "1.dcm", blocks(), source)

    def run(folder):
        output = tmp_path / "results.csv"
        output.unlink(missing_ok=True)
        arguments = ["--references", tmp_path / "references", "--predictions", folder, "--output", output]
        code = main(["score", str(tmp_path / "assessment.json"), *map(str, arguments)])
        table = pd.read_csv(output) if output.exists() else pd.DataFrame()
        return code, table, capsys.readouterr().err

    return run


def save_pair(path, labels=None):
    path.parent.mkdir(exist_ok=True)
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray((blocks() if labels is None else labels).T))
    image.SetSpacing((0.8, 0.9, 2.5))
    image.SetOrigin((-10, 20, 5))
    SimpleITK.WriteImage(image, str(path))


def test_folders_of_every_new_format_are_scored(score, tmp_path):
    for case in ("case_1", "case_2"):
        save_pair(tmp_path / "pairs" / f"{case}.mhd")
        source = write_series(tmp_path / "series" / case, blocks().astype(np.int16), intercept=0.0)
        write_segmentation(tmp_path / "single" / f"{case}.dcm", blocks(), source)
        write_segmentation(tmp_path / "folders" / case / "out" / "segmentation", blocks(), source, kind="LABELMAP")
    for folder in ("pairs", "series", "single", "folders"):
        code, table, errors = score(tmp_path / folder)
        assert (code, set(table["value"]), set(table["outcome"]), folder) == (0, {1.0}, {"ok"}, folder)
        assert "ignored" not in errors


def test_folders_that_cannot_be_read_say_why_and_exit_2(score, tmp_path):
    for case in ("case_1", "case_2"):
        save_pair(tmp_path / "pairs" / f"{case}.mhd")
        (tmp_path / "pairs" / f"{case}.raw").unlink()
    code, table, errors = score(tmp_path / "pairs")
    assert (code, table.empty) == (2, True)
    assert "case_1.mhd: its data file case_1.raw is missing; expected it in the same folder" in errors
    for case in ("case_1", "case_2"):
        write_series(tmp_path / "series" / case, blocks().astype(np.int16))
        for path in list((tmp_path / "series" / case).iterdir()):
            path.write_bytes(path.read_bytes().replace(b"1.2.840.10008.1.2.1\0", b"1.2.840.10008.1.2.4\0"))
    code, table, errors = score(tmp_path / "series")
    assert (code, table.empty) == (2, True)
    assert "an unknown transfer syntax; expected uncompressed or run-length (RLE) voxels" in errors
    assert "Secret" not in errors
