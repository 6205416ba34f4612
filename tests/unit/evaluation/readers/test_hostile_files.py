"""A stranger chooses the bytes: every file gives labels or one clear error, in bounded memory."""

import contextlib
import gzip
import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from evaluation.readers import REMEDIES, Limits, ReadError, read_geometry, read_label_image
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import LABELS

VOXELS = LABELS.tobytes(order="F")


def kind_of(path, **options):
    with pytest.raises(ReadError) as caught:
        read_label_image(path, **options)
    assert caught.value.kind in REMEDIES
    assert path.name in caught.value.message
    assert "\n" not in str(caught.value)
    return caught.value.kind


def test_file_that_is_not_there(tmp_path):
    assert kind_of(tmp_path / "a.nii.gz") == "not_found"


def test_folder_with_the_name_of_a_file(tmp_path):
    (tmp_path / "a.nii.gz").mkdir()
    assert kind_of(tmp_path / "a.nii.gz") == "not_found"


@pytest.mark.parametrize("ending", ["nii.gz", "nii", "mha", "nrrd", "tif", "png"])
def test_empty_file(tmp_path, ending):
    (tmp_path / f"a.{ending}").write_bytes(b"")
    assert kind_of(tmp_path / f"a.{ending}") == "empty_file"


@pytest.mark.parametrize("ending", ["nii.gz", "nii", "mha", "nrrd", "tif", "png"])
def test_other_content_than_the_name_says(tmp_path, ending):
    (tmp_path / f"a.{ending}").write_bytes(b"PK\x03\x04" + b"hello, I am a zip file " * 30)
    assert kind_of(tmp_path / f"a.{ending}") == "magic"


def test_half_of_an_image_pair(tmp_path):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", magic=b"ni1\0")) == "magic"


@pytest.mark.parametrize("keep", [3, 40, 60, -8, -1])
def test_truncated_gzip(tmp_path, keep):
    path = files.raw_nifti(tmp_path / "a.nii.gz")
    path.write_bytes(path.read_bytes()[:keep])
    assert kind_of(path) == "truncated"


def test_truncated_plain_file(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii")
    path.write_bytes(path.read_bytes()[:-1])
    assert kind_of(path) == "truncated"


def test_a_file_too_short_for_its_voxels_is_refused_with_its_header_alone(tmp_path):
    # 10 × 10 × 10 voxels of one byte; 352 bytes of header come before them, so 999 bytes in all are surely too few.
    path = files.raw_nifti(tmp_path / "a.nii", dim=(3, 10, 10, 10, 1, 1, 1, 1), data=bytes(647))
    with pytest.raises(ReadError) as caught:
        read_geometry(path)
    assert caught.value.kind == "truncated"
    assert "999 bytes cannot hold the voxels; expected 1,000 bytes of voxels" in caught.value.message
    assert read_geometry(
        files.raw_nifti(tmp_path / "b.nii", dim=(3, 10, 10, 10, 1, 1, 1, 1), data=bytes(648))
    ).shape == (10, 10, 10)


def test_damaged_gzip(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii.gz")
    content = bytearray(path.read_bytes())
    content[-6] ^= 0xFF
    path.write_bytes(bytes(content))
    assert kind_of(path) == "checksum"


@pytest.mark.parametrize("ending", ["nii", "nii.gz"])
def test_more_voxels_than_declared(tmp_path, ending):
    assert kind_of(files.raw_nifti(tmp_path / f"a.{ending}", extra=b"x")) == "trailing_data"


def test_bytes_after_the_gzip_stream(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii.gz")
    path.write_bytes(path.read_bytes() + b"#!/bin/sh")
    assert kind_of(path) == "trailing_data"


def test_bomb_stops_where_the_header_says(tmp_path):
    path = tmp_path / "a.nii.gz"
    files.raw_nifti(path, extra=bytes(200_000_000))
    tracemalloc.start()
    assert kind_of(path) == "trailing_data"
    assert tracemalloc.get_traced_memory()[1] < 30_000_000
    tracemalloc.stop()


def test_declared_size_that_the_file_cannot_hold_costs_no_memory(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii.gz", dim=(3, 1000, 1000, 1000, 1, 1, 1, 1))
    tracemalloc.start()
    assert kind_of(path) == "truncated"
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("dim", "kind"),
    [
        ((3, 32767, 32767, 32767, 1, 1, 1, 1), "too_large"),
        ((3, 0, 5, 6, 1, 1, 1, 1), "header"),
        ((3, -4, 5, 6, 1, 1, 1, 1), "header"),
        ((0, 4, 5, 6, 1, 1, 1, 1), "header"),
        ((9, 4, 5, 6, 1, 1, 1, 1), "header"),
        ((4, 4, 5, 3, 2, 1, 1, 1), "dimensions"),
    ],
)
def test_odd_dimensions(tmp_path, dim, kind):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", dim=dim)) == kind


@pytest.mark.parametrize("code", [0, 1, 32, 128, 1536, 1792, 2304, -7])
def test_voxels_that_are_no_plain_numbers(tmp_path, code):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", code=code)) == "datatype"


@pytest.mark.parametrize("offset", [0.5, -1.0, 8.0, 1e9, float("nan"), float("inf")])
def test_odd_place_of_the_voxels(tmp_path, offset):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", offset=offset)) == "header"


@pytest.mark.parametrize("pixdim", [float("nan"), float("inf"), 1e20])
def test_odd_spacing(tmp_path, pixdim):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", pixdim=(1.0, pixdim, 1, 1, 1, 1, 1, 1))) == "header"


@pytest.mark.parametrize("matrix", [np.zeros((3, 4)), np.full((3, 4), np.nan), np.ones((3, 4))])
def test_affine_without_inverse(tmp_path, matrix):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", sform=matrix)) == "header"


def test_scaling_that_is_not_finite(tmp_path):
    assert kind_of(files.raw_nifti(tmp_path / "a.nii", scale=(1.0, float("inf")))) == "header"


@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.nan, "not_finite"), (np.inf, "not_finite"), (-1.0, "negative"), (0.5, "not_integer"), (1e12, "label_range")],
)
def test_voxels_that_are_no_labels(tmp_path, value, kind):
    labels = LABELS.astype(np.float64)
    labels[1, 2, 3] = value
    assert kind_of(files.nifti(tmp_path / "a.nii", labels)) == kind


