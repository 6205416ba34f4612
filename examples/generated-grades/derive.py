"""Generates the task of graded classification: no data of people, only numbers drawn with a fixed seed.

Run from the top of the repository:

    python examples/generated-grades/derive.py
"""
# ruff: noqa: INP001

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
GRADES = ("grade-0", "grade-1", "grade-2", "grade-3", "grade-4")
SPREAD = {"careful": 0.5, "fair": 0.9, "coarse": 1.4}
"""Of each algorithm: the standard deviation of what it sees around the true severity, in grades."""
TIMID = "timid"
"""Sees as much as the fair one and shrinks everything to the middle grade: rarely right, never far off."""


def _write(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Write references and predictions of 80 cases."""
    random = np.random.default_rng(1)
    cases = [f"case_{number:03d}" for number in range(80)]
    truth = random.choice(5, size=80, p=(0.35, 0.25, 0.2, 0.12, 0.08))
    _write(
        HERE / "references/labels.csv",
        [["case", "label"], *([c, GRADES[g]] for c, g in zip(cases, truth, strict=True))],
    )
    for name, spread in {**SPREAD, TIMID: SPREAD["fair"]}.items():
        seen = truth + random.normal(0, spread, 80)
        seen = 2 + 0.4 * (seen - 2) if name == TIMID else seen
        odds = np.exp(-0.5 * ((np.arange(5) - seen[:, None]) / max(spread, 0.6)) ** 2)
        scores = odds / odds.sum(axis=1, keepdims=True)
        rows = [[case, *(f"{score:.4f}" for score in line)] for case, line in zip(cases, scores, strict=True)]
        _write(HERE / f"predictions/{name}/labels.csv", [["case", *(f"p_{grade}" for grade in GRADES)], *rows])


if __name__ == "__main__":
    main()
