"""Displacement fields, images of real numbers and tables of landmarks: conventions, and what is refused before it costs."""

import struct

import nibabel
import numpy as np
import pytest
from PIL import Image

from evaluation.readers import Geometry, Limits, ReadError, read_geometry
from evaluation.readers.fields import read_field
from evaluation.readers.intensities import read_intensities
from evaluation.readers.landmark_tables import read_landmarks, read_points

SimpleITK = pytest.importorskip("SimpleITK")
AFFINE = np.array([[-1.5, 0, 0, 10], [0, 2, 0, -5], [0, 0, 2.5, 3], [0, 0, 0, 1]])
SHAPE = (7, 6, 5)
FIELD = np.random.default_rng(1).normal(0, 2, (*SHAPE, 3))


@pytest.fixture
def grid(tmp_path) -> Geometry:
    nibabel.save(nibabel.Nifti1Image(np.zeros(SHAPE, dtype=np.uint8), AFFINE), tmp_path / "fixed.nii.gz")
    return read_geometry(tmp_path / "fixed.nii.gz")


def in_ras() -> np.ndarray:
    return FIELD @ AFFINE[:3, :3].T


def save(path, vectors, *, affine=AFFINE, intent=0, scalar=False):
    image = nibabel.Nifti1Image(vectors if scalar else vectors[:, :, :, None, :], affine)
    if intent:
        image.header["intent_code"] = intent
    nibabel.save(image, path)
    return path


def refused(path, grid, convention="voxel", **more) -> ReadError:
    with pytest.raises(ReadError) as caught:
        read_field(path, expected=grid, convention=convention, **more)
    return caught.value


class TestConventions:
    """The same field in every convention and format gives the same numbers."""

    def test_voxels(self, tmp_path, grid):
        path = save(tmp_path / "p.nii.gz", FIELD, scalar=True)
        np.testing.assert_array_equal(read_field(path, expected=grid, convention="voxel"), FIELD)

    @pytest.mark.parametrize(("convention", "intent"), [("mm_ras", 1006), ("mm_lps", 1007), ("mm_lps", 1006)])
    def test_mm(self, tmp_path, grid, convention, intent):
        # Of a file that calls itself 1006, ITK turns x and y when reading: it is to the right and front under either name.
        turn = [-1, -1, 1] if intent == 1007 else [1, 1, 1]
        path = save(tmp_path / "p.nii.gz", in_ras() * turn, intent=intent)
        np.testing.assert_allclose(read_field(path, expected=grid, convention=convention), FIELD, atol=1e-12)

    @pytest.mark.parametrize("ending", [".mha", ".nrrd", ".nii.gz"])
    def test_files_of_itk(self, tmp_path, grid, ending):
        image = SimpleITK.GetImageFromArray((in_ras() * [-1, -1, 1]).transpose(2, 1, 0, 3), isVector=True)
        fixed = SimpleITK.ReadImage(str(tmp_path / "fixed.nii.gz"))
        image.CopyInformation(fixed)
        SimpleITK.WriteImage(image, str(tmp_path / f"p{ending}"))
        found = read_field(tmp_path / f"p{ending}", expected=grid, convention="mm_lps")
        np.testing.assert_allclose(found, FIELD, atol=1e-9)

    def test_an_equivalent_orientation_changes_nothing(self, tmp_path, grid):
        flipped = AFFINE.copy()
        flipped[:, 0] *= -1
        flipped[:3, 3] += AFFINE[:3, 0] * (SHAPE[0] - 1)
        path = save(tmp_path / "p.nii.gz", in_ras()[::-1], affine=flipped, intent=1006)
        np.testing.assert_allclose(read_field(path, expected=grid, convention="mm_ras"), FIELD, atol=1e-12)

    def test_two_dimensions(self, tmp_path):
        grid = Geometry((4, 3), (1.0, 1.0))
        vectors = np.random.default_rng(2).normal(size=(4, 3, 2))
        image = SimpleITK.GetImageFromArray(vectors.transpose(1, 0, 2), isVector=True)
        SimpleITK.WriteImage(image, str(tmp_path / "p.mha"))
        np.testing.assert_allclose(read_field(tmp_path / "p.mha", expected=grid, convention="voxel"), vectors)