@pytest.mark.parametrize(("value", "kind"), [(2**63, "label_range"), (2**31, "label_range")])
def test_labels_of_64_bits(tmp_path, value, kind):
    labels = LABELS.astype(np.uint64)
    labels[1, 2, 3] = value
    assert kind_of(files.nifti(tmp_path / "a.nii", labels)) == kind


def test_file_above_the_limit_is_not_opened(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii")
    assert kind_of(path, limits=Limits(file_bytes=100)) == "too_large"


def test_image_above_the_limit_is_not_decoded(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii")
    assert kind_of(path, limits=Limits(decoded_bytes=100)) == "too_large"
    assert kind_of(path, limits=Limits(axis=5)) == "too_large"


class TestMetaImage:
    HEADER = "ObjectType = Image\nNDims = 3\nDimSize = 4 5 6\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"

    def write(self, path, old="", new="", body=VOXELS):
        path.write_bytes(self.HEADER.replace(old, new).encode("latin-1") + body)
        return path

    def test_the_header_as_it_stands_is_read(self, tmp_path):
        np.testing.assert_array_equal(read_label_image(self.write(tmp_path / "a.mha")).labels, LABELS)

    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            ("LOCAL", "../../etc/passwd", "header"),
            ("LOCAL", "LIST", "header"),
            ("4 5 6", "4 5", "header"),
            ("4 5 6", "4 5 x", "header"),
            ("4 5 6", "4 5 -6", "header"),
            ("4 5 6", "4 5 1e30", "header"),
            ("4 5 6", "4 5 60000", "truncated"),
            ("MET_UCHAR", "MET_UCHAR_ARRAY", "datatype"),
            ("NDims = 3", "NDims = 3\nElementNumberOfChannels = 3", "dimensions"),
            ("NDims = 3", "NDims = 3\nBinaryData = False", "header"),
            ("NDims = 3", "NDims = 3\nElementSpacing = 1 0 1", "header"),
            ("NDims = 3", "NDims = 3\nElementSpacing = 1 1", "header"),
            ("NDims = 3", "NDims = 3\nTransformMatrix = 1 0 0 1 0 0 0 0 1", "header"),
            ("NDims = 3\n", "", "header"),
            ("Image\n", "Tube\n", "magic"),
            ("NDims = 3", "NDims ü 3", "magic"),
        ],
    )
    def test_odd_fields(self, tmp_path, old, new, kind):
        assert kind_of(self.write(tmp_path / "a.mha", old, new)) == kind

    def test_compressed_bomb(self, tmp_path):
        body = zlib.compress(LABELS.tobytes(order="F") + bytes(10_000_000))
        path = self.write(tmp_path / "a.mha", "NDims = 3", "NDims = 3\nCompressedData = True", body)
        assert kind_of(path) == "trailing_data"


