"""Dice of all cases together: from files to the value of the data set, and again for resamples."""

import numpy as np
import pytest

from docs.correctness.mask_cases import mask_cases
from evaluation.assessment import AssessmentError, parse
from evaluation.metrics.lesions import aggregated_lesion_f1
from evaluation.metrics.pooled_overlap import aggregated_dsc
from evaluation.outcomes import Outcome
from evaluation.readers import Geometry, LabelImage
from evaluation.scoring import prepare_reference, score_case
from evaluation.scoring.assembling import assemble
from evaluation.scoring.evidence import recompute_values
from evaluation.scoring.rows import Numbers
from evaluation.scoring.semantic import are_possible

CASES = [case for case in mask_cases() if case.reference.ndim == 3]
DOCUMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "GTVp", "labels": [1]}, {"name": "GTVn", "labels": [2]}, {"name": "both", "labels": [1, 2]}],
    "metrics": [{"id": "aggregated_dsc"}, {"id": "dsc"}],
}


def label_image(mask, spacing):
    """A label image: the upper half of the foreground has label 1, the lower half label 2."""
    labels = mask.astype(np.uint8)
    labels[10:] *= 2
    return LabelImage(labels, Geometry(labels.shape, spacing))


def pieces_of(assessment, cases):
    pieces = {}
    for case in cases:
        reference = prepare_reference(assessment, label_image(case.reference, case.spacing))
        pieces[case.name] = score_case(
            assessment, case.name, reference, label_image(case.prediction, case.spacing)
        ).pieces
    return pieces


@pytest.fixture(scope="module")
def assessment():
    return parse(DOCUMENT)


def by_hand(cases, part, times=None):
    """Plain sums over the cases, as the notebooks of HECKTOR 2022 and HNTS-MRG 2024 have them."""
    times = [1] * len(cases) if times is None else times
    common = total = 0
    for case, count in zip(cases, times, strict=True):
        truth, guess = case.reference[part], case.prediction[part]
        common += count * int((truth & guess).sum())
        total += count * (int(truth.sum()) + int(guess.sum()))
    return 2 * common / total


PARTS = {"GTVp": np.s_[:10], "GTVn": np.s_[10:], "both": np.s_[:]}


def test_the_value_is_that_of_plain_sums(assessment):
    rows, evidence = assemble(assessment, pieces_of(assessment, CASES), shared={}, algorithm="a")
    values = {row.region: row for row in rows}
    assert {row.case for row in rows} == {""}
    assert {row.metric for row in rows} == {"aggregated_dsc"}
    for region, part in PARTS.items():
        assert values[region].value == pytest.approx(by_hand(CASES, part), rel=1e-12)
        whole = aggregated_dsc([case.reference[part] for case in CASES], [case.prediction[part] for case in CASES])
        assert values[region].value == whole.value
    rng = np.random.default_rng(1)
    times = rng.integers(0, 4, size=(5, len(CASES)))
    selected = evidence.select("aggregated_dsc", "a", "both")
    ordered = sorted(CASES, key=lambda case: case.name)
    again = recompute_values(assessment.metric("aggregated_dsc"), selected, times)
    assert again.numbers.tolist() == pytest.approx([by_hand(ordered, PARTS["both"], row) for row in times])


def test_cases_with_voxels_of_different_sizes_can_be_summed_in_mm3(assessment):
    in_mm3 = parse(DOCUMENT | {"metrics": [{"id": "aggregated_dsc", "options": {"size_unit": "mm3"}}]})
    assert len({case.spacing for case in CASES}) > 1
    volumes = [float(np.prod(case.spacing)) for case in CASES]
    rows, evidence = assemble(in_mm3, pieces_of(in_mm3, CASES), shared={}, algorithm="a")
    values = {row.region: row.value for row in rows}
    assert values == {part: pytest.approx(by_hand(CASES, PARTS[part], volumes), rel=1e-12) for part in PARTS}
    in_voxels, _ = assemble(assessment, pieces_of(assessment, CASES), shared={}, algorithm="a")
    assert all(values[row.region] != row.value for row in in_voxels)
    ordered = sorted(CASES, key=lambda case: case.name)
    times = np.random.default_rng(1).integers(0, 4, size=(5, len(CASES)))
    again = recompute_values(in_mm3.metric("aggregated_dsc"), evidence.select("aggregated_dsc", "a", "both"), times)
    sizes = [float(np.prod(case.spacing)) for case in ordered]
    assert again.numbers.tolist() == pytest.approx([by_hand(ordered, PARTS["both"], row * sizes) for row in times])


