"""Labels of the reference that count for nobody, and tolerances of single regions."""

import numpy as np
import pytest

from evaluation.assessment import AssessmentError, parse
from evaluation.metrics.boundary import nsd
from evaluation.metrics.overlap import dsc
from evaluation.problems import get
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring import prepare_reference, score_case

DOCUMENT = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "organ", "labels": [1]}, {"name": "tumour", "labels": [2]}],
    "metrics": [{"id": "dsc", "options": {"include_background": True}}, {"id": "aggregated_dsc"}],
    "settings": {"ignore_labels": [9]},
}


def image(labels):
    return LabelImage(np.asarray(labels, dtype=np.uint8), Geometry(np.shape(labels)))


REFERENCE = np.array([[1, 1, 9, 9, 2, 2, 0, 0]])
PREDICTION = np.array([[1, 0, 1, 2, 2, 2, 2, 0]])


def test_ignored_voxels_belong_to_no_region_whatever_is_predicted():
    assessment = parse(DOCUMENT)
    reference = prepare_reference(assessment, image(REFERENCE))
    scored = score_case(assessment, "a", reference, image(PREDICTION))
    kept = REFERENCE != 9
    truth, guess = REFERENCE[kept][None], PREDICTION[kept][None]
    values = {row.region: row.value for row in scored}
    expected = {"organ": dsc(truth == 1, guess == 1), "tumour": dsc(truth == 2, guess == 2)}
    expected["background"] = dsc(truth == 0, guess == 0)
    assert values == {name: result.value for name, result in expected.items()}
    assert scored.pieces["aggregated_dsc", "tumour"].counts == [2, 2, 3]
    # What is predicted there changes nothing.
    other = PREDICTION.copy()
    other[REFERENCE == 9] = 0
    assert score_case(assessment, "a", reference, image(other)).rows == scored.rows


def test_files_of_references_may_have_the_label_and_predictions_may_not(tmp_path, save_image):
    assessment, kind = parse(DOCUMENT), get("semantic_segmentation")
    path = save_image(REFERENCE)
    assert kind.read_reference(assessment, path).labels.max() == 9
    assert kind.expected(assessment) == {"labels": [1, 2]}
    assert score_case(assessment, "a", prepare_reference(assessment, image(REFERENCE)), path).reason is not None
    described = kind.texts.submit_page(assessment, 3)
    assert described.before[-1] == "Voxels with the label 9 in the reference are not scored."


@pytest.fixture
def save_image(tmp_path):
    import nibabel

    def save(labels):
        path = tmp_path / "case.nii.gz"
        nibabel.save(nibabel.Nifti1Image(np.asarray(labels, dtype=np.uint8)[..., None], np.eye(4)), path)
        return path

    return save


def test_the_digest_of_assessments_without_ignored_labels_stays():
    document = {key: value for key, value in DOCUMENT.items() if key != "settings"}
    assert "settings" not in parse(document).document
    again = parse(parse(DOCUMENT).document)
    assert again == parse(DOCUMENT)
    assert again.document["settings"] == {"ignore_labels": [9]}


@pytest.mark.parametrize("labels", [[1], [0], [2.5], [9, 9], ["nine"], 9])
def test_what_is_no_ignored_label_is_refused(labels):
    with pytest.raises(AssessmentError, match="ignore_labels"):
        parse({**DOCUMENT, "settings": {"ignore_labels": labels}})


class TestTolerancesOfRegions:
    options = {"tolerance": 1.0, "tolerance_by_region": {"tumour": 2.0}}
    document = {**DOCUMENT, "metrics": [{"id": "nsd", "options": options}], "settings": {}}

    def test_each_region_has_its_own(self):
        reference = np.zeros((1, 12), dtype=np.uint8)
        reference[0, [0, 6]] = 1, 2
        prediction = np.roll(reference, 2, axis=1)
        assessment = parse(self.document)
        rows = score_case(assessment, "a", prepare_reference(assessment, image(reference)), image(prediction))
        assert {row.region: row.value for row in rows} == {"organ": 0.0, "tumour": 1.0}
        assert nsd(reference == 2, prediction == 2, tolerance=2.0).value == 1.0
        assert parse(assessment.document) == assessment

    @pytest.mark.parametrize("tolerances", [{"vessel": 1.0}, {"organ": -1}, {"organ": "wide"}])
    def test_other_regions_and_what_is_no_distance_are_refused(self, tolerances):
        metrics = [{"id": "nsd", "options": {"tolerance": 1.0, "tolerance_by_region": tolerances}}]
        with pytest.raises(AssessmentError, match="tolerance_by_region"):
            parse({**self.document, "metrics": metrics})

    def test_kinds_that_do_not_read_it_refuse_it(self):
        document = {"problem": "instance_segmentation", "metrics": [{"id": "nsd", "options": self.options}]}
        with pytest.raises(AssessmentError, match="tolerance_by_region"):
            parse(document)
