"""One image, written in every format by other libraries, is read as the same labels on the same grid."""

import gzip

import nibabel
import numpy as np
import pytest
import SimpleITK
from PIL import Image

from evaluation.readers import ReadError, case_name, read_geometry, read_label_image
from tests.unit.evaluation.readers import files
from tests.unit.evaluation.readers.files import AFFINE, LABELS

WRITERS = {
    "a.nii": files.nifti,
    "a.nii.gz": files.nifti,
    "b.nii.gz": lambda path: files.nifti(path, kind=nibabel.Nifti2Image),
    "a.mha": files.itk,
    "b.mha": lambda path: files.itk(path, compress=True),
    "a.nrrd": files.itk,
    "b.nrrd": lambda path: files.itk(path, compress=True),
}


@pytest.mark.parametrize("name", WRITERS)
def test_labels_spacing_and_orientation_are_those_that_were_written(tmp_path, name):
    image = read_label_image(WRITERS[name](tmp_path / name))
    np.testing.assert_array_equal(image.labels, LABELS)
    assert image.labels.dtype == np.uint8
    np.testing.assert_allclose(image.geometry.spacing, (0.8, 0.9, 2.5), rtol=1e-6)
    np.testing.assert_allclose(image.geometry.affine, AFFINE, atol=1e-5)


@pytest.mark.parametrize("compression", [None, "zlib", "packbits"])
def test_pages_of_a_tiff_are_slices(tmp_path, compression):
    if compression == "packbits":
        pages = [Image.fromarray(np.ascontiguousarray(page)) for page in LABELS.T]
        pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:], compression="packbits")
    else:
        files.tiff(tmp_path / "a.tif", compression=compression)
    image = read_label_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(image.labels, LABELS)
    assert image.geometry.affine is None


def test_lzw_compressed_tiff(tmp_path):
    pages = [Image.fromarray(np.ascontiguousarray(page)) for page in LABELS.T]
    pages[0].save(tmp_path / "a.tiff", save_all=True, append_images=pages[1:], compression="tiff_lzw")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.tiff").labels, LABELS)


@pytest.mark.parametrize("number_type", [np.uint8, np.uint16])
def test_png_has_columns_first(tmp_path, number_type):
    labels = LABELS[:, :, 0].astype(number_type)
    image = read_label_image(files.png(tmp_path / "a.png", labels))
    np.testing.assert_array_equal(image.labels, labels)
    assert image.geometry.shape == (4, 5)


def test_palette_png_gives_indices_not_colours(tmp_path):
    picture = Image.fromarray(np.ascontiguousarray(LABELS[:, :, 0].T)).convert("P")
    picture.putpalette([0, 0, 0, 200, 0, 0, 0, 200, 0])
    picture.putdata(LABELS[:, :, 0].T.ravel().tolist())
    picture.save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.png").labels, LABELS[:, :, 0])


@pytest.mark.parametrize(
    "number_type", [np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64, np.float32, np.float64]
)
def test_every_number_type_ends_in_the_smallest_that_holds_the_labels(tmp_path, number_type):
    image = read_label_image(files.nifti(tmp_path / "a.nii", LABELS.astype(number_type)))
    np.testing.assert_array_equal(image.labels, LABELS)
    assert image.labels.dtype == np.uint8


def test_large_labels_keep_their_value(tmp_path):
    labels = LABELS.astype(np.uint32) * 70_000
    image = read_label_image(files.nifti(tmp_path / "a.nii.gz", labels))
    np.testing.assert_array_equal(image.labels, labels)


def test_big_endian_numbers(tmp_path):
    header = nibabel.Nifti1Header(endianness=">")
    header.set_data_dtype(np.int16)
    nibabel.save(nibabel.Nifti1Image(LABELS.astype(np.int16), AFFINE, header), tmp_path / "a.nii")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.nii").labels, LABELS)


def test_scaling_of_the_header_is_applied(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii", scale=(2.0, 1.0))
    np.testing.assert_array_equal(read_label_image(path).labels, LABELS.astype(int) * 2 + 1)


def test_orientation_by_quaternion(tmp_path):
    turned = np.array([[0, -0.9, 0, 3], [0.8, 0, 0, 4], [0, 0, 2.5, 5], [0, 0, 0, 1.0]])
    image = nibabel.Nifti1Image(LABELS, turned)
    image.set_sform(None, 0)
    image.set_qform(turned, 1)
    nibabel.save(image, tmp_path / "a.nii.gz")
    np.testing.assert_allclose(read_geometry(tmp_path / "a.nii.gz").affine, turned, atol=1e-5)


def test_oblique_directions_agree_between_formats(tmp_path):
    angle = 0.3
    rotation = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    affine = np.eye(4)
    affine[:3, :3] = rotation * (0.8, 0.9, 2.5)
    affine[:3, 3] = 1, 2, 3
    for name in ("a.nii.gz", "a.mha", "a.nrrd"):
        writer = files.nifti if name.endswith("gz") else files.itk
        np.testing.assert_allclose(read_geometry(writer(tmp_path / name, affine=affine)).affine, affine, atol=1e-5)


def test_gzip_in_several_pieces_is_one_file(tmp_path):
    content = files.raw_nifti(tmp_path / "a.nii").read_bytes()
    (tmp_path / "b.nii.gz").write_bytes(gzip.compress(content[:400]) + gzip.compress(content[400:]))
    np.testing.assert_array_equal(read_label_image(tmp_path / "b.nii.gz").labels, LABELS)


def test_fourth_axis_of_one_is_no_axis(tmp_path):
    path = files.raw_nifti(tmp_path / "a.nii", dim=(4, 4, 5, 6, 1, 1, 1, 1))
    assert read_label_image(path).labels.shape == (4, 5, 6)


def test_mha_of_two_dimensions(tmp_path):
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(LABELS[:, :, 0].T.copy()), str(tmp_path / "a.mha"))
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.mha").labels, LABELS[:, :, 0])


@pytest.mark.parametrize(
    ("name", "case"), [("x.nii.gz", ("x", ".nii.gz")), ("a.b.PNG", ("a.b", ".png")), ("x.txt", None), (".nii", None)]
)
def test_case_is_the_name_without_ending(tmp_path, name, case):
    assert case_name(tmp_path / name) == case


def test_unknown_ending_names_the_known_ones(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"x")
    with pytest.raises(ReadError, match=r"\.nii\.gz") as caught:
        read_label_image(tmp_path / "a.jpg")
    assert caught.value.kind == "format"


def test_compressed_nifti_under_the_name_of_an_uncompressed_one(tmp_path):
    packed = files.nifti(tmp_path / "a.nii.gz")
    packed.rename(tmp_path / "a.nii")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.nii").labels, LABELS)
