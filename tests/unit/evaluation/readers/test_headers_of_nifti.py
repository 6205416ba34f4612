"""Headers of NIfTI, field by field: axes, place of the voxels, scaling, orientation, and what is no header of either version."""

import struct

import numpy as np
import pytest

from evaluation.readers import ReadError, nifti, read_geometry, read_label_image
from evaluation.readers.limits import DEFAULT, Limits
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import LABELS

ONES = (1,) * 8
NONE, QUARTER = (0.0, 0.0, 0.0), (0.0, 0.0, np.sqrt(0.5))
"""The components b, c and d of no rotation, and of a quarter turn about z."""


def refused(path, **options):
    with pytest.raises(ReadError) as error:
        read_label_image(path, **options)
    return error.value


def with_quaternion(path, components, *, place=(0.0, 0.0, 0.0), pixdim=(1.0,) * 8, code=1):
    """Write a NIfTI-1 file with an orientation by quaternion alone, whose fields are in bytes 252 to 279."""
    content = bytearray(files.raw_nifti(path, pixdim=pixdim).read_bytes())
    struct.pack_into("<h", content, 252, code)
    struct.pack_into("<6f", content, 256, *components, *place)
    path.write_bytes(content)
    return path


class TestAxes:
    @pytest.mark.parametrize(
        ("dim", "shape"),
        [
            ((1, 120), (120, 1)),
            ((2, 12, 10), (12, 10)),
            ((3, 4, 5, 6), (4, 5, 6)),
            ((3, 12, 10, 1), (12, 10, 1)),
            ((3, 120, 1, 1), (120, 1, 1)),
            ((4, 4, 5, 6, 1), (4, 5, 6)),
            ((4, 12, 10, 1, 1), (12, 10, 1)),
            ((7, 4, 5, 6, 1, 1, 1, 1), (4, 5, 6)),
        ],
    )
    def test_axes_of_one_voxel_behind_the_third_are_none_and_a_line_is_a_picture_of_one_row(self, tmp_path, dim, shape):
        path = files.raw_nifti(tmp_path / "a.nii", dim=(dim + ONES)[:8])
        assert read_geometry(path).shape == shape
        assert read_label_image(path).labels.ravel(order="F").tolist() == LABELS.ravel(order="F").tolist()

    @pytest.mark.parametrize("count", [-1, 0, 8])
    def test_there_are_between_one_and_seven_of_them(self, tmp_path, count):
        error = refused(files.raw_nifti(tmp_path / "a.nii", dim=(count, 4, 5, 6, 1, 1, 1, 1)))
        assert (error.kind, error.found, error.expected) == ("header", f"{count} dimensions", "2 or 3")

    @pytest.mark.parametrize(("dim", "count"), [((4, 4, 5, 3, 2), 4), ((7, 4, 5, 3, 1, 1, 1, 2), 7)])
    def test_more_than_three_with_voxels_are_refused(self, tmp_path, dim, count):
        error = refused(files.raw_nifti(tmp_path / "a.nii", dim=(dim + ONES)[:8]))
        assert (error.kind, error.found) == ("dimensions", f"{count} dimensions")


class TestRecognition:
    @pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 347])
    def test_a_file_that_is_shorter_than_a_header_breaks_off(self, tmp_path, length):
        path = files.raw_nifti(tmp_path / "a.nii")
        path.write_bytes(path.read_bytes()[:length])
        error = refused(path)
        assert (error.kind, error.found, error.expected) == (
            "truncated",
            f"{length} bytes",
            "a header of 348 bytes",
        )

    def test_a_header_without_anything_behind_it_is_recognised(self, tmp_path):
        path = files.raw_nifti(tmp_path / "a.nii")
        path.write_bytes(path.read_bytes()[:348])
        assert read_geometry(path).shape == (4, 5, 6)
        assert refused(path).found == "the data ends after 0 bytes"

    def test_half_of_a_pair_is_told_as_such_and_anything_else_is_no_header(self, tmp_path):
        pair = refused(files.raw_nifti(tmp_path / "a.nii", magic=b"ni1\0"))
        other = refused(files.raw_nifti(tmp_path / "b.nii", magic=b"n+3\0"))
        assert (pair.kind, "in two files" in pair.found) == ("magic", True)
        assert (other.kind, other.found) == ("magic", "no NIfTI header")

    @pytest.mark.parametrize("magic", [b"n+1\0\r\n\x1a\n", b"n+2 \r\n\x1a\n", b"n-2\0\r\n\x1a\n"])
    def test_a_header_of_540_bytes_without_its_mark_is_none(self, tmp_path, magic):
        assert refused(files.raw_nifti_2(tmp_path / "a.nii", magic=magic)).found == "no NIfTI header"

    def test_the_mark_without_the_size_of_a_header_is_none(self, tmp_path):
        for number, write in enumerate((files.raw_nifti, files.raw_nifti_2)):
            path = write(tmp_path / f"{number}.nii")
            content = bytearray(path.read_bytes())
            content[0:4] = struct.pack("<i", 347)
            path.write_bytes(content)
            assert refused(path).found == "no NIfTI header"

    def test_a_header_of_540_bytes_that_breaks_off_is_refused(self, tmp_path):
        path = files.raw_nifti_2(tmp_path / "a.nii")
        path.write_bytes(path.read_bytes()[:539])
        error = refused(path)
        assert (error.kind, error.found, error.expected) == ("truncated", "539 bytes", "a header of 540 bytes")

    def test_a_name_in_gz_needs_a_compressed_file(self, tmp_path):
        content = files.raw_nifti(tmp_path / "a.nii").read_bytes()
        for start in (b"", b"\x1f", b"\x1f\x8c"):
            (tmp_path / "b.nii.gz").write_bytes(start + content)
            error = refused(tmp_path / "b.nii.gz")
            assert (error.kind, error.found) == ("magic", "the file is not gzip-compressed")


