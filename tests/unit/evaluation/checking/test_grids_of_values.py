"""Images of real numbers and displacement fields: the registered rule for grids decides, and notes name the shift."""

import shutil
from pathlib import Path

import nibabel
import numpy as np
import pytest
import SimpleITK

from evaluation import problems
from evaluation.assessment import AssessmentError, parse
from evaluation.checking.grids import features_of_values, shift_of
from evaluation.problems import kind_of
from evaluation.problems.grids import GEOMETRY, GRID_WORDS
from evaluation.readers import ReadError, read_geometry
from evaluation.readers.geometry import Shift
from evaluation.scoring import score_folders

KINDS = ("image_to_image", "registration")
CASES = 4
SHAPE = (9, 8, 7)
TURN = np.radians(30)
AFFINE = np.array(
    [
        [-1.2 * np.cos(TURN), 1.2 * np.sin(TURN), 0, 31.5],
        [-1.2 * np.sin(TURN), -1.2 * np.cos(TURN), 0, -12.0],
        [0, 0, 2.5, 104.0],
        [0, 0, 0, 1],
    ]
)
"""An oblique volume with axes to the left, back and up."""
ACCEPTING = {
    "the same": (0.0, 1.0, {"same_grid", "exact", "shape"}),
    "a quarter of a voxel": (0.25, 1.0, {"same_grid", "shape"}),
    "a voxel": (1.0, 1.0, {"shape"}),
    "other voxels": (0.0, 1.5, {"shape"}),
}


def document(kind: str, **settings) -> dict:
    if kind == "image_to_image":
        return {
            "schema": 1,
            "problem": kind,
            "metrics": [{"id": "image_mae"}],
            "settings": {"data_range": [0, 255], **settings},
        }
    return {"schema": 1, "problem": kind, "metrics": [{"id": "tre"}], "settings": {"field": "voxel", **settings}}


def moved(share: float, size: float) -> np.ndarray:
    """The matrix, shifted along its first axis by a share of a voxel, with other voxels along the second."""
    affine = AFFINE.copy()
    affine[:3, 3] += share * AFFINE[:3, 0]
    affine[:3, 1] *= size
    return affine


