"""Makes `readers.md`: what the image readers of `evaluation` read, compared with nibabel and SimpleITK, file by file.

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

import nibabel
import numpy as np
import SimpleITK

from evaluation.readers import read_label_image

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
        for ending in (".mha", ".nrrd")
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
    for ending, kind in product((".mha", ".nrrd"), TYPES):
        files.append(Sample("data type", kind, f"a{ending}", lambda path, k=kind: itk(path, LABELS.astype(k))))
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
    return files


def read_with_podium(path: Path) -> Reading:
    """Return the image as read by `evaluation.readers`."""
    image = read_label_image(path)
    return Reading(image.labels, np.array(image.geometry.spacing), _corners(np.array(image.geometry.affine)))


def read_with_nibabel(path: Path) -> Reading | None:
    """Return the image as read by nibabel, or ``None`` for a format that it does not know."""
    if ".nii" not in path.name:
        return None
    image = nibabel.load(path)
    return Reading(np.asarray(image.dataobj), np.array(image.header.get_zooms()), _corners(image.affine))


def read_with_itk(path: Path) -> Reading | None:
    """Return the image as read by SimpleITK, or ``None`` for a file that it refuses."""
    try:
        image = SimpleITK.ReadImage(str(path))
    except RuntimeError:
        return None
    affine = np.eye(4)
    affine[:3, :3] = np.reshape(image.GetDirection(), (3, 3)) * image.GetSpacing()
    affine[:3, 3] = image.GetOrigin()
    return Reading(SimpleITK.GetArrayFromImage(image).T, np.array(image.GetSpacing()), _corners(TO_LPS @ affine))


def _corners(affine: NDArray[np.float64]) -> NDArray[np.float64]:
    indices = np.array(list(product(*((0, size - 1) for size in LABELS.shape))), dtype=float)
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
        "# Image readers: agreement with nibabel and SimpleITK",
        "",
        "Label images of strangers are read by `evaluation.readers`, which take only what a label image may be, check",
        "every declared size before they ask for memory and name what is wrong in words that a person can act on. They have to read",
        "the same as the libraries that everybody uses: each file below was written by one of these libraries and read by all three.",
        "*Same* means that all 120 voxels are equal, the spacing agrees, and the eight corners of the volume lie at the same place",
        f"(each within {NEAR:g} mm: NIfTI-1 keeps them in 32 bits). nibabel reads neither MetaImage nor NRRD.",
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
                    f"## {group.capitalize()}",
                    "",
                    "| file | format | nibabel | SimpleITK |",
                    "|---|---|---|---|",
                ]
            with_nibabel, with_itk = compare(sample, Path(folder))
            lines.append(f"| {sample.words} | `{sample.name[1:]}` | {with_nibabel} | {with_itk} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "readers.md").write_text(page(), encoding="utf-8")
