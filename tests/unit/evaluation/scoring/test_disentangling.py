"""Data that each case contributes to disentangled evaluation, and the document created from all cases."""

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.matching import Objects
from evaluation.metrics import disentangled as dis
from evaluation.scoring import disentangled_document as documents
from evaluation.scoring.disentangled_document import Unit
from evaluation.scoring.disentangling import classes_of, found_of, numbers_of, possible
from evaluation.scoring.rows import Numbers

CLASSES = ("E", "L")
TRUTH = Objects(labels=np.array([[1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 3, 3]]), classes=["E", "L", "E"])
FOUND = Objects(labels=np.array([[5, 5, 5, 0, 0, 4, 4, 4, 4, 0, 0, 0]]), classes=["E", "E"])
RESULT = dis.disentangle(TRUTH, FOUND, CLASSES)


def document(regions, **options):
    return parse(
        {
            "schema": 1,
            "problem": "instance_segmentation",
            "regions": [{"name": name, "labels": labels} for name, labels in regions.items()],
            "metrics": [{"id": "mi_dsc", "options": options}],
            "ranking": {"scheme": "aggregate_then_rank"},
        }
    )


def test_classes_are_told_apart_where_the_assessment_tells_them_apart():
    assert classes_of(document({"epithelium": ["E"], "lymphocytes": ["L"]})) == CLASSES
    assert classes_of(document({"cell": ["E", "L"]})) == ("cell",)
    assert classes_of(document({"epithelium": ["E"], "lymphocytes": ["L"]}, instance_connectivity="face")) == (
        "object",
    )


def test_numbers_bring_back_what_they_were_made_of():
    again = found_of(numbers_of(RESULT), CLASSES)
    assert again.confusion.tolist() == RESULT.confusion.tolist()
    assert (again.iou_sum.tolist(), again.hausdorff_sum) == (RESULT.iou_sum.tolist(), RESULT.hausdorff_sum)
    assert np.array_equal(again.panoptic.fp, RESULT.panoptic.fp)


def spoilt(*, counts=None, values=None):
    plain = numbers_of(RESULT)
    return Numbers(counts or plain.counts, values or plain.values)


@pytest.mark.parametrize(
    "numbers",
    [
        spoilt(counts=[1, 0, 1, 1, 1, 2, 2, 1, 1]),  # an object that the reference does not have
        spoilt(counts=[1, 1, 2, 1, 0, 0, 2, 1, 1]),  # out of order
        spoilt(counts=[1, 0, 1, 1, 1, 1, 2, 1, 1, 9]),
        spoilt(counts=[0, 1, 10**9, 1, 0, 1, 1, 1, 1, 2, 1, 1]),  # more objects than pixels
        spoilt(counts=[0, 0, 1, 1, 0, 1, 1, 1, 1, 2, 1, 1]),
        spoilt(counts=[1, 0, 1, 1, 1, 1, 2, 7, 1]),  # a class that there is not
        spoilt(counts=[1, 0, True, 1, 1, 1, 2, 1, 1]),
        spoilt(values=[0.2, 1.0, 0.2, 0.0, 1.0]),  # matched by less than half
        spoilt(values=[0.75, 1.0, 0.75, 0.0, 1e9]),  # farther apart than the image is long
        spoilt(values=[0.75, 1.0, 0.75, 0.0, float("nan")]),
        spoilt(values=[0.75, 1.0, 0.75, 0.0]),
        spoilt(values=[0.75, 1.0, 0.6, 0.0, 1.0]),  # right pairs that overlap less than all of their class together
    ],
)
def test_numbers_that_no_prediction_can_give_are_refused(numbers):
    assert possible(numbers_of(RESULT), TRUTH, CLASSES, pixels=12, diagonal=12.1)
    assert not possible(numbers, TRUTH, CLASSES, pixels=12, diagonal=12.1)


def entry_values(entry, part):
    return {(value["class"], value["metric"]): (value["value"], value["outcome"]) for value in entry[part]["values"]}


