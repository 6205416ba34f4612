"""MetaImage and NRRD, field by field: alternative names, byte order, vectors, header length, and messages."""

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from evaluation.readers import ReadError, metaimage, nrrd, read_geometry, read_label_image
from evaluation.readers.limits import DEFAULT, Limits

VALUES = np.arange(24, dtype=np.uint16)
VOXELS = VALUES.astype("<u2").tobytes()
LONG = "x" * 60


def refused(read, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


class Format:
    """Tests of both formats, using `write` to create a file of the format."""

    write: Callable[..., Path]

    def refused(self, *arguments, **options):
        return refused(read_label_image, self.write(*arguments, **options))

    def numbers(self, path):
        return read_label_image(path).labels.ravel(order="F").tolist()


class TestMetaImage(Format):
    def write(self, folder, *lines, first=(), dims="3", sizes="2 3 4", kind="MET_USHORT", body=VOXELS, last="LOCAL"):
        head = [*first, f"NDims = {dims}", f"DimSize = {sizes}", f"ElementType = {kind}", *lines]
        text = "".join(f"{line}\n" for line in (*head, f"ElementDataFile = {last}"))
        (folder / "a.mha").write_bytes(text.encode("latin-1") + body)
        return folder / "a.mha"

    def test_bytes_are_little_endian_unless_either_field_says_otherwise(self, tmp_path):
        big = VALUES.astype(">u2").tobytes()
        assert self.numbers(self.write(tmp_path)) == VALUES.tolist()
        for field in ("BinaryDataByteOrderMSB", "ElementByteOrderMSB"):
            assert self.numbers(self.write(tmp_path, f"{field} = False")) == VALUES.tolist()
            assert self.numbers(self.write(tmp_path, f"{field} = True", body=big)) == VALUES.tolist()
        both = self.write(tmp_path, "ElementByteOrderMSB = True", "BinaryDataByteOrderMSB = False")
        assert self.numbers(both) == VALUES.tolist()

    def test_voxels_are_binary_and_compressed_if_it_is_said(self, tmp_path):
        assert self.numbers(self.write(tmp_path, "BinaryData = TRUE", "CompressedData = false")) == VALUES.tolist()
        packed = self.write(tmp_path, "CompressedData = TRUE", body=zlib.compress(VOXELS))
        assert self.numbers(packed) == VALUES.tolist()
        assert self.refused(tmp_path, "BinaryData = False") == ("header", "voxels written as text", "binary voxels")

    def test_an_object_is_an_image_unless_it_says_otherwise(self, tmp_path):
        assert self.numbers(self.write(tmp_path, first=["ObjectType = Image"])) == VALUES.tolist()
        refusal = self.refused(tmp_path, first=["ObjectType = Tube"])
        assert refusal == ("magic", "a MetaIO object that is no image", "")

    def test_dimensions_and_sizes_are_as_many(self, tmp_path):
        assert self.refused(tmp_path, dims="2") == ("header", "2 dimensions but 3 sizes", "")
        assert self.refused(tmp_path, dims="4") == ("header", "4 dimensions but 3 sizes", "")
        assert self.refused(tmp_path, dims="3 3") == ("header", "2 numbers in a field", "1")

    def test_odd_values_are_told_up_to_a_length(self, tmp_path):
        assert self.refused(tmp_path, kind=LONG) == ("datatype", f"voxels of type {LONG[:40]}", "whole numbers")
        refusal = self.refused(tmp_path, f"ElementNumberOfChannels = {LONG}")
        assert refusal == ("dimensions", f"{LONG[:40]} numbers a voxel", "one number a voxel")

    @pytest.mark.parametrize("lacking", ["NDims", "DimSize", "ElementType"])
    def test_a_field_that_lacks_is_named(self, tmp_path, lacking):
        path = self.write(tmp_path)
        path.write_bytes(path.read_bytes().replace(lacking.encode(), b"Comment"))
        assert refused(read_geometry, path) == ("header", f"no field {lacking}", "")

    @pytest.mark.parametrize("lines", [["no sign"], [""], ["Comment = \xe4"]])
    def test_a_line_that_is_no_field_makes_it_no_header(self, tmp_path, lines):
        for position in ("first", "later"):
            path = self.write(tmp_path, first=lines) if position == "first" else self.write(tmp_path, *lines)
            assert refused(read_geometry, path) == ("magic", "no MetaImage header", "")

    def test_the_line_that_ends_the_header_ends_itself(self, tmp_path):
        path = tmp_path / "a.mha"
        path.write_bytes(b"NDims = 3\nDimSize = 2 3 4\nElementType = MET_USHORT\nElementDataFile = LOCAL")
        assert refused(read_geometry, path) == ("magic", "no MetaImage header", "")

    def test_a_header_reaches_64_kibibytes_at_most(self, tmp_path):
        length = len(self.write(tmp_path, "Comment = ", body=b"").read_bytes())
        path = self.write(tmp_path, "Comment = " + "c" * (65_536 - length))
        assert self.numbers(path) == VALUES.tolist()
        refusal = self.refused(tmp_path, "Comment = " + "c" * (65_537 - length))
        assert refusal == ("magic", "no MetaImage header", "")

    def test_its_bytes_are_counted_from_the_end_of_the_header(self, tmp_path):
        path = self.write(tmp_path)
        assert read_geometry(path, limits=Limits(decoded_bytes=48)).shape == (2, 3, 4)
        assert refused(read_geometry, path, limits=Limits(decoded_bytes=47))[0] == "too_large"
        refusal = self.refused(tmp_path, body=VOXELS[:-1])
        assert refusal == ("truncated", "47 bytes after the header", "48 bytes of voxels")

    def test_vectors_have_as_many_numbers_as_axes(self, tmp_path):
        path = self.write(tmp_path, "ElementNumberOfChannels = 3", sizes="2 2 2")
        header = metaimage.read_header(path, DEFAULT, vectors=True)
        assert (header.channels, header.load().shape) == (3, (2, 2, 2, 3))
        # The three numbers of a voxel stand beside each other in the file, then comes the next voxel along x.
        assert header.load()[0, 0, 0].tolist() == [0, 1, 2]
        assert header.load()[1, 0, 0].tolist() == [3, 4, 5]
        assert header.load()[0, 1, 0].tolist() == [6, 7, 8]
        assert header.load()[0, 0, 1].tolist() == [12, 13, 14]
        assert metaimage.read_header(path, Limits(decoded_bytes=48), vectors=True).channels == 3
        assert refused(metaimage.read_header, path, Limits(decoded_bytes=47), vectors=True)[0] == "too_large"
        for given, words in (("2", "2"), (None, "1")):
            lines = [] if given is None else [f"ElementNumberOfChannels = {given}"]
            refusal = refused(metaimage.read_header, self.write(tmp_path, *lines), DEFAULT, vectors=True)
            assert refusal == ("vector", f"{words} numbers a voxel", "3 numbers a voxel")

    @pytest.mark.parametrize("spacing", ["ElementSpacing", "ElementSize"])
    @pytest.mark.parametrize("place", ["Offset", "Position", "Origin"])
    @pytest.mark.parametrize("turn", ["TransformMatrix", "Rotation", "Orientation"])
    def test_the_grid_under_every_name_of_its_fields(self, tmp_path, spacing, place, turn):
        # Each axis stands on its own: x runs to the back in ITK's coordinates, y to the left, z up.
        path = self.write(tmp_path, f"{spacing} = 2 3 4", f"{place} = 10 20 30", f"{turn} = 0 1 0 1 0 0 0 0 1")
        grid = read_geometry(path)
        assert (grid.spacing, grid.oriented_format) == ((2.0, 3.0, 4.0), True)
        np.testing.assert_allclose(grid.affine, [[0, -3, 0, -10], [-2, 0, 0, -20], [0, 0, 4, 30], [0, 0, 0, 1]])

    def test_a_column_of_the_matrix_is_no_axis(self, tmp_path):
        # The first three numbers are the direction of the first axis, which here runs to the back.
        path = self.write(tmp_path, "TransformMatrix = 0 1 0 0 0 1 1 0 0")
        np.testing.assert_allclose(
            read_geometry(path).affine, [[0, 0, -1, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
        )

    def test_without_these_fields_voxels_of_1_mm_begin_at_the_origin(self, tmp_path):
        grid = read_geometry(self.write(tmp_path))
        assert grid.spacing == (1.0, 1.0, 1.0)
        assert np.asarray(grid.affine).tolist() == [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        plane = read_geometry(self.write(tmp_path, dims="2", sizes="6 4"))
        assert (plane.shape, plane.spacing) == ((6, 4), (1.0, 1.0))
        assert np.asarray(plane.affine).tolist() == [[-1, 0, 0, 0], [0, -1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


class TestNrrd(Format):
    USUAL = ("type: uint16", "dimension: 3", "sizes: 2 3 4", "encoding: raw")

    def write(self, folder, *lines, usual=USUAL, magic="NRRD0004", body=VOXELS, end="\n"):
        text = end.join([magic, *usual, *lines]) + 2 * end
        (folder / "a.nrrd").write_bytes(text.encode("latin-1") + body)
        return folder / "a.nrrd"

    def test_lines_end_in_either_way(self, tmp_path):
        for end in ("\n", "\r\n"):
            assert self.numbers(self.write(tmp_path, end=end)) == VALUES.tolist()

    def test_a_pair_of_key_and_value_a_comment_or_a_bare_word_changes_no_field(self, tmp_path):
        for line in ("sizes:=1 1 1", "# sizes: 1 1 1", "#sizes: 1 1 1", "sizes", "type"):
            assert self.numbers(self.write(tmp_path, line)) == VALUES.tolist()

    def test_bytes_are_little_endian_unless_it_is_said(self, tmp_path):
        assert self.numbers(self.write(tmp_path, "endian: little")) == VALUES.tolist()
        big = self.write(tmp_path, "endian: big", body=VALUES.astype(">u2").tobytes())
        assert self.numbers(big) == VALUES.tolist()

    def test_dimensions_and_sizes_are_as_many(self, tmp_path):
        for count in (2, 4):
            usual = [line.replace("dimension: 3", f"dimension: {count}") for line in self.USUAL]
            assert self.refused(tmp_path, usual=usual) == ("header", f"{count} dimensions but 3 sizes", "")

    def test_odd_values_are_told_up_to_a_length(self, tmp_path):
        usual = [line.replace("uint16", LONG) for line in self.USUAL]
        assert self.refused(tmp_path, usual=usual) == ("datatype", f"voxels of type {LONG[:40]}", "whole numbers")
        usual = [line.replace("raw", LONG) for line in self.USUAL]
        assert self.refused(tmp_path, usual=usual) == ("header", f"the encoding {LONG[:40]}", "raw or gzip")

    def test_a_header_reaches_64_kibibytes_at_most(self, tmp_path):
        length = len(self.write(tmp_path, "# ", body=b"").read_bytes())
        assert self.numbers(self.write(tmp_path, "# " + "c" * (65_536 - length))) == VALUES.tolist()
        refusal = self.refused(tmp_path, "# " + "c" * (65_537 - length), body=b"")
        assert refusal == ("header", "the header has no end", "an empty line before the voxels")

    def test_its_bytes_are_counted_from_the_end_of_the_header(self, tmp_path):
        path = self.write(tmp_path)
        assert read_geometry(path, limits=Limits(decoded_bytes=48)).shape == (2, 3, 4)
        assert refused(read_geometry, path, limits=Limits(decoded_bytes=47))[0] == "too_large"
        refusal = self.refused(tmp_path, body=VOXELS[:-1])
        assert refusal == ("truncated", "47 bytes after the header", "48 bytes of voxels")

    def test_packed_bytes_may_be_a_thousandth(self, tmp_path):
        # 1032 × 10 × 1 voxels of two bytes in 20 packed bytes.
        usual = [line.replace("2 3 4", "1032 10 1").replace("raw", "gzip") for line in self.USUAL]
        assert read_geometry(self.write(tmp_path, usual=usual, body=bytes(20))).shape == (1032, 10, 1)
        refusal = refused(read_geometry, self.write(tmp_path, usual=usual, body=bytes(19)))
        assert refusal == ("truncated", "19 bytes after the header", "20,640 bytes of voxels")

    @pytest.mark.parametrize(
        ("line", "origin"),
        [
            ("space origin: (10,20,30)", (10, 20, 30)),
            ("space origin: ( 10, 20 ,30 )", (10, 20, 30)),
            ("content: a", (0, 0, 0)),
        ],
    )
    def test_the_place_of_the_first_voxel(self, tmp_path, line, origin):
        path = self.write(tmp_path, "space: RAS", "space directions: (2,0,0) (0,3,0) (0,0,4)", line)
        expected = np.diag([2.0, 3.0, 4.0, 1.0])
        expected[:3, 3] = origin
        assert np.asarray(read_geometry(path).affine).tolist() == expected.tolist()

    def test_a_plane_has_a_spacing_and_no_orientation(self, tmp_path):
        usual = ("type: uint16", "dimension: 2", "sizes: 6 4", "encoding: raw")
        for lines in (["space: RAS", "space directions: (3,4) (0,2)"], ["spacings: 5 -2"]):
            grid = read_geometry(self.write(tmp_path, *lines, usual=usual))
            assert (grid.shape, grid.spacing) == ((6, 4), (5.0, 2.0))
            assert (grid.affine, grid.oriented_format) == (None, False)
        assert not read_geometry(self.write(tmp_path, usual=usual)).oriented_format

    @pytest.mark.parametrize(
        "lines", [[], ["spacings: 1 1 1"], ["space: 3D-right-handed", "space directions: (1,0,0) (0,1,0) (0,0,1)"]]
    )
    def test_the_format_could_tell_an_orientation_of_a_volume(self, tmp_path, lines):
        grid = read_geometry(self.write(tmp_path, *lines))
        assert (grid.affine, grid.oriented_format) == (None, True)

    def test_vectors_stand_first_and_have_no_direction(self, tmp_path):
        usual = ("type: uint16", "dimension: 4", "sizes: 3 2 2 2", "encoding: gzip")
        for lines, spacing in (
            (["space: LPS", "space directions: none (2,0,0) (0,3,0) (0,0,4)"], (2.0, 3.0, 4.0)),
            (["spacings: nan 1 1 1"], None),
            ([], None),
        ):
            path = self.write(tmp_path, *lines, usual=usual, body=gzip.compress(VOXELS))
            header = nrrd.read_header(path, DEFAULT, vectors=True)
            assert (header.channels, header.geometry.shape, header.geometry.spacing) == (3, (2, 2, 2), spacing)
            assert header.load()[0, 0, 0].tolist() == [0, 1, 2]
            assert header.load()[1, 0, 0].tolist() == [3, 4, 5]
            assert header.load()[0, 0, 1].tolist() == [12, 13, 14]
            assert nrrd.read_header(path, Limits(decoded_bytes=48), vectors=True).channels == 3
            assert refused(nrrd.read_header, path, Limits(decoded_bytes=47), vectors=True)[0] == "too_large"

    @pytest.mark.parametrize(
        ("sizes", "lines", "found"),
        [
            ("2 2 2 3", [], "2 × 2 × 2 × 3 numbers"),
            ("3 2 2 2", ["space directions: (1,0,0) (0,1,0) (0,0,1) none"], "3 × 2 × 2 × 2 numbers"),
            ("4 2 3", [], "4 × 2 × 3 numbers"),
            ("3 2 4", [], "3 × 2 × 4 numbers"),
        ],
    )
    def test_vectors_elsewhere_or_of_another_length_are_refused(self, tmp_path, sizes, lines, found):
        dimension = sizes.count(" ") + 1
        usual = ("type: uint16", f"dimension: {dimension}", f"sizes: {sizes}", "encoding: raw")
        path = self.write(tmp_path, *lines, usual=usual)
        assert refused(nrrd.read_header, path, DEFAULT, vectors=True)[:2] == ("vector", found)

    def test_vectors_of_a_plane_are_two_numbers(self, tmp_path):
        usual = ("type: uint16", "dimension: 3", "sizes: 2 3 4", "encoding: raw")
        header = nrrd.read_header(self.write(tmp_path, usual=usual), DEFAULT, vectors=True)
        assert (header.channels, header.geometry.shape, header.load().shape) == (2, (3, 4), (3, 4, 2))
        wrong = [line.replace("dimension: 3", "dimension: 2") for line in usual]
        refusal = refused(nrrd.read_header, self.write(tmp_path, usual=wrong), DEFAULT, vectors=True)
        assert refusal == ("header", "2 dimensions but 3 sizes", "")
