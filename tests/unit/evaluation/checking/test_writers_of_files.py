"""Equal predictions, saved by other programs and with the settings of other countries, give the same values in every kind of problem."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import nibabel
import numpy as np
import pandas as pd
import pycocotools.mask
import pytest
import SimpleITK
import skimage.io
import tifffile
from PIL import Image

from evaluation import problems
from evaluation.assessment import parse
from evaluation.checking import Severity
from evaluation.scoring import score_folders

# pycocotools implements an older protocol of NumPy.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept:DeprecationWarning")

KINDS = tuple(problem.id for problem in problems.scored_problems())
OF_VOLUMES = ("semantic_segmentation", "instance_segmentation", "segmentation_with_confidence", "image_to_image")
DECIMAL = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?")


def nibabel_image(path: Path, *, form: str) -> tuple[str, bytes]:
    source = nibabel.load(path)
    image = nibabel.Nifti1Image(np.asarray(source.dataobj), None)
    image.header.set_xyzt_units("mm")
    # ITK-SNAP writes both matrices with code 1, other programs one of them.
    image.set_sform(source.affine, code=0 if form == "qform" else 1)
    image.set_qform(source.affine, code=0 if form == "sform" else 1)
    return ".nii.gz", saved(image.to_filename, ".nii.gz")


def itk_image(path: Path, ending: str) -> tuple[str, bytes] | None:
    """A new image from the array as nnU-Net writes it, with spacing, origin and direction of the input.

    Four dimensions of a displacement field are left out in other formats, where they have another meaning.
    """
    source = SimpleITK.ReadImage(str(path))
    if source.GetDimension() == 4 and ending != ".nii.gz":
        return None
    image = SimpleITK.GetImageFromArray(
        SimpleITK.GetArrayFromImage(source), isVector=source.GetNumberOfComponentsPerPixel() > 1
    )
    image.CopyInformation(source)
    return ending, saved(lambda target: SimpleITK.WriteImage(image, target), ending)


def nnunet_image(path: Path, reader: str) -> tuple[str, bytes] | None:
    """A segmentation as the two NIfTI writers of nnU-Net v2 save it: `SimpleITKIO` and `NibabelIO`."""
    if reader == "nibabel":
        source = nibabel.load(path)
        return ".nii.gz", saved(nibabel.Nifti1Image(np.asarray(source.dataobj), source.affine).to_filename, ".nii.gz")
    source = SimpleITK.ReadImage(str(path))
    if source.GetDimension() == 4:
        return None
    image = SimpleITK.GetImageFromArray(SimpleITK.GetArrayFromImage(source))
    image.SetSpacing(source.GetSpacing())
    image.SetOrigin(source.GetOrigin())
    image.SetDirection(source.GetDirection())
    return ".nii.gz", saved(lambda target: SimpleITK.WriteImage(image, target, True), ".nii.gz")


def saved(write, ending: str) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"image{ending}"
        write(str(target))
        return target.read_bytes()


def flat_image(path: Path, writer: str) -> tuple[str, bytes]:
    array = np.asarray(Image.open(path)) if path.suffix == ".png" else tifffile.imread(path)
    if writer == "tifffile":
        return ".tif", saved(lambda target: tifffile.imwrite(target, array), ".tif")
    if writer == "scikit-image":
        return ".png", saved(lambda target: skimage.io.imsave(target, array, check_contrast=False), ".png")
    return ".png", saved(Image.fromarray(array).save, ".png")


VOLUMES = {
    "nibabel, both matrices": lambda path: nibabel_image(path, form="both"),
    "nibabel, sform": lambda path: nibabel_image(path, form="sform"),
    "nibabel, qform": lambda path: nibabel_image(path, form="qform"),
    "nnU-Net, SimpleITK": lambda path: nnunet_image(path, "SimpleITK"),
    "nnU-Net, nibabel": lambda path: nnunet_image(path, "nibabel"),
    "SimpleITK, NIfTI": lambda path: itk_image(path, ".nii.gz"),
    "SimpleITK, MetaImage": lambda path: itk_image(path, ".mha"),
    "SimpleITK, NRRD": lambda path: itk_image(path, ".nrrd"),
}
FLAT = {
    writer: lambda path, writer=writer: flat_image(path, writer) for writer in ("scikit-image", "tifffile", "Pillow")
}


def table(content: bytes, *, delimiter: str, comma: bool, encoding: str, first_line: str = "") -> bytes:
    """Write a table as a spreadsheet program of a country does."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    if comma:
        rows = [[cell.replace(".", ",") if DECIMAL.fullmatch(cell) else cell for cell in row] for row in rows]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return (first_line + text.getvalue()).encode(encoding)