def test_lesions_of_all_cases_from_files_to_resamples():
    of_lesions = parse(DOCUMENT | {"metrics": [{"id": "aggregated_lesion_f1", "options": {"min_iou": 0.3}}]})
    rows, evidence = assemble(of_lesions, pieces_of(of_lesions, CASES), shared={}, algorithm="a")
    values = {row.region: row.value for row in rows}
    sides = [case.reference for case in CASES], [case.prediction for case in CASES]
    assert values["both"] == aggregated_lesion_f1(*sides, min_iou=0.3).value
    assert 0 < values["both"] < 1
    ordered = sorted(CASES, key=lambda case: case.name)
    times = np.random.default_rng(1).integers(0, 3, size=(5, len(CASES)))
    copies = [np.repeat(np.arange(len(CASES)), row) for row in times]
    again = recompute_values(
        of_lesions.metric("aggregated_lesion_f1"), evidence.select("aggregated_lesion_f1", "a", "both"), times
    )
    assert again.numbers.tolist() == [
        aggregated_lesion_f1(
            [ordered[k].reference for k in row], [ordered[k].prediction for k in row], min_iou=0.3
        ).value
        for row in copies
    ]
    reference = prepare_reference(of_lesions, label_image(CASES[0].reference, CASES[0].spacing))
    scored = score_case(of_lesions, "a", reference, label_image(CASES[0].prediction, CASES[0].spacing)).pieces
    assert are_possible(of_lesions, reference, scored)
    for change in ((1, 0, 0), (0, 1, 0), (-1000, 0, 0)):
        forged = {
            key: Numbers([max(-1, a + b) for a, b in zip(numbers.counts, change, strict=True)], [])
            for key, numbers in scored.items()
        }
        impossible = any(
            change[1] or numbers.counts[0] < 0 or numbers.counts[0] > min(numbers.counts[1:])
            for numbers in forged.values()
        )
        assert are_possible(of_lesions, reference, forged) is not impossible


def test_pieces_with_another_size_of_voxels_are_not_possible():
    in_mm3 = parse(DOCUMENT | {"metrics": [{"id": "aggregated_dsc", "options": {"size_unit": "mm3"}}]})
    case = CASES[0]
    for document, sizes in ((parse(DOCUMENT), []), (in_mm3, [float(np.prod(case.spacing))])):
        reference = prepare_reference(document, label_image(case.reference, case.spacing))
        pieces = score_case(document, case.name, reference, label_image(case.prediction, case.spacing)).pieces
        assert {tuple(numbers.values) for numbers in pieces.values()} == {tuple(sizes)}
        assert are_possible(document, reference, pieces)
        forged = {key: Numbers(numbers.counts, [3.0]) for key, numbers in pieces.items()}
        assert not are_possible(document, reference, forged)


def test_documents_without_the_option_keep_their_digest(assessment):
    assert "size_unit" not in assessment.metric("aggregated_dsc").options


def test_a_missing_case_leaves_no_value(assessment):
    pieces = pieces_of(assessment, CASES[:3])
    pieces[CASES[0].name] = None
    rows, _ = assemble(assessment, pieces, shared={}, algorithm="a")
    assert {row.outcome for row in rows} == {Outcome.MISSING}


@pytest.mark.parametrize(
    ("sides", "outcome"),
    [
        (([0, 0], [0, 0]), Outcome.BOTH_EMPTY),
        (([0, 0], [0, 1]), Outcome.REF_EMPTY),
        (([0, 1], [0, 0]), Outcome.PRED_EMPTY),
        (([1, 0], [0, 1]), Outcome.OK),
    ],
)
def test_a_side_without_any_voxel_has_no_value(sides, outcome):
    reference, prediction = ([[[voxel]] for voxel in side] for side in sides)
    result = aggregated_dsc(reference, prediction)
    assert result.outcome is outcome
    assert result.value == (0.0 if outcome is Outcome.OK else None)


@pytest.mark.parametrize("problem", ["registration", "segmentation_with_confidence", "instance_segmentation"])
def test_kinds_that_score_masks_case_by_case_refuse_it(problem):
    settings = {"registration": {"settings": {"field": "voxel"}}}.get(problem, {})
    document = {"problem": problem, "regions": DOCUMENT["regions"], "metrics": [{"id": "aggregated_dsc"}], **settings}
    with pytest.raises(AssessmentError, match="aggregated_dsc"):
        parse(document)
