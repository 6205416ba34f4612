"""Tests between algorithms on the full data, on the units that are a sample."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.hierarchy import Hierarchy, unit_values
from evaluation.ranking.significance import stratified_matrix, wilcoxon_matrices

if TYPE_CHECKING:
    from evaluation.aggregation import Table
    from evaluation.assessment import Assessment
    from evaluation.ranking.evaluate import Plan

FloatArray = npt.NDArray[np.float64]


def full_data_p_values(table: Table, plan: Plan, assessment: Assessment) -> FloatArray | None:
    """One-sided p-values of "row is better than column" on the full data.

    Values that are left out or ranked last leave their pair: such tests use pairwise complete cases. Units are
    compared, values of their cases aggregated; with several strata the test is stratified. ``None`` for metrics
    without values of cases.
    """
    if table.per_dataset or len(table.algorithms) < 2:
        return None
    higher, units = table.metric.higher_is_better, plan.units
    values = table.values
    if units.number < len(table.cases):
        inside = _inside_units(plan, assessment)
        full = plan.full
        bare = replace(full, drawn=replace(full.drawn, copies={}))
        operator = assessment.aggregation.operator
        values = unit_values(values, bare, inside, operator, higher_is_better=higher)[0]
    elif (units.unit_of_case != np.arange(len(values))).any():
        ordered = np.empty_like(values)
        ordered[units.unit_of_case] = values
        values = ordered
    if units.several_strata:
        return stratified_matrix(values, units.stratum_of_unit, higher_is_better=higher)
    p_values: FloatArray = wilcoxon_matrices(values, np.ones((len(values), 1)), higher_is_better=higher)[0]
    return p_values


def _inside_units(plan: Plan, assessment: Assessment) -> Hierarchy:
    """The levels from the case up to the unit, without those that are fixed or stand outside it."""
    random = assessment.aggregation.random
    levels = tuple(level for level in random if plan.hierarchy is not None and level in plan.hierarchy.groups)
    groups = {} if plan.hierarchy is None else {level: plan.hierarchy.groups[level] for level in levels}
    groups = {**groups, "unit": plan.units.unit_of_case}
    return Hierarchy((*levels, "unit"), groups, dict.fromkeys((*levels, "unit")))
