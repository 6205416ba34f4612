"""Registration of which landmarks are submitted: reading, scoring, and the settings that are refused."""

import nibabel
import numpy as np
import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.assessment.errors import AssessmentError
from evaluation.scoring import score_folders

SETTINGS = {"submission": "landmarks", "landmarks": "voxel"}


def document(**more):
    return {"schema": 1, "problem": "registration", "metrics": [{"id": "tre"}], "settings": SETTINGS} | more


def write(folder, *, fixed, moving, predicted, spacing=(1.0, 1.0, 1.0), offset=(0.0, 0.0, 0.0)):
    """Write one case; the moving image has another spacing and origin than the fixed one."""
    case = folder / "references/case"
    case.mkdir(parents=True)
    affine = np.diag([*spacing, 1.0])
    affine[:3, 3] = offset
    for part, matrix in (("fixed", np.eye(4)), ("moving", affine)):
        nibabel.save(nibabel.Nifti1Image(np.zeros((8, 9, 10), dtype=np.uint8), matrix), case / f"{part}.nii.gz")
    for name, points in (("fixed_landmarks", fixed), ("moving_landmarks", moving)):
        (case / f"{name}.csv").write_text(table(points))
    (folder / "predictions").mkdir()
    (folder / "predictions/case.csv").write_text(table(predicted))


def table(points):
    rows = [",".join([["landmark", "x", "y", "z"][0], "x", "y", "z"])]
    return "\n".join([*rows, *(f"p{index},{x},{y},{z}" for index, (x, y, z) in enumerate(points))]) + "\n"


def score(folder, places):
    assessment = parse(document(settings=SETTINGS | {"landmarks": places}))
    return score_folders(assessment, folder / "references", {"a": folder / "predictions"}).rows


def test_voxels_are_those_of_the_moving_image(tmp_path):
    write(tmp_path, fixed=[(1, 1, 1)], moving=[(2, 2, 2)], predicted=[(3, 2, 4)], spacing=(2, 1, 1.5), offset=(5, 0, 0))
    [row] = score(tmp_path, "voxel")
    assert row.value == pytest.approx(np.hypot(2 * 1, 1.5 * 2))
    # The fixed landmark is at (1, 1, 1) mm, and its partner at (9, 2, 3) mm.
    assert row.before == pytest.approx(np.sqrt(8**2 + 1 + 2**2))


@pytest.mark.parametrize("places", ["mm_lps", "mm_ras"])
def test_distances_in_mm_do_not_depend_on_the_directions_of_axes(tmp_path, places):
    write(tmp_path, fixed=[(1, 1, 1)], moving=[(2, 2, 2)], predicted=[(2, 5, 6)], spacing=(2, 1, 1.5))
    [row] = score(tmp_path, places)
    assert row.value == pytest.approx(5)


def test_voxels_of_a_field_give_the_same_error(tmp_path):
    """A constant field moves every landmark as the table does."""
    samples = problems.get("landmark_registration").samples
    samples.write_challenge(tmp_path, cases=2)
    by_table = score_folders(
        parse(document()), tmp_path / "references", {name: tmp_path / f"predictions/{name}" for name in ("near", "far")}
    ).rows
    for case in sorted((tmp_path / "references").iterdir()):
        fixed, moving = (
            np.loadtxt(case / f"{part}_landmarks.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3))
            for part in ("fixed", "moving")
        )
        for index, name in enumerate(("near", "far")):
            field = np.broadcast_to((moving - fixed)[0] * (0.9 - 0.4 * index), (20, 18, 16, 3)).astype(np.float64)
            image = nibabel.Nifti1Image(np.ascontiguousarray(field), np.diag([1.0, 1.5, 2.0, 1.0]))
            (tmp_path / f"fields/{name}").mkdir(parents=True, exist_ok=True)
            nibabel.save(image, tmp_path / f"fields/{name}/{case.name}.nii.gz")
    by_field = score_folders(
        parse(document(settings={"field": "voxel"})),
        tmp_path / "references",
        {name: tmp_path / f"fields/{name}" for name in ("near", "far")},
    ).rows
    assert [row.value for row in by_table] == pytest.approx([row.value for row in by_field], abs=1e-3)
    assert [row.before for row in by_table] == pytest.approx([row.before for row in by_field])


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        ("landmark,x,y,z\np0,1,2,3\n", "no row for 1 of 2 landmarks (p1)"),
        ("landmark,x,y\np0,1,2\np1,1,2\n", "2 coordinates per landmark; expected 3, as in the image"),
        ("landmark,x,y,z\np0,1,2,nan\np1,1,2,3\n", "'nan' as z in row 2"),
        ("landmark,x,y,z\np0,1,2,3\np1,1,2,3\np1,1,2,3\n", "a second row for the landmark p1"),
    ],
)
@pytest.mark.parametrize("is_joint", [False, True])
def test_an_incomplete_table_makes_its_case_missing(tmp_path, predicted, message, is_joint):
    write(tmp_path, fixed=[(1, 1, 1)] * 2, moving=[(2, 2, 2)] * 2, predicted=[])
    if is_joint:
        (tmp_path / "predictions/case.csv").unlink()
        head, *rows = predicted.split()
        text = "\n".join([f"case,{head}", *(f"case,{row}" for row in rows), ""])
        (tmp_path / "predictions/landmarks.csv").write_text(text)
    else:
        (tmp_path / "predictions/case.csv").write_text(predicted)
    scored = score_folders(parse(document()), tmp_path / "references", {"a": tmp_path / "predictions"})
    [row] = scored.rows
    assert (row.outcome, row.value) == ("missing", None)
    assert message in scored.reasons["a", "case"].message


def test_an_additional_landmark_is_ignored(tmp_path):
    write(tmp_path, fixed=[(1, 1, 1)], moving=[(2, 2, 2)], predicted=[(2, 2, 2), (7, 7, 7)])
    [row] = score(tmp_path, "voxel")
    assert row.value == 0


@pytest.mark.parametrize(
    "more",
    [
        {"metrics": [{"id": "sdlogj"}]},
        {"metrics": [{"id": "dsc"}]},
        {"metrics": [{"id": "tre", "options": {"interpolation": "cubic"}}]},
        {"settings": {"submission": "landmarks"}},
        {"settings": SETTINGS | {"field": "voxel"}},
        {"settings": {"submission": "field"}},
        {"regions": [{"name": "a", "labels": [1]}]},
    ],
)
def test_what_landmarks_do_not_determine_is_refused(more):
    with pytest.raises(AssessmentError):
        parse(document(**more))


def test_assessments_of_fields_keep_their_digest():
    written = parse(document(settings={"field": "voxel"}))
    assert written.document["settings"] == {"field": "voxel", "landmarks": "voxel"}
    assert parse(document(settings={"field": "voxel", "submission": "field"})).digest == written.digest


def test_the_written_document_is_read_again():
    assessment = parse(document())
    assert parse(assessment.document).digest == assessment.digest