def pandas_table(content: bytes) -> bytes:
    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    return frame.to_csv(index=False).encode()


TABLES = {
    "German": lambda content: table(content, delimiter=";", comma=True, encoding="cp1252", first_line="sep=;\r\n"),
    "French": lambda content: table(content, delimiter=";", comma=True, encoding="utf-8-sig"),
    "US": lambda content: table(content, delimiter=",", comma=False, encoding="utf-8-sig"),
    "pandas": pandas_table,
}


def coco_masks(content: bytes, *, compressed: bool) -> bytes:
    """Masks of objects with the counts of pycocotools: compressed as text, or as a list of numbers."""
    document = json.loads(content)
    for entry in document["objects"]:
        segmentation = entry["segmentation"]
        if isinstance(segmentation["counts"], list):
            segmentation = pycocotools.mask.frPyObjects(segmentation, *segmentation["size"])
        mask = pycocotools.mask.decode(segmentation)
        encoded = pycocotools.mask.encode(np.asfortranarray(mask))
        counts = encoded["counts"].decode() if compressed else run_lengths(mask)
        entry["segmentation"] = {"size": [int(size) for size in encoded["size"]], "counts": counts}
    return json.dumps(document).encode()


def run_lengths(mask: np.ndarray) -> list[int]:
    """Numbers of equal pixels in the order of columns, beginning with background."""
    flat = mask.ravel(order="F")
    edges = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff([0, *edges, flat.size]).tolist()
    return [0, *lengths] if flat[0] else lengths


def coco_objects(content: bytes) -> bytes:
    """Boxes of a table as a COCO document."""
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    cases, classes = (sorted({row[column] for row in rows}) for column in ("case", "class"))
    entries = []
    for row in rows:
        x, y, right, lower = (float(row[column]) for column in ("x_min", "y_min", "x_max", "y_max"))
        entries.append(
            {
                "image_id": cases.index(row["case"]),
                "category_id": classes.index(row["class"]),
                "bbox": [x, y, right - x, lower - y],
                "score": float(row["score"]),
            }
        )
    images = [{"id": number, "file_name": f"test/{case}.png"} for number, case in enumerate(cases)]
    categories = [{"id": number, "name": name} for number, name in enumerate(classes)]
    return json.dumps({"images": images, "categories": categories, "annotations": entries}).encode()


MASKS = {
    "pycocotools": lambda content: coco_masks(content, compressed=True),
    "COCO, plain counts": lambda content: coco_masks(content, compressed=False),
}
OBJECTS = "COCO, boxes"


@pytest.fixture(scope="module")
def challenges(tmp_path_factory):
    """One small challenge per kind, with the rows of its first algorithm."""
    made = {}
    for kind in KINDS:
        folder, tmp = tmp_path_factory.mktemp(kind), tmp_path_factory.mktemp(f"{kind}-volumes")
        document = problems.get(kind).samples.write_challenge(folder, cases=4)
        assessment = parse(document)
        source = min(path for path in (folder / "predictions").iterdir() if path.is_dir())
        made[kind] = (assessment, folder / "references", source, rows_of(assessment, folder / "references", source))
        if kind in OF_VOLUMES:
            as_volumes(folder / "references", tmp / "references")
            as_volumes(source, tmp / "predictions")
            expected = rows_of(assessment, tmp / "references", tmp / "predictions")
            made[f"{kind}, volumes"] = (assessment, tmp / "references", tmp / "predictions", expected)
    return made


