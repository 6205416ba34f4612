import pickle

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.catalogue import all_metrics
from evaluation.metrics import boundary, overlap
from evaluation.outcomes import Outcome
from evaluation.problems.offered_metrics import kinds_with
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring import prepare_reference, score_case
from tests.unit.evaluation.scoring.conftest import DOCUMENT


def image(labels, spacing=(1.0, 1.0, 2.0)):
    return LabelImage(labels, Geometry(labels.shape, spacing))


def values(rows):
    return {(row.region, row.metric): row.value for row in rows}


def outcomes(rows):
    return {row.outcome for row in rows}


def test_one_row_for_every_region_and_metric_in_the_assessments_order(assessment, labels):
    rows = score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(labels), algorithm="x")
    assert [(row.region, row.metric) for row in rows] == [
        (region, metric) for region in ("core", "whole") for metric in ("dsc", "nsd", "hd95", "assd")
    ]
    assert {(row.algorithm, row.case) for row in rows} == {("x", "a")}


def test_a_copy_of_the_reference_is_perfect(assessment, labels):
    rows = score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(labels))
    assert [row.value for row in rows] == [1, 1, 0, 0] * 2


def test_values_are_those_of_the_functions_on_whole_arrays(assessment, labels, shifted):
    rows = values(score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(shifted)))
    spacing = (1.0, 1.0, 2.0)
    for region, members in (("core", [1]), ("whole", [1, 2])):
        one, other = np.isin(labels, members), np.isin(shifted, members)
        assert rows[region, "dsc"] == overlap.dsc(one, other).value
        assert rows[region, "nsd"] == boundary.nsd(one, other, tolerance=1, spacing=spacing).value
        assert rows[region, "hd95"] == boundary.hausdorff_percentile(one, other, spacing=spacing).value
        assert rows[region, "assd"] == boundary.assd(one, other, spacing=spacing).value


def test_diagonal_in_mm_stands_on_every_row(assessment, labels):
    rows = score_case(assessment, "a", prepare_reference(assessment, image(labels)), None)
    assert {row.image_diagonal for row in rows} == {np.sqrt(12**2 + 14**2 + 20**2)}


def test_no_prediction_is_missing_without_a_reason(assessment, labels):
    rows = score_case(assessment, "a", prepare_reference(assessment, image(labels)), None)
    assert outcomes(rows) == {Outcome.MISSING}
    assert rows.reason is None
    assert all(row.value is None for row in rows)


def test_unreadable_prediction_is_missing_with_the_reason_kept(assessment, labels, save, tmp_path):
    reference = prepare_reference(assessment, save(tmp_path / "r.nii.gz", labels))
    rows = score_case(assessment, "a", reference, save(tmp_path / "p.nii.gz", labels[1:]))
    assert outcomes(rows) == {Outcome.MISSING}
    assert rows.reason.kind == "shape"


def test_label_outside_all_regions_makes_a_prediction_invalid(assessment, labels, save, tmp_path):
    reference = prepare_reference(assessment, save(tmp_path / "r.nii.gz", labels))
    labels[0, 0, 0] = 3
    rows = score_case(assessment, "a", reference, save(tmp_path / "p.nii.gz", labels))
    assert rows.reason.kind == "labels"


@pytest.mark.parametrize(
    ("in_reference", "in_prediction", "outcome"),
    [(False, False, "both_empty"), (False, True, "ref_empty"), (True, False, "pred_empty")],
)
def test_empty_regions_have_an_outcome_and_no_value(assessment, labels, in_reference, in_prediction, outcome):
    empty = np.where(labels == 1, 2, labels).astype(np.uint8)
    reference = prepare_reference(assessment, image(labels if in_reference else empty))
    rows = score_case(assessment, "a", reference, image(labels if in_prediction else empty))
    core = [row for row in rows if row.region == "core"]
    assert {(row.value, row.outcome) for row in core} == {(None, outcome)}
    assert {row.outcome for row in rows if row.region == "whole"} == {"ok"}


def test_prediction_without_any_foreground(assessment, labels):
    reference = prepare_reference(assessment, image(labels))
    assert outcomes(score_case(assessment, "a", reference, image(np.zeros_like(labels)))) == {Outcome.PRED_EMPTY}


def test_spacing_of_the_assessment_overrides_the_header(labels, shifted):
    document = {
        **DOCUMENT,
        "metrics": [{"id": "assd"}, {"id": "assd", "name": "own", "options": {"spacing": [3, 3, 3]}}],
    }
    assessment = parse(document)
    rows = values(score_case(assessment, "a", prepare_reference(assessment, image(labels, (1, 1, 1))), image(shifted)))
    assert rows["whole", "own"] == pytest.approx(3 * rows["whole", "assd"])


def test_background_can_be_scored_as_a_region_of_its_own(labels, shifted):
    document = {**DOCUMENT, "metrics": [{"id": "dsc", "options": {"include_background": True}}]}
    assessment = parse(document)
    rows = values(score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(shifted)))
    assert rows["background", "dsc"] == overlap.dsc(labels == 0, shifted == 0).value


def test_every_metric_of_the_catalogue_for_regions_can_be_scored(labels, shifted):
    offered = [metric.id for metric in all_metrics() if "semantic_segmentation" in kinds_with(metric)]
    assessment = parse({**DOCUMENT, "metrics": [{"id": name} for name in offered]})
    scored = score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(shifted))
    pooled = {name for name, _ in scored.pieces}
    assert pooled == {"aggregated_dsc", "aggregated_lesion_f1"}
    assert {row.metric for row in scored} == set(offered) - pooled
    assert {row.outcome for row in scored} == {Outcome.OK}


def test_prepared_reference_travels_to_other_processes(assessment, labels, shifted):
    reference = prepare_reference(assessment, image(labels))
    first = score_case(assessment, "a", reference, image(shifted))
    copy = pickle.loads(pickle.dumps(reference))
    assert score_case(assessment, "a", copy, image(shifted)) == first


def test_array_of_another_shape_is_a_mistake_of_the_caller(assessment, labels):
    with pytest.raises(ValueError, match="shape"):
        score_case(assessment, "a", prepare_reference(assessment, image(labels)), image(labels[1:]))
