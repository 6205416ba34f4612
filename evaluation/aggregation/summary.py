"""Summary of the results of one algorithm: one value per metric and region, as pages of submissions show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evaluation.aggregation.columns import check_results, metadata_column
from evaluation.aggregation.tables import Table, build_tables
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evaluation.assessment.model import Assessment


def summarize(
    assessment: Assessment,
    results: pd.DataFrame,
    metadata: pd.DataFrame | None = None,
    *,
    cases: Sequence[str] = (),
    noted: Collection[str] = (),
) -> dict[str, Any]:
    """Aggregate the result of a run along the levels of the assessment.

    Every outcome counts as the assessment defines.

    Parameters
    ----------
    metadata
        Case metadata with a column for every level above the case.
    cases
        Names of all cases; by default those in the results.
    noted
        Cases with a note why they have no value. If all values are of the whole data set, no other input shows
        them.

    Returns
    -------
    dict
        ``values``: a list of ``metric``, ``region``, ``value`` and ``outcomes`` (outcome → number of cases) in
        the order of the assessment. If the reference of some cases is empty, also ``others``: the number of the
        other cases and the value over them, since many correct empty answers hide the performance on non-empty
        references.
        ``cases``: the number of cases.
        ``missing_cases``: the number of cases without any value because the prediction is missing.
        ``doubts``: suspected mistakes in the team's files, a sentence each.
    """
    # A single submission that lacks an input has no result for that metric; only a ranking can tell whether anyone could.
    lacking = results["outcome"] == Outcome.NOT_APPLICABLE.value
    results = results.assign(outcome=results["outcome"].mask(lacking, Outcome.MISSING.value))
    tables = build_tables(assessment, check_results(results))
    levels = [level for level in assessment.aggregation.levels if level != "case"]
    values = []
    for table in tables:
        column = table.values[:, 0]  # noqa: PD011 (not a pandas object)
        # A value of the whole data set has no levels: there is nothing to aggregate.
        above = [] if table.per_dataset else levels
        groups = {level: metadata_column(metadata, table.cases, level) for level in above}
        higher = table.metric.higher_is_better
        value: dict[str, Any] = {
            "metric": table.metric.name,
            "region": table.region,
            "value": _along(assessment, column, groups, higher_is_better=higher),
            "outcomes": dict(table.outcomes[0]),
        }
        hollow = np.isin(table.cases, _empty_references(results, table))
        if hollow.any() and not hollow.all():
            rest = np.where(hollow, np.nan, column)
            value["others"] = {
                "cases": int((~hollow).sum()),
                "value": _along(assessment, rest, groups, higher_is_better=higher),
            }
        values.append(value)
    of_cases = results[results["case"] != ""]
    case_names = set(cases) or set(of_cases["case"])
    missing = set(of_cases[of_cases["outcome"] == Outcome.MISSING.value]["case"])
    if of_cases.empty:
        missing = set(noted) & case_names
    kind = kind_of(assessment)
    doubts = list(kind.plausibility.doubts(assessment, results)) if kind.plausibility.result_rules else []
    return {"values": values, "cases": len(case_names), "missing_cases": len(missing), "doubts": doubts}


def _empty_references(results: pd.DataFrame, table: Table) -> list[str]:
    """Return the cases whose reference is empty in a region, as far as the result shows.

    A missing prediction provides no information about this.
    """
    rows = results[(results["metric"] == table.metric.name) & (results["region"] == (table.region or ""))]
    return rows[rows["outcome"].isin([Outcome.BOTH_EMPTY.value, Outcome.REF_EMPTY.value])]["case"].tolist()


def _along(
    assessment: Assessment, values: np.ndarray, groups: dict[str, np.ndarray], *, higher_is_better: bool
) -> float | None:
    """Aggregate cases to the innermost groups, those to the next ones, and the outermost to one number."""
    table = pd.DataFrame({"value": values, **groups})
    table = table[np.isfinite(table["value"])]
    if table.empty:
        return None
    quantile = assessment.aggregation.operator.quantile(higher_is_better=higher_is_better)

    def one(column: pd.Series) -> float:
        return float(column.mean() if quantile is None else column.quantile(quantile))

    names = list(groups)
    for position in range(len(names)):
        table = table.groupby(names[position:])["value"].agg(one).reset_index()
    return one(table["value"])
