"""Ranks of every table in every sample: the full data, then the bootstrap, then leave-one-out samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import ResultsError, Table, metadata_column
from evaluation.problems import kind_of
from evaluation.ranking.counted import (
    cases_without_prediction,
    sampled_values,
    source_of_uncertainty,
    standard_errors_of,
    tells_missing_cases,
    trials_of_extremes,
)
from evaluation.ranking.hierarchy import Hierarchy
from evaluation.ranking.plans import RULES, SCHEMA, SCHEMA_BEFORE, Evaluated, Plan
from evaluation.ranking.resampling import Design, Units, gather, join
from evaluation.ranking.schemes import Ranked, apply_scheme, rank_scores
from evaluation.ranking.scores import snap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, RankingScheme
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.uncertainty.looks import Look
    from evaluation.scoring.evidence import Evidence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
PEOPLE_COLUMNS: Final = ("patient", "subject", "participant")
CLUSTER_COLUMNS: Final = (*PEOPLE_COLUMNS, "site", "center", "centre", "hospital", "institution", "clinic")
"""Names of columns whose repeated values may be clusters of dependent units."""
CLUSTER_COLUMNS_OF_SCHEMA_2: Final = ("patient", "subject", "site", "center")
FEW_IN_STRATUM: Final = 10


NO_CELLS: Final = np.array([], dtype=object)
"""Of a column, where no case is known."""


def make_plan(
    assessment: Assessment,
    cases: Sequence[str],
    metadata: pd.DataFrame | None,
    *,
    bootstrap: int,
    seed: int,
    leave_one_out: bool = True,
    schema: int = SCHEMA,
    look: Look | None = None,
    rules: int = RULES,
) -> Plan:
    """Create the samples of a task.

    Parameters
    ----------
    schema
        Schema of the ranking document, `SCHEMA` or `SCHEMA_BEFORE`.
    look
        The change of the field, for a phase that is still open.
    rules
        Revision of the rules within the schema.
    leave_one_out
        Whether to add samples in which each unit is excluded in turn. No statement of certainty needs them, and simulations
        omit them.

    Raises
    ------
    ResultsError
        If a level, stratum or step names a column that the case table does not contain for every case.
    """
    uncertainty, levels = assessment.uncertainty, assessment.aggregation.levels
    combined = {name for ranking in assessment.rankings for step in ranking.combine or () for name in step.over}
    apart = kind_of(assessment).evidence.data_set_columns(assessment.settings)
    names = {*apart, *levels, *uncertainty.resample, *uncertainty.strata, *combined} - {
        "case",
        "metric",
        "region",
        "task",
    }
    # Where values of the whole data set come without evidence, no case is known, and nothing of cases is needed.
    columns = {name: metadata_column(metadata, cases, name) if cases else NO_CELLS for name in sorted(names)}
    lists = {name: [str(value) for value in values] for name, values in columns.items()}
    design = Design(tuple(cases), uncertainty.resample, lists, uncertainty.strata)
    parts = [(design.full(), 1)]
    requested = bootstrap
    left_out = 0
    if design.clusters > 1:
        if bootstrap:
            parts.append((design.draw(bootstrap, seed), bootstrap))
        if leave_one_out:
            left_out = design.clusters
            parts.append((design.leave_one_out(), left_out))
    else:
        bootstrap = 0
    units = _units(assessment, cases, lists)
    hierarchy = _hierarchy(levels, uncertainty.resample, columns) if len(levels) > 1 else None
    return Plan(
        tuple(cases),
        design,
        hierarchy,
        columns,
        bootstrap,
        left_out,
        join(parts),
        units,
        seed,
        requested,
        _warnings(assessment, units, metadata, cases, schema),
        schema,
        look,
        rules,
    )


def evaluate(
    table: Table,
    plan: Plan,
    scheme: RankingScheme,
    assessment: Assessment,
    *,
    evidence: Evidence | None = None,
) -> Evaluated:
    """Rank one table in every sample of its task's plan; data-set-level values need evidence to be resampled."""
    missing, tells_missing = cases_without_prediction(table, plan, evidence), tells_missing_cases(table, evidence)
    about = (
        missing,
        tells_missing,
        cases_of_data_set(table, plan, assessment),
        source_of_uncertainty(table, evidence),
        standard_errors_of(table, evidence),
        trials_of_extremes(table, evidence),
    )
    if table.per_dataset and evidence is not None and plan.number > 1:
        values = sampled_values(table, plan, evidence)
        if values is not None:
            ranked = rank_scores(snap(values), scheme, higher_is_better=table.metric.higher_is_better)
            return Evaluated(table, plan, ranked, *about)
    return Evaluated(table, plan, _apply(table, plan, scheme, assessment, plan.samples), *about)