@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
@pytest.mark.parametrize("order", ["<", ">"])
class TestSecondVersion:
    def test_every_field_stands_where_the_standard_says(self, tmp_path, order, ending):
        rows = np.array([[0, -3, 0, 7.0], [2, 0, 0, 8], [0, 0, 4, 9], [0, 0, 0, 1]])
        path = files.raw_nifti_2(
            tmp_path / f"a{ending}", order=order, dim=(3, 2, 5, 6, 1, 1, 1, 1), code=512,
            data=LABELS.reshape(-1)[:60].astype(order + "u2").tobytes(), scale=(3.0, 2.0), sform=rows,
            pixdim=(1, 9, 9, 9, 1, 1, 1, 1), quaternion=(*NONE, 1, 2, 3),
        )  # fmt: skip
        image = read_label_image(path)
        assert image.labels.ravel(order="F").tolist() == (LABELS.reshape(-1)[:60].astype(int) * 3 + 2).tolist()
        assert (image.geometry.spacing, image.geometry.affine) == ((2.0, 3.0, 4.0), tuple(map(tuple, rows.tolist())))

    def test_without_rows_its_quaternion_tells_the_orientation(self, tmp_path, order, ending):
        path = files.raw_nifti_2(
            tmp_path / f"a{ending}", order=order, quaternion=(*QUARTER, 7, 8, 9), pixdim=(-1, 2, 3, 4, 1, 1, 1, 1)
        )
        grid = read_geometry(path)
        # A quarter turn about z takes x to y and y to -x; the negative first number mirrors z.
        expected = [[0, -3, 0, 7], [2, 0, 0, 8], [0, 0, -4, 9], [0, 0, 0, 1]]
        np.testing.assert_allclose(grid.affine, expected, atol=1e-12)
        assert (grid.spacing, grid.oriented_format) == ((2.0, 3.0, 4.0), True)

    def test_its_vectors_have_an_intent(self, tmp_path, order, ending):
        path = files.raw_nifti_2(
            tmp_path / f"a{ending}", order=order, dim=(5, 2, 2, 10, 1, 3, 1, 1), intent=1007, data=LABELS.tobytes()
        )
        header = nifti.read_vector_header(path, DEFAULT)
        assert (header.geometry.shape, header.channels, header.intent, header.is_scalar) == ((2, 2, 10), 3, 1007, False)
        assert header.load().ravel(order="F").tolist() == LABELS.ravel().tolist()


@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
class TestPlaceOfTheVoxels:
    @pytest.mark.parametrize(("write", "usual"), [(files.raw_nifti, 352), (files.raw_nifti_2, 544)])
    def test_without_one_they_follow_after_the_header_and_its_four_bytes(self, tmp_path, write, usual, ending):
        for offset in (0, usual):
            image = read_label_image(write(tmp_path / f"a{ending}", offset=offset))
            assert image.labels.tolist() == LABELS.tolist()

    @pytest.mark.parametrize(("write", "length"), [(files.raw_nifti, 348), (files.raw_nifti_2, 540)])
    def test_they_may_follow_at_once_but_not_stand_within_the_header(self, tmp_path, write, length, ending):
        # Both writers leave four bytes between header and data, which are the first voxels here.
        small = {"dim": (3, 4, 29, 1, 1, 1, 1, 1), "data": bytes(range(112))}
        image = read_label_image(write(tmp_path / f"a{ending}", offset=length, **small))
        assert image.labels.ravel(order="F").tolist() == [0, 0, 0, 0, *range(112)]
        error = refused(write(tmp_path / f"b{ending}", offset=length - 1, **small))
        assert (error.kind, error.found) == ("header", f"data from byte {length - 1:,} on")

    def test_they_begin_at_the_latest_where_the_limit_of_headers_says(self, tmp_path, ending):
        path = files.raw_nifti(tmp_path / f"a{ending}", offset=400.0, data=bytes(48) + LABELS.tobytes(order="F"))
        assert read_label_image(path, limits=Limits(header_bytes=400)).labels.tolist() == LABELS.tolist()
        error = refused(path, limits=Limits(header_bytes=399))
        assert (error.kind, error.message) == ("header", f"a{ending}: data from byte 400 on; expected at most 399")

    @pytest.mark.parametrize("offset", [352.5, float("nan"), float("inf")])
    def test_it_is_a_whole_number(self, tmp_path, offset, ending):
        error = refused(files.raw_nifti(tmp_path / f"a{ending}", offset=offset))
        assert (error.kind, error.found) == ("header", f"data from byte {offset} on")


