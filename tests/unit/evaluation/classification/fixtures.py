"""The reference's fixtures E1, E2, E3, E6 and E7, and arrays made from tables of counts."""

from __future__ import annotations

import numpy as np

E1 = {"TP": 40, "FN": 10, "FP": 20, "TN": 130}
E2 = [[50, 5, 5], [10, 20, 10], [2, 3, 15]]
E3_SCORES = np.array([0.95, 0.90, 0.80, 0.70, 0.60, 0.60, 0.50, 0.40, 0.30, 0.10])
E3_LABELS = np.array([1, 1, 0, 1, 0, 0, 1, 0, 0, 0])
E6_SCORES = np.array([0.95, 0.90, 0.80, 0.75, 0.60, 0.55, 0.40, 0.30, 0.20, 0.05])
E6_LABELS = np.array([1, 1, 1, 0, 1, 0, 1, 0, 0, 0])
E7_SCORES = np.array(
    [(0.7, 0.2, 0.1), (0.6, 0.3, 0.1), (0.2, 0.5, 0.3), (0.1, 0.8, 0.1), (0.2, 0.2, 0.6), (0.3, 0.4, 0.3)]
)
E7_LABELS = np.array([0, 1, 1, 1, 2, 2])


def from_counts(counts: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Labels of reference and prediction with these numbers of TP, FP, FN and TN."""
    cells = [(1, 1, "TP"), (0, 1, "FP"), (1, 0, "FN"), (0, 0, "TN")]
    reference = np.repeat([cell[0] for cell in cells], [counts[cell[2]] for cell in cells])
    prediction = np.repeat([cell[1] for cell in cells], [counts[cell[2]] for cell in cells])
    return reference, prediction


def from_matrix(matrix: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Labels with this confusion matrix, rows reference."""
    table = np.asarray(matrix)
    rows, columns = np.indices(table.shape)
    return np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel())
