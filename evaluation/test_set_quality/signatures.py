"""Signatures of the images of a folder, in several processes, and their files."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np

from evaluation.test_set_quality.folders import read_each, read_image
from evaluation.test_set_quality.keypoints import Keypoints
from evaluation.test_set_quality.overlap import Signature, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


def read_signature(path: Path) -> Signature:
    """Read an image and return its signature.

    Raises
    ------
    ReadError
        If the file cannot be read.
    """
    values, spacing = read_image(path)
    return signature(values, spacing)


def write_signature(item: Signature, path: Path) -> None:
    """Write a signature as NPZ, for another process of the same computer."""
    points = item.points
    with path.open("wb") as file:
        np.savez(
            file,
            digest=np.array(item.digest),
            positions=points.positions,
            scales=points.scales,
            descriptors=points.descriptors,
            fine=item.fine,
        )


def load_signature(path: Path) -> Signature:
    """Read a signature that `write_signature` has written.

    Raises
    ------
    ValueError
        If the content is not a signature.
    """
    try:
        with np.load(path, allow_pickle=False) as content:
            points = Keypoints(content["positions"], content["scales"], content["descriptors"])
            item = Signature(str(content["digest"]), points, content["fine"])
    except (KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        message = f"{path.name}: no signature ({type(error).__name__})"
        raise ValueError(message) from None
    count, axes = len(item.points), item.axes
    shapes = (item.points.positions.shape, item.points.scales.shape, item.points.descriptors.ndim)
    if shapes != ((count, axes), (count,), 2) or axes not in (2, 3) or len(item.points.descriptors) != count:
        message = f"{path.name}: no signature (shapes)"
        raise ValueError(message)
    return item


def read_signatures(
    files: Mapping[str, Path], *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> dict[str, Signature]:
    """Return the signatures of images by name.

    Parameters
    ----------
    files
        Files by name.
    jobs
        Number of processes.
    progress
        Receives the number of images that are done, and of all.
    """
    return read_each(read_signature, files, jobs=jobs, progress=progress)
