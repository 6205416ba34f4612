"""Results that a ranking counts.

Excluded cases are removed, cases are weighted by level of interaction, and values of the whole data set are computed
from their evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation import problems
from evaluation.aggregation import ResultsError, Table, metadata_column
from evaluation.assessment.exclusions import GRADES
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.ranking.plans import Plan
    from evaluation.scoring.evidence import Evidence


QUALITY = "quality"
"""Reason of a case that is excluded by its grade."""

LEVEL: Final = "level"
"""Optional column of results: the level of interaction that a method needs, the same in all of its rows."""
AS_MEASURED: Final = "Single cases are shown as measured: the registered weights of levels of interaction are in the ranking and not here."

FloatArray = npt.NDArray[np.float64]
_AGREES = 1e-6


@dataclass(frozen=True)
class Counted:
    """Results without the excluded cases.

    Attributes
    ----------
    results
        The table without rows of excluded cases. Values of the whole data set are recomputed without them.
    evidence
        The evidence without excluded cases.
    excluded
        Reason by name of every excluded case of the results: a registered reason, or `QUALITY`.
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
    """Remove the cases that the assessment excludes.

    Parameters
    ----------
    assessment
        The registered assessment.
    results
        A results table of all algorithms, with at least ``case``.
    cases
        Case metadata; needed where quality grades decide.
    evidence
        Evidence of all algorithms; needed where a metric has one value for the whole data set.

    Raises
    ------
    ResultsError
        Where no case would remain, a grade is missing or unknown, or a value of the whole data set cannot be recomputed
        because evidence is missing.

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
    remaining = frozenset(names) - frozenset(excluded)
    part, pieces = of_cases(assessment, results, remaining, cases=cases, evidence=evidence)
    return Counted(part, pieces, dict(sorted(excluded.items())))


def of_cases(
    assessment: Assessment,
    results: pd.DataFrame,
    chosen: Collection[str],
    *,
    cases: pd.DataFrame | None = None,
    evidence: Evidence | None = None,
) -> tuple[pd.DataFrame, Evidence | None]:
    """Return the results of some of the cases with their evidence.

    Values of the whole data set are recomputed from these cases.

    Parameters are those of `counted_results`.

    Raises
    ------
    ResultsError
        Where a value of the whole data set cannot be recomputed because evidence is missing.
    """
    column = results["case"].astype(str).where(results["case"].notna(), "")
    part = results[column.isin([*chosen, ""])].reset_index(drop=True)
    whole = part["case"].astype(str).where(part["case"].notna(), "") == ""
    gone = _data_sets_left_out(assessment, cases, chosen) if whole.any() and "region" in part else set()
    if gone:
        stays = ~(whole & part["region"].astype(str).isin(gone))
        part, whole = part[stays].reset_index(drop=True), whole[stays].reset_index(drop=True)
    pieces = evidence.of_cases(chosen) if evidence is not None else None
    if whole.any():
        part = _computed_anew(assessment, part, whole, pieces)
    return part, pieces


def recomputable(metric: str, evidence: Evidence | None) -> bool:
    """Return whether values of a metric can be recomputed for some of the cases: its evidence is stored, case by case."""
    if evidence is None or metric not in evidence.metrics or not evidence.blocks:
        return False
    from evaluation.scoring.given_evidence import is_given

    return not is_given(evidence)


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


def _data_sets_left_out(assessment: Assessment, cases: pd.DataFrame | None, remaining: Collection[str]) -> set[str]:
    """Data sets of which no case counts any more: nothing is left that a value of them could be made of."""
    columns = kind_of(assessment).evidence.data_set_columns(assessment.settings)
    if not columns or cases is None or columns[0] not in cases:
        return set()
    of_case = dict(zip(cases["case"].astype(str), cases[columns[0]].astype(str), strict=True))
    return set(of_case.values()) - {of_case[case] for case in remaining if case in of_case}


def _grades(column: str, cases: pd.DataFrame | None, names: Collection[str]) -> list[str]:
    grades = [str(grade) for grade in metadata_column(cases, names, column)]
    unknown = next((index for index, grade in enumerate(grades) if grade not in GRADES), None)
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


def weighted_results(assessment: Assessment, checked: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return the results weighted by the level of interaction of each method.

    The distance of every value from the worst value is multiplied by the weight of the level. Where a metric has no
    worst value and its best value is 0, values are divided by the weight. Missing or undefined values count by their
    policy, regardless of the level. A method whose level is not known has the lowest registered weight.

    Parameters
    ----------
    checked
        Table returned by `evaluation.aggregation.check_results`, possibly without excluded cases.
    results
        The table before that check, with the column `LEVEL`.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.aggregation import check_results
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}], "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.5}})
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "case": "1", "region": "all", "metric": "dsc", "value": [0.8, 0.8],
    ...     "level": ["fully_automatic", "semi_automatic"]})
    >>> list(weighted_results(assessment, check_results(table), table)["value"])
    [0.8, 0.4]
    """
    weights = assessment.interaction_weights
    if not weights:
        return checked
    lowest = min(weights.values())
    levels = results[LEVEL] if LEVEL in results.columns else None
    of_algorithm = (
        {} if levels is None else dict(zip(results["algorithm"].astype(str), levels.astype(str), strict=True))
    )
    names = checked["algorithm"].astype(str)
    factor = np.array([weights.get(of_algorithm.get(name, ""), lowest) for name in names])
    value = checked["value"].to_numpy(dtype=float, copy=True)
    metric_of_row = checked["metric"].astype(str).to_numpy()
    for metric in assessment.metrics:
        rows = metric_of_row == metric.name
        if metric.level != "case":
            continue
        if metric.worst is not None:
            value[rows] = metric.worst + factor[rows] * (value[rows] - metric.worst)
        elif not metric.higher_is_better and metric.best == 0:
            value[rows] = value[rows] / factor[rows]
    return checked.assign(value=value)


