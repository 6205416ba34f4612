"""Makes `readers.md`: what the image readers of `evaluation` read, compared with nibabel, SimpleITK and highdicom, file by file.

Run from the top of the repository:

    python -m docs.correctness.make_readers
"""
# ruff: noqa: INP001

from __future__ import annotations

import gzip
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import highdicom
import nibabel
import numpy as np
import SimpleITK

from docs.correctness import dicom_cases
from evaluation.readers import read_geometry, read_label_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

HERE: Final = Path(__file__).parent
LABELS: Final = (np.arange(4 * 5 * 6).reshape(4, 5, 6) % 7).astype(np.uint8)
"""Seven labels on a grid with three different sizes, so that no exchange of axes goes unseen."""
AFFINE: Final = np.array([[0.8, 0, 0, -10], [0, 0.9, 0, 20], [0, 0, 2.5, 5], [0, 0, 0, 1.0]])
TO_LPS: Final = np.diag([-1.0, -1.0, 1.0, 1.0])
NEAR: Final = 1e-4
"""Millimetres; headers of NIfTI-1 keep places in 32 bits."""

TYPES: Final = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "float64")
ANGLE: Final = 0.3
SYNTAXES: Final = {
    "1.2.840.10008.1.2": "implicit, little-endian",
    "1.2.840.10008.1.2.1": "explicit, little-endian",
    "1.2.840.10008.1.2.2": "explicit, big-endian",
}
"""Transfer syntaxes."""
_COS, _SIN = float(np.cos(ANGLE)), float(np.sin(ANGLE))
DIRECTIONS: Final = {
    "axial": ((1, 0, 0), (0, 1, 0)),
    "coronal": ((1, 0, 0), (0, 0, -1)),
    "sagittal": ((0, 1, 0), (0, 0, -1)),
    "axial, turned by half": ((-1, 0, 0), (0, -1, 0)),
    "axial, seen from above": ((-1, 0, 0), (0, 1, 0)),
    "oblique": ((_COS, _SIN, 0), (-_SIN * _COS, _COS * _COS, _SIN)),
}
"""Directions of rows and columns of DICOM images."""


class Sample(NamedTuple):
    """One file: its group and what is special about it, its name, and how to write it."""

    group: str
    words: str
    name: str
    write: Callable[[Path], None]


class Reading(NamedTuple):
    """Image as read by a library.

    Contains the voxels by x, y, z, their size, and the positions of the corners in mm (right, front, up).
    """

    voxels: NDArray[Any]
    spacing: NDArray[np.float64]
    corners: NDArray[np.float64]


def nifti(
    path: Path, labels: NDArray[Any] = LABELS, affine: NDArray[np.float64] = AFFINE, *, order: str = "<",
    version: int = 1, quaternion: bool = False, slope: tuple[float, float] | None = None,
) -> None:  # fmt: skip
    """Write with nibabel."""
    kind = nibabel.Nifti1Image if version == 1 else nibabel.Nifti2Image
    header = kind.header_class(endianness=order)
    header.set_data_dtype(labels.dtype)
    image = kind(labels, affine, header, dtype=labels.dtype)
    if quaternion:
        image.set_sform(None, 0)
        image.set_qform(affine, 1)
    if slope is None:
        nibabel.save(image, path)
        return
    plain = path.with_name("plain.nii")
    nibabel.save(image, plain)
    content = bytearray(plain.read_bytes())
    content[112:120] = np.array(slope, dtype="<f4").tobytes()
    path.write_bytes(gzip.compress(bytes(content)) if path.suffix == ".gz" else bytes(content))


def itk(
    path: Path, labels: NDArray[Any] = LABELS, affine: NDArray[np.float64] = AFFINE, *, compress: bool = False
) -> None:
    """Write with SimpleITK, whose arrays have z first and whose places run to the left and to the back."""
    image = SimpleITK.GetImageFromArray(np.ascontiguousarray(labels.T))
    places = TO_LPS @ affine
    spacing = np.sqrt((places[:3, :3] ** 2).sum(axis=0))
    image.SetSpacing(spacing.tolist())
    image.SetDirection((places[:3, :3] / spacing).ravel().tolist())
    image.SetOrigin(places[:3, 3].tolist())
    SimpleITK.WriteImage(image, str(path), useCompression=compress)


