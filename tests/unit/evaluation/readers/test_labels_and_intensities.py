"""From the numbers of a file to labels or real numbers: type, scaling, what is refused, and laying onto the expected grid."""

import numpy as np
import pytest
from PIL import Image

from evaluation.readers import Geometry, LabelImage, ReadError, case_name, check_prediction, read_label_image
from evaluation.readers import fields as fields_module
from evaluation.readers import images as images_module
from evaluation.readers import intensities as intensities_module
from evaluation.readers.errors import REMEDIES, Issue
from evaluation.readers.fields import read_field
from evaluation.readers.header import Header
from evaluation.readers.intensities import IntensityImage, finite, read_intensities, scaled
from evaluation.readers.labels import labels_present, to_labels
from evaluation.readers.limits import DEFAULT, Limits
from tests.unit.evaluation.readers import files

GRID = Geometry((2, 3))


def refused(read, *arguments, **options):
    with pytest.raises(ReadError) as error:
        read(*arguments, **options)
    return error.value.kind, error.value.found, error.value.expected


def labels(numbers, slope=1.0, intercept=0.0, limits=DEFAULT):
    return to_labels(np.asarray(numbers), slope, intercept, "a", limits)


class TestLabels:
    @pytest.mark.parametrize(
        ("highest", "dtype"), [(0, "u1"), (255, "u1"), (256, "u2"), (65_535, "u2"), (65_536, "u4"), (2**31 - 1, "u4")]
    )
    @pytest.mark.parametrize("kind", ["i8", "u8", "f8"])
    def test_they_have_the_smallest_type_that_holds_them(self, highest, dtype, kind):
        label_array = labels(np.array([[0, highest]], dtype=kind))
        assert (label_array.dtype, label_array.tolist()) == (np.dtype(dtype), [[0, highest]])

    def test_bytes_without_scaling_are_taken_as_they_are(self):
        numbers = np.array([[0, 255]], dtype=np.uint8)
        assert labels(numbers) is numbers

    @pytest.mark.parametrize(
        ("slope", "intercept", "expected"),
        [(2.0, 0.0, [2, 6]), (1.0, 1.0, [2, 4]), (1.0, -1.0, [0, 2]), (0.5, 0.5, [1, 2]), (-1.0, 3.0, [2, 0])],
    )
    def test_scaling_gives_labels_if_they_are_whole(self, slope, intercept, expected):
        assert labels(np.array([1, 3], dtype=np.uint8), slope, intercept).tolist() == expected

    @pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite_are_refused(self, odd):
        assert refused(labels, [0.0, odd, 1.0]) == ("not_finite", "NaN or infinity among the voxels", "labels")

    def test_negative_ones_are_refused_with_the_lowest(self):
        assert refused(labels, [0, -1, -12]) == ("negative", "the label -12", "labels from 0 on")
        assert refused(labels, [0.0, -0.25]) == ("negative", "the label -0.25", "labels from 0 on")

    def test_those_above_the_limit_are_refused_with_the_highest(self):
        assert labels([7, 1], limits=Limits(label=7)).tolist() == [7, 1]
        refusal = refused(labels, [7, 8, 1], limits=Limits(label=6))
        assert refusal == ("label_range", "the label 8", "labels up to 6")
        assert refused(labels, [1e12])[1] == "the label 1000000000000"

    def test_the_first_that_is_not_whole_is_told(self):
        words = "the value 2.5, and 50 % of the voxels are no whole numbers"
        assert refused(labels, [[1.0, 2.5], [3.25, 4.0]]) == ("not_integer", words, "whole numbers")

    @pytest.mark.parametrize(("kind", "high"), [("u1", 255), ("u2", 65_535), ("u4", 2**32 - 1), ("i8", 2**40)])
    def test_those_that_occur_are_told_in_order(self, kind, high):
        for numbers in ([high], [high, high], [high, 0, 3, 0], [3, high, 5, 5]):
            assert labels_present(np.array([numbers], dtype=kind)).tolist() == sorted(set(numbers))

    def test_the_first_and_last_voxel_of_a_large_image_count(self):
        for size in (1 << 16, (1 << 16) + 1, (1 << 17) + 1):
            image = np.full(size, 7, dtype=np.uint16)
            image[0], image[-1], image[1 << 15] = 1, 2, 3
            assert labels_present(image).tolist() == [1, 2, 3, 7]


