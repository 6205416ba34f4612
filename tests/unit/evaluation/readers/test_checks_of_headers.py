"""Checks of every header: axes, bytes, voxel sizes and affines, each exactly up to its limit."""

import math

import numpy as np
import pytest

from evaluation.readers import ReadError
from evaluation.readers.header import check_affine, check_size, check_spacing
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.text_header import check_stored, matrix, numbers, sizes


def refused(check, *arguments, **options):
    with pytest.raises(ReadError) as error:
        check(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


class TestSize:
    def size(self, shape, kind="u1", limits=DEFAULT, **more):
        return check_size(shape, np.dtype(kind), "a", limits, **more)

    def refused(self, *arguments, **options):
        return refused(self.size, *arguments, **options)

    def test_it_is_the_product_of_voxels_bytes_and_numbers_a_voxel(self):
        assert self.size((3, 5)) == 15
        assert self.size((3, 5, 7), "i2") == 210
        assert self.size((1, 1), "f8") == 8
        assert self.size((3, 5), "f4", numbers=3) == 180

    @pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2, 2)])
    def test_there_are_two_or_three_axes(self, shape):
        assert self.refused(shape) == ("dimensions", f"{len(shape)} dimensions", "2 or 3")

    @pytest.mark.parametrize("size", [0, -3])
    def test_an_axis_has_a_voxel(self, size):
        assert self.refused((4, size)) == ("header", f"a size of {size} along an axis", "at least 1")

    def test_an_axis_has_as_many_voxels_as_the_limit_at_most(self):
        assert self.size((4, 9), limits=Limits(axis=9)) == 36
        refusal = self.refused((4, 1009), limits=Limits(axis=1008))
        assert refusal == ("too_large", "1,009 voxels along an axis", "at most 1,008")

    @pytest.mark.parametrize("kind", ["c8", "S1", "?", "O", "M8[s]"])
    def test_voxels_are_whole_numbers_or_floats(self, kind):
        assert self.refused((4, 4), kind) == ("datatype", f"voxels of type {np.dtype(kind)}", "whole numbers")

    def test_a_float_has_at_most_eight_bytes(self):
        assert self.size((2, 2), "f8") == 32
        assert self.refused((2, 2), "f16")[0] == "datatype"

    def test_all_bytes_together_reach_the_limit_at_most(self):
        assert self.size((10, 100), "u2", Limits(decoded_bytes=6000), numbers=3) == 6000
        refusal = self.refused((10, 100), "u2", Limits(decoded_bytes=5999), numbers=3)
        assert refusal == ("too_large", "6,000 bytes of voxels", "at most 5,999")


class TestSpacing:
    @pytest.mark.parametrize("spacing", [(1.0, 2.5), (1.1e-9, 999_999_999.5), (0.5,)])
    def test_positive_numbers_are_taken_as_they_are(self, spacing):
        assert check_spacing(spacing, "a") == spacing

    @pytest.mark.parametrize("odd", [0.0, -1.0, 1e-9, 1e9, 1e20, math.nan, math.inf])
    def test_zero_what_is_negative_tiny_or_huge_and_what_is_no_number_are_refused(self, odd):
        assert refused(check_spacing, (1.0, odd), "a") == (
            "header",
            f"a voxel size of {(1.0, odd)}",
            "positive numbers",
        )


