"""Volumes of two masks: vectors of the reference (problem_kinds, section 12), and what `worst` is of a case."""

import math

import nibabel as nib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evaluation.assessment import parse
from evaluation.assessment.errors import AssessmentError
from evaluation.metrics import absolute_volume_difference, relative_volume_error
from evaluation.metrics.masks import Mask
from evaluation.metrics.volumes import worst_difference, worst_error
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of
from evaluation.problems.computed_risk import read_risk
from evaluation.ranking import describe
from evaluation.readers import Geometry, LabelImage, ReadError

SHAPE = (20, 20, 10)
MASKS = arrays(bool, (2, 3, 4))


def of_voxels(number):
    flat = np.zeros(math.prod(SHAPE), dtype=bool)
    flat[:number] = True
    return flat.reshape(SHAPE)


def test_vectors_of_the_reference():
    reference, prediction = of_voxels(1200), of_voxels(1000)
    difference = absolute_volume_difference(reference, prediction, spacing=(0.8, 1.1, 2.5))
    assert difference.value == pytest.approx(0.44, rel=1e-9)  # semantic_segmentation-01
    error = relative_volume_error(reference, prediction)
    assert error.value == pytest.approx(0.16666666666666666, rel=1e-9)  # semantic_segmentation-02


@given(MASKS, MASKS, st.tuples(*[st.floats(0.1, 5)] * 3))
def test_they_agree_with_sums_of_voxels_and_say_nothing_about_place(reference, prediction, spacing):
    ml = np.prod(spacing) / 1000
    found = absolute_volume_difference(reference, prediction, spacing=spacing)
    assert found.outcome is Outcome.OK
    assert found.value == pytest.approx(abs(prediction.sum() * ml - reference.sum() * ml), abs=1e-9)
    elsewhere = prediction[::-1, ::-1]
    assert found == absolute_volume_difference(reference, elsewhere, spacing=spacing)
    relative = relative_volume_error(reference, prediction)
    if reference.any():
        assert relative.value == pytest.approx(found.value / (reference.sum() * ml), abs=1e-9)
    else:
        assert relative.outcome is (Outcome.REF_EMPTY if prediction.any() else Outcome.BOTH_EMPTY)


@given(MASKS, MASKS)
def test_no_prediction_is_worse_than_the_worst_of_its_case(reference, prediction):
    truth = Mask(reference)
    assert absolute_volume_difference(reference, prediction).value <= worst_difference(truth)
    extremes = [absolute_volume_difference(reference, np.full_like(reference, fill)).value for fill in (False, True)]
    assert max(extremes) == pytest.approx(worst_difference(truth))
    if reference.any():
        assert relative_volume_error(reference, prediction).value <= worst_error(truth)


def test_an_area_is_no_volume():
    with pytest.raises(ValueError, match="needs 3 dimensions; these masks have 2"):
        absolute_volume_difference([[1, 0]], [[1, 1]])


ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "organ", "labels": [1]}],
    "metrics": [{"id": "absolute_volume_difference"}, {"id": "relative_volume_error"}],
    "ranking": {"scheme": "aggregate_then_rank"},
}


def test_a_missing_prediction_counts_as_the_worst_of_its_case():
    assessment = parse(ASSESSMENT)
    kind = kind_of(assessment)
    labels = of_voxels(1200).astype(np.uint8)
    image = LabelImage(labels, Geometry(labels.shape, spacing=(0.8, 1.1, 2.5)))
    scored = kind.score(assessment, "case-1", kind.prepare(assessment, image), None)
    assert [row.outcome for row in scored] == [Outcome.MISSING] * 2
    most = (math.prod(SHAPE) - 1200) * 2.2 / 1000
    assert [row.worst for row in scored] == pytest.approx([most, (math.prod(SHAPE) - 1200) / 1200])
    assert any("counts as the worst value of the case" in sentence for sentence in describe(assessment))


def test_a_flat_reference_is_refused_before_anything_is_scored(tmp_path):
    assessment = parse(ASSESSMENT)
    path = tmp_path / "case-1.nii.gz"
    nib.save(nib.Nifti1Image(np.ones((4, 4), dtype=np.uint8), np.eye(4)), path)
    with pytest.raises(ReadError, match=r"2 dimensions; expected 3, since absolute_volume_difference measures volumes"):
        kind_of(assessment).read_reference(assessment, path)


def test_a_volume_is_no_risk():
    wanted = {"metric": {"id": "absolute_volume_difference"}, "scale": 5}
    with pytest.raises(AssessmentError, match="the worst volume differs from case to case"):
        read_risk(wanted, "settings.risk")