def values_of(kind: str, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if kind == "image_to_image":
        return random.uniform(0, 255, SHAPE).astype(np.float32)
    return random.normal(0, 0.5, (*SHAPE, 3)).astype(np.float32)


def save(path: Path, values: np.ndarray, affine: np.ndarray) -> None:
    image = nibabel.Nifti1Image(values, affine)
    image.header.set_xyzt_units("mm")
    nibabel.save(image, path)


def write(folder: Path, kind: str, *, affine: np.ndarray = AFFINE, change=lambda case, values: values) -> Path:
    """References on the oblique grid, and predictions on another one."""
    for case in range(CASES):
        name = f"case_{case}"
        if kind == "registration":
            own = folder / "references" / name
            own.mkdir(parents=True)
            save(own / "fixed.nii.gz", np.zeros(SHAPE, np.uint8), AFFINE)
            rows = ["p0,2,2,2", "p1,5,5,4"]
            for part in ("fixed", "moving"):
                (own / f"{part}_landmarks.csv").write_text("\n".join(["landmark,x,y,z", *rows]))
        else:
            (folder / "references").mkdir(parents=True, exist_ok=True)
            save(folder / "references" / f"{name}.nii.gz", values_of(kind, case), AFFINE)
        (folder / "predictions").mkdir(exist_ok=True)
        save(folder / "predictions" / f"{name}.nii.gz", change(case, values_of(kind, case)), affine)
    return folder


def scored(folder: Path, kind: str, **settings):
    return score_folders(parse(document(kind, **settings)), folder / "references", {"a": folder / "predictions"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ACCEPTING)
def test_each_rule_accepts_what_it_states(tmp_path, kind, name):
    share, size, accepting = ACCEPTING[name]
    write(tmp_path, kind, affine=moved(share, size))
    expected = scored(write(tmp_path / "same", kind), kind).rows
    accepted = set()
    for rule in GRID_WORDS:
        found = scored(tmp_path, kind, geometry=rule)
        if {str(row.outcome) for row in found.rows} == {"ok"}:
            accepted.add(rule)
            assert [row.value for row in found.rows] == [row.value for row in expected]
        else:
            assert {str(row.outcome) for row in found.rows} == {"missing"}
        is_noted = rule == "same_grid" and share == 0.25
        ids = [each.id for each in found.findings["a"] if each.id == "shifted_grid"]
        assert ids == (["shifted_grid"] if is_noted else [])
    assert accepted == accepting
    plain = scored(tmp_path, kind)
    assert {str(row.outcome) for row in plain.rows} == ({"ok"} if "same_grid" in accepting else {"missing"})


@pytest.mark.parametrize("kind", KINDS)
def test_the_note_names_the_largest_shift(tmp_path, kind):
    write(tmp_path, kind, affine=moved(0.25, 1.0))
    [note] = scored(tmp_path, kind).findings["a"]
    assert note.sentence.startswith(
        "The grids of 4 of 4 files are displaced, at most by 0.3 mm (0.25 voxels) in case case_0;"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("affine", "finding_id"),
    [
        (moved(3.0, 1.0), "same_place"),
        (AFFINE @ np.array([[0.8, -0.6, 0, 0], [0.6, 0.8, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]), "same_orientation"),
    ],
)
def test_the_same_fault_in_all_headers_is_asked_about_once(tmp_path, kind, affine, finding_id):
    if finding_id == "same_orientation":
        affine = affine.copy()
        affine[:3, :3] = affine[:3, :3] / np.sqrt((affine[:3, :3] ** 2).sum(axis=0)) * [1.2, 1.2, 2.5]
    write(tmp_path, kind, affine=affine)
    assert finding_id in {each.id for each in scored(tmp_path, kind).findings["a"]}


@pytest.mark.parametrize("kind", KINDS)
def test_equal_predictions_for_all_cases_are_questioned_unless_they_are_constant(tmp_path, kind):
    same = write(tmp_path / "same", kind, change=lambda case, values: values_of(kind, 9))
    assert [each.id for each in scored(same, kind).findings["a"]] == ["identical_predictions"]
    zero = write(tmp_path / "zero", kind, change=lambda case, values: np.zeros_like(values))
    assert scored(zero, kind).findings["a"] == []


@pytest.mark.parametrize("kind", KINDS)
def test_documents_without_the_setting_keep_their_digest_and_the_default(kind):
    plain = parse(document(kind))
    assert "geometry" not in plain.document["settings"]
    assert parse(document(kind, geometry=GEOMETRY.default)).digest == plain.digest
    other = parse(document(kind, geometry="exact"))
    assert other.digest != plain.digest
    assert parse(other.document).settings["geometry"] == "exact"
    assert kind_of(other).expected(other)["geometry"] == "exact"
    assert "geometry" not in kind_of(plain).expected(plain)
    with pytest.raises(AssessmentError, match="same_grid, exact, shape"):
        parse(document(kind, geometry="near"))
    for assessment in (plain, other):
        rule = assessment.settings.get("geometry", "same_grid")
        assert GRID_WORDS[rule] in kind_of(assessment).texts.submit_page(assessment, 4).before


def test_tables_of_landmarks_have_no_grid():
    settings = {"submission": "landmarks", "landmarks": "voxel", "geometry": "exact"}
    with pytest.raises(AssessmentError, match="geometry"):
        parse({"schema": 1, "problem": "registration", "metrics": [{"id": "tre"}], "settings": settings})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rule", "is_accepted"), [(None, True), ("exact", False), ("shape", True)])
def test_validation_reads_by_the_rule_and_gives_the_features_of_scoring(tmp_path, kind, rule, is_accepted):
    write(tmp_path, kind, affine=moved(0.25, 1.0))
    settings = {"geometry": rule} if rule else {}
    assessment = parse(document(kind, **settings))
    problem = kind_of(assessment)
    facts = read_geometry(grid_file(tmp_path, kind)).document | {"channels": 1}
    path = tmp_path / "predictions" / "case_0.nii.gz"
    if not is_accepted:
        with pytest.raises(ReadError, match="no shift"):
            problem.read_prediction(path, facts, problem.expected(assessment))
        return
    features = problem.plausibility.features(problem.read_prediction(path, facts, problem.expected(assessment)))
    assert features["shift"] == pytest.approx([0.25, 0.3] if rule is None else [0.0, 0.0], abs=1e-5)
    assert problem.plausibility.are_features(features)
    for wrong in (
        {},
        {**features, "more": 1},
        {**features, "checksum": -1},
        {**features, "constant": 0},
        {**features, "shift": [0.0]},
        {**features, "shift": [float("nan"), 0.0]},
    ):
        assert not problem.plausibility.are_features(wrong)


def grid_file(folder: Path, kind: str) -> Path:
    return folder / "references" / ("case_0/fixed.nii.gz" if kind == "registration" else "case_0.nii.gz")


@pytest.mark.parametrize(
    ("ending", "convention"),
    [(".nii.gz", "mm_lps"), (".mha", "mm_lps"), (".nrrd", "mm_lps"), (".mha", "voxel"), (".nrrd", "voxel")],
)
def test_fields_of_itk_have_the_shift_of_their_header(tmp_path, ending, convention):
    write(tmp_path, "registration")
    grid = read_geometry(tmp_path / "references" / "case_0" / "fixed.nii.gz")
    image = SimpleITK.GetImageFromArray(np.zeros((*SHAPE[::-1], 3), np.float32), isVector=True)
    image.CopyInformation(SimpleITK.ReadImage(str(tmp_path / "references" / "case_0" / "fixed.nii.gz")))
    first, *others = image.TransformContinuousIndexToPhysicalPoint((0.25, 0.0, 0.0))
    image.SetOrigin((first, *others))
    path = tmp_path / f"case_0{ending}"
    SimpleITK.WriteImage(image, str(path))
    shift = shift_of(path, grid, vectors=True)
    assert (shift.voxels, shift.millimetres) == pytest.approx((0.25, 0.3), abs=1e-4)
    problem = problems.get("registration")
    field = problem.read_prediction(path, grid.document, {"field": convention})
    assert field.shift == shift


def test_files_without_a_position_have_no_shift(tmp_path):
    from PIL import Image

    Image.fromarray(np.zeros((8, 9), np.uint8)).save(tmp_path / "a.png")
    assert shift_of(tmp_path / "a.png", read_geometry(tmp_path / "a.png")) == Shift()
    shutil.copy(tmp_path / "a.png", tmp_path / "a.bmp")
    write(tmp_path / "more", "image_to_image")
    grid = read_geometry(tmp_path / "more" / "references" / "case_0.nii.gz")
    for path in ("a.png", "a.bmp"):
        assert shift_of(tmp_path / path, grid) == Shift()
        assert shift_of(tmp_path / path, grid, vectors=True) == Shift()


def test_features_depend_on_shape_and_values():
    array = np.arange(6.0).reshape(2, 3)
    one = features_of_values(array)
    assert one == features_of_values(np.asfortranarray(array))
    assert one["checksum"] != features_of_values(array.reshape(3, 2))["checksum"]
    assert features_of_values(np.ones((2, 2)))["constant"]