class TestNrrd:
    HEADER = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 5 6\nencoding: raw\n\n"

    def write(self, path, old="", new="", body=VOXELS):
        path.write_bytes(self.HEADER.replace(old, new).encode() + body)
        return path

    def test_the_header_as_it_stands_is_read(self, tmp_path):
        np.testing.assert_array_equal(read_label_image(self.write(tmp_path / "a.nrrd")).labels, LABELS)

    @pytest.mark.parametrize(
        ("old", "new", "kind"),
        [
            ("encoding: raw", "encoding: raw\ndata file: /etc/passwd", "header"),
            ("encoding: raw", "encoding: hex", "header"),
            ("encoding: raw", "encoding: raw\nbyte skip: 7", "header"),
            ("encoding: raw\n\n", "encoding: raw\n", "header"),
            ("type: uint8", "type: block", "datatype"),
            ("type: uint8\n", "", "header"),
            ("dimension: 3", "dimension: 2", "header"),
            ("sizes: 4 5 6", "sizes: 4 5 6000", "truncated"),
            ("encoding: raw", "encoding: raw\nspace directions: none (1,0,0) (0,1,0)", "dimensions"),
            ("encoding: raw", "encoding: raw\nspace directions: (1,0,0) (0,1,0)", "dimensions"),
            ("encoding: raw", "encoding: raw\nspace directions: (1,0) (0,1) (0,0)", "header"),
            ("encoding: raw", "encoding: raw\nspacings: 1 nan 1", "header"),
        ],
    )
    def test_odd_fields(self, tmp_path, old, new, kind):
        assert kind_of(self.write(tmp_path / "a.nrrd", old, new)) == kind


class TestRaster:
    def test_colours_are_no_labels(self, tmp_path):
        Image.fromarray(np.zeros((4, 5, 3), np.uint8)).save(tmp_path / "a.png")
        Image.fromarray(np.zeros((4, 5, 3), np.uint8)).save(tmp_path / "a.tif")
        assert kind_of(tmp_path / "a.png") == "dimensions"
        assert kind_of(tmp_path / "a.tif") == "dimensions"

    def test_png_that_declares_a_giant_image(self, tmp_path):
        path = files.png(tmp_path / "a.png", LABELS[:, :, 0])
        content = bytearray(path.read_bytes())
        content[16:24] = struct.pack(">II", 60_000, 60_000)
        path.write_bytes(bytes(content))
        assert kind_of(path) == "too_large"

    def test_truncated_png(self, tmp_path):
        path = files.png(tmp_path / "a.png", np.random.default_rng(1).integers(0, 200, (50, 60)).astype(np.uint8))
        path.write_bytes(path.read_bytes()[:-60])
        assert kind_of(path) == "truncated"

    def test_tiff_with_pages_of_two_sizes(self, tmp_path):
        Image.fromarray(LABELS[:, :, 0]).save(
            tmp_path / "a.tif", save_all=True, append_images=[Image.fromarray(LABELS[0])]
        )
        assert kind_of(tmp_path / "a.tif") == "dimensions"

    def test_tiff_that_declares_more_than_it_has(self, tmp_path):
        path = files.tiff(tmp_path / "a.tif")
        path.write_bytes(path.read_bytes()[:300])
        assert kind_of(path) == "truncated"


SAMPLES = {
    "a.nii.gz": files.raw_nifti,
    "a.nii": files.raw_nifti,
    "a.mha": lambda path: files.itk(path, compress=True),
    "a.nrrd": lambda path: files.itk(path, compress=True),
    "a.tif": lambda path: files.tiff(path, compression="zlib"),
    "a.png": lambda path: files.png(path, LABELS[:, :, 0]),
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    return {name: write(folder / name).read_bytes() for name, write in SAMPLES.items()}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_change_of_any_byte_gives_anything_but_labels_or_a_read_error(samples, scratch, data):
    name = data.draw(st.sampled_from(sorted(samples)))
    content = bytearray(samples[name])
    for _ in range(data.draw(st.integers(0, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    start = data.draw(st.integers(0, len(content)))
    content = content[: data.draw(st.integers(start, len(content)))] if data.draw(st.booleans()) else content
    if name == "a.nii.gz" and data.draw(st.booleans()):
        inner = bytearray(gzip.decompress(samples[name]))
        inner[data.draw(st.integers(0, 347))] = data.draw(st.integers(0, 255))
        content = gzip.compress(bytes(inner))
    path = scratch / name
    path.write_bytes(bytes(content))
    with contextlib.suppress(ReadError):
        image = read_label_image(path, limits=Limits(decoded_bytes=10_000_000))
        assert image.labels.dtype.kind == "u"
        assert image.labels.shape == image.geometry.shape
