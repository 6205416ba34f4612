"""Cases as separate files: the input of a scoring image, and the predictions with which it is tested.

A kind of problem with rows of one table provides the rows of the case alone, without the column of the case. A kind
with files provides rewritten files. The original names and other cases are not revealed.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evaluation.readers import LabelImage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.random import Generator

    from evaluation.readers.intensities import IntensityImage

LABELS, IMAGE, MASK, INSTANCES, CONFIDENCE = "labels", "image", "mask", "instances", "confidence"
_SEED = 1


class Rows(NamedTuple):
    """Rows of one case, as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Rows:
        """Write cells as text: numbers with all their digits, nothing for what is not there."""
        return cls(tuple(columns), tuple(tuple(cell(value) for value in row) for row in rows))

    def changed(self, columns: Sequence[str], change: Callable[[float, int], float]) -> Rows:
        """Return a copy with other numbers in some columns.

        `change` receives a number and the index of its row.
        """
        places = [self.columns.index(name) for name in columns if name in self.columns]
        rows = []
        for number, row in enumerate(self.rows):
            cells = list(row)
            for column in places:
                if cells[column]:
                    cells[column] = cell(change(float(cells[column]), number))
            rows.append(tuple(cells))
        return Rows(self.columns, tuple(rows))

    def written(self, path: Path) -> Path:
        """Write them as CSV."""
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([self.columns, *self.rows])
        return path

    @classmethod
    def read(cls, path: Path) -> Rows:
        """Read what `written` wrote."""
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        return cls(tuple(head), tuple(tuple(row) for row in rows))


def cell(value: object) -> str:
    """A cell as text.

    Examples
    --------
    >>> cell(None), cell(0.1), cell(2), cell("liver")
    ('', '0.1', '2', 'liver')
    """
    if value is None:
        return ""
    return repr(float(value)) if isinstance(value, float | np.floating) else str(value)


def draws() -> Generator:
    """Return the random generator for noise, with the same seed in every trial."""
    return np.random.default_rng(_SEED)


# Label images -------------------------------------------------------------------------------------------------------------
def write_labels(image: LabelImage, stem: Path) -> Path:
    """Rewrite a label image with the smallest integer type and a header that contains the grid alone."""
    from evaluation.problems.label_merging import write

    kind = np.min_scalar_type(int(image.labels.max(initial=0)))
    return write(LabelImage(image.labels.astype(kind), image.geometry), stem)


def worse_labels(reference: Path, folder: Path) -> dict[str, Path]:
    """Make predictions of a label image for trials: empty, all foreground, shifted, noise.

    Parameters
    ----------
    reference
        A label image.
    folder
        Where to write them.
    """
    from evaluation.problems.label_merging import write
    from evaluation.readers import read_label_image

    label_image = read_label_image(reference)
    labels = np.unique(label_image.labels[label_image.labels > 0]) if (label_image.labels > 0).any() else np.array([1])
    kind = np.min_scalar_type(int(labels.max()))
    drawn = draws().integers(0, len(labels) + 1, label_image.labels.shape)
    variants = {
        "empty": np.zeros(label_image.labels.shape),
        "all foreground": np.full(label_image.labels.shape, labels[0]),
        "shifted": np.roll(
            label_image.labels,
            tuple(max(1, length // 6) for length in label_image.labels.shape),
            tuple(range(label_image.labels.ndim)),
        ),
        "noise": np.concatenate([[0], labels])[drawn],
    }
    folder.mkdir(parents=True, exist_ok=True)
    return {
        name: write(LabelImage(image.astype(kind), label_image.geometry), folder / name.replace(" ", "-"))
        for name, image in variants.items()
    }


# Images of real numbers ---------------------------------------------------------------------------------------------------
def write_intensities(image: IntensityImage, stem: Path) -> Path:
    """Rewrite an image of real numbers with all digits and a header that contains the grid alone.

    Channels are the last axis.
    """
    grid, values = image.geometry, image.values
    if grid.oriented_format:
        import nibabel

        path = stem.with_name(f"{stem.name}.nii.gz")
        affine = None if grid.affine is None else np.array(grid.affine)
        stored = nibabel.Nifti1Image(values, affine, dtype=np.float64)  # type: ignore[no-untyped-call]
        stored.header.set_xyzt_units("mm")  # type: ignore[no-untyped-call]
        nibabel.save(stored, path)
        return path
    import tifffile

    path = stem.with_name(f"{stem.name}.tif")
    axes = tuple(range(len(grid.shape)))[::-1] + tuple(range(len(grid.shape), values.ndim))
    tifffile.imwrite(path, np.ascontiguousarray(values.transpose(axes)), compression="zlib", photometric="minisblack")
    return path


def worse_intensities(image: IntensityImage, folder: Path) -> dict[str, Path]:
    """Make predictions of an image for trials: constant, shifted, inverted, noise."""
    from evaluation.readers.intensities import IntensityImage as Image

    values = image.values
    low, high = float(values.min()), float(values.max())
    axes = tuple(range(len(image.geometry.shape)))
    variants = {
        "constant": np.full_like(values, low - 1),
        "shifted": np.roll(values, tuple(max(1, values.shape[axis] // 6) for axis in axes), axes),
        "inverted": low + high - values,
        "noise": draws().uniform(low, high + 1, values.shape),
    }
    folder.mkdir(parents=True, exist_ok=True)
    return {
        name: write_intensities(Image(variant, image.geometry), folder / name) for name, variant in variants.items()
    }


def written_rows(stem: str, predictions: Mapping[str, Rows], folder: Path) -> dict[str, dict[str, Path]]:
    """Write the rows of several predictions, each as a separate file in a separate folder."""
    files = {}
    for number, (name, rows) in enumerate(predictions.items()):
        subfolder = folder / str(number)
        subfolder.mkdir(parents=True, exist_ok=True)
        files[name] = {f"{stem}.csv": rows.written(subfolder / f"{stem}.csv")}
    return files