def freesurfer(path: Path, labels: NDArray[Any] = LABELS, affine: NDArray[np.float64] = AFFINE) -> None:
    """Write with nibabel."""
    nibabel.save(nibabel.MGHImage(labels, affine), path)


def dicom_series(path: Path, labels: NDArray[Any] = LABELS, **options: Any) -> None:
    """Write a folder with pydicom."""
    dicom_cases.write_series(path, labels, **{"intercept": 0.0, **options})


def rotation(angle: float, axis: int = 2) -> NDArray[np.float64]:
    """An affine that turns the grid of `AFFINE` about one axis."""
    first, second = ((1, 2), (2, 0), (0, 1))[axis]
    turned = np.eye(4)
    turned[[first, first, second, second], [first, second, first, second]] = (
        np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle),
    )  # fmt: skip
    return np.asarray(turned @ AFFINE)


def orientations() -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield affines with permuted and flipped axes, and oblique ones."""
    for axes in ((0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0)):
        for flips in ((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (-1, -1, -1)):
            change = np.zeros((4, 4))
            change[3, 3] = 1
            for column, (axis, flip) in enumerate(zip(axes, flips, strict=True)):
                change[axis, column] = flip
            yield (
                f"stored as {''.join('-+'[flip > 0] + 'xyz'[axis] for axis, flip in zip(axes, flips, strict=True))}",
                (AFFINE @ change),
            )
    yield "oblique about z", rotation(ANGLE)
    yield "oblique about x and y", rotation(ANGLE, 0) @ np.linalg.inv(AFFINE) @ rotation(-ANGLE, 1)
    yield "half a turn about y", rotation(np.pi, 1)


def samples() -> list[Sample]:
    """Every file of the table."""
    files = [
        Sample("version", f"NIfTI-{version}", f"a{ending}", lambda path, v=version: nifti(path, version=v))
        for version, ending in product((1, 2), (".nii", ".nii.gz"))
    ]
    files += [
        Sample("compression", words, f"a{ending}", lambda path, c=compress: itk(path, compress=c))
        for ending in (".mha", ".mhd", ".nrrd")
        for compress, words in ((False, "not compressed"), (True, "compressed"))
    ]
    for kind in TYPES:
        for order, words in (("<", "little-endian"), (">", "big-endian")):
            files.append(
                Sample(
                    "data type",
                    f"{kind}, {words}",
                    "a.nii.gz",
                    lambda path, k=kind, o=order: nifti(path, LABELS.astype(k), order=o),
                )
            )
    for ending, kind in product((".mha", ".mhd", ".nrrd"), TYPES):
        files.append(Sample("data type", kind, f"a{ending}", lambda path, k=kind: itk(path, LABELS.astype(k))))
    for ending, kind in product((".mgz", ".mgh"), ("uint8", "int16", "int32", "float32")):
        files.append(Sample("data type", kind, f"a{ending}", lambda path, k=kind: freesurfer(path, LABELS.astype(k))))
    for kind in ("uint8", "int16", "uint16"):
        files.append(Sample("data type", kind, "a.dcm", lambda path, k=kind: dicom_series(path, dtype=k)))
    for slope in ((1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.5, 3.0), (0.0, 7.0)):
        files.append(
            Sample(
                "scaling",
                f"slope {slope[0]:g}, intercept {slope[1]:g}",
                "a.nii.gz",
                lambda path, s=slope: nifti(path, LABELS * 2, slope=s),
            )
        )
    for words, affine in orientations():
        files.append(
            Sample("orientation", f"{words}, by matrix", "a.nii.gz", lambda path, a=affine: nifti(path, affine=a))
        )
        files.append(
            Sample(
                "orientation",
                f"{words}, by quaternion",
                "a.nii.gz",
                lambda path, a=affine: nifti(path, affine=a, quaternion=True),
            )
        )
        files += [
            Sample("orientation", words, f"a{ending}", lambda path, a=affine: itk(path, affine=a))
            for ending in (".mha", ".nrrd")
        ]
        files.append(Sample("orientation", words, "a.mgz", lambda path, a=affine: freesurfer(path, affine=a)))
    return files + series_samples()


def series_samples() -> list[Sample]:
    """Series of DICOM files by their ways to store numbers, and by the directions of rows and columns."""
    files = [
        Sample("DICOM series", words, "a.dcm", lambda path, s=syntax: dicom_series(path, syntax=s))
        for syntax, words in SYNTAXES.items()
    ]
    files += [
        Sample(
            "DICOM series",
            f"slope {slope:g}, intercept {intercept:g}",
            "a.dcm",
            lambda path, s=slope, i=intercept: dicom_series(path, LABELS * 2, slope=s, intercept=i),
        )
        for slope, intercept in ((1.0, 4.0), (2.0, 0.0), (0.5, 3.0))
    ]
    files += [
        Sample("DICOM series", words, "a.dcm", lambda path, d=directions: dicom_series(path, row=d[0], column=d[1]))
        for words, directions in DIRECTIONS.items()
    ]
    return files


def segmentations() -> Iterator[tuple[str, str]]:
    """Yield what is special about a DICOM segmentation, and the agreement of its reading with highdicom's."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, omits, (words, directions) in product(("BINARY", "LABELMAP"), (True, False), DIRECTIONS.items()):
            target = Path(tempfile.mkdtemp(dir=folder))
            row, column = directions
            source = dicom_cases.write_series(target / "series", row=row, column=column)
            path = dicom_cases.write_segmentation(target / "a.dcm", dicom_cases.blocks(), source, kind=kind, omit=omits)
            planes = "empty planes omitted" if omits else "all planes"
            on_grid = read_label_image(path, expected=read_geometry(target / "series")).labels
            with_highdicom = read_with_highdicom(path)
            ours = agreement(read_with_podium(path), with_highdicom)
            if not np.array_equal(on_grid, dicom_cases.blocks()):
                ours = "differs on the grid of its series"
            yield f"{kind.lower()}, {planes}, {words}", ours


