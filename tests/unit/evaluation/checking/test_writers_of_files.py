"""Equal predictions, saved by other programs and with the settings of other countries, give the same values in every kind of problem."""

import csv
import io
import re
import shutil
from pathlib import Path

import nibabel
import numpy as np
import pandas as pd
import pytest
import SimpleITK
import skimage.io
import tifffile
from PIL import Image

from evaluation import problems
from evaluation.assessment import parse
from evaluation.checking import Severity
from evaluation.scoring import score_folders

KINDS = tuple(problem.id for problem in problems.scored_problems())
OF_VOLUMES = ("semantic_segmentation", "instance_segmentation", "segmentation_with_confidence")
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
    target.mkdir()
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
    if path.suffix == ".csv" and writer in TABLES:
        return path.name, TABLES[writer](path.read_bytes())
    makers = VOLUMES if path.name.endswith((".nii.gz", ".nii", ".mha", ".nrrd")) else FLAT
    if path.suffix not in (".csv", ".json") and writer in makers:
        saved_image = makers[writer](path)
        return None if saved_image is None else (stem + saved_image[0], saved_image[1])
    return None


@pytest.mark.parametrize("writer", [*TABLES, *VOLUMES, *FLAT])
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
    assert len(tried) >= (7 if writer in TABLES else 3), tried