class TestRefusedFields:
    def test_a_field_in_mm_where_voxels_are_expected(self, tmp_path, grid):
        error = refused(save(tmp_path / "pair1.nii.gz", FIELD, intent=1007), grid)
        assert error.message == (
            "pair1.nii.gz: a vector image in mm (intent 1007); expected displacements in voxels as 7 × 6 × 5 × 3"
        )
        assert error.remedy.startswith("Save one displacement vector a voxel of the fixed image")

    def test_contradictions(self, tmp_path, grid):
        error = refused(save(tmp_path / "a.nii.gz", FIELD, intent=1007), grid, "mm_ras")
        assert "to the left and back (intent 1007)" in error.message
        error = refused(save(tmp_path / "b.nii.gz", FIELD, scalar=True), grid, "mm_lps")
        assert (error.kind, "a scalar image" in error.message) == ("vector", True)

    def test_another_shape(self, tmp_path, grid):
        error = refused(save(tmp_path / "p.nii.gz", FIELD[..., :2], scalar=True), grid)
        assert error.message.startswith("p.nii.gz: 7 × 6 × 5 × 2 numbers")
        assert refused(save(tmp_path / "q.nii.gz", FIELD[:-1], scalar=True), grid).kind == "shape"
        nibabel.save(nibabel.Nifti1Image(FIELD[..., 0], AFFINE), tmp_path / "r.nii.gz")
        assert refused(tmp_path / "r.nii.gz", grid).kind == "vector"

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_not_finite(self, tmp_path, grid, bad):
        field = FIELD.copy()
        field[1, 2, 3, 0] = field[4, 4, 4, 0] = bad
        error = refused(save(tmp_path / "p.nii.gz", field, scalar=True), grid)
        assert error.message == "p.nii.gz: 2 displacements are NaN or infinite"
        assert "labels" not in error.remedy

    def test_another_place_or_orientation(self, tmp_path, grid):
        moved, mixed = AFFINE.copy(), AFFINE.copy()
        moved[0, 3] += 7
        mixed[:3, :3] = mixed[:3, :3] @ [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]]
        assert refused(save(tmp_path / "p.nii.gz", FIELD, affine=moved, scalar=True), grid).kind == "origin"
        assert refused(save(tmp_path / "q.nii.gz", FIELD, affine=mixed, scalar=True), grid).kind == "orientation"

    def test_a_thousand_million_voxels_are_refused_by_the_header(self, tmp_path, grid):
        path = save(tmp_path / "p.nii", FIELD, scalar=True)
        content = bytearray(path.read_bytes())
        struct.pack_into("<5h", content, 40, 4, 1000, 1000, 1000, 3)
        path.write_bytes(content)
        error = refused(path, grid)
        assert (error.kind, "at most" in error.message) == ("too_large", True)

    def test_no_pickles(self, tmp_path, grid):
        np.savez(tmp_path / "p.npz", FIELD)
        assert refused(tmp_path / "p.npz", grid).kind == "format"

    @pytest.mark.parametrize(
        "header",
        [
            b"NDims = 3\nDimSize = 7 6 5\nElementType = MET_FLOAT\nElementNumberOfChannels = 2\nElementDataFile = LOCAL\n",
            b"NDims = 3\nDimSize = 7 6 5\nElementType = MET_FLOAT\nElementDataFile = LOCAL\n",
        ],
    )
    def test_components_that_lack_in_a_metaimage(self, tmp_path, grid, header):
        (tmp_path / "p.mha").write_bytes(header + bytes(4 * 7 * 6 * 5 * 3))
        assert refused(tmp_path / "p.mha", grid).kind == "vector"

    def test_components_last_in_a_nrrd_file(self, tmp_path, grid):
        text = "NRRD0004\ntype: float\ndimension: 4\nsizes: 7 6 5 3\nencoding: raw\nendian: little\n\n"
        (tmp_path / "p.nrrd").write_bytes(text.encode() + bytes(4 * 7 * 6 * 5 * 3))
        assert refused(tmp_path / "p.nrrd", grid).kind == "vector"