class TestAffine:
    NO_INVERSE = ("header", "an affine that is not invertible", "")

    def test_it_is_given_back_as_plain_numbers(self):
        affine = np.array([[0, -2, 0, 5], [3, 0, 0, 6], [0, 0, 4, 7], [0, 0, 0, 1.0]])
        assert check_affine(affine, "a") == ((0, -2, 0, 5), (3, 0, 0, 6), (0, 0, 4, 7), (0, 0, 0, 1))

    @pytest.mark.parametrize("size", [1.1e-9, 1e-3, 1e3])
    def test_how_large_voxels_are_does_not_matter(self, size):
        affine = np.diag([size, size, size, 1.0])
        assert check_affine(affine, "a") == tuple(map(tuple, affine.tolist()))

    def test_an_axis_without_length_is_refused(self):
        for length in (0.0, 0.9e-9, 1e-9):
            assert refused(check_affine, np.diag([length, 1.0, 1.0, 1.0]), "a") == self.NO_INVERSE

    @pytest.mark.parametrize("place", [(0, 0), (0, 3), (2, 3)])
    @pytest.mark.parametrize("odd", [math.nan, math.inf])
    def test_a_number_that_is_not_finite_is_refused(self, place, odd):
        affine = np.eye(4)
        affine[place] = odd
        assert refused(check_affine, affine, "a") == self.NO_INVERSE

    @pytest.mark.parametrize(("slope", "fits"), [(1.01e-3, True), (0.99e-3, False), (-1.01e-3, True), (0.0, False)])
    def test_axes_that_lie_almost_in_one_plane_are_refused_whatever_their_lengths(self, slope, fits):
        # The third axis rises by the slope out of the plane of the others: the determinant of the unit vectors is
        # about the slope, whose square is too small to shorten them.
        for length in (0.01, 1.0, 100.0):
            affine = np.eye(4)
            affine[:3, :3] = [[length, 0, length], [0, length, 0], [0, 0, slope * length]]
            if fits:
                assert check_affine(affine, "a")[2][2] == slope * length
            else:
                assert refused(check_affine, affine, "a") == self.NO_INVERSE


class TestNumbersInText:
    def test_they_are_separated_by_any_space(self):
        assert numbers("1  -2.5\t1e3", "a") == (1.0, -2.5, 1000.0)
        assert numbers("", "a") == ()
        assert numbers("4 5", "a", count=2) == (4.0, 5.0)
        assert numbers("", "a", count=0) == ()

    def test_others_are_refused_and_told_up_to_a_length(self):
        refusal = refused(numbers, "1 x " + "0" * 50, "a")
        assert refusal == ("header", repr("1 x " + "0" * 36) + " among the fields", "numbers")
        assert refused(numbers, "1 2 3", "a", count=2) == ("header", "3 numbers in a field", "2")
        assert refused(numbers, "1", "a", count=2) == ("header", "1 numbers in a field", "2")
        assert refused(numbers, "1", "a", count=0) == ("header", "1 numbers in a field", "0")

    def test_sizes_are_whole_numbers_from_1_to_31_bits(self):
        assert sizes("1 2 2147483647", "a") == (1, 2, 2**31 - 1)
        assert sizes("4.0", "a") == (4,)
        for text in ("0 2", "2147483648", "1.5 2", "-1", "0.5", "nan", "inf"):
            assert refused(sizes, text, "a") == ("header", f"a size of {text!r}", "whole numbers from 1 on")
        assert refused(sizes, "0 " * 30, "a")[1] == "a size of " + repr("0 " * 20)


def test_a_matrix_has_the_directions_as_columns_and_the_place_behind_them():
    space = matrix(np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]), (10.0, 11.0, 12.0))
    assert space.tolist() == [[1, 2, 3, 10], [4, 5, 6, 11], [7, 8, 9, 12], [0, 0, 0, 1]]
    plane = matrix(np.array([[1.0, 2], [3, 4]]), (5.0, 6.0))
    assert plane.tolist() == [[1, 2, 0, 5], [3, 4, 0, 6], [0, 0, 1, 0], [0, 0, 0, 1]]


class TestStoredBytes:
    def test_plain_voxels_need_their_own_bytes_behind_the_header(self, tmp_path):
        path = tmp_path / "a.mha"
        path.write_bytes(bytes(1110))
        check_stored(path, 100, 1010, compressed=False)
        refusal = refused(check_stored, path, 100, 1011, compressed=False)
        assert refusal == ("truncated", "1,010 bytes after the header", "1,011 bytes of voxels")
        check_stored(path, 101, 1009, compressed=False)
        assert refused(check_stored, path, 101, 1010, compressed=False)[0] == "truncated"

    def test_compressed_ones_may_be_a_thousandth_of_that(self, tmp_path):
        # A byte of a deflate stream stands for 1032 bytes at the most.
        path = tmp_path / "a.mha"
        path.write_bytes(bytes(1110))
        check_stored(path, 100, 1010 * 1032, compressed=True)
        refusal = refused(check_stored, path, 100, 1010 * 1032 + 1, compressed=True)
        assert refusal == ("truncated", "1,010 bytes after the header", "1,042,321 bytes of voxels")
