"""Folders of images, references and predictions, for the checks of test sets."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from evaluation.problems.folders import case_of_image, find_cases
from evaluation.readers import ReadError, read_label_image
from evaluation.readers.intensities import read_intensities
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.test_set_quality.suspects import Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

Item = TypeVar("Item")
PICTURES: Final = (".jpg", ".jpeg")
"""Endings of pictures that are read in addition to those of label images."""


def image_case(name: str) -> str:
    """Return the case of an image by its file name, empty for another file.

    Examples
    --------
    >>> image_case("a.nii.gz"), image_case("b.JPG"), image_case("notes.txt")
    ('a', 'b', '')
    """
    path = Path(name)
    return path.stem if path.suffix.lower() in PICTURES else case_of_image(name)


def read_each(
    read: Callable[[Path], Item],
    files: Mapping[str, Path],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Item]:
    """Return what a function returns for each file, by name.

    Parameters
    ----------
    read
        The function. With several processes it must be importable by its name.
    files
        Files by name.
    jobs
        Number of processes.
    progress
        Receives the number of files that are done, and of all.
    """
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            return _collected(pool.map(read, files.values(), chunksize=4), files, progress)
    return _collected(map(read, files.values()), files, progress)


def _collected(
    results: Iterator[Item], files: Mapping[str, Path], progress: Callable[[int, int], None] | None
) -> dict[str, Item]:
    by_name = {}
    for number, (name, item) in enumerate(zip(files, results, strict=True), 1):
        by_name[name] = item
        if progress is not None:
            progress(number, len(files))
    return by_name


def image_files(folder: Path) -> dict[str, Path]:
    """Return the images of a folder by case.

    Raises
    ------
    ReadError
        If the folder does not exist, or two files belong to one case.
    """
    return find_cases(folder, image_case, takes_folders=True)


def read_image(path: Path, *, limits: Limits = DEFAULT) -> tuple[NDArray[Any], tuple[float, ...] | None]:
    """Read an image as intensities of one channel, axes x, y[, z], and the spacing in mm if the file contains it.

    Raises
    ------
    ReadError
        If the file cannot be read or exceeds the limits.
    """
    if path.suffix.lower() in PICTURES:
        return _read_picture(path, limits), None
    image = read_intensities(path, limits=limits)
    values = image.values.mean(axis=-1) if image.channels > 1 else image.values
    return values, image.geometry.spacing


def read_case(
    case: str, reference: Path, predictions: Mapping[str, Path], image: Path | None, *, instances: bool = False
) -> Case:
    """Read one case for the search for suspect references.

    Parameters
    ----------
    case
        The case.
    reference
        Its label image.
    predictions
        Label images by algorithm.
    image
        Its image, ``None`` if there is none.
    instances
        Whether labels are numbers of objects. All objects then count as label 1.

    Raises
    ------
    ReadError
        If a file cannot be read, or is on another grid than the reference.
    """
    content = read_label_image(reference)
    labels = _labels(content.labels, instances=instances)
    voted = {
        name: _labels(read_label_image(path, expected=content.geometry).labels, instances=instances)
        for name, path in predictions.items()
    }
    intensities = read_image(image)[0] if image is not None else None
    if image is not None and intensities is not None and intensities.shape != labels.shape:
        raise ReadError("shape", image.name, _shape(intensities), _shape(labels))
    return Case(case, labels, voted, intensities, content.geometry.spacing_or_unit)


def read_cases(
    references: Path, algorithms: Mapping[str, Path], images: Path | None, *, instances: bool = False
) -> list[Case]:
    """Read all cases of folders, for the search for suspect references.

    Parameters
    ----------
    references, images
        Folders with one file per case.
    algorithms
        One folder per algorithm. A missing file means that the algorithm does not vote in the case.
    instances
        Whether labels are numbers of objects.

    Raises
    ------
    ReadError
        If a folder does not exist or a file cannot be used.
    """
    pictures = image_files(images) if images is not None else {}
    files = {name: find_cases(folder, takes_folders=True) for name, folder in algorithms.items()}
    cases = []
    for case, reference in find_cases(references, takes_folders=True).items():
        voted = {name: paths[case] for name, paths in files.items() if case in paths}
        if voted:
            if images is not None and case not in pictures:
                raise ReadError("not_found", case, f"no image in {images.name}")
            cases.append(read_case(case, reference, voted, pictures.get(case), instances=instances))
    return cases


def label_regions(cases: Sequence[Case]) -> dict[str, tuple[int, ...]]:
    """Return one region per label, and all labels together if there are several."""
    labels = sorted({int(label) for case in cases for label in np.unique(case.reference) if label})
    regions: dict[str, tuple[int, ...]] = {str(label): (label,) for label in labels}
    return {**regions, "all labels": tuple(labels)} if len(labels) > 1 else regions


def _labels(labels: NDArray[Any], *, instances: bool) -> NDArray[Any]:
    return (labels > 0).astype(np.uint8) if instances else labels


def _shape(values: NDArray[Any]) -> str:
    return " × ".join(str(length) for length in values.shape)


def _read_picture(path: Path, limits: Limits) -> NDArray[Any]:
    from PIL import Image

    try:
        with Image.open(path, formats=("JPEG",)) as picture:
            if picture.width * picture.height * 4 > limits.decoded_bytes:
                raise ReadError("too_large", path.name, f"{picture.width} × {picture.height} pixels")
            return np.asarray(picture.convert("L"), dtype=np.float32).T
    except (OSError, SyntaxError) as error:
        raise ReadError("header", path.name, f"no JPEG image ({type(error).__name__})") from None
