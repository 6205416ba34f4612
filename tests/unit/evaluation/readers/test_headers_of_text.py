"""Headers of NRRD and MetaImage, field by field: every name of a type, comments, orientation, and what contradicts itself."""

import gzip

import numpy as np
import pytest

from evaluation.readers import ReadError, read_geometry, read_label_image
from evaluation.readers.intensities import read_intensities
from evaluation.readers.labels import labels_present

VALUES = np.arange(24).reshape(2, 3, 4)
TYPES = {
    "i1": ("signed char", "int8", "int8_t"),
    "u1": ("uchar", "unsigned char", "uint8", "uint8_t"),
    "i2": ("short", "short int", "signed short", "signed short int", "int16", "int16_t"),
    "u2": ("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"),
    "i4": ("int", "signed int", "int32", "int32_t"),
    "u4": ("uint", "unsigned int", "uint32", "uint32_t"),
    "i8": ("longlong", "long long", "long long int", "signed long long", "int64", "int64_t"),
    "u8": ("ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"),
}
USUAL = {"type": "uint8", "dimension": "3", "sizes": "2 3 4", "encoding": "raw"}


def nrrd(path, fields=None, *, extra=(), without=(), kind="u1", magic="NRRD0004", pack=bytes):
    own = {key: value for key, value in {**USUAL, **(fields or {})}.items() if key not in without}
    header = "\n".join([magic, *extra, *(f"{key}: {value}" for key, value in own.items())]) + "\n\n"
    path.write_bytes(header.encode("ascii") + pack(VALUES.astype(kind).tobytes(order="F")))
    return path


def read(path):
    return read_label_image(path).labels


def refused(path):
    with pytest.raises(ReadError) as error:
        read(path)
    return error.value


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in TYPES.items() for name in names])
@pytest.mark.parametrize("order", ["little", "big"])
def test_every_name_of_a_type_of_whole_numbers(tmp_path, kind, name, order):
    path = nrrd(tmp_path / "c.nrrd", {"type": name, "endian": order}, kind={"little": "<", "big": ">"}[order] + kind)
    assert (read(path) == VALUES).all()


@pytest.mark.parametrize(("kind", "name"), [("f4", "float"), ("f8", "double")])
def test_real_numbers_are_intensities(tmp_path, kind, name):
    path = nrrd(tmp_path / "c.nrrd", {"type": name}, kind="<" + kind)
    assert (read_intensities(path).values == VALUES).all()
    assert refused(nrrd(tmp_path / "d.nrrd", {"type": "block"})).kind == "datatype"


@pytest.mark.parametrize(("encoding", "pack"), [("raw", bytes), ("gzip", gzip.compress), ("GZ", gzip.compress)])
def test_encodings(tmp_path, encoding, pack):
    assert (read(nrrd(tmp_path / "c.nrrd", {"encoding": encoding}, pack=pack)) == VALUES).all()


def test_comments_and_key_value_pairs_are_no_fields(tmp_path):
    lines = ("# sizes: 9 9 9", "#type: float", "sizes:=1 1 1", "a line without any sign", " Content : label map ")
    assert (read(nrrd(tmp_path / "c.nrrd", extra=lines)) == VALUES).all()
    capital = nrrd(tmp_path / "d.nrrd", {"Sizes": "2 3 4"}, without=("sizes",))
    assert (read(capital) == VALUES).all()


@pytest.mark.parametrize("key", list(USUAL))
def test_a_field_that_lacks_is_named(tmp_path, key):
    error = refused(nrrd(tmp_path / "c.nrrd", without=(key,)))
    assert (error.kind, repr(key) in error.message) == ("header", True)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"dimension": "2"}, "header"),
        ({"encoding": "bzip2"}, "header"),
        ({"data file": "other.raw"}, "header"),
        ({"datafile": "LIST"}, "header"),
        ({"line skip": "1"}, "header"),
        ({"byteskip": "-1"}, "header"),
        ({"space directions": "(1,0,0) (0,1,0) none"}, "dimensions"),
        ({"space directions": "(1,0,0) (0,1,0)"}, "dimensions"),
    ],
)
def test_what_contradicts_itself_or_lies_elsewhere(tmp_path, fields, kind):
    assert refused(nrrd(tmp_path / "c.nrrd", fields)).kind == kind


def test_a_header_needs_its_first_line_and_its_end(tmp_path):
    assert refused(nrrd(tmp_path / "c.nrrd", magic="NRRD00x4")).kind == "magic"
    path = tmp_path / "d.nrrd"
    path.write_bytes(b"NRRD0004\ntype: uint8\n")
    error = refused(path)
    assert (error.kind, "has no end" in error.message) == ("header", True)


class TestOrientation:
    DIRECTIONS = "(2,0,0) (0,3,0) (0,0,4)"

    def geometry(self, tmp_path, **fields):
        return read_geometry(nrrd(tmp_path / "c.nrrd", {key.replace("_", " "): value for key, value in fields.items()}))

    @pytest.mark.parametrize(
        ("space", "signs"),
        [
            ("right-anterior-superior", (1, 1, 1)),
            ("RAS", (1, 1, 1)),
            ("left-anterior-superior", (-1, 1, 1)),
            ("LAS", (-1, 1, 1)),
            ("left-posterior-superior", (-1, -1, 1)),
            ("LPS", (-1, -1, 1)),
        ],
    )
    def test_axes_run_as_the_space_says(self, tmp_path, space, signs):
        found = self.geometry(tmp_path, space=space, space_directions=self.DIRECTIONS, space_origin="(10,20,30)")
        expected = np.diag([2.0 * signs[0], 3.0 * signs[1], 4.0 * signs[2], 1])
        expected[:3, 3] = np.array([10, 20, 30]) * signs
        np.testing.assert_allclose(found.affine, expected)
        assert found.spacing == (2.0, 3.0, 4.0)

    def test_a_column_is_the_direction_of_an_axis(self, tmp_path):
        found = self.geometry(tmp_path, space="RAS", space_directions="(0,2,0) (3,0,0) (0,0,4)")
        np.testing.assert_allclose(np.array(found.affine)[:3, :3], [[0, 3, 0], [2, 0, 0], [0, 0, 4]])
        assert found.spacing == (2.0, 3.0, 4.0)

    @pytest.mark.parametrize("space", ["scanner-xyz", "", "3D-right-handed"])
    def test_of_another_space_only_the_spacing_is_known(self, tmp_path, space):
        fields = {"space": space} if space else {}
        found = self.geometry(tmp_path, space_directions=self.DIRECTIONS, **fields)
        assert (found.affine, found.spacing) == (None, (2.0, 3.0, 4.0))

    def test_without_directions_spacings_stand_alone(self, tmp_path):
        assert self.geometry(tmp_path, spacings="0.5 -1.5 2").spacing == (0.5, 1.5, 2.0)
        assert self.geometry(tmp_path).spacing is None


@pytest.mark.parametrize("kind", ["u1", "u2", "i4", "i8"])
def test_the_labels_of_any_type_are_found_once_and_in_order(kind):
    labels = np.array([[5, 0, 5], [200, 0, 3]], dtype=kind)
    assert labels_present(labels).tolist() == [0, 3, 5, 200]
    assert labels_present(np.full((3, 3), 7, dtype=kind)).tolist() == [7]
    random = np.random.default_rng(1).integers(0, 250, 200_000).astype(kind)
    random[0] = 255 if kind == "u1" else 60_000 if kind == "u2" else 70_000
    assert labels_present(random).tolist() == np.unique(random).tolist()
