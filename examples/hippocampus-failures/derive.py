"""Writes the task of failure detection: how badly one method outlines each hippocampus, and how sure thirteen methods are.

Run from the top of the repository:

    PYTHONPATH=. python examples/hippocampus-failures/derive.py
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import numpy as np

from evaluation.problems.folders import find_cases
from evaluation.readers import read_label_image

HERE = Path(__file__).parent
SOURCE = HERE.parent / "hippocampus"
JUDGED = "unet-tiny"
"""Method whose failures are reported: fast, and often wrong."""
LABELS = (1, 2)


def risk_of(reference: Path, prediction: Path) -> float:
    """1 minus the mean Dice coefficient of both parts."""
    known, said = read_label_image(reference).labels, read_label_image(prediction).labels
    dice = [2 * np.sum((known == k) & (said == k)) / (np.sum(known == k) + np.sum(said == k)) for k in LABELS]
    return 1 - float(np.mean(dice))


def main() -> None:
    """Write all tables."""
    references, predictions = find_cases(SOURCE / "references"), find_cases(SOURCE / "predictions" / JUDGED)
    (HERE / "references").mkdir(exist_ok=True)
    with (HERE / "references/risk.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "risk"])
        writer.writerows([case, f"{risk_of(path, predictions[case]):.6f}"] for case, path in references.items())
    for table in sorted((SOURCE / "confidence").glob("*.csv")):
        target = HERE / "predictions" / table.stem
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(table, target / "confidence.csv")


if __name__ == "__main__":
    main()
