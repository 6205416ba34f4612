"""Writes the regression task: volumes of both parts of the hippocampus, as references and as six methods outline them.

Run from the top of the repository:

    PYTHONPATH=. python examples/hippocampus-volumes/derive.py
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from evaluation.problems.folders import find_cases
from evaluation.readers import read_label_image

HERE = Path(__file__).parent
SOURCE = HERE.parent / "hippocampus"
METHODS = ("boosted-trees", "mean-atlas", "multi-atlas-25", "random-forest", "unet-b", "unet-ensemble")
PARTS = {"anterior_ml": 1, "posterior_ml": 2}


def write_volumes(images: Path, target: Path) -> None:
    """Write ``values.csv``: the volume of each part in ml, of every label image of a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with (target / "values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", *PARTS])
        for case, path in find_cases(images).items():
            image = read_label_image(path)
            voxel = float(np.prod(image.geometry.spacing)) / 1000
            volumes = [f"{np.count_nonzero(image.labels == label) * voxel:.3f}" for label in PARTS.values()]
            writer.writerow([case, *volumes])


def main() -> None:
    """Write all tables."""
    write_volumes(SOURCE / "references", HERE / "references")
    for method in METHODS:
        write_volumes(SOURCE / "predictions" / method, HERE / "predictions" / method)
    cases = [line.split(",")[:2] for line in (SOURCE / "cases.csv").read_text("utf-8").splitlines()]
    (HERE / "cases.csv").write_text("".join(f"{','.join(cells)}\n" for cells in cases), "utf-8")


if __name__ == "__main__":
    main()
