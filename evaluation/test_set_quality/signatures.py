"""Signatures of the images of a folder, in several processes."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

from evaluation.test_set_quality.folders import read_image
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
    signatures = {}
    if jobs > 1:
        with ProcessPoolExecutor(jobs) as pool:
            for number, (name, item) in enumerate(
                zip(files, pool.map(read_signature, files.values(), chunksize=4), strict=True), 1
            ):
                signatures[name] = item
                if progress is not None:
                    progress(number, len(files))
        return signatures
    for number, (name, path) in enumerate(files.items(), 1):
        signatures[name] = read_signature(path)
        if progress is not None:
            progress(number, len(files))
    return signatures