def as_volumes(source: Path, target: Path) -> None:
    """Write label images as volumes of four slices on an oblique grid; copy all other files."""
    target.mkdir(parents=True)
    turn = np.deg2rad(20)
    affine = np.array(
        [
            [-0.9 * np.cos(turn), 0.9 * np.sin(turn), 0, 31.7],
            [-0.9 * np.sin(turn), -0.9 * np.cos(turn), 0, -12.3],
            [0, 0, 2.5, 104.1],
            [0, 0, 0, 1],
        ]
    )
    for path in source.iterdir():
        if path.is_dir():
            as_volumes(path, target / path.name)
            continue
        if path.suffix != ".png":
            shutil.copy(path, target / path.name)
            continue
        labels = np.asarray(Image.open(path)).T
        image = nibabel.Nifti1Image(np.repeat(labels[:, :, None], 4, axis=2), affine)
        image.header.set_xyzt_units("mm")
        image.to_filename(target / f"{path.stem}.nii.gz")


def rows_of(assessment, references, predictions):
    scored = score_folders(assessment, references, {"a": predictions})
    refused = [finding.sentence for finding in scored.findings["a"] if finding.severity is Severity.REJECT]
    assert not scored.reasons
    assert not refused
    assert not scored.unexpected
    assert not scored.unread
    return [(row.case, row.region, row.metric, row.value, str(row.outcome)) for row in scored.rows]


def written(path: Path, writer: str) -> tuple[str, bytes] | None:
    """Name and content of a file by another program; None if that program does not write such files."""
    stem = path.name.partition(".")[0]
    if path.suffix == ".json" and writer in MASKS and "objects" in json.loads(path.read_bytes()):
        return path.name, MASKS[writer](path.read_bytes())
    if path.name == "objects.csv" and writer == OBJECTS:
        return "objects.json", coco_objects(path.read_bytes())
    if path.suffix == ".csv" and writer in TABLES:
        return path.name, TABLES[writer](path.read_bytes())
    makers = VOLUMES if path.name.endswith((".nii.gz", ".nii", ".mha", ".nrrd")) else FLAT
    if path.suffix not in (".csv", ".json") and writer in makers:
        saved_image = makers[writer](path)
        return None if saved_image is None else (stem + saved_image[0], saved_image[1])
    return None


WRITERS = (*TABLES, *VOLUMES, *FLAT, *MASKS, OBJECTS)
KINDS_OF_WRITER = dict.fromkeys(TABLES, 9) | dict.fromkeys(VOLUMES, 4) | dict.fromkeys(FLAT, 4)
"""Smallest number of kinds whose predictions a writer saves; one for writers of a single kind."""


def test_every_kind_has_its_writers(challenges):
    """Volumes and pictures by all programs for images, tables by all programs for tables, masks and boxes by COCO's."""
    of_kind = {
        kind: {writer for writer in WRITERS for path in source.rglob("*") if path.is_file() and written(path, writer)}
        for kind, (_, _, source, _) in challenges.items()
    }
    assert set(KINDS) <= set(of_kind)
    for kind, writers in of_kind.items():
        families = [set(family) <= writers for family in (TABLES, VOLUMES, FLAT, MASKS)]
        if kind == "registration":
            families.append({"nibabel, sform", "nibabel, qform", "SimpleITK, NIfTI", "nnU-Net, nibabel"} <= writers)
        assert any(families), (kind, writers)
    assert OBJECTS in of_kind["object_detection"]
    for kind in OF_VOLUMES:
        assert set(VOLUMES) <= of_kind[f"{kind}, volumes"]


@pytest.mark.parametrize("writer", WRITERS)
def test_equal_predictions_have_equal_values(challenges, tmp_path, writer):
    tried = []
    for kind, (assessment, references, source, expected) in challenges.items():
        target = tmp_path / kind
        target.mkdir()
        changed = 0
        for path in sorted(file for file in source.rglob("*") if file.is_file()):
            other = written(path, writer)
            changed += other is not None
            if other is None:
                shutil.copy(path, target / path.name)
            else:
                (target / other[0]).write_bytes(other[1])
        if changed:
            tried.append(kind)
            assert rows_of(assessment, references, target) == expected, (kind, writer)
    assert len(tried) >= KINDS_OF_WRITER.get(writer, 1), tried
