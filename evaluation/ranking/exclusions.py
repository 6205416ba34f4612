"""Leaving excluded cases out of results before anything is ranked: for all algorithms alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.aggregation import ResultsError, metadata_column
from evaluation.assessment.exclusions import GRADES
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd

    from evaluation.assessment import Assessment
    from evaluation.scoring.evidence import Evidence

QUALITY = "quality"
"""Reason of a case that is left out by its grade."""


@dataclass(frozen=True)
class Counted:
    """Results without the excluded cases.

    Attributes
    ----------
    results
        The table without rows of excluded cases; values of the whole data set computed anew without them.
    evidence
        The same of the evidence.
    excluded
        Reason by name of every case of the results that was left out: a registered one, or `QUALITY`.
    """

    results: pd.DataFrame
    evidence: Evidence | None
    excluded: Mapping[str, str]


def counted_results(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    cases: pd.DataFrame | None = None,
    evidence: Evidence | None = None,
) -> Counted:
    """Leave out the cases that the assessment excludes.

    Parameters
    ----------
    assessment
        What was registered.
    results
        A results table of all algorithms, with at least ``case``.
    cases
        Case metadata; needed where quality grades decide.
    evidence
        Of all algorithms; needed where a metric has one value for the whole data set.

    Raises
    ------
    ResultsError
        Where nothing would be left, a grade is missing or unknown, or a value of the whole data set cannot be computed
        anew for want of evidence.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}],
    ...                     "exclusions": {"cases": [{"case": "2", "reason": "duplicate"}]}})
    >>> table = pd.DataFrame({"algorithm": list("aabb"), "case": list("1212"), "value": [0.9, 0.8, 0.5, 0.6]})
    >>> found = counted_results(assessment, table)
    >>> list(found.results["case"]), found.excluded
    (['1', '1'], {'2': 'duplicate'})
    """
    rule = assessment.exclusions
    if not rule:
        return Counted(results, evidence, {})
    column = results["case"].astype(str).where(results["case"].notna(), "")
    names = sorted(set(column) - {""}) or list(evidence.cases if evidence else ())
    excluded = {case: rule.cases[case] for case in names if case in rule.cases}
    if rule.grade_column:
        excluded |= {
            case: QUALITY
            for case, grade in zip(names, _grades(rule.grade_column, cases, names), strict=True)
            if grade in rule.grades and case not in excluded
        }
    if not excluded:
        return Counted(results, evidence, {})
    if len(excluded) == len(names):
        message = f"all {len(names)} cases are excluded, so that nothing is left to be ranked"
        raise ResultsError(message)
    kept = results[~column.isin(list(excluded))].reset_index(drop=True)
    whole = kept["case"].astype(str).where(kept["case"].notna(), "") == ""
    remaining = frozenset(names) - frozenset(excluded)
    pieces = evidence.of_cases(remaining) if evidence is not None else None
    if whole.any():
        kept = _computed_anew(assessment, kept, whole, pieces)
    return Counted(kept, pieces, dict(sorted(excluded.items())))


def left_out(assessment: Assessment, cases: pd.DataFrame) -> set[str]:
    """Names of the cases of a table that the assessment excludes, by name or by grade.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}],
    ...                     "exclusions": {"cases": [{"case": "2", "reason": "duplicate"}]}})
    >>> left_out(assessment, pd.DataFrame({"case": ["1", "2"]}))
    {'2'}
    """
    rule, names = assessment.exclusions, cases["case"].astype(str)
    excluded = names.isin(list(rule.cases))
    if rule.grade_column and rule.grade_column in cases:
        excluded |= cases[rule.grade_column].astype(str).isin(rule.grades)
    return set(names[excluded])


def _grades(column: str, cases: pd.DataFrame | None, names: Collection[str]) -> list[str]:
    grades = [str(grade) for grade in metadata_column(cases, names, column)]
    unknown = next((place for place, grade in enumerate(grades) if grade not in GRADES), None)
    if unknown is not None:
        message = (
            f"the case table gives {column!r} {grades[unknown]!r} for case {list(names)[unknown]!r}; "
            f"a quality grade is one of {', '.join(GRADES)}"
        )
        raise ResultsError(message)
    return grades


def _computed_anew(
    assessment: Assessment, results: pd.DataFrame, whole: pd.Series[bool], evidence: Evidence | None
) -> pd.DataFrame:
    """Values of the whole data set, from what the cases that count add to them."""
    from evaluation.scoring.evidence import recompute_values

    table = results.copy()
    table["region"] = table["region"].astype(str) if "region" in table else ""
    for index in table.index[whole]:
        row: dict[str, Any] = table.loc[index].to_dict()
        if str(row.get("outcome")) == Outcome.MISSING:
            continue
        metric = assessment.metric(str(row["metric"]))
        if evidence is None or metric.name not in evidence.metrics:
            message = (
                f"{metric.name!r} has one value for all cases, which cannot be computed without the excluded ones: "
                "give the evidence"
            )
            raise ResultsError(message)
        try:
            pieces = evidence.select(metric.name, str(row["algorithm"]), str(row["region"] or ""))
        except KeyError as error:
            raise ResultsError(str(error.args[0])) from None
        result = recompute_values(metric, pieces, np.ones((1, len(pieces.cases)))).result()
        table.loc[index, "value"] = np.nan if result.value is None else result.value
        for key, text in (("outcome", result.outcome.value), ("flag", result.flag.value)):
            if key in table:
                table[key] = table[key].astype(object)
                table.loc[index, key] = text
    return table
