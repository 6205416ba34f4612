"""Inputs of public bug reports through the command line: each is scored, or its problem is named with a remedy."""

import io
import json
import unicodedata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tifffile
from PIL import Image

from evaluation.cli import main

REPORTS = Path(__file__).parents[3] / "data" / "reports"


def scored(capsys, assessment, folder, predictions="predictions", *options):
    """Exit code, results table and standard error of ``score``."""
    root = REPORTS / folder
    code = main(
        [
            *("score", str(REPORTS / assessment), "--references", str(root / "references")),
            *("--predictions", str(root / predictions), *options),
        ]
    )
    captured = capsys.readouterr()
    table = pd.read_csv(io.StringIO(captured.out)) if captured.out else pd.DataFrame()
    return code, table, captured.err


def test_masks_within_the_accuracy_of_a_quaternion_are_scored_with_a_note(capsys):
    code, table, errors = scored(capsys, "seg.json", "qform-precision")
    assert code == 0
    assert set(table["outcome"]) == {"ok"}
    assert len(table) == 48
    assert set(table.loc[table["metric"] == "dsc", "value"]) == {1.0}
    assert "counted as missing" not in errors


def test_labels_with_the_scaling_of_an_image_are_scored(capsys):
    code, table, errors = scored(capsys, "seg.json", "scl-slope-of-nibabel")
    assert (code, set(table["outcome"]), errors) == (0, {"ok"}, "")


def test_a_volume_of_freesurfer_is_read(capsys):
    code, table, _ = scored(capsys, "seg.json", "silent-missing-mgz")
    assert (code, set(table["outcome"])) == (0, {"ok"})


def test_a_format_that_is_not_read_is_named(capsys, tmp_path):
    (tmp_path / "case_1.npy").write_bytes(b"0")
    code, table, errors = scored(capsys, "seg.json", "two-files-one-case", tmp_path)
    assert code == 2
    assert table.empty
    assert "There is no file for case_1; case_1.npy has a format that is not read" in errors
    assert "Save it as case_1.nii.gz." in errors
    assert "None of the 1 cases has a prediction that can be read" in errors


def test_a_file_in_the_folder_of_its_case_is_suggested(capsys):
    code, _, errors = scored(capsys, "seg.json", "silent-missing-monai-folders")
    assert code == 2
    assert "There is no file for case_1; case_1_seg.nii.gz looks as if it were meant" in errors
    assert "Rename case_1_seg.nii.gz to case_1.nii.gz." in errors


def test_the_default_name_of_3d_slicer_is_that_of_the_case(capsys):
    code, table, errors = scored(capsys, "seg.json", "slicer-seg-nrrd-name")
    assert (code, set(table["outcome"]), errors) == (0, {"ok"}, "")


def test_a_compressed_volume_with_the_ending_of_an_uncompressed_one_is_scored(capsys, tmp_path):
    source = REPORTS / "two-files-one-case" / "predictions" / "case_1.nii.gz"
    (tmp_path / "case_1.nii").write_bytes(source.read_bytes())
    code, table, errors = scored(capsys, "seg.json", "two-files-one-case", tmp_path)
    assert (code, set(table["outcome"]), errors) == (0, {"ok"}, "")


def test_a_name_with_a_decomposed_umlaut_is_that_of_the_case(capsys, tmp_path):
    for folder, form in (("references", "NFC"), ("predictions", "NFD")):
        (tmp_path / folder).mkdir()
        source = REPORTS / "two-files-one-case" / "references" / "case_1.nii.gz"
        (tmp_path / folder / unicodedata.normalize(form, "Gefäß.nii.gz")).write_bytes(source.read_bytes())
    arguments = ["score", str(REPORTS / "seg.json"), "--references", str(tmp_path / "references")]
    assert main([*arguments, "--predictions", str(tmp_path / "predictions")]) == 0
    captured = capsys.readouterr()
    assert (set(pd.read_csv(io.StringIO(captured.out))["outcome"]), captured.err) == ({"ok"}, "")


def test_the_ending_of_bioformats_is_read_as_the_case(capsys, tmp_path):
    source = REPORTS / "mask-255-as-instances" / "references" / "img_1.png"
    tifffile.imwrite(tmp_path / "img_1.ome.tif", np.asarray(Image.open(source)))
    code, table, errors = scored(capsys, "inst.json", "mask-255-as-instances", tmp_path)
    assert (code, set(table["value"]), errors) == (0, {1.0}, "")


def test_two_files_of_a_case_are_both_named(capsys):
    code, table, errors = scored(capsys, "seg.json", "two-files-one-case")
    assert code == 0
    assert set(table["outcome"]) == {"missing"}
    assert "case_1 has 2 files: case_1.mha, case_1.nii.gz. Keep one file for each case. It counts as missing." in errors


def test_the_name_of_a_picture_is_suggested_where_references_are_pictures(capsys, tmp_path):
    code, _, errors = scored(capsys, "inst.json", "mask-255-as-instances", tmp_path)
    assert code == 2
    assert "There is no file for img_1. Add img_1.png." in errors


def test_nothing_at_all_ends_with_exit_code_2(capsys, tmp_path):
    code, table, errors = scored(capsys, "seg.json", "two-files-one-case", tmp_path)
    assert (code, table.empty) == (2, True)
    assert "None of the 1 cases has a prediction that can be read" in errors