def load_evidence(evidence: Any) -> Evidence | None:
    """Evidence as it is, or read from a file or several files."""
    if evidence is None:
        return None
    from evaluation.scoring.evidence import Evidence, read_evidence

    if isinstance(evidence, Evidence):
        return evidence
    paths = [evidence] if isinstance(evidence, (str, Path)) else list(evidence)
    return read_evidence(*paths)


def cases_of_evidence(evidence: Evidence) -> tuple[str, ...]:
    """All cases that evidence is about, ascending."""
    from evaluation.scoring.given_evidence import cases_of

    return cases_of(evidence)


def draws_of_evidence(evidence: Evidence | None, wanted: int) -> int:
    """Return the number of samples that are possible, at most the requested number.

    For values measured elsewhere it is limited by the number of submitted replicates.
    """
    if evidence is None:
        return wanted
    from evaluation.scoring.given_evidence import most_draws

    return most_draws(evidence, wanted)


def version_of_given() -> str:
    """Return the version of the method that derives resamples from values measured elsewhere."""
    from evaluation.scoring.given_evidence import VERSION

    return VERSION


def source_of_uncertainty(table: Table, evidence: Evidence | None) -> str:
    """Return the source of the uncertainty of a table measured elsewhere; otherwise empty.

    See `evaluation.scoring.given_evidence.source_of`.
    """
    if not table.per_dataset or (evidence is None and not table.metric.options):
        return ""
    from evaluation.scoring.given_evidence import source_of

    return source_of(table.metric, evidence, table.region or "")


def standard_errors_of(table: Table, evidence: Evidence | None) -> FloatArray | None:
    """Return the given standard error of each algorithm's value; ``None`` unless standard errors are what is known.

    An algorithm without a value has the value of the policy, without error. Replicates give their standard deviation.
    """
    from evaluation.scoring.given_evidence import ERRORS

    if evidence is None or source_of_uncertainty(table, evidence) != ERRORS:
        return None
    errors = np.zeros(len(table.algorithms))
    for column, name in enumerate(table.algorithms):
        try:
            block = evidence.select(table.metric.name, name, table.region or "").block
        except KeyError:
            continue  # refused where the values are read, unless the whole submission is missing
        further = np.asarray(block.values)[1:]
        errors[column] = float(further[0]) if len(further) == 1 else float(np.std(further, ddof=1))
    return errors


def sampled_values(table: Table, plan: Plan, evidence: Evidence) -> FloatArray | None:
    """Recompute a data-set-level metric for every algorithm in every sample.

    Parameters
    ----------
    table
        The values on the full data, one row.
    plan
        The samples, over the cases of the evidence.
    evidence
        Evidence of all algorithms.

    Returns
    -------
    numpy.ndarray or None
        Samples × algorithms; ``None`` if the evidence contains nothing for this metric, or no algorithm. An algorithm whose
        whole submission is missing keeps the value of the policy in every sample.

    Raises
    ------
    ResultsError
        If the evidence has other cases, lacks an algorithm, or yields another value than the results on the full data.
    """
    from evaluation.scoring.evidence import recompute
    from evaluation.scoring.given_evidence import is_given

    metric, region = table.metric, table.region or ""
    if metric.name not in evidence.metrics or not evidence.blocks:
        return None
    if is_given(evidence):
        return _given_values(table, plan, evidence)
    if evidence.cases != plan.cases:
        message = (
            f"the evidence has {len(evidence.cases)} cases, the results have {len(plan.cases)}, "
            "and they have to be the same"
        )
        raise ResultsError(message)
    times = np.ascontiguousarray(plan.samples.counts.T)
    result = np.empty((plan.number, len(table.algorithms)))
    for column, name in enumerate(table.algorithms):
        stored = float(table.values[0, column])  # noqa: PD011  (no data frame)
        try:
            pieces = evidence.select(metric.name, name, region)
        except KeyError as error:
            if not table.outcomes[column].get("missing"):
                raise ResultsError(str(error.args[0])) from None
            result[:, column] = stored
            continue
        result[:, column] = recompute(metric, pieces, times)
        _check_agreement(table, name, float(result[0, column]), stored)
    return result


