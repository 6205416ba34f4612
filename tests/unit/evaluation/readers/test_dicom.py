"""DICOM series and segmentations are read like SimpleITK and highdicom read them, and never show who was examined."""

import struct
import zipfile
from io import BytesIO

import highdicom
import numpy as np
import pydicom
import pytest
import SimpleITK
from pydicom.uid import (
    DeflatedExplicitVRLittleEndian,
    ExplicitVRBigEndian,
    ImplicitVRLittleEndian,
    JPEGLSLossless,
    RLELossless,
    generate_uid,
)

from docs.correctness import dicom_cases as dicom_files
from docs.correctness.dicom_cases import VALUES, blocks, segmentation, write_segmentation, write_series
from evaluation.readers import Limits, ReadError, check_prediction, dicom, read_geometry, read_label_image
from evaluation.readers.intensities import read_intensities


def with_itk(folder):
    reader = SimpleITK.ImageSeriesReader()
    reader.SetFileNames(reader.GetGDCMSeriesFileNames(str(folder)))
    image = reader.Execute()
    affine = np.eye(4)
    affine[:3, :3] = np.reshape(image.GetDirection(), (3, 3)) * image.GetSpacing()
    affine[:3, 3] = image.GetOrigin()
    return SimpleITK.GetArrayFromImage(image).T.astype(float), np.diag([-1.0, -1.0, 1.0, 1.0]) @ affine


def kind_of(path, read=read_label_image, **options):
    with pytest.raises(ReadError) as caught:
        read(path, **options)
    assert "Secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value.kind


TURNED = (np.cos(0.3), np.sin(0.3), 0.0), (-np.sin(0.3) * np.cos(0.2), np.cos(0.3) * np.cos(0.2), np.sin(0.2))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"intercept": 0.0},
        {"slope": 0.5, "intercept": 3.25},
        {"row": (0, 1, 0), "column": (0, 0, -1)},
        {"row": (-1, 0, 0), "column": (0, 1, 0)},
        {"row": (1, 0, 0), "column": (0, 0, -1)},
        {"row": TURNED[0], "column": TURNED[1]},
        {"syntax": ImplicitVRLittleEndian},
        {"syntax": ExplicitVRBigEndian},
        {"dtype": "<u2"},
        {"dtype": "u1"},
    ],
    ids=lambda options: ", ".join(f"{name} {value}" for name, value in options.items()) or "plain",
)
def test_a_series_is_read_as_itk_reads_it(tmp_path, options):
    values = np.abs(VALUES) % 200 if "dtype" in options else VALUES
    write_series(tmp_path / "a", values, **options)
    image = read_intensities(tmp_path / "a")
    voxels, affine = with_itk(tmp_path / "a")
    np.testing.assert_array_equal(image.values, voxels)
    np.testing.assert_allclose(image.geometry.affine, affine, atol=1e-6)


def test_run_lengths_are_read(tmp_path):
    for number, dataset in enumerate(dicom_files.series()):
        dataset.compress(RLELossless)
        (tmp_path / "a").mkdir(exist_ok=True)
        dataset.save_as(tmp_path / "a" / f"{number}.dcm", enforce_file_format=True)
    np.testing.assert_array_equal(read_intensities(tmp_path / "a").values, VALUES - 1000.0)


def test_each_slice_has_its_own_scale(tmp_path):
    datasets = dicom_files.series()
    (tmp_path / "a").mkdir()
    for number, dataset in enumerate(datasets):
        dataset.RescaleSlope = 1.0 + number
        dataset.save_as(tmp_path / "a" / f"{number}", enforce_file_format=True)
    expected = VALUES * np.arange(1.0, 7.0) - 1000
    np.testing.assert_array_equal(read_intensities(tmp_path / "a").values, expected)


def test_a_packed_folder_is_read_like_the_folder(tmp_path):
    write_series(tmp_path / "a")
    files = [(path.name, lambda path=path: path.open("rb")) for path in (tmp_path / "a").iterdir()]
    packed = dicom.pack(files, tmp_path / "b.dcm")
    folder, file = read_intensities(tmp_path / "a"), read_intensities(packed)
    np.testing.assert_array_equal(folder.values, file.values)
    assert folder.geometry == file.geometry
    again = dicom.pack(reversed(files), tmp_path / "c.dcm")
    assert packed.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("kind", ["BINARY", "LABELMAP"])
