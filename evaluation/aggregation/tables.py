"""Conversion of checked results to one matrix of values per task, metric and region.

Every outcome is replaced according to the policy of its metric.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evaluation.aggregation.columns import (
    ABSENT,
    BoolArray,
    FloatArray,
    IntArray,
    ResultsError,
    codes_of,
    constant_column,
    present,
)
from evaluation.assessment.policy_values import constant, depends_on_case
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, MetricUse, PolicyValue


_SHOWN = 5


@dataclass(frozen=True)
class Coded:
    """Outcomes and flags of a table as whole numbers, cases × algorithms, and what the numbers mean."""

    outcomes: IntArray
    outcome_names: tuple[str, ...]
    flags: IntArray
    flag_names: tuple[str, ...]

    def counters(self) -> tuple[Counter[str], ...]:
        """Return the number of cases with each outcome, for each algorithm."""
        width, kinds = self.outcomes.shape[1], len(self.outcome_names)
        flat = np.bincount((self.outcomes + kinds * np.arange(width)).ravel(), minlength=kinds * width)
        counters: list[Counter[str]] = []
        for row in flat.reshape(width, kinds).tolist():
            counter: Counter[str] = Counter()
            for name, count in zip(self.outcome_names, row, strict=True):
                if count:
                    counter[name] += count
            counters.append(counter)
        return tuple(counters)

    def having(self, outcome: str) -> BoolArray:
        """Return a mask of the values with this outcome."""
        return _one_of(self.outcomes, self.outcome_names, outcome)

    def flagged(self, flag: str) -> BoolArray:
        """Return a mask of the values with this flag."""
        return _one_of(self.flags, self.flag_names, flag)


def _one_of(codes: IntArray, names: Sequence[str], wanted: str) -> BoolArray:
    numbers = [number for number, name in enumerate(names) if name == wanted]
    matches: BoolArray = np.isin(codes, numbers) if numbers else np.zeros(codes.shape, dtype=bool)
    return matches


def number_of(names: Sequence[str], wanted: str) -> int:
    """Its number, or that of one more behind them."""
    return names.index(wanted) if wanted in names else len(names)


def apply_policy(
    values: FloatArray,
    coded: Coded,
    *,
    metric: MetricUse,
    cases: Sequence[str],
    algorithms: Sequence[str],
    diagonals_of: Callable[[], FloatArray],
    worst_of: Callable[[], FloatArray],
) -> tuple[FloatArray, BoolArray]:
    """Fill in missing values.

    Parameters
    ----------
    values, coded
        Cases × algorithms.
    metric
        Metric with its policy.
    cases, algorithms
        Their names, for messages.
    diagonals_of
        The diagonal of the image of every case in mm; called only where the policy needs it.
    worst_of
        The worst value of every case, where the range of the metric has no worst end; called only where needed.

    Returns
    -------
    tuple
        The values, not a number where a case is excluded or gets the last rank, and a mask of values with the
        last rank.

    Raises
    ------
    ResultsError
        For an outcome without a policy, or an input that no submission has.
    """
    filled = values.copy()
    last_rank = np.zeros(values.shape, dtype=bool)
    for outcome in sorted(set(coded.outcome_names) - {Outcome.OK.value}):
        where = coded.having(outcome)
        if not where.any():
            continue
        if outcome == Outcome.DEGENERATE:
            where &= ~coded.flagged("reference")
        unbounded = where & coded.flagged("unbounded")
        if unbounded.any():
            filled[unbounded] = np.inf if metric.higher_is_better else -np.inf
            where &= ~unbounded
        if not where.any():
            continue
        # One participant who leaves out an input (scores, say) must not stop the ranking of all: where others gave it,
        # its absence is a missing result. Only where nobody could is the metric wrong for the task.
        if outcome == Outcome.NOT_APPLICABLE and bool(where.all()):
            message = f"the submission of {algorithms[0]!r} lacks an input that metric {metric.name!r} needs"
            raise ResultsError(message)
        rule = Outcome.MISSING if outcome == Outcome.NOT_APPLICABLE else outcome
        value = metric.policy.get(str(rule))
        if value is None:
            case, algorithm = np.argwhere(where)[0]
            message = (
                f"{int(where.sum())} values of metric {metric.name!r} are {outcome} (first: case {cases[case]!r}, "
                f"algorithm {algorithms[algorithm]!r}); set policy.{rule} of the metric before ranking"
            )
            raise ResultsError(message)
        if depends_on_case(value, metric):
            of_cases = diagonals_of() if value == "image_diagonal" else worst_of()
            filled[where] = np.broadcast_to(of_cases[:, None], where.shape)[where]
        elif value == "worst_rank":
            last_rank |= where
        else:
            filled[where] = constant(value, metric)
    return filled, last_rank


@dataclass(frozen=True)
class Table:
    """Values of one metric in one region of one task.

    Attributes
    ----------
    values
        Cases × algorithms. Not a number where the case is excluded for this algorithm or gets the last rank.
    last_rank
        Cases × algorithms: the value stays missing and gets the last rank of its case.
    outcomes
        For each algorithm, the number of cases per outcome.
    inserted
        Pairs of case and algorithm that the results did not mention at all.
    diagonals
        Diagonal of the image of every case in mm, not a number where no row gives it.
    worst_values
        The worst value of every case according to the rows, not a number where none gives it.
    """

    task: str | None
    metric: MetricUse
    region: str | None
    cases: tuple[str, ...]
    algorithms: tuple[str, ...]
    values: FloatArray
    last_rank: BoolArray
    outcomes: tuple[Counter[str], ...]
    inserted: tuple[tuple[str, str], ...]
    diagonals: FloatArray
    worst_values: FloatArray

    @property
    def per_dataset(self) -> bool:
        """True if the metric has one value for all cases together."""
        return self.metric.level == "dataset"

    def penalties(self, value: PolicyValue) -> FloatArray:
        """Return the value of a policy keyword or number in every case.

        The value is not a number where it is unknown.
        """
        if not depends_on_case(value, self.metric):
            return np.full(len(self.cases), constant(value, self.metric))
        return self.diagonals if value == "image_diagonal" else self.worst_values


def build_tables(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    regions: Sequence[str] | None = None,
) -> list[Table]:
    """Arrange checked results as one `Table` per task, metric and region, in the order of the assessment.

    Every algorithm of a task is in all of its tables, and every case is in all tables of per-case metrics. Pairs
    that the results do not mention are inserted as ``missing``.

    Raises
    ------
    ResultsError
        For a pair that occurs twice, a metric or region without rows, or an outcome without a policy.
    """
    if kind_of(assessment).metrics.is_single_metric:
        results = results.assign(
            metric=constant_column(assessment.metrics[0].name, len(results)),
            region=constant_column(ABSENT, len(results)),
        )
    tables = []
    codes, names = codes_of(results["task"])
    for number in sorted(set(codes.tolist())):
        rows = _Rows(results if len(names) == 1 else results[codes == number], names[number] or None)
        for metric in assessment.metrics:
            if metrics is None or metric.name in metrics:
                tables += _tables_of_metric(assessment, rows, metric, regions)
    return tables


class _Rows:
    """The rows of one task as arrays: what several tables need is worked out once."""

    def __init__(self, rows: pd.DataFrame, task: str | None) -> None:
        self.frame = rows
        self.task = task
        self.algorithm, self.algorithms = present(rows["algorithm"])
        self.case, self.all_cases = present(rows["case"])
        self.metric, self.metrics = present(rows["metric"])
        self.region, self.regions = present(rows["region"])
        self.outcome, self.outcomes = codes_of(rows["outcome"])
        self.flag, self.flags = codes_of(rows["flag"])
        self.value = rows["value"].to_numpy(dtype=float)
        self.worst = rows["worst"].to_numpy(dtype=float)

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """Without the rows that are about all cases together."""
        return tuple(name for name in self.all_cases if name != ABSENT)

    def is_caseless(self, block: IntArray) -> BoolArray:
        """Return a mask of the rows that are about all cases together."""
        caseless: BoolArray = self.case[block] == 0 if ABSENT in self.all_cases else np.zeros(len(block), dtype=bool)
        return caseless

    @cached_property
    def diagonals(self) -> FloatArray:
        """The image diagonal of every case in mm, from whichever row knows it."""
        diagonal_by_case = np.full(len(self.all_cases), np.nan)
        np.fmax.at(diagonal_by_case, self.case, self.frame["image_diagonal"].to_numpy(dtype=float))
        return diagonal_by_case[len(self.all_cases) - len(self.cases) :]  # the absent case, if any, sorts first

    @cached_property
    def blocks(self) -> dict[tuple[str, str], IntArray]:
        """Numbers of the rows of every metric and region."""
        key = self.metric * len(self.regions) + self.region
        order = np.argsort(key, kind="stable")
        distinct_keys, starts = np.unique(key[order], return_index=True)
        places = (divmod(int(number), len(self.regions)) for number in distinct_keys)
        names = [(self.metrics[metric], self.regions[region]) for metric, region in places]
        return dict(zip(names, np.split(order, starts[1:]), strict=True))


def _tables_of_metric(
    assessment: Assessment, rows: _Rows, metric: MetricUse, regions: Sequence[str] | None
) -> list[Table]:
    block_by_region = {region: block for (name, region), block in rows.blocks.items() if name == metric.name}
    of_task = f" of task {rows.task}" if rows.task else ""
    if not block_by_region:
        message = f"the results{of_task} have no rows of metric {metric.name!r}"
        raise ResultsError(message)
    per_dataset = metric.level == "dataset"
    caseless = np.concatenate([rows.is_caseless(block) for block in block_by_region.values()])
    if not (caseless == per_dataset).all():
        wanted = "one row without a case" if per_dataset else "one row a case"
        message = f"metric {metric.name!r} gives {wanted} for each algorithm and region, but the results differ"
        raise ResultsError(message)
    measured_regions = set(block_by_region)
    declared_regions = [region.name for region in assessment.regions]
    # Of some metrics a case has one value over everything, though others are measured region by region.
    if per_dataset or not declared_regions or measured_regions == {ABSENT}:
        names = [name for name in declared_regions if name in measured_regions] + sorted(
            measured_regions - set(declared_regions)
        )
    else:
        names = declared_regions
    if regions is not None:
        names = [name for name in names if name in regions or name == ABSENT]
    tables = []
    for name in names:
        if name not in block_by_region:
            message = f"the results{of_task} have no rows of metric {metric.name!r} in region {name!r}"
            raise ResultsError(message)
        tables.append(_table(rows, block_by_region[name], metric=metric, region=name or None))
    return tables


def _table(rows: _Rows, block: IntArray, *, metric: MetricUse, region: str | None) -> Table:
    per_dataset = metric.level == "dataset"
    cases = (ABSENT,) if per_dataset else rows.cases
    shape = (len(cases), len(rows.algorithms))
    # The absent case sorts before all others, and has no row here unless it is the only one.
    case_index = (
        np.zeros(len(block), dtype=np.int64) if per_dataset else rows.case[block] - (len(rows.all_cases) - len(cases))
    )
    flat = case_index * shape[1] + rows.algorithm[block]
    _refuse_duplicates(rows.frame, block, flat)
    values = np.full(shape, np.nan)
    outcomes = np.full(shape, number_of(rows.outcomes, Outcome.MISSING.value), dtype=np.int64)
    flags = np.full(shape, number_of(rows.flags, ABSENT), dtype=np.int64)
    mentioned = np.zeros(shape, dtype=bool)
    values.flat[flat] = rows.value[block]
    outcomes.flat[flat] = rows.outcome[block]
    flags.flat[flat] = rows.flag[block]
    mentioned.flat[flat] = True
    worst_values = np.full(len(cases), np.nan)
    given = rows.worst[block]
    use_worst = np.fmax if not metric.higher_is_better else np.fmin
    use_worst.at(worst_values, case_index, given)
    coded = Coded(outcomes, (*rows.outcomes, Outcome.MISSING.value), flags, (*rows.flags, ABSENT))
    values, last_rank = apply_policy(
        values,
        coded,
        metric=metric,
        cases=cases,
        algorithms=rows.algorithms,
        diagonals_of=lambda: _known_diagonals(rows, metric),
        worst_of=lambda: _known_worst(worst_values, cases, metric, coded),
    )
    absent = np.argwhere(~mentioned)
    return Table(
        task=rows.task,
        metric=metric,
        region=region,
        cases=cases,
        algorithms=rows.algorithms,
        values=values,
        last_rank=last_rank,
        outcomes=coded.counters(),
        inserted=tuple((cases[case], rows.algorithms[algorithm]) for case, algorithm in absent),
        diagonals=np.full(1, np.nan) if per_dataset else rows.diagonals,
        worst_values=worst_values,
    )


def _known_diagonals(rows: _Rows, metric: MetricUse) -> FloatArray:
    diagonals = rows.diagonals
    if np.isnan(diagonals).any():
        case = rows.cases[int(np.flatnonzero(np.isnan(diagonals))[0])]
        message = (
            f"metric {metric.name!r} counts a missing value as the image diagonal, "
            f"but no row of case {case!r} gives image_diagonal"
        )
        raise ResultsError(message)
    return diagonals


def _known_worst(worst_values: FloatArray, cases: Sequence[str], metric: MetricUse, coded: Coded) -> FloatArray:
    # Where the reference alone leaves a case without a value, whoever is missing has none either, and nobody's is the worst.
    unknown = np.isnan(worst_values) & ~coded.flagged("reference").any(axis=1)
    if unknown.any():
        case = cases[int(np.flatnonzero(unknown)[0])]
        message = (
            f"metric {metric.name!r} counts a missing value as the worst one, and has no worst value of its own; "
            f"no row {f'of case {case!r} ' if case else ''}gives it in the column worst"
        )
        raise ResultsError(message)
    return worst_values


def _refuse_duplicates(rows: pd.DataFrame, numbers: IntArray, flat: IntArray) -> None:
    counts = np.bincount(flat)
    if counts.max() < 2:
        return
    block = rows.iloc[numbers]
    doubled = block[counts[flat] > 1]
    cases = sorted(set(doubled["case"]))
    case_names = ", ".join(cases[:_SHOWN]) + (", …" if len(cases) > _SHOWN else "")
    hint = ""
    if len(cases) * 5 >= block["case"].nunique():
        hint = "; so many suggest that a column which tells tasks apart was forgotten"
    message = f"several rows for the same case, algorithm, metric and region; cases: {case_names}{hint}"
    raise ResultsError(message)