@pytest.mark.parametrize("name", ["case_1.dcm", "case_1.npy", "case_1.mhd", "deep/er/case_1.mgz"])
def test_files_of_every_other_format_are_named(capsys, tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"0")
    code, _, errors = scored(capsys, "seg.json", "two-files-one-case", tmp_path)
    assert code == 2
    assert Path(name).name in errors


@pytest.mark.parametrize("folder", ["csv-semicolon-decimal-comma", "csv-upper-case-header"])
def test_tables_of_spreadsheet_programs_are_scored(capsys, folder):
    code, table, errors = scored(capsys, "cls.json", folder)
    assert (code, set(table["outcome"]), errors) == (0, {"ok"}, "")
    # p05 and p08 have the higher probability for the wrong class, one case of four in each class.
    assert table.set_index("metric").loc["balanced_accuracy", "value"] == 0.75


def test_rows_of_other_cases_are_named_with_the_case_that_they_mean(capsys, tmp_path):
    rows = (REPORTS / "csv-upper-case-header" / "predictions" / "labels.csv").read_text().replace("\np", "\nimg_p")
    (tmp_path / "labels.csv").write_text(rows)
    code, table, errors = scored(capsys, "cls.json", "csv-upper-case-header", tmp_path)
    assert (code, table.empty) == (2, True)
    assert "labels.csv has no row for p01; its case img_p01 looks as if it were meant" in errors
    assert "None of the 8 cases has a prediction that can be read" in errors


def test_rows_that_are_missing_are_named(capsys, tmp_path):
    rows = (REPORTS / "csv-upper-case-header" / "predictions" / "labels.csv").read_text().splitlines()
    (tmp_path / "labels.csv").write_text("\n".join(rows[:3]))
    code, table, errors = scored(capsys, "cls.json", "csv-upper-case-header", tmp_path)
    assert (code, set(table["outcome"])) == (0, {"ok"})
    line = "labels.csv has no row for p03. Add a row for p03. It counts as missing. 5 other cases without a row: p04, p05, p06 …."
    assert line in errors
    assert "All cases count as missing" not in errors


def test_a_folder_without_the_table_ends_with_exit_code_2(capsys, tmp_path):
    code, table, errors = scored(capsys, "cls.json", "csv-upper-case-header", tmp_path)
    assert (code, table.empty) == (2, True)
    assert "None of the 8 cases has a prediction that can be read" in errors


def test_one_bad_annotation_costs_only_itself_and_is_named(capsys):
    code, table, errors = scored(capsys, "det.json", "coco-one-bad-annotation")
    assert (code, set(table["outcome"])) == (0, {"ok"})
    assert table.set_index("metric").loc["average_precision", "value"] == 1.0
    assert "objects.json: 1 of 5 rows are not used" in errors
    assert "the image_id 77 of object 5; expected an image_id such as 0, 1, 2 and a category_id such as 1." in errors


def test_image_names_with_double_endings_are_those_of_the_cases(capsys):
    code, table, errors = scored(capsys, "det.json", "coco-no-image-matches")
    assert (code, errors) == (0, "")
    assert table.set_index("metric").loc["average_precision", "value"] == 1.0


@pytest.mark.parametrize("kind", ["json", "csv", "ids"])
def test_names_of_which_none_is_a_case_are_questioned(capsys, tmp_path, kind):
    if kind == "csv":
        (tmp_path / "objects.csv").write_text("case,class,score,x_min,y_min,x_max,y_max\nimg_1,lesion,0.5,1,1,5,5\n")
    elif kind == "ids":
        entry = {"image_id": "img_0", "category_id": 1, "bbox": [1, 1, 4, 4], "score": 0.5}
        (tmp_path / "objects.json").write_text(json.dumps([entry]))
    else:
        document = json.loads((REPORTS / "coco-no-image-matches" / "predictions" / "objects.json").read_text())
        for image in document["images"]:
            image["file_name"] = f"img_{image['id']}.png"
        (tmp_path / "objects.json").write_text(json.dumps(document))
    code, table, errors = scored(capsys, "det.json", "coco-no-image-matches", tmp_path)
    given = {"json": "3 image names", "csv": "1 case names", "ids": "1 image ids"}[kind]
    examples = {"ids": "an image_id such as 0, 1, 2, or a COCO document"}.get(kind, "names such as a 1, c.3, ümlaut")
    assert f"objects.{'csv' if kind == 'csv' else 'json'}: 0 of {given} match the cases of the task" in errors
    assert examples in errors
    assert "None of the 3 cases has a prediction that can be read" in errors
    assert (code, table.empty) == (2, True)


def test_ids_written_as_text_are_the_numbers_of_the_references(capsys, tmp_path):
    entries = json.loads((REPORTS / "coco-one-bad-annotation" / "predictions" / "objects.json").read_text())[:4]
    (tmp_path / "objects.json").write_text(
        json.dumps([entry | {key: str(entry[key]) for key in ("image_id", "category_id")} for entry in entries])
    )
    code, table, errors = scored(capsys, "det.json", "coco-one-bad-annotation", tmp_path)
    assert (code, errors) == (0, "")
    assert table.set_index("metric").loc["average_precision", "value"] == 1.0