@pytest.mark.parametrize("omit", [True, False])
def test_a_segmentation_is_read_as_highdicom_reads_it(tmp_path, kind, omit):
    source = write_series(tmp_path / "a")
    path = write_segmentation(tmp_path / "b.dcm", blocks(), source, kind=kind, omit=omit)
    image = read_label_image(path)
    volume = highdicom.seg.segread(path).get_volume(combine_segments=True, skip_overlap_checks=True, relabel=False)
    theirs = np.swapaxes(volume.array, 0, 2)
    if volume.affine[2, 0] < 0:  # highdicom counts slices down here
        theirs = theirs[:, :, ::-1]
    np.testing.assert_array_equal(image.labels, theirs)
    grid = read_geometry(tmp_path / "a")
    on_grid = read_label_image(path, expected=grid)
    np.testing.assert_array_equal(on_grid.labels, blocks())
    assert on_grid.geometry == grid


@pytest.mark.parametrize(("row", "column"), [TURNED, ((0, 1, 0), (0, 0, -1))])
def test_a_segmentation_is_laid_on_an_oblique_grid(tmp_path, row, column):
    source = write_series(tmp_path / "a", row=row, column=column)
    path = write_segmentation(tmp_path / "b.dcm", blocks(), source)
    image = read_label_image(path, expected=read_geometry(tmp_path / "a"))
    np.testing.assert_array_equal(image.labels, blocks())


def test_a_segmentation_of_one_plane_gets_the_distance_of_the_grid(tmp_path):
    labels = np.zeros((4, 5, 6), dtype=np.uint8)
    labels[1, 1, 3] = 1
    path = write_segmentation(tmp_path / "b.dcm", labels, write_series(tmp_path / "a"))
    np.testing.assert_array_equal(read_label_image(path, expected=read_geometry(tmp_path / "a")).labels, labels)


def test_a_segmentation_next_to_its_series_has_the_grid_of_the_series(tmp_path):
    source = write_series(tmp_path / "a" / "CT")
    write_segmentation(tmp_path / "a" / "SEG" / "1.dcm", blocks(), source)
    image = read_label_image(tmp_path / "a")
    np.testing.assert_array_equal(image.labels, blocks())
    assert image.geometry == read_intensities(tmp_path / "a").geometry


def test_many_segments_do_not_start_at_whole_bytes(tmp_path):
    values = np.zeros((7, 3, 9), dtype=np.int16)
    labels = np.random.default_rng(1).integers(0, 12, values.shape).astype(np.uint8)
    labels[0, 0, 0] = 11
    path = write_segmentation(tmp_path / "b.dcm", labels, write_series(tmp_path / "a", values))
    np.testing.assert_array_equal(read_label_image(path).labels, labels)


def test_overlapping_segments_have_no_label(tmp_path):
    source = write_series(tmp_path / "a")
    masks = np.zeros((4, 5, 6, 2), dtype=np.uint8)
    masks[1:3, 1:3, 2, :] = 1
    array = np.ascontiguousarray(masks.transpose(2, 1, 0, 3))
    one = segmentation(blocks(), source)
    overlapping = highdicom.seg.Segmentation(
        source_images=source,
        pixel_array=array,
        segmentation_type="BINARY",
        segment_descriptions=[one.get_segment_description(number) for number in (1, 2)],
        series_instance_uid=generate_uid(),
        series_number=2,
        sop_instance_uid=generate_uid(),
        instance_number=1,
        manufacturer="none",
        manufacturer_model_name="none",
        software_versions="1",
        device_serial_number="1",
    )
    overlapping.save_as(tmp_path / "b.dcm")
    with pytest.raises(ReadError, match="segments that overlap in 4 voxels") as caught:
        read_label_image(tmp_path / "b.dcm")
    assert caught.value.kind == "overlap"


def test_a_fractional_segmentation_is_refused(tmp_path):
    path = write_segmentation(tmp_path / "b.dcm", blocks(), write_series(tmp_path / "a"), kind="FRACTIONAL")
    assert kind_of(path) == "not_integer"


def test_a_segmentation_has_no_intensities(tmp_path):
    path = write_segmentation(tmp_path / "b.dcm", blocks(), write_series(tmp_path / "a"))
    assert kind_of(path, read_intensities) == "not_found"


# Refusals -------------------------------------------------------------------------------------------------------------


def changed(folder, change, values=VALUES):
    """Write a series after a change of its datasets."""
    datasets = dicom_files.series(values)
    folder.mkdir()
    for number, dataset in enumerate(change(datasets) or datasets):
        dataset.save_as(folder / f"{number}.dcm", enforce_file_format=True)
    return folder


def setting(number=None, **values):
    def change(datasets):
        for dataset in datasets if number is None else [datasets[number]]:
            for name, value in values.items():
                setattr(dataset, name, value)

    return change


def removing(*names):
    def change(datasets):
        for dataset in datasets:
            for name in names:
                delattr(dataset, name)

    return change


def tilted(datasets):
    for number, dataset in enumerate(datasets):
        dataset.ImagePositionPatient = [-10.0, 20.0 + 0.5 * number, 5.0 + 2.5 * number]