class TestLabelImages:
    def test_labels_have_the_shape_of_their_grid(self):
        assert LabelImage(np.zeros((2, 3)), GRID).geometry is GRID
        with pytest.raises(ValueError, match=r"labels of shape \(3, 2\) do not fit a grid of \(2, 3\)"):
            LabelImage(np.zeros((3, 2)), GRID)

    @pytest.mark.parametrize("suffix", [".nii.gz", ".nii", ".mha", ".nrrd", ".tiff", ".tif", ".png"])
    def test_a_name_has_at_least_one_character_before_its_ending(self, tmp_path, suffix):
        assert case_name(tmp_path / f"x{suffix}") == ("x", suffix)
        assert case_name(tmp_path / f"X.nii{suffix.upper()}") == ("X.nii", suffix)
        assert case_name(tmp_path / suffix) is None

    @pytest.mark.parametrize(
        ("found", "words"),
        [
            ([4], "the label 4"),
            ([5, 4], "the labels 4, 5"),
            ([8, 7, 6, 5, 4], "the labels 4, 5, 6, 7, 8"),
            ([9, 8, 7, 6, 5, 4], "the labels 4, 5, 6, 7, 8 …"),
        ],
    )
    def test_five_labels_that_are_not_allowed_are_named(self, tmp_path, found, words):
        image = np.zeros((4, 5), dtype=np.uint8)
        image[0, 0] = 3
        image.ravel()[2 : 2 + len(found)] = found
        path = files.png(tmp_path / "a.png", image)
        assert refused(read_label_image, path, allowed_labels=[3, 1]) == ("labels", words, "only 0, 1, 3")
        assert read_label_image(path, allowed_labels=[3, 1, *found]).labels.tolist() == image.tolist()
        assert check_prediction(path, None, [3, 1]) == [
            Issue("labels", f"a.png: {words}; expected only 0, 1, 3", REMEDIES["labels"])
        ]

    def test_background_is_always_allowed(self, tmp_path):
        path = files.png(tmp_path / "a.png", np.array([[0, 1], [1, 0]], dtype=np.uint8))
        assert check_prediction(path, None, [1]) == []
        assert refused(read_label_image, path, allowed_labels=[])[1] == "the label 1"

    def test_the_grid_is_the_expected_one_if_there_is_one(self, tmp_path):
        path = files.png(tmp_path / "a.png", np.array([[0, 1], [1, 0]], dtype=np.uint8))
        expected = Geometry((2, 2, 1), (1.0, 1.0, 5.0))
        assert read_label_image(path).geometry == Geometry((2, 2))
        image = read_label_image(path, expected=expected)
        assert (image.geometry, image.labels.tolist()) == (expected, [[[0], [1]], [[1], [0]]])


class TestBrokenReads:
    """The disk or network fails after the header has been read."""

    @pytest.mark.parametrize(
        ("error", "words"), [(OSError(5, "Input/output error"), "Input/output error"), (TimeoutError(), "TimeoutError")]
    )
    def test_it_is_told_by_its_words_or_by_its_kind(self, tmp_path, monkeypatch, error, words):
        def load():
            raise error

        vectors = Header(GRID, load, channels=2)
        monkeypatch.setattr(images_module, "read_header", lambda _path, _limits: Header(GRID, load))
        monkeypatch.setattr(intensities_module, "_header", lambda _path, _limits: Header(GRID, load))
        monkeypatch.setattr(fields_module, "_header", lambda _path, _limits: vectors)
        expected = ("truncated", f"reading failed ({words})", "")
        assert refused(read_label_image, tmp_path / "a.png") == expected
        assert refused(read_intensities, tmp_path / "a.png") == expected
        assert refused(read_field, tmp_path / "a.mha", expected=GRID, convention="voxel") == expected