def _given_values(table: Table, plan: Plan, evidence: Evidence) -> FloatArray | None:
    """Return the values on the full data, followed by the submitted resamples.

    There are no leave-one-out samples. The result is ``None`` where the uncertainty of any value is unknown.
    """
    from evaluation.scoring.given_evidence import are_paired, draws_of

    metric, region = table.metric, table.region or ""
    result = np.empty((1 + plan.bootstrap, len(table.algorithms)))
    blocks = [block for block in evidence.blocks.values() if (block.part, block.region) == (metric.name, region)]
    if not are_paired(blocks):
        message = f"the replicates of metric {metric.name!r} are not the same for all algorithms: send the same resamples for all"
        raise ResultsError(message)
    for column, name in enumerate(table.algorithms):
        stored = float(table.values[0, column])  # noqa: PD011  (no data frame)
        try:
            pieces = evidence.select(metric.name, name, region)
        except KeyError as error:
            if not table.outcomes[column].get("missing"):
                raise ResultsError(str(error.args[0])) from None
            result[:, column] = stored
            continue
        drawn = draws_of(metric, pieces, algorithm=name, number=plan.bootstrap, seed=plan.seed)
        if drawn is None:
            return None
        result[:, column] = drawn
        _check_agreement(table, name, float(drawn[0]), stored)
    return result


def _check_agreement(table: Table, name: str, recomputed: float, stored: float) -> None:
    """Refuse evidence that does not belong to the results."""
    if not _alike(recomputed, stored):
        message = (
            f"the evidence gives {recomputed:.6g} for metric {table.metric.name!r} of algorithm {name!r}, "
            f"the results {stored:.6g}: they do not belong together"
        )
        raise ResultsError(message)


def cases_without_prediction(table: Table, plan: Plan, evidence: Evidence | None) -> tuple[int, ...]:
    """Return the number of cases without a usable prediction for each algorithm of a table.

    A value of the whole data set has one row, which does not show the number of its cases. For a classification the
    evidence contains this for each case. Where the value itself is missing, every case lacks what the metric needs.
    """
    missing_rows = tuple(outcomes.get("missing", 0) for outcomes in table.outcomes)
    if not table.per_dataset or not plan.cases:
        return missing_rows
    if evidence is None or not tells_missing_cases(table, evidence):
        return tuple(len(plan.cases) if value_is_missing else 0 for value_is_missing in missing_rows)
    kind = evidence.header["problem"]
    counts = []
    for name, value_is_missing in zip(table.algorithms, missing_rows, strict=True):
        if value_is_missing:
            counts.append(len(plan.cases))
        else:
            pieces = evidence.select(table.metric.name, name, table.region or "")
            counts.append(problems.get(kind).evidence.unanswered_cases(pieces))
    return tuple(counts)


def trials_of_extremes(table: Table, evidence: Evidence | None) -> tuple[int, ...]:
    """Return, for each value of the whole data set that is 0 or 1, the number of independent trials behind it.

    See `evaluation.problems.evidence.KindEvidence.independent_trials`. The number is 0 for all other values. Nothing is returned if
    no number is known.
    """
    metric = table.metric
    if not table.per_dataset or evidence is None or not recomputable(metric.name, evidence):
        return ()
    kind = evidence.header["problem"]
    if {metric.worst, metric.best} != {0, 1} or not problems.is_known(kind):
        return ()
    of_kind, trials = problems.get(kind).evidence, []
    for name, value in zip(table.algorithms, table.values[0].tolist(), strict=True):  # noqa: PD011  (no data frame)
        number = 0
        if value in (0.0, 1.0):
            try:
                number = of_kind.independent_trials(metric, evidence.select(metric.name, name, table.region or ""))
            except KeyError:  # its whole submission is missing
                number = 0
        trials.append(number)
    return tuple(trials) if any(trials) else ()


def tells_missing_cases(table: Table, evidence: Evidence | None) -> bool:
    """Return whether the number of cases without a prediction is known, not only whether there is a value."""
    if not table.per_dataset:
        return True
    if evidence is None:
        return False
    kind = evidence.header["problem"]
    return problems.is_known(kind) and problems.get(kind).evidence.counts_unanswered


def _alike(first: float, second: float) -> bool:
    if np.isfinite(first) and np.isfinite(second):
        return abs(first - second) <= _AGREES * max(1.0, abs(second))
    return first == second or bool(np.isnan(first) and np.isnan(second))
