"""Scanning references and example predictions: counts that can be checked by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import nibabel as nib
import numpy as np
import pytest

from evaluation.advice.pitfalls import (
    DesignFacts,
    Facts,
    ReferenceScan,
    check,
    scan_labels,
    scan_objects,
    scan_predictions,
    scan_references,
)
from evaluation.advice.pitfalls.kept import POINTS, described, predictions_from, references_from, to_document
from evaluation.assessment import parse
from evaluation.readers import ReadError
from evaluation.readers.object_tables import read_objects

DESIGN = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "lesion", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
    "metrics": [{"id": "dsc"}, {"id": "hausdorff_distance"}],
}


def save(folder, case, array, spacing=1.0):
    folder.mkdir(exist_ok=True)
    nib.save(
        nib.Nifti1Image(array.astype(np.uint8), np.diag([spacing, spacing, spacing, 1.0])), folder / f"{case}.nii.gz"
    )


def blocks(*boxes, label=1):
    array = np.zeros((40, 20, 10))
    for low, high in boxes:
        array[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = label
    return array


@pytest.fixture
def folders(tmp_path):
    references = tmp_path / "references"
    save(references, "one", blocks(((2, 2, 2), (6, 6, 6)), ((30, 10, 5), (31, 11, 6))))
    save(references, "two", blocks(((2, 2, 2), (4, 4, 4)), ((10, 10, 2), (16, 16, 8))))
    save(references, "none", blocks(((5, 5, 5), (8, 8, 8)), label=2), spacing=2.0)
    (references / "cases.csv").write_text("case,patient\none,p1\ntwo,p1\nnone,p2\n")
    predictions = tmp_path / "predictions"
    hollow = blocks(((2, 2, 2), (7, 7, 7)))
    hollow[3:6, 3:6, 3:6] = 0
    save(predictions, "one", hollow)
    save(predictions, "two", np.zeros((40, 20, 10)))
    (predictions / "none.nii.gz").write_bytes(b"no image")
    return references, predictions


@pytest.fixture
def regions():
    return parse(DESIGN).regions


def test_sizes_pieces_strays_and_empty_cases_are_counted(folders, regions):
    seen = []
    scanned = scan_references(folders[0], regions, progress=lambda done, total: seen.append((done, total)))
    lesion = scanned.regions["lesion"]
    assert scanned.cases == 3
    assert sorted(lesion.sizes) == [65, 224]
    assert sorted(lesion.piece_sizes) == [1, 8, 64, 216]
    assert lesion.components == (2, 2)
    assert lesion.strays == ("one",)
    assert lesion.empty == ("none",)
    assert scanned.regions["whole"].empty == ()
    assert scanned.spacings == ((1.0, 1.0, 1.0), (2.0, 2.0, 2.0))
    assert scanned.groups == {"patient": {"p1": 2, "p2": 1}}
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_thickness_is_twice_the_depth(folders, regions):
    scanned = scan_references(folders[0], regions)
    assert sorted(scanned.regions["lesion"].thickness) == [4.0, 6.0]


def test_what_references_suggest_for_the_fingerprint(folders, regions):
    proposed = scan_references(folders[0], regions).proposals
    assert proposed == {"FP4.6": True, "FP3.1": False, "FP3.2": True, "FP4.3.2": True, "FP4.5": True}


def test_predictions_are_compared_with_references(folders, regions):
    references, predictions = folders
    scanned = scan_predictions("unet", predictions, references, regions)
    assert scanned.missing == ("none",)
    assert scanned.empty["lesion"] == ("two",)
    assert scanned.size_ratios["lesion"] == (98 / 65, 0.0)
    assert scanned.holes["lesion"] == (pytest.approx(27 / 125),)


def test_pitfalls_are_found_in_the_files(folders, regions):
    references, predictions = folders
    known = Facts(
        assessment=parse(DESIGN),
        design=DesignFacts(),
        references=scan_references(references, regions),
        predictions=(scan_predictions("unet", predictions, references, regions),),
    )
    because = {finding.pitfall.id: finding.because for finding in check(known) if finding.state == "bites"}
    assert because["P-DATA-EMPTY-REFERENCE"] == "lesion is not there in 1 of 3 references, such as none"
    assert because["P-DATA-REFERENCE-OUTLIERS"] == "lesion has a stray speck in 1 of the references, such as one"
    assert because["P-OUT-EMPTY-PREDICTION"] == "unet predicts no lesion on 1 of the cases that have it, such as two"
    assert because["P-INT-RESOLUTION"] == "references have 2 different voxel sizes"
    assert (
        because["P-DOM-VOLUME-UNAWARE-BOUNDARY"] == "lesion is hollow by more than 10 % in 1 of the predictions of unet"
    )
    assert because["P-AGG-NONINDEPENDENT-CASES"].startswith("one patient has 2 cases")


def test_an_empty_folder_is_refused(tmp_path, regions):
    with pytest.raises(ReadError):
        scan_references(tmp_path, regions)


def test_labels_of_images_are_counted():
    scanned = scan_labels({str(case): "healthy" if case else "ill" for case in range(40)})
    assert scanned.classes == {"healthy": 39, "ill": 1}
    assert scanned.proposals == {"FP4.1": True, "CTX.n_classes": "binary"}


def test_objects_of_a_label_map_are_the_pieces_even_where_they_touch(tmp_path):
    array = np.zeros((40, 20, 10))
    array[2:6, 2:6, 2:6], array[6:10, 2:6, 2:6], array[20:22, 2:4, 2:4] = 1, 2, 3
    save(tmp_path / "references", "touching", array)
    save(tmp_path / "references", "apart", np.where(array == 2, 0, array))
    regions = parse({**DESIGN, "problem": "instance_segmentation", "metrics": [{"id": "panoptic_quality"}],
                     "regions": [{"name": "cell", "labels": ["cell"]}]}).regions  # fmt: skip
    scanned = scan_references(tmp_path / "references", regions, instances=True)
    cells = scanned.regions["cell"]
    assert sorted(cells.piece_sizes) == [8, 8, 64, 64, 64]
    assert cells.touching == ("touching",)
    assert scanned.proposals == {"FP4.6": False, "FP3.1": False, "FP3.2": False, "FP3.5": True}
    predictions = tmp_path / "predictions"
    save(predictions, "apart", array)
    compared = scan_predictions("unet", predictions, tmp_path / "references", regions, instances=True)
    assert compared.size_ratios["cell"] == (136 / 72,)
    assert compared.missing == ("touching",)


def test_objects_of_a_table_are_counted_by_class_and_points_have_no_size(tmp_path):
    boxes = tmp_path / "objects.csv"
    boxes.write_text("case,class,x_min,y_min,x_max,y_max\n" + "one,cell,0,0,2,2\n" * 3 + "two,spot,0,0,10,3\n")
    scanned = scan_objects(read_objects(boxes, scored=False))
    assert scanned.regions["cell"].piece_sizes == (4, 4, 4)
    assert scanned.regions["cell"].empty == ("two",)
    assert scanned.regions["spot"].sizes == (30,)
    assert scanned.proposals == {"FP4.6": True, "FP3.1": True, "FP3.2": False, "FP4.1": True}
    points = tmp_path / "points" / "objects.csv"
    points.parent.mkdir()
    points.write_text("case,class,x,y\none,cell,1,1\n")
    assert scan_objects(read_objects(points, scored=False)).proposals == {"FP4.6": False}


def test_a_scan_is_kept_without_its_files_and_with_its_quantiles(folders, regions):
    references, predictions = folders
    scanned = scan_references(references, regions)
    assert references_from(json.loads(json.dumps(to_document(scanned)))) == scanned
    compared = scan_predictions("unet", predictions, references, regions)
    assert predictions_from(json.loads(json.dumps(to_document(compared)))) == compared
    many = replace(scanned.regions["lesion"], piece_sizes=tuple(range(1, 100_001)))
    kept = references_from(to_document(ReferenceScan(3, {"lesion": many}))).regions["lesion"]
    assert len(kept.piece_sizes) == POINTS
    for share in (0.05, 0.5, 0.95):
        assert kept.quantile("piece_sizes", share) == pytest.approx(many.quantile("piece_sizes", share), rel=0.01)


def test_a_scan_says_in_words_what_it_found(folders, regions):
    words = described(scan_references(folders[0], regions))
    assert words[0] == "3 cases with 3 axes and 2 different voxel sizes."
    assert words[1].startswith("lesion: in 2 of 3 cases; mostly 2 pieces or fewer, at most 2; pieces of ")
    assert "stray specks in one" in words[1]
    assert "Column patient: 2 groups, the largest (p1) with 2 cases." in words