class TestScaling:
    @pytest.mark.parametrize(
        ("scale", "factor", "summand"),
        [
            ((0.0, 5.0), 1, 0),
            ((float("nan"), 5.0), 1, 0),
            ((0.0, float("inf")), 1, 0),
            ((1.0, 5.0), 1, 5),
            ((1.0, 1.0), 1, 1),
            ((-1.0, 5.0), -1, 5),
            ((2.0, 0.0), 2, 0),
        ],
    )
    def test_a_factor_of_0_or_none_means_that_there_is_no_scaling(self, tmp_path, scale, factor, summand):
        path = files.raw_nifti(tmp_path / "a.nii", scale=scale)
        assert read_label_image(path).labels.tolist() == (LABELS.astype(int) * factor + summand).tolist()

    @pytest.mark.parametrize(
        "scale", [(float("inf"), 0.0), (1.0, float("inf")), (1.0, float("nan")), (float("-inf"), 1.0)]
    )
    def test_both_numbers_are_finite(self, tmp_path, scale):
        error = refused(files.raw_nifti(tmp_path / "a.nii", scale=scale))
        assert (error.kind, error.found) == ("header", f"a scaling of {scale[0]} and {scale[1]}")


class TestOrientation:
    def test_rows_come_before_the_quaternion_and_the_sizes_of_voxels(self, tmp_path):
        rows = np.array([[0, -3, 0, 7.0], [2, 0, 0, 8], [0, 0, 4, 9], [0, 0, 0, 1]])
        path = with_quaternion(tmp_path / "a.nii", NONE, pixdim=(1, 9, 9, 9, 1, 1, 1, 1))
        content = bytearray(path.read_bytes())
        struct.pack_into("<h", content, 254, 1)
        struct.pack_into("<12f", content, 280, *rows[:3].ravel())
        path.write_bytes(content)
        grid = read_geometry(path)
        assert (grid.spacing, grid.affine) == ((2.0, 3.0, 4.0), tuple(map(tuple, rows.tolist())))

    def test_a_code_of_0_or_less_means_that_there_is_none(self, tmp_path):
        for code in (0, -1):
            grid = read_geometry(with_quaternion(tmp_path / "a.nii", NONE, pixdim=(1, 2, 0, -4, 9, 9, 9, 9), code=code))
            assert (grid.affine, grid.spacing, grid.oriented_format) == (None, (2.0, 1.0, 4.0), True)

    def test_a_picture_has_two_sizes_and_lies_in_space(self, tmp_path):
        flat = {"dim": (2, 12, 10, 1, 1, 1, 1, 1), "pixdim": (1, 2, 3, 4, 1, 1, 1, 1)}
        assert read_geometry(files.raw_nifti(tmp_path / "a.nii", **flat)).spacing == (2.0, 3.0)
        turned = read_geometry(files.raw_nifti(tmp_path / "b.nii", sform=np.diag([5.0, 6, 7, 1]), **flat))
        assert turned.spacing == (5.0, 6.0)
        assert turned.affine == ((5, 0, 0, 0), (0, 6, 0, 0), (0, 0, 7, 0), (0, 0, 0, 1))

    @pytest.mark.parametrize(("first", "sign"), [(-1.0, -1), (0.0, 1), (1.0, 1), (0.5, 1), (-0.5, -1)])
    def test_a_negative_first_number_mirrors_the_third_axis(self, tmp_path, first, sign):
        path = with_quaternion(tmp_path / "a.nii", NONE, pixdim=(first, 2, -3, 0, 1, 1, 1, 1), place=(7, 8, 9))
        expected = [[2, 0, 0, 7], [0, 3, 0, 8], [0, 0, sign, 9], [0, 0, 0, 1]]
        assert read_geometry(path).affine == tuple(map(tuple, expected))

    def test_a_quarter_turn_about_each_axis(self, tmp_path):
        half = float(np.float32(np.sqrt(0.5)))
        for axis, turned in enumerate(
            ([[1, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]])
        ):
            components = np.eye(3)[axis] * half
            result = np.asarray(read_geometry(with_quaternion(tmp_path / "a.nii", components)).affine)[:3, :3]
            np.testing.assert_allclose(result, turned, atol=1e-6)

    @pytest.mark.parametrize("length", [1.0, 1.02, 1.5])
    def test_components_longer_than_1_are_a_half_turn(self, tmp_path, length):
        geometry = read_geometry(with_quaternion(tmp_path / "a.nii", (length, 0.0, 0.0))).affine
        assert geometry == ((1, 0, 0, 0), (0, -1, 0, 0), (0, 0, -1, 0), (0, 0, 0, 1))

    @pytest.mark.parametrize("odd", [float("nan"), float("inf")])
    def test_components_that_are_not_finite_are_refused(self, tmp_path, odd):
        error = refused(with_quaternion(tmp_path / "a.nii", (0.0, odd, 0.0)))
        assert (error.kind, error.found) == ("header", "an affine that is not invertible")
