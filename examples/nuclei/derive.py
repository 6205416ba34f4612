"""Writes the detection task that follows from the label maps: a box around every nucleus.

Run from the top of the repository:

    python -m examples.nuclei.derive FOLDER
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evaluation.matching import Objects
from evaluation.readers import read_label_image

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parent


def write_boxes(images: Iterable[Path], target: Path, *, scored: bool) -> None:
    """Write ``objects.csv`` for the label maps of a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with (target / "objects.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["case", "class", *(["score"] if scored else []), "x_min", "y_min", "x_max", "y_max"])
        for path in sorted(images):
            objects = Objects(labels=read_label_image(path).labels)
            extent = np.prod(objects.boxes[:, 2:] - objects.boxes[:, :2], axis=1)
            for box, filled in zip(objects.boxes.astype(int).tolist(), objects.areas / extent, strict=True):
                table.writerow([path.stem, "nucleus", *([f"{filled:.6f}"] if scored else []), *box])


def derive(target: Path) -> None:
    """Write the references, with the list of all cases, and the predictions of every algorithm."""
    write_boxes((HERE / "references").glob("*.png"), target / "references", scored=False)
    (target / "references/cases.csv").write_bytes((HERE / "cases.csv").read_bytes())
    for folder in sorted((HERE / "predictions").iterdir()):
        write_boxes(folder.glob("*.png"), target / "predictions" / folder.name, scored=True)


if __name__ == "__main__":
    derive(Path(sys.argv[1]))