def read_with_highdicom(path: Path) -> Reading:
    """Return the labels as read by highdicom, with planes in the order of the normal of their rows and columns."""
    volume = highdicom.seg.segread(path).get_volume(combine_segments=True, relabel=False)
    matrix = np.array(volume.affine)
    array = np.swapaxes(np.asarray(volume.array), 0, 2)
    affine = matrix[:, [2, 1, 0, 3]]
    if np.cross(affine[:3, 0], affine[:3, 1]) @ affine[:3, 2] < 0:
        array = array[:, :, ::-1]
        affine[:3, 3] += affine[:3, 2] * (array.shape[2] - 1)
        affine[:3, 2] *= -1
    spacing = np.sqrt((affine[:3, :3] ** 2).sum(axis=0))
    return Reading(array, spacing, _corners(TO_LPS @ affine, array.shape))


def read_with_podium(path: Path) -> Reading:
    """Return the image as read by `evaluation.readers`."""
    image = read_label_image(path)
    corners = _corners(np.array(image.geometry.affine), image.labels.shape)
    return Reading(image.labels, np.array(image.geometry.spacing), corners)


def read_with_nibabel(path: Path) -> Reading | None:
    """Return the image as read by nibabel, or ``None`` for a format that it does not know."""
    if not path.name.endswith((".nii", ".nii.gz", ".mgz", ".mgh")):
        return None
    image = nibabel.MGHImage.from_bytes(path.read_bytes()) if path.suffix == ".mgh" else nibabel.load(path)
    return Reading(np.asarray(image.dataobj), np.array(image.header.get_zooms()), _corners(image.affine))