HOSTILE = {
    "a slice is missing": (lambda datasets: datasets[:2] + datasets[3:], "spacing"),
    "two slices at one position": (setting(3, ImagePositionPatient=[-10.0, 20.0, 10.0]), "dimensions"),
    "a slice turned": (setting(2, ImageOrientationPatient=[0.0, 1.0, 0.0, -1.0, 0.0, 0.0]), "orientation"),
    "a tilted gantry": (tilted, "orientation"),
    "another voxel size": (setting(1, PixelSpacing=[1.0, 1.0]), "spacing"),
    "no voxel size": (removing("PixelSpacing"), "spacing"),
    "no position": (removing("ImagePositionPatient"), "orientation"),
    "no orientation": (removing("ImageOrientationPatient"), "orientation"),
    "axes that are not perpendicular": (setting(ImageOrientationPatient=[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]), "header"),
    "axes without length": (setting(ImageOrientationPatient=[0.0] * 6), "header"),
    "two series": (setting(1, SeriesInstanceUID="1.2.3"), "duplicate"),
    "another size": (setting(1, Rows=4), "dimensions"),
    "a huge size": (setting(Rows=65535, Columns=65535), "truncated"),
    "no rows": (setting(Rows=0), "header"),
    "colours": (setting(SamplesPerPixel=3), "dimensions"),
    "64 bits": (setting(BitsAllocated=64), "datatype"),
    "one bit": (setting(BitsAllocated=1), "datatype"),
    "a huge number of frames": (setting(NumberOfFrames=2_000_000_000), "too_large"),
    "frames without positions": (setting(NumberOfFrames=2, Rows=2), "dimensions"),
    "voxels that end early": (setting(PixelData=b"\0\0"), "truncated"),
    "no voxels": (removing("PixelData"), "truncated"),
    "a voxel size of 0": (setting(PixelSpacing=[0.0, 0.0]), "header"),
    "signs that differ": (setting(1, PixelRepresentation=0), "datatype"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_series_that_is_no_volume_is_refused(tmp_path, name):
    change, kind = HOSTILE[name]
    assert kind_of(changed(tmp_path / "a", change), read_intensities) == kind


@pytest.mark.parametrize("syntax", [DeflatedExplicitVRLittleEndian, JPEGLSLossless, "1.2.3.4"])
def test_other_compressions_are_named(tmp_path, syntax):
    write_series(tmp_path / "a")
    for path in (tmp_path / "a").iterdir():
        content = path.read_bytes()
        start = content.index(b"\x02\x00\x10\x00UI")
        (length,) = struct.unpack_from("<H", content, start + 6)
        value = str(syntax).encode()
        value += b"\0" * (len(value) % 2)
        head = content[: start + 6] + struct.pack("<H", len(value)) + value
        path.write_bytes(head + content[start + 8 + length :])
    assert kind_of(tmp_path / "a", read_intensities) == "compression"


def test_limits_hold_before_voxels_are_read(tmp_path):
    write_series(tmp_path / "a")
    assert kind_of(tmp_path / "a", read_intensities, limits=Limits(decoded_bytes=100)) == "too_large"
    assert kind_of(tmp_path / "a", read_intensities, limits=Limits(file_bytes=1000)) == "too_large"


@pytest.mark.parametrize("seed", range(40))
def test_damaged_bytes_give_labels_or_one_error(tmp_path, seed):
    path = write_segmentation(tmp_path / "b.dcm", blocks(), dicom_files.series())
    content = bytearray(path.read_bytes())
    generator = np.random.default_rng(seed)
    if seed % 4 == 0:
        content = content[: int(generator.integers(1, len(content)))]
    else:
        for place in generator.integers(132, len(content), 1 + seed % 7):
            content[place] = int(generator.integers(256))
    path.write_bytes(bytes(content))
    issues = check_prediction(path, None, limits=Limits(decoded_bytes=1 << 24))
    assert all("Secret" not in issue.message for issue in issues)
    if not issues:
        image = read_label_image(path)
        assert image.labels.shape == image.geometry.shape


def test_nested_sequences_without_end_are_refused(tmp_path):
    dataset = dicom_files.series()[0]
    buffer = BytesIO()
    pydicom.dcmwrite(buffer, dataset, enforce_file_format=True)
    content = buffer.getvalue()
    start = content.index(b"\xe0\x7f\x10\x00")
    # A sequence of undefined length, in which another one begins, ten thousand times.
    nested = b"\x00\x52\x29\x92SQ\0\0\xff\xff\xff\xff\xfe\xff\x00\xe0\xff\xff\xff\xff" * 10_000
    (tmp_path / "a.dcm").write_bytes(content[:start] + nested)
    assert kind_of(tmp_path / "a.dcm") in ("header", "truncated")


def test_an_archive_that_expands_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.dcm", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.dcm", bytes(50_000_000))
    assert kind_of(tmp_path / "a.dcm") == "header"


def packed_series(tmp_path):
    write_series(tmp_path / "a")
    return dicom.pack(
        [(path.name, lambda path=path: path.open("rb")) for path in (tmp_path / "a").iterdir()], tmp_path / "b.dcm"
    )


def test_the_directory_of_a_packed_folder_is_read_once(tmp_path, monkeypatch):
    packed = packed_series(tmp_path)
    readings = []
    read = zipfile.ZipFile._RealGetContents
    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", lambda self: (readings.append(1), read(self)))
    np.testing.assert_array_equal(read_intensities(packed).values, read_intensities(tmp_path / "a").values)
    assert len(readings) == 1


def test_a_damaged_file_of_a_packed_folder_is_refused(tmp_path):
    packed = packed_series(tmp_path)
    content = bytearray(packed.read_bytes())
    for place in (0, content.find(b"DICM")):  # the local header, and the file itself
        damaged = content.copy()
        damaged[place + 3] ^= 1
        if not place:
            damaged[26] ^= 1  # the length of the name; the beginning stays that of an archive
            damaged[3] ^= 1
        packed.write_bytes(damaged)
        with pytest.raises(ReadError, match="a damaged file inside"):
            read_intensities(packed)


def test_a_folder_without_dicom_files_is_named(tmp_path):
    (tmp_path / "a.dcm").mkdir()
    (tmp_path / "a.dcm" / "notes.txt").write_text("nothing")
    assert kind_of(tmp_path / "a.dcm") == "not_found"


def test_links_are_not_followed(tmp_path):
    write_series(tmp_path / "elsewhere")
    (tmp_path / "a.dcm").mkdir()
    (tmp_path / "a.dcm" / "1.dcm").symlink_to(next((tmp_path / "elsewhere").iterdir()))
    assert kind_of(tmp_path / "a.dcm") == "not_found"


def test_nothing_about_the_patient_is_written_or_logged(tmp_path, caplog, recwarn):
    from evaluation.running.as_mha import write_plain

    datasets = dicom_files.series()
    for dataset in datasets:
        dataset.PatientBirthDate = "Secret no date"
    (tmp_path / "a").mkdir()
    for number, dataset in enumerate(datasets):
        dataset.save_as(tmp_path / "a" / f"{number}.dcm", enforce_file_format=True)
    recwarn.clear()
    target = write_plain(tmp_path / "a", tmp_path / "b.mha", labels=False)
    assert b"Secret" not in target.read_bytes()
    assert not caplog.records
    assert not recwarn.list
    np.testing.assert_array_equal(read_intensities(target).values, with_itk(tmp_path / "a")[0])
    assert read_intensities(target).geometry == read_intensities(tmp_path / "a").geometry


def file_meta_with(content, element):
    """Insert an entry of group 2 after the transfer syntax of a DICOM file."""
    at = content.index(b"\x02\x00\x10\x00UI")
    end = at + 8 + int.from_bytes(content[at + 6 : at + 8], "little")
    return content[:end] + element + content[end:]


@pytest.mark.parametrize(
    "element",
    [
        b"\x02\x00\x10\x00UI\x16\x001.2.840.10008.1.2.1.99",
        b"\x02\x00\x10\x00UI\x16\x001.2.840.10008.1.2.4.50",
        b"\x02\x00\x11\x00SQ\x00\x00\xff\xff\xff\xff",
        b"\x02\x00\x11\x00OW\x00\x00\x00\x00\x00\x70",
    ],
)
def test_a_second_transfer_syntax_hides_nothing(tmp_path, element):
    """The library would use the last one, which the check of the first does not see."""
    write_series(tmp_path / "case")
    path = min((tmp_path / "case").iterdir())
    path.write_bytes(file_meta_with(path.read_bytes(), element))
    assert kind_of(path) == "header"


def test_a_packed_folder_with_damaged_bytes_is_one_error(tmp_path):
    write_series(tmp_path / "case")
    files = [(path.name, lambda path=path: path.open("rb")) for path in sorted((tmp_path / "case").iterdir())]
    packed = dicom.pack(files, tmp_path / "case.dcm")
    content = bytearray(packed.read_bytes())
    content[600] ^= 0xFF  # the archive states another check sum for these bytes
    packed.write_bytes(content)
    assert kind_of(packed) in ("header", "truncated", "magic")


def test_positions_that_no_scanner_has_are_refused(tmp_path):
    path = changed(tmp_path / "case", setting(ImagePositionPatient=["1.7e308", "0", "0"]))
    assert kind_of(path) == "header"
