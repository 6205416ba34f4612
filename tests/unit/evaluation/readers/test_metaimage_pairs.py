"""MetaImage headers with their voxels in a file next to them, as SimpleITK writes them."""

import numpy as np
import pytest
import SimpleITK

from evaluation.readers import Limits, ReadError, read_geometry, read_label_image
from evaluation.readers.fields import read_field
from evaluation.readers.intensities import read_intensities
from evaluation.readers.metaimage import as_one_file, data_file
from tests.unit.evaluation.readers.files import AFFINE, LABELS, itk

VOXELS = LABELS.tobytes(order="F")
HEADER = """ObjectType = Image
NDims = 3
DimSize = 4 5 6
ElementType = MET_UCHAR
ElementSpacing = 0.8 0.9 2.5
"""


def pair(folder, name="a.raw", *, content=VOXELS, header=HEADER, present=None):
    path = folder / "a.mhd"
    path.write_text(f"{header}ElementDataFile = {name}\n")
    (folder / (present or "a.raw")).write_bytes(content)
    return path


def kind_of(path, **options):
    with pytest.raises(ReadError) as caught:
        read_label_image(path, **options)
    assert path.name in caught.value.message or "a.raw" in caught.value.message
    assert "\n" not in str(caught.value)
    return caught.value.kind


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("kind", ["uint8", "int16", "uint32", "float32", "float64"])
def test_a_pair_is_read_as_the_one_file_is(tmp_path, compress, kind):
    two = read_label_image(itk(tmp_path / "a.mhd", LABELS.astype(kind), compress=compress))
    one = read_label_image(itk(tmp_path / "b.mha", LABELS.astype(kind), compress=compress))
    assert (tmp_path / ("a.zraw" if compress else "a.raw")).exists()
    np.testing.assert_array_equal(two.labels, LABELS)
    assert two.geometry == one.geometry
    np.testing.assert_allclose(two.geometry.affine, AFFINE)
    theirs = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(tmp_path / "a.mhd"))).T
    np.testing.assert_array_equal(two.labels, theirs)


def test_a_header_may_contain_its_voxels(tmp_path):
    itk(tmp_path / "a.mha").rename(tmp_path / "a.mhd")
    np.testing.assert_array_equal(read_label_image(tmp_path / "a.mhd").labels, LABELS)


def test_vectors_and_intensities(tmp_path):
    field = np.random.default_rng(1).normal(size=(3, 4, 5, 3))
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(field.transpose(2, 1, 0, 3)), isVector=True)
    SimpleITK.WriteImage(image, str(tmp_path / "a.mhd"))
    SimpleITK.WriteImage(image, str(tmp_path / "a.mha"))
    grid = read_geometry(itk(tmp_path / "b.mhd", np.zeros((3, 4, 5), dtype=np.uint8), np.diag([-1.0, -1, 1, 1])))
    both = [read_field(tmp_path / f"a{ending}", expected=grid, convention="mm_lps") for ending in (".mhd", ".mha")]
    np.testing.assert_array_equal(*both)
    path = itk(tmp_path / "c.mhd", LABELS.astype(np.float32) / 3)
    np.testing.assert_array_equal(read_intensities(path).values, LABELS.astype(np.float32) / 3)


@pytest.mark.parametrize("size", ["16", "-1"])
def test_bytes_before_the_voxels_are_skipped_as_itk_does(tmp_path, size):
    path = pair(tmp_path, content=b"x" * 16 + VOXELS, header=f"{HEADER}HeaderSize = {size}\n")
    np.testing.assert_array_equal(read_label_image(path).labels, LABELS)
    theirs = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))).T
    np.testing.assert_array_equal(theirs, LABELS)


OUTSIDE = [
    "/etc/passwd",
    "../a.raw",
    "sub/a.raw",
    "..\\a.raw",
    "C:\\a.raw",
    "C:a.raw",
    "..",
    ".",
    "a%03d.raw 1 6 1",
    "LIST",
    "LIST 2",
    "list",
    "https://example.org/a.raw",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_the_data_file_is_in_the_same_folder(tmp_path, name):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.raw").write_bytes(VOXELS)
    assert kind_of(pair(tmp_path, name)) == "header"


def test_a_link_is_not_followed(tmp_path):
    path = pair(tmp_path, "link.raw")
    (tmp_path / "link.raw").symlink_to(tmp_path / "a.raw")
    assert kind_of(path) == "header"


HOSTILE = {
    "no data file": ({"name": "b.raw"}, "not_found"),
    "empty data file": ({"content": b""}, "empty_file"),
    "too few voxels": ({"content": VOXELS[:-1]}, "truncated"),
    "too many voxels": ({"content": VOXELS + b"x"}, "trailing_data"),
    "damaged compression": ({"content": b"x" * 60, "header": f"{HEADER}CompressedData = True\n"}, "checksum"),
    "a huge size": ({"header": HEADER.replace("4 5 6", "60000 60000 60000")}, "too_large"),
    "sizes that are no numbers": ({"header": HEADER.replace("4 5 6", "four 5 6")}, "header"),
    "an unknown type": ({"header": HEADER.replace("UCHAR", "STRING")}, "datatype"),
    "voxels as text": ({"header": f"{HEADER}BinaryData = False\n"}, "header"),
    "a negative start": ({"header": f"{HEADER}HeaderSize = -7\n"}, "header"),
    "a start after the end": ({"header": f"{HEADER}HeaderSize = 1e12\n"}, "header"),
    "a start that is no number": ({"header": f"{HEADER}HeaderSize = nan\n"}, "header"),
    "several numbers a voxel": ({"header": f"{HEADER}ElementNumberOfChannels = 3\n"}, "dimensions"),
    "the header itself as data": ({"name": "a.mhd"}, "truncated"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_pair_that_is_wrong_is_refused(tmp_path, name):
    options, kind = HOSTILE[name]
    assert kind_of(pair(tmp_path, **options)) == kind


def test_limits_hold_for_the_data_file(tmp_path):
    assert kind_of(pair(tmp_path), limits=Limits(decoded_bytes=100)) == "too_large"
    path = pair(tmp_path, content=VOXELS * 100)
    assert kind_of(path, limits=Limits(file_bytes=1000)) == "too_large"


def test_a_pair_becomes_one_file(tmp_path):
    path = itk(tmp_path / "a.mhd", compress=True)
    start = path.read_bytes()
    assert data_file(start, "a.mhd") == "a.zraw"
    (tmp_path / "b.mha").write_bytes(as_one_file(start, "a.mhd") + (tmp_path / "a.zraw").read_bytes())
    one, two = read_label_image(tmp_path / "b.mha"), read_label_image(path)
    np.testing.assert_array_equal(one.labels, two.labels)
    assert one.geometry == two.geometry


def test_tags_of_the_patient_are_not_kept_in_one_file():
    from evaluation.readers.metaimage import as_one_file

    start = (
        b"ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = 1 1 3\n"
        b"0010|0010 = Smith^John\nComment = Smith\nElementDataFile = a.raw\n"
    )
    header = as_one_file(start, "a.mhd")
    assert b"Smith" not in header
    assert b"ElementSpacing = 1 1 3\n" in header
    assert header.endswith(b"ElementDataFile = LOCAL\n")