class TestIntensities:
    @pytest.fixture
    def picture(self, tmp_path):
        pixels = np.arange(60, dtype=np.uint8).reshape(5, 4, 3)
        Image.fromarray(pixels).save(tmp_path / "a.png")
        return tmp_path / "a.png", pixels.transpose(1, 0, 2)

    def test_channels_are_the_last_axis_if_there_is_one_more_than_in_the_grid(self):
        assert IntensityImage(np.zeros((2, 3)), GRID).channels == 1
        assert IntensityImage(np.zeros((2, 3, 5)), GRID).channels == 5
        assert IntensityImage(np.zeros((2, 3, 5)), Geometry((2, 3, 5))).channels == 1

    def test_channels_are_laid_onto_the_expected_grid_one_by_one(self, picture):
        path, pixels = picture
        flat = read_intensities(path, expected=Geometry((4, 5)), channels=3)
        assert (flat.channels, flat.values.tolist()) == (3, pixels.tolist())
        deep = read_intensities(path, expected=Geometry((4, 5, 1)))
        assert (deep.channels, deep.values.tolist()) == (3, pixels[:, :, None].tolist())
        assert deep.geometry == Geometry((4, 5, 1))

    def test_one_number_a_voxel_has_no_axis_of_channels(self, tmp_path):
        path = files.png(tmp_path / "a.png", np.arange(20, dtype=np.uint8).reshape(4, 5))
        for expected in (None, Geometry((4, 5))):
            image = read_intensities(path, expected=expected, channels=1)
            assert (image.channels, image.values.tolist()) == (1, np.arange(20).reshape(4, 5).tolist())
            assert image.values.dtype == np.float64
        assert refused(read_intensities, path, channels=3) == ("channels", "1 numbers a voxel", "3")
        assert refused(read_intensities, path, expected=Geometry((5, 4)))[0] == "axes"

    def test_a_mirrored_volume_is_turned_and_lies_in_one_piece(self, tmp_path):
        numbers = np.arange(120, dtype=np.float32).reshape(4, 5, 6)
        mirrored = files.AFFINE @ np.array([[-1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        expected = read_label_image(files.nifti(tmp_path / "r.nii")).geometry
        image = read_intensities(files.nifti(tmp_path / "a.nii", numbers[::-1].copy(), mirrored), expected=expected)
        assert (image.values.tolist(), image.geometry) == (numbers.tolist(), expected)
        assert image.values.flags.c_contiguous

    @pytest.mark.parametrize(
        ("scale", "expected"),
        [
            ((1.0, 0.0), [0, 1]),
            ((0.5, 0.0), [0, 0.5]),
            ((1.0, -3.0), [-3, -2]),
            ((1.0, 1.0), [1, 2]),
            ((1.0, -1.0), [-1, 0]),
            ((2.0, 1.0), [1, 3]),
        ],
    )
    def test_scaling_of_the_header_is_applied(self, tmp_path, scale, expected):
        image = read_intensities(files.raw_nifti(tmp_path / "a.nii", scale=scale))
        assert image.values[0, 0, :2].tolist() == expected

    def test_without_scaling_numbers_are_not_copied(self):
        values = np.array([0.5, -0.0])
        assert scaled(values, Header(GRID, lambda: values), "a") is values

    def test_a_header_says_nothing_more_than_it_is_given(self):
        header = Header(GRID, lambda: np.zeros(0))
        assert (header.slope, header.intercept, header.channels) == (1.0, 0.0, 1)
        assert (header.intent, header.is_scalar) == (0, False)

    def test_numbers_beyond_floats_after_scaling_are_refused(self, tmp_path):
        numbers = np.full((4, 5, 6), 1e308)
        path = files.raw_nifti(tmp_path / "a.nii", code=64, data=numbers.tobytes(), scale=(100.0, 0.0))
        assert refused(read_intensities, path)[:2] == ("not_finite", "120 voxels are NaN or infinite")
        assert refused(read_label_image, path)[:2] == ("not_finite", "NaN or infinity among the voxels")

    def test_numbers_whose_sum_alone_is_too_large_are_finite(self):
        numbers = np.full(4, 1e308)
        assert finite(numbers, "a").tolist() == numbers.tolist()

    def test_how_many_are_not_finite_is_told(self):
        numbers = np.full(3000, np.nan)
        numbers[0] = 1.0
        assert refused(finite, numbers, "a") == ("not_finite", "2,999 voxels are NaN or infinite", "")
        assert refused(finite, np.array([np.inf, -np.inf, 0]), "a", "numbers")[1] == "2 numbers are NaN or infinite"
        assert refused(finite, np.array([np.nan]), "a")[1] == "1 voxels are NaN or infinite"


class TestWords:
    def test_file_what_was_found_what_was_expected_and_what_helps(self):
        error = ReadError("magic", "a.nii", "this", "that")
        assert (error.message, str(error)) == (
            "a.nii: this; expected that",
            f"a.nii: this; expected that. {REMEDIES['magic']}",
        )
        assert ReadError("magic", "a.nii", "this").message == "a.nii: this"
        assert error.issue == Issue("magic", "a.nii: this; expected that", REMEDIES["magic"])
        function, arguments = error.__reduce__()
        assert function(*arguments).issue == error.issue

    @pytest.mark.parametrize(
        ("name", "of_table"), [("a.CSV", True), ("a.json", True), ("a.parquet", True), ("a.nii", False)]
    )
    def test_what_helps_with_a_table_is_told_of_tables_where_it_differs(self, name, of_table):
        assert (ReadError("format", name, "x").remedy != REMEDIES["format"]) == of_table
        assert ReadError("not_found", name, "x").remedy == REMEDIES["not_found"]


class TestScaling:
    """Whole numbers that nibabel stores with the scaling of another image's header."""

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16"])
    @pytest.mark.parametrize("highest", [1, 2, 3, 7, 118])
    def test_labels_saved_from_get_fdata_with_the_header_of_an_image(self, tmp_path, dtype, highest):
        import nibabel

        data = np.arange(4 * 5 * 6).reshape(4, 5, 6) % (highest + 1)
        header = nibabel.Nifti1Image(data.astype(dtype), np.eye(4)).header
        nibabel.save(nibabel.Nifti1Image(data.astype(float), np.eye(4), header), tmp_path / "a.nii.gz")
        np.testing.assert_array_equal(read_label_image(tmp_path / "a.nii.gz").labels, data)

    @pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16"])
    def test_probabilities_with_a_scaling_are_none(self, tmp_path, dtype):
        import nibabel

        data = np.linspace(0, 1, 4 * 5 * 6).reshape(4, 5, 6)
        header = nibabel.Nifti1Image(data.astype(dtype), np.eye(4)).header
        nibabel.save(nibabel.Nifti1Image(data, np.eye(4), header), tmp_path / "a.nii.gz")
        with pytest.raises(ReadError) as error:
            read_label_image(tmp_path / "a.nii.gz")
        assert error.value.kind == "scaled"
        slope = nibabel.load(tmp_path / "a.nii.gz").dataobj.slope
        assert f"scales stored numbers by {slope}" in error.value.found

    def test_steps_of_one_and_more_have_to_be_exact(self):
        numbers = np.array([[0, 1], [2, 3]], dtype=np.int16)
        assert to_labels(numbers, 2.0, 1.0, "a", Limits()).tolist() == [[1, 3], [5, 7]]
        with pytest.raises(ReadError, match=r"the value 1\.5, and 50 %"):
            to_labels(numbers, 1.5, 0.0, "a", Limits())
