"""Tests between algorithms on the full data, on the units that the assessment counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.hierarchy import unit_values
from evaluation.ranking.significance import wilcoxon_matrices

if TYPE_CHECKING:
    from evaluation.aggregation import Table
    from evaluation.assessment import Assessment
    from evaluation.ranking.evaluate import Plan

FloatArray = npt.NDArray[np.float64]


def full_data_p_values(table: Table, plan: Plan, assessment: Assessment) -> FloatArray | None:
    """One-sided p-values of "row is better than column" on the full data.

    Values that are left out or ranked last leave their pair: such tests use pairwise complete cases. Where the
    assessment aggregates cases into larger units, the units are compared. ``None`` for metrics without values of cases.
    """
    if table.per_dataset or len(table.algorithms) < 2:
        return None
    values = table.values
    if plan.hierarchy is not None:
        operator = assessment.aggregation.operator
        higher = table.metric.higher_is_better
        values = unit_values(values, plan.full, plan.hierarchy, operator, higher_is_better=higher)[0]
    ones = np.ones((len(values), 1))
    p_values: FloatArray = wilcoxon_matrices(values, ones, higher_is_better=table.metric.higher_is_better)[0]
    return p_values
