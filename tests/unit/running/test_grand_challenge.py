"""Grand Challenge's conventions: what goes in, what is looked for, and mappings that cannot be."""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from evaluation.problems.label_merging import same_grid
from evaluation.readers import read_label_image
from evaluation.readers.intensities import read_intensities
from evaluation.running.as_mha import write_mha
from evaluation.running.grand_challenge import (
    AdapterError,
    ExpectedOutput,
    environment,
    inputs_of_case,
    outputs_of_case,
    read_mapping,
)
from evaluation.running.interface import Socket

EXAMPLE = Path(__file__).parents[3] / "examples" / "hippocampus"
INPUTS = [Socket("t1-mri", "image", ".nii.gz", 3), Socket("age", "json", ".json")]
OUTPUTS = [Socket("segmentation", "label_image", ".mha", 3), Socket("score", "json", ".json", required=False)]
MAPPING = {
    "t1-mri": {"slug": "brain-mri", "relative_path": "images/brain-mri", "super_kind": "Image"},
    "age": {"slug": "age-in-months", "relative_path": "age.json", "super_kind": "Value"},
}
OUT = {
    "segmentation": {"slug": "hippocampus", "relative_path": "images/hippocampus", "super_kind": "Image"},
    "score": {"slug": "score", "relative_path": "score.json", "super_kind": "Value"},
}


def test_inputs_are_laid_out_with_one_image_in_each_folder_and_the_list(tmp_path: Path) -> None:
    age, image = tmp_path / "age.json", EXAMPLE / "references" / "hippocampus_006.nii.gz"
    age.write_text("30")

    laid = inputs_of_case("c1", {"t1-mri": image, "age": age}, INPUTS, read_mapping(MAPPING, INPUTS), tmp_path / "made")

    assert sorted(laid) == ["age.json", "images/brain-mri/c1.mha", "inputs.json"]
    first, second = json.loads(laid["inputs.json"].read_text())
    assert first["interface"]["slug"] == "brain-mri"
    assert first["interface"]["relative_path"] == "images/brain-mri"
    assert first["interface"]["super_kind"] == "Image"
    assert first["image"]["name"] == "c1.mha"
    assert second["value"] == 30
    before, after = read_label_image(image), read_label_image(laid["images/brain-mri/c1.mha"])
    assert np.array_equal(before.labels, after.labels)
    assert same_grid(before.geometry, after.geometry)


def test_an_oblique_grid_keeps_its_place(tmp_path: Path) -> None:
    import nibabel

    turned = np.array([[0.9, -0.3, 0.1, 5], [0.2, 1.1, -0.4, -7], [0.1, 0.3, 2.0, 11], [0, 0, 0, 1]])
    path = tmp_path / "turned.nii.gz"
    nibabel.save(nibabel.Nifti1Image(np.arange(60, dtype=np.int16).reshape(3, 4, 5), turned), path)

    laid = inputs_of_case(
        "c1", {"t1-mri": path}, INPUTS[:1], read_mapping({"t1-mri": MAPPING["t1-mri"]}, INPUTS[:1]), tmp_path
    )
    before, after = read_label_image(path), read_label_image(laid["images/brain-mri/c1.mha"])

    assert np.array_equal(before.labels, after.labels)
    assert np.allclose(before.geometry.affine, after.geometry.affine, atol=1e-5)


def test_an_image_in_a_format_of_theirs_stays_as_it_is_and_keeps_its_ending(tmp_path: Path) -> None:
    slide = tmp_path / "slide.TIF"
    slide.write_bytes(b"II*\0 pixels")

    laid = inputs_of_case(
        "c1", {"t1-mri": slide}, INPUTS[:1], read_mapping({"t1-mri": MAPPING["t1-mri"]}, INPUTS[:1]), tmp_path
    )

    assert laid["images/brain-mri/c1.tif"] == slide


def test_colours_stand_beside_each_other_in_a_voxel(tmp_path: Path) -> None:
    from PIL import Image

    pixels = np.arange(4 * 3 * 3, dtype=np.uint8).reshape(4, 3, 3)
    Image.fromarray(pixels).save(tmp_path / "photo.png")

    content = write_mha(tmp_path / "photo.png", tmp_path / "photo.mha").read_bytes()
    header, _, packed = content.partition(b"LOCAL\n")

    assert b"ElementNumberOfChannels = 3\n" in header
    assert b"DimSize = 3 4\n" in header
    assert zlib.decompress(packed) == pixels.tobytes()


def test_what_a_scale_in_the_header_means_is_written_as_numbers(tmp_path: Path) -> None:
    import nibabel

    image = nibabel.Nifti1Image(np.arange(8, dtype=np.int16).reshape(2, 2, 2), np.eye(4))
    image.header.set_slope_inter(0.5, 10)
    nibabel.save(image, tmp_path / "scaled.nii.gz")

    values = read_intensities(write_mha(tmp_path / "scaled.nii.gz", tmp_path / "scaled.mha")).values

    assert np.array_equal(values, read_intensities(tmp_path / "scaled.nii.gz").values)


def test_outputs_are_the_only_image_of_their_folder_or_a_file() -> None:
    assert outputs_of_case(OUTPUTS, read_mapping(OUT, OUTPUTS)) == [
        ExpectedOutput("segmentation.mha", True, "images/hippocampus", (".mha", ".tif", ".tiff")),
        ExpectedOutput("score.json", False, source="score.json"),
    ]
    assert environment(2**33)["GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB"] == "8192"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"t1-mri": {"slug": "Brain MRI", "relative_path": "images/x", "super_kind": "Image"}}, "no slug"),
        ({"t1-mri": {"slug": "x", "relative_path": "images/../../etc", "super_kind": "Image"}}, "plain relative path"),
        ({"t1-mri": {"slug": "x", "relative_path": "x.mha", "super_kind": "Image"}}, "begin with images/"),
        ({"t1-mri": {"slug": "x", "relative_path": "images/x", "super_kind": "Picture"}}, "was expected"),
        ({"t1-mri": MAPPING["age"]}, "share one slug"),
        ({"t1-mri": None}, "lacks the socket t1-mri"),
        ({"more": {}}, "no socket"),
    ],
)
def test_mappings_that_cannot_be_are_refused(change: dict, says: str) -> None:
    with pytest.raises(AdapterError, match=says):
        read_mapping(MAPPING | change, INPUTS)