def read_with_itk(path: Path) -> Reading | None:
    """Return the image as read by SimpleITK, or ``None`` for a file that it refuses."""
    try:
        if path.is_dir():
            reader = SimpleITK.ImageSeriesReader()
            reader.SetFileNames(reader.GetGDCMSeriesFileNames(str(path)))
            image = reader.Execute()
        else:
            image = SimpleITK.ReadImage(str(path))
    except RuntimeError:
        return None
    affine = np.eye(4)
    affine[:3, :3] = np.reshape(image.GetDirection(), (3, 3)) * image.GetSpacing()
    affine[:3, 3] = image.GetOrigin()
    return Reading(SimpleITK.GetArrayFromImage(image).T, np.array(image.GetSpacing()), _corners(TO_LPS @ affine))


def _corners(affine: NDArray[np.float64], shape: tuple[int, ...] = LABELS.shape) -> NDArray[np.float64]:
    indices = np.array(list(product(*((0, size - 1) for size in shape))), dtype=float)
    return np.asarray(indices @ affine[:3, :3].T + affine[:3, 3])


def agreement(ours: Reading, theirs: Reading | None) -> str:
    """``same``, or what differs."""
    if theirs is None:
        return "does not read it"
    differing = int(np.count_nonzero(ours.voxels != theirs.voxels)) if ours.voxels.shape == theirs.voxels.shape else -1
    if differing:
        return "another shape" if differing < 0 else f"{differing} of {ours.voxels.size} voxels differ"
    if np.abs(ours.spacing - theirs.spacing).max() > NEAR:
        return f"spacing {' × '.join(f'{size:.4g}' for size in theirs.spacing)}"
    distance = float(np.sqrt(((ours.corners - theirs.corners) ** 2).sum(axis=1)).max())
    return "same" if distance <= NEAR else f"lies {distance:.3g} mm away"


def compare(sample: Sample, folder: Path) -> tuple[str, str]:
    """Write one file and read it with all three; agreement with nibabel and with SimpleITK."""
    # A folder of its own: SimpleITK reads a.nii where a.nii.gz is asked for and both are there.
    path = Path(tempfile.mkdtemp(dir=folder)) / sample.name
    sample.write(path)
    ours = read_with_podium(path)
    return agreement(ours, read_with_nibabel(path)), agreement(ours, read_with_itk(path))


def page() -> str:
    """The page."""
    lines = [
        "# Image readers: agreement with nibabel, SimpleITK and highdicom",
        "",
        "Label images of strangers are read by `evaluation.readers`, which take only what a label image may be, check",
        "every declared size before they ask for memory and name what is wrong in words that a person can act on. They have to read",
        "the same as the libraries that everybody uses: each file below was written by one of these libraries and read by all three.",
        "*Same* means that all 120 voxels are equal, the spacing agrees, and the eight corners of the volume lie at the same place",
        f"(each within {NEAR:g} mm: NIfTI-1 keeps them in 32 bits). nibabel reads neither MetaImage nor NRRD, and SimpleITK no",
        "FreeSurfer volumes (`.mgz`). A DICOM series (`.dcm`) is a folder, whose files have names in another order than its slices.",
        "",
        "Made by `python -m docs.correctness.make_readers`; `tests/unit/evaluation/readers/test_agreement.py` makes it again,",
        "compares, and reads grids that hypothesis draws with all three, too.",
        "",
        "Where they differ: SimpleITK takes no NIfTI-2. Where the slope is 0, the NIfTI standard says that there is no scaling; nibabel",
        "and we read the stored numbers, SimpleITK adds the intercept.",
        "",
    ]
    with tempfile.TemporaryDirectory() as folder:
        group = ""
        for sample in samples():
            if sample.group != group:
                group = sample.group
                lines += [
                    "",
                    f"## {group[0].upper()}{group[1:]}",
                    "",
                    "| file | format | nibabel | SimpleITK |",
                    "|---|---|---|---|",
                ]
            with_nibabel, with_itk = compare(sample, Path(folder))
            lines.append(f"| {sample.words} | `{sample.name[1:]}` | {with_nibabel} | {with_itk} |")
    lines += [
        "",
        "## DICOM segmentations",
        "",
        "Each was written by highdicom with two segments, and must have the same labels on the grid of the segmented series.",
        "",
        "| file | highdicom |",
        "|---|---|",
        *(f"| {words} | {with_highdicom} |" for words, with_highdicom in segmentations()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "readers.md").write_text(page(), encoding="utf-8")
