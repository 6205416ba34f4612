"""Vectors in files: position, scaling and rotation of their components, and messages about other shapes."""

import struct

import numpy as np
import pytest

from evaluation.readers import Geometry, ReadError, nifti
from evaluation.readers.fields import read_field
from evaluation.readers.limits import DEFAULT, Limits
from tests.unit.evaluation.readers import files

NUMBERS = np.arange(24, dtype=np.float32)
ROWS = np.diag([2.0, 4.0, 8.0, 1.0])


def written(path, dim, *, numbers=NUMBERS, intent=0, **more):
    """Write a NIfTI file of 32-bit floats whose intent is in bytes 68 and 69."""
    path = files.raw_nifti(path, dim=(*dim, 1, 1, 1, 1, 1, 1, 1)[:8], code=16, data=numbers.tobytes(), **more)
    content = bytearray(path.read_bytes())
    struct.pack_into("<h", content, 68, intent)
    path.write_bytes(content)
    return path


def header(path, limits=DEFAULT):
    return nifti.read_vector_header(path, limits)


class TestShapes:
    @pytest.mark.parametrize(
        ("dim", "grid", "channels", "is_scalar"),
        [
            ((5, 2, 2, 2, 1, 3), (2, 2, 2), 3, False),
            ((4, 2, 2, 2, 3), (2, 2, 2), 3, True),
            ((5, 4, 2, 1, 1, 3), (4, 2, 1), 3, False),
            ((4, 4, 2, 1, 3), (4, 2, 1), 3, True),
            ((5, 4, 3, 1, 1, 2), (4, 3), 2, False),
            ((4, 4, 3, 1, 2), (4, 3), 2, True),
        ],
    )
    def test_components_stand_behind_the_axes_and_two_of_them_lie_in_a_plane(
        self, tmp_path, dim, grid, channels, is_scalar
    ):
        fields = header(written(tmp_path / "a.nii", dim, intent=1006))
        assert (fields.geometry.shape, fields.channels) == (grid, channels)
        assert (fields.intent, fields.is_scalar) == (1006, is_scalar)
        assert fields.load().shape == (*grid, channels)
        assert fields.load().ravel(order="F").tolist() == NUMBERS.tolist()

    @pytest.mark.parametrize(
        ("dim", "found"),
        [
            ((0, 4, 2, 3), " numbers"),
            ((-1, 4, 2, 3), " numbers"),
            ((1, 24), "24 numbers"),
            ((3, 4, 2, 3), "4 × 2 × 3 numbers"),
            ((5, 4, 1, 1, 2, 3), "4 × 1 × 1 × 2 × 3 numbers"),
            ((6, 2, 2, 2, 1, 3, 1), "2 × 2 × 2 × 1 × 3 × 1 numbers"),
            ((7, 2, 2, 2, 1, 3, 1, 1), "2 × 2 × 2 × 1 × 3 × 1 × 1 numbers"),
            ((8, 2, 2, 2, 1, 3, 1, 1), " numbers"),
        ],
    )
    def test_of_other_axes_all_sizes_are_told(self, tmp_path, dim, found):
        with pytest.raises(ReadError) as error:
            header(written(tmp_path / "a.nii", dim))
        assert (error.value.kind, error.value.found) == ("vector", found)
        assert error.value.expected == "X × Y × Z × 3, one vector a voxel"

    @pytest.mark.parametrize(
        ("dim", "found"),
        [
            ((5, 3, 2, 2, 1, 2), "3 × 2 × 2 × 2 numbers"),
            ((4, 3, 2, 2, 2), "3 × 2 × 2 × 2 numbers"),
            ((4, 6, 4, 1, 1), "6 × 4 × 1 × 1 numbers"),
            ((5, 6, 1, 1, 1, 4), "6 × 1 × 1 × 4 numbers"),
        ],
    )
    def test_another_number_of_components_is_told(self, tmp_path, dim, found):
        with pytest.raises(ReadError) as error:
            header(written(tmp_path / "a.nii", dim))
        assert (error.value.kind, error.value.found) == ("vector", found)
        assert error.value.expected == "3 numbers, one vector a voxel of the fixed image"

    def test_all_components_count_for_the_limit_of_bytes(self, tmp_path):
        path = written(tmp_path / "a.nii", (5, 2, 2, 2, 1, 3))
        assert header(path, Limits(decoded_bytes=96)).channels == 3
        with pytest.raises(ReadError, match="96 bytes of voxels; expected at most 95"):
            header(path, Limits(decoded_bytes=95))

    def test_an_image_of_four_axes_of_which_the_last_is_none_counts_one_number_a_voxel(self, tmp_path):
        path = files.raw_nifti(tmp_path / "a.nii", dim=(4, 4, 5, 6, 1, 1, 1, 1))
        assert nifti.read_header(path, Limits(decoded_bytes=120)).geometry.shape == (4, 5, 6)
        with pytest.raises(ReadError, match="120 bytes of voxels; expected at most 119"):
            nifti.read_header(path, Limits(decoded_bytes=119))