def cases_of_data_set(table: Table, plan: Plan, assessment: Assessment) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the cases from which a value of the whole data set is computed.

    It applies where the cases belong to several data sets. The result is ``None`` for all cases.
    """
    columns = kind_of(assessment).evidence.data_set_columns(assessment.settings)
    if not columns or not table.per_dataset or table.region is None:
        return None
    [column] = columns
    inside = np.array([str(value) == table.region for value in plan.columns[column]], dtype=bool)
    return inside if inside.any() else None


def _apply(table: Table, plan: Plan, scheme: RankingScheme, assessment: Assessment, samples: Samples) -> Ranked:
    if table.per_dataset:
        return rank_scores(snap(table.values), scheme, higher_is_better=table.metric.higher_is_better)
    return apply_scheme(
        table.values,
        table.last_rank,
        samples,
        scheme,
        higher_is_better=table.metric.higher_is_better,
        aggregation=assessment.aggregation,
        hierarchy=plan.hierarchy,
    )


def _hierarchy(
    levels: tuple[str, ...], resample: tuple[str, ...], columns: Mapping[str, npt.NDArray[Any]]
) -> Hierarchy:
    """Return the groups of the levels above the case.

    A group of an inner level is contained in one group of each outer level.
    """
    outer = levels[1:]
    groups: dict[str, IntArray] = {}
    copied_by: dict[str, str | None] = {}
    for index, level in enumerate(outer):
        path = [columns[name] for name in reversed(outer[index:])]
        rows = list(zip(*path, strict=True))
        number = {row: position for position, row in enumerate(sorted(set(rows)))}
        groups[level] = np.array([number[row] for row in rows], dtype=np.int64)
        around = [name for name in outer[index:] if name in resample]
        outside = [name for name in resample if name != "case" and name not in levels]
        copied_by[level] = around[0] if around else (outside[-1] if outside else None)
    return Hierarchy(outer, groups, copied_by)


def unit_level(assessment: Assessment) -> str:
    """Return the level of the units: the outermost random level, or the outermost resampled level."""
    outermost = assessment.uncertainty.resample[0]
    return assessment.aggregation.random[-1] if outermost == "case" and assessment.aggregation.random else outermost


def _units(assessment: Assessment, cases: Sequence[str], columns: Mapping[str, Sequence[str]]) -> Units:
    """Gather cases into what is a sample: the outermost random level, or what is drawn outermost."""
    uncertainty, aggregation = assessment.uncertainty, assessment.aggregation
    outermost = unit_level(assessment)
    keys = [list(cases)] if outermost == "case" else [columns[outermost]]
    units = gather(keys, [columns[name] for name in uncertainty.strata], len(cases))
    if outermost != "case" and aggregation.fixed:
        strata_of: dict[str, set[tuple[str, ...]]] = {}
        for row, unit in enumerate(columns[outermost]):
            strata_of.setdefault(unit, set()).add(tuple(columns[name][row] for name in aggregation.fixed))
        for unit, strata in sorted(strata_of.items()):
            if len(strata) > 1:
                where = " and ".join(", ".join(stratum) for stratum in sorted(strata)[:2])
                message = (
                    f"{outermost} {unit!r} occurs in {where} of {', '.join(aggregation.fixed)}: a {outermost} that is "
                    "drawn must lie in one of them; give it one name in each, or aggregate without that level"
                )
                raise ResultsError(message)
    return units


def _warnings(
    assessment: Assessment, units: Units, metadata: pd.DataFrame | None, cases: Sequence[str], schema: int
) -> tuple[Mapping[str, Any], ...]:
    warnings: list[dict[str, Any]] = [
        {"code": "level_undeclared", "level": x} for x in assessment.aggregation.undeclared
    ]
    if units.several_strata:
        warnings += [
            {"code": "stratum_few", "stratum": stratum, "units": int(size)}
            for stratum, size in zip(units.strata, units.sizes, strict=True)
            if size < FEW_IN_STRATUM
        ]
    if schema == SCHEMA_BEFORE:
        warnings += _clusters_of_schema_2(assessment, units, metadata, cases)
    else:
        warnings += possible_clusters(assessment, units, metadata, cases)
    return tuple(warnings)


def possible_clusters(
    assessment: Assessment, units: Units, metadata: pd.DataFrame | None, cases: Sequence[str]
) -> list[dict[str, Any]]:
    """Return a warning for each column that looks like clusters of units and whose role is not declared.

    Units that share a patient or a site may not be independent. No winner can then be named. A column is declared if it is
    a level, a resampled column, a stratum, a column of a combination, or one of ``uncertainty.independent_of``.
    """
    if metadata is None or "case" not in metadata.columns or not cases:
        return []
    uncertainty = assessment.uncertainty
    combined = {name for ranking in assessment.rankings for step in ranking.combine or () for name in step.over}
    declared = {
        *assessment.aggregation.levels, *uncertainty.resample, *uncertainty.strata, *uncertainty.independent_of, *combined,
        *kind_of(assessment).evidence.data_set_columns(assessment.settings),
    }  # fmt: skip
    warnings = []
    rows: pd.DataFrame | None = None
    for column in map(str, metadata.columns):
        name = plain_column(column)
        if column in declared or name not in CLUSTER_COLUMNS:
            continue
        if rows is None:
            texts = metadata["case"].astype(str)
            rows = metadata.assign(case=texts)[texts.isin(set(cases))].set_index("case")
        values = {case: str(value).strip() for case, value in rows[column].dropna().items() if str(value).strip()}
        of_unit: dict[int, set[str]] = {}
        for case, unit in zip(cases, units.unit_of_case.tolist(), strict=True):
            if case in values:  # of a case without an entry nothing is known
                of_unit.setdefault(unit, set()).add(values[case])
        clusters = len(set().union(*of_unit.values()))
        is_nested = all(len(group) == 1 for group in of_unit.values())
        fewest = 0 if name in PEOPLE_COLUMNS else 1
        if is_nested and fewest < clusters < len(of_unit):
            warnings.append({"code": "possible_clusters", "column": column, "clusters": clusters, "cases": len(rows)})
    return warnings


def plain_column(column: str) -> str:
    """Return the name of a column without case, separators and the word ``id``.

    Examples
    --------
    >>> plain_column("Patient_ID"), plain_column("site"), plain_column("PatientID")
    ('patient', 'site', 'patient')
    """
    letters = "".join(letter for letter in column.lower() if letter.isalpha())
    return letters.removesuffix("id") if letters.removesuffix("id") in CLUSTER_COLUMNS else letters


def _clusters_of_schema_2(
    assessment: Assessment, units: Units, metadata: pd.DataFrame | None, cases: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the warnings by the rules of schema 2, where units are cases."""
    if metadata is None or units.number != len(cases) or "case" not in metadata.columns:
        return []
    rows = metadata[metadata["case"].astype(str).isin(set(cases))]
    warnings = []
    for column in CLUSTER_COLUMNS_OF_SCHEMA_2:
        if column in rows.columns and column not in assessment.uncertainty.strata:
            clusters = int(rows[column].astype(str).nunique())
            if 0 < clusters < len(rows):
                warnings.append(
                    {"code": "possible_clusters", "column": column, "clusters": clusters, "cases": len(rows)}
                )
    return warnings