@pytest.fixture(scope="module")
def described():
    missing = dis.nothing_found(TRUTH, CLASSES)
    empty = dis.nothing_at_all(CLASSES)
    units = [
        Unit("a", RESULT, diagonal=12.0),
        Unit("b", missing, missing=1, diagonal=10.0),
        Unit("c", empty, diagonal=8.0),
        Unit("d", empty, missing=1, diagonal=8.0),
    ]
    return documents.describe("net", units, CLASSES, groups={"a": "p", "b": "p", "c": "q", "d": "q"})


def test_a_missing_prediction_misses_every_object_and_is_never_dropped(described):
    assert (described["cases_total"], described["cases_missing"]) == (4, 2)
    assert described["pooled"]["detection"]["fn"] == 1 + 3
    missing = described["cases"]["each"][1]
    detection = entry_values(missing, "detection")
    assert detection["", "sensitivity"] == (0.0, "ok")
    assert detection["", "ppv"] == (None, "missing")
    assert entry_values(missing, "segmentation")["", "iou"] == (None, "missing")


def test_silence_about_an_image_without_objects_is_not_praised(described):
    assert entry_values(described["cases"]["each"][2], "detection")["", "fbeta"] == (None, "both_empty")
    assert entry_values(described["cases"]["each"][3], "detection")["", "fbeta"] == (None, "missing")
    mean = {(m["part"], m["class"], m["metric"]): m for m in described["cases"]["mean"]}
    f1 = mean["detection", "", "fbeta"]
    assert f1["value"] == pytest.approx((0.8 + 0 + 1 + 0) / 4)
    assert (f1["entered"], f1["as_worst"]) == (4, 1)


def test_what_nobody_could_rate_is_left_out_and_what_a_method_missed_counts_as_worst(described):
    mean = {(m["part"], m["class"], m["metric"]): m for m in described["cases"]["mean"]}
    distance = mean["segmentation", "", "hausdorff_distance"]
    assert distance["value"] == pytest.approx((RESULT.hausdorff_sum / 2 + 10.0) / 2)
    assert (distance["entered"], distance["as_worst"]) == (2, 1)


def test_a_class_of_which_nothing_was_matched_is_undefined_by_name_and_the_worst_in_its_mean(described):
    first, missed, empty, _ = described["cases"]["each"]
    assert entry_values(first, "segmentation")["L", "iou"] == (1.0, "ok")
    assert entry_values(missed, "segmentation")["L", "iou"] == (None, "missing")
    assert entry_values(empty, "classification")["L", "fbeta"] == (None, "degenerate")
    unmatched = Unit("e", dis.Disentangled.of_matrix(CLASSES, [[0, 0, 0], [0, 1, 0], [2, 0, 0]], iou_sum=[1, 0]))
    means = documents.describe("net", [Unit("a", RESULT), unmatched], CLASSES)["cases"]["mean"]
    mean = {(m["part"], m["class"], m["metric"]): m for m in means}
    for part, metric, value in (("segmentation", "iou", 1.0), ("classification", "sensitivity", 0.0)):
        own = mean[part, "L", metric]
        assert (own["value"], own["entered"], own["as_worst"]) == (pytest.approx((value + 0) / 2), 2, 1)
    assert mean["classification", "E", "sensitivity"]["entered"] == 2


def test_counts_are_pooled_within_a_group_before_the_mean(described):
    groups = {entry["name"]: entry for entry in described["groups"]["each"]}
    assert (groups["p"]["detection"]["tp"], groups["p"]["detection"]["fn"]) == (2, 4)
    assert entry_values(groups["p"], "detection")["", "sensitivity"][0] == pytest.approx(2 / 6)
    assert described["pooled"]["confusion"] == [[0, 0, 0], [3, 1, 0], [1, 1, 0]]


def test_the_summary_holds_nothing_of_a_single_case(described):
    short = documents.summary_of(described)
    assert short["cases"]["number"] == 4
    assert "each" not in str(short["cases"].keys())


def test_tables_name_every_cell(described):
    cells = list(documents.matrix_rows(described, CLASSES))
    assert ["net", "pooled", "", "L", "E", 1, "1"] in cells
    assert ["net", "case", "b", "E", "(none)", 2, ""] in cells
    assert {len(row) for row in documents.table_rows(described)} == {len(documents.TABLE)}