class TestDisplacements:
    GRID = Geometry((2, 2, 2), (2.0, 4.0, 8.0), tuple(map(tuple, ROWS.tolist())), oriented_format=True)

    def read(self, path, convention, grid=GRID):
        return read_field(path, expected=grid, convention=convention)

    def test_scaling_of_the_header_is_applied_to_every_component(self, tmp_path):
        for scale, factor, summand in (((2.0, 1.0), 2, 1), ((1.0, 3.0), 1, 3), ((0.0, 3.0), 1, 0), ((2.0, 0.0), 2, 0)):
            path = written(tmp_path / "a.nii", (4, 2, 2, 2, 3), sform=ROWS, scale=scale)
            image = self.read(path, "voxel")
            assert image.ravel(order="F").tolist() == (NUMBERS * factor + summand).tolist()

    def test_displacements_that_scaling_makes_too_large_are_refused(self, tmp_path):
        numbers = np.full(24, 1e308)
        path = files.raw_nifti(
            tmp_path / "a.nii", dim=(4, 2, 2, 2, 3, 1, 1, 1), code=64, data=numbers.tobytes(), sform=ROWS, scale=(10, 0)
        )
        with pytest.raises(ReadError) as error:
            self.read(path, "voxel")
        assert (error.value.kind, error.value.found) == ("not_finite", "8 displacements are NaN or infinite")

    @pytest.mark.parametrize(
        ("convention", "intent", "signs"),
        [
            ("mm_ras", 0, (1, 1)),
            ("mm_ras", 1006, (1, 1)),
            ("mm_lps", 0, (-1, -1)),
            ("mm_lps", 1007, (-1, -1)),
            ("mm_lps", 1006, (1, 1)),
        ],
    )
    def test_millimetres_are_divided_by_the_size_of_a_voxel_along_their_axis(self, tmp_path, convention, intent, signs):
        path = written(tmp_path / "a.nii", (5, 2, 2, 2, 1, 3), sform=ROWS, intent=intent)
        image = self.read(path, convention)
        first, second, third = NUMBERS.reshape(3, 8).astype(float)
        assert image[..., 0].ravel(order="F").tolist() == (signs[0] * first / 2).tolist()
        assert image[..., 1].ravel(order="F").tolist() == (signs[1] * second / 4).tolist()
        assert image[..., 2].ravel(order="F").tolist() == (third / 8).tolist()

    def test_in_a_plane_both_components_are_turned(self, tmp_path):
        affine = tuple(map(tuple, np.diag([2.0, 4.0, 1.0, 1.0]).tolist()))
        grid = Geometry((4, 3), (2.0, 4.0), affine, oriented_format=True)
        path = written(tmp_path / "a.nii", (5, 4, 3, 1, 1, 2), sform=np.diag([2.0, 4.0, 1.0, 1.0]), intent=1007)
        image = self.read(path, "mm_lps", grid)
        assert image.shape == (4, 3, 2)
        assert image[..., 0].ravel(order="F").tolist() == (-NUMBERS[:12] / 2).tolist()
        assert image[..., 1].ravel(order="F").tolist() == (-NUMBERS[12:] / 4).tolist()

    def test_an_axis_of_the_grid_that_runs_across_takes_its_own_component(self, tmp_path):
        # The first axis of the grid runs to the front in steps of 4 mm, the second to the left in steps of 2 mm.
        rows = np.array([[0, -2, 0, 0], [4.0, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 1]])
        grid = Geometry((2, 2, 2), (4.0, 2.0, 5.0), tuple(map(tuple, rows.tolist())), oriented_format=True)
        image = self.read(written(tmp_path / "a.nii", (5, 2, 2, 2, 1, 3), sform=rows, intent=1006), "mm_ras", grid)
        right, front = NUMBERS[:8], NUMBERS[8:16]
        np.testing.assert_allclose(image[..., 0].ravel(order="F"), front / 4)
        np.testing.assert_allclose(image[..., 1].ravel(order="F"), -right / 2)

    def test_without_an_orientation_of_the_fixed_image_millimetres_mean_nothing(self, tmp_path):
        path = written(tmp_path / "a.nii", (5, 2, 2, 2, 1, 3), intent=1006)
        with pytest.raises(ReadError) as error:
            self.read(path, "mm_ras", Geometry((2, 2, 2)))
        assert (error.value.kind, error.value.found) == ("orientation", "the fixed image tells no orientation")

    @pytest.mark.parametrize(
        ("convention", "intent", "dim", "found"),
        [
            ("voxel", 1006, (5, 2, 2, 2, 1, 3), "a vector image in mm (intent 1006)"),
            ("voxel", 1007, (4, 2, 2, 2, 3), "a vector image in mm (intent 1007)"),
            (
                "mm_ras",
                1007,
                (5, 2, 2, 2, 1, 3),
                "a vector image as ITK writes it, to the left and back (intent 1007)",
            ),
            ("mm_ras", 0, (4, 2, 2, 2, 3), "a scalar image of 2 × 2 × 2 × 3 numbers"),
            ("mm_lps", 1007, (4, 2, 2, 2, 3), "a scalar image of 2 × 2 × 2 × 3 numbers"),
        ],
    )
    def test_a_file_that_contradicts_the_convention_is_refused(self, tmp_path, convention, intent, dim, found):
        path = written(tmp_path / "a.nii", dim, intent=intent, sform=ROWS)
        with pytest.raises(ReadError) as error:
            self.read(path, convention)
        assert (error.value.kind, error.value.found) == ("vector", found)

    def test_a_field_in_space_for_a_picture_is_refused(self, tmp_path):
        path = written(tmp_path / "a.nii", (5, 4, 2, 1, 1, 3), intent=1006)
        with pytest.raises(ReadError) as error:
            self.read(path, "mm_ras", Geometry((4, 2)))
        assert (error.value.found, error.value.expected) == ("4 × 2 × 1 × 3 numbers", "2 numbers a voxel")