class TestIntensities:
    def test_scaling_of_the_header_is_applied(self, tmp_path):
        image = nibabel.Nifti1Image(np.arange(24, dtype=np.int16).reshape(2, 3, 4), np.eye(4))
        image.header.set_slope_inter(0.5, -3)
        nibabel.save(image, tmp_path / "p.nii.gz")
        values = read_intensities(tmp_path / "p.nii.gz").values
        assert (values.dtype, values[0, 0].tolist()) == (
            np.float64,
            nibabel.load(tmp_path / "p.nii.gz").get_fdata()[0, 0].tolist(),
        )

    def test_not_finite(self, tmp_path):
        values = np.zeros((4, 4, 4), dtype=np.float32)
        values[:3, 0, 0] = np.nan
        nibabel.save(nibabel.Nifti1Image(values, np.eye(4)), tmp_path / "im3.nii.gz")
        with pytest.raises(ReadError, match=r"im3.nii.gz: 3 voxels are NaN or infinite") as caught:
            read_intensities(tmp_path / "im3.nii.gz")
        assert caught.value.kind == "not_finite"

    @pytest.mark.parametrize("ending", [".png", ".tif"])
    def test_three_channels(self, tmp_path, ending):
        pixels = np.random.default_rng(1).integers(0, 255, (5, 7, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"p{ending}")
        image = read_intensities(tmp_path / f"p{ending}")
        assert (image.geometry.shape, image.channels) == ((7, 5), 3)
        np.testing.assert_array_equal(image.values, pixels.transpose(1, 0, 2))
        with pytest.raises(ReadError, match="3 numbers a voxel; expected 1"):
            read_intensities(tmp_path / f"p{ending}", channels=1)

    def test_too_large(self, tmp_path):
        nibabel.save(nibabel.Nifti1Image(np.zeros((8, 8, 8), dtype=np.float32), np.eye(4)), tmp_path / "p.nii.gz")
        with pytest.raises(ReadError, match="2,048 bytes of voxels; expected at most 1,000"):
            read_intensities(tmp_path / "p.nii.gz", limits=Limits(decoded_bytes=1000))


class TestTablesOfLandmarks:
    def write(self, path, text):
        (path / "landmarks.csv").write_text(text)
        return path / "landmarks.csv"

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ("007,A,nan,2", "'nan' as x in row 2"),
            ("007,A,1_000,2", "'1_000' as x in row 2"),
            ("007,A,1,1e999", "'1e999' as y in row 2"),
            ("007,A,1,", "'' as y in row 2"),
            ("007,,1,2", "nothing as landmark in row 2"),
            ("007,A,=1+1,2", "'=1+1' as x in row 2"),
        ],
    )
    def test_a_bad_row_is_told_and_costs_its_landmark(self, tmp_path, row, message):
        path = self.write(tmp_path, f"case,landmark,x,y\n{row}\n007,B,3,4\n8,A,1,2\n")
        with pytest.raises(ReadError) as caught:
            read_landmarks(path)
        assert message in caught.value.message
        table = read_landmarks(path, by_row=True)
        assert (list(table.dropped), table.points) == (["007"], {"007": {"B": (3, 4)}, "8": {"A": (1, 2)}})
        assert message in table.dropped["007"][0].message

    def test_a_landmark_twice(self, tmp_path):
        path = self.write(tmp_path, "case,landmark,x,y\np,A,1,2\nq,A,1,2\np,A,1,2\n")
        with pytest.raises(ReadError, match=r"a second row for the landmark A of the case p \(rows 2 and 4\)"):
            read_landmarks(path)
        table = read_landmarks(path, by_row=True)
        assert table.points == {"p": {}, "q": {"A": (1, 2)}}
        assert len(table.dropped["p"]) == 1

    def test_a_column_that_lacks(self, tmp_path):
        path = self.write(tmp_path, "case,landmark,x\np,A,1\n")
        with pytest.raises(
            ReadError, match="no column y; the columns are case, landmark, x; expected the columns case, landmark, x, y"
        ):
            read_landmarks(path)

    def test_points_of_one_case(self, tmp_path):
        path = self.write(tmp_path, "landmark,x,y,z\nA,1,2,3\nB,4,5,6\n")
        assert read_points(path) == ({"A": (1.0, 2.0, 3.0), "B": (4.0, 5.0, 6.0)}, 3)
        with pytest.raises(ReadError, match="a second row for the landmark A"):
            read_points(self.write(tmp_path, "landmark,x,y\nA,1,2\nA,1,2\n"))
