"""From a results table to matrices of values: every outcome turned into what the policy says it counts as."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evaluation.assessment import Assessment, MetricUse, PolicyValue

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
_ABSENT = ""
_SHOWN = 5


class ResultsError(ValueError):
    """A results table that cannot be ranked; the message says which rows and why."""


@dataclass(frozen=True)
class Table:
    """The values of one metric in one region of one task.

    Attributes
    ----------
    values
        Cases × algorithms. Not a number where the case is left out for this algorithm or gets the last rank.
    last_rank
        Cases × algorithms: the value stays missing and gets the last rank of its case.
    outcomes
        For each algorithm, how many cases had which outcome.
    inserted
        Pairs of case and algorithm that the results did not mention at all.
    diagonals
        Diagonal of the image of every case in mm, not a number where no row gives it.
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

    @property
    def per_dataset(self) -> bool:
        """Whether there is one value for all cases together."""
        return self.metric.level == "dataset"


def check_results(results: pd.DataFrame) -> pd.DataFrame:
    """Bring a results table into the contract's form: columns complete, text as text, values finite or absent.

    Columns of text become categories in ascending order, so that a million rows are compared as whole numbers.

    Parameters
    ----------
    results
        At least ``algorithm``, ``case`` and ``value``; ``task``, ``region``, ``metric``, ``outcome``, ``flag`` and
        ``image_diagonal`` if there are any.

    Raises
    ------
    ResultsError
        For a missing column, a value that is no finite number, an unknown outcome, or an ``ok`` without a value.
    """
    for column in ("algorithm", "case", "value"):
        if column not in results.columns:
            message = f"the results have no column {column!r}; they have {', '.join(map(str, results.columns))}"
            raise ResultsError(message)
    if results.empty:
        message = "the results have no rows"
        raise ResultsError(message)
    table = pd.DataFrame(index=pd.RangeIndex(len(results)))
    for column in ("task", "algorithm", "case", "region", "metric", "flag"):
        table[column] = _coded(results[column]) if column in results.columns else _constant(_ABSENT, len(results))
    if _ABSENT in table["algorithm"].cat.categories:
        message = "some rows name no algorithm"
        raise ResultsError(message)
    table["value"] = _numbers(results["value"], "value")
    if "outcome" in results.columns:
        table["outcome"] = _coded(results["outcome"])
        unknown = sorted(set(table["outcome"].cat.categories) - set(Outcome))
        if unknown:
            message = f"unknown outcome {unknown[0]!r}; known are {', '.join(Outcome)}"
            raise ResultsError(message)
    else:
        absent = table["value"].isna().to_numpy().astype(np.int64)
        table["outcome"] = _categories(absent, [Outcome.OK.value, Outcome.MISSING.value])
    hollow = table[(table["outcome"] == Outcome.OK) & table["value"].isna()]
    if len(hollow):
        message = f"{len(hollow)} rows have the outcome ok but no value, first: {_row_words(hollow.iloc[0])}"
        raise ResultsError(message)
    table.loc[table["outcome"] != Outcome.OK, "value"] = np.nan
    diagonal = "image_diagonal"
    table[diagonal] = _numbers(results[diagonal], diagonal) if diagonal in results.columns else np.nan
    return table


def build_tables(
    assessment: Assessment,
    results: pd.DataFrame,
    *,
    metrics: Sequence[str] | None = None,
    regions: Sequence[str] | None = None,
) -> list[Table]:
    """Arrange checked results as one `Table` a task, metric and region, in the order of the assessment.

    Every algorithm of a task stands in all of its tables, and every case in all tables of per-case metrics; pairs that
    the results do not mention are inserted as ``missing``.

    Raises
    ------
    ResultsError
        For a pair that stands twice, a metric or region without rows, or an outcome without a policy.
    """
    if assessment.problem == "table":
        results = results.assign(
            metric=_constant(assessment.metrics[0].name, len(results)), region=_constant(_ABSENT, len(results))
        )
    tables = []
    codes, names = _codes(results["task"])
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
        self.algorithm, self.algorithms = _present(rows["algorithm"])
        self.case, self.all_cases = _present(rows["case"])
        self.metric, self.metrics = _present(rows["metric"])
        self.region, self.regions = _present(rows["region"])
        self.outcome, self.outcomes = _codes(rows["outcome"])
        self.flag, self.flags = _codes(rows["flag"])
        self.value = rows["value"].to_numpy(dtype=float)

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """Without the rows that are about all cases together."""
        return tuple(name for name in self.all_cases if name != _ABSENT)

    def is_caseless(self, block: IntArray) -> BoolArray:
        """Which of the rows are about all cases together."""
        own: BoolArray = self.case[block] == 0 if _ABSENT in self.all_cases else np.zeros(len(block), dtype=bool)
        return own

    @cached_property
    def diagonals(self) -> FloatArray:
        """The image diagonal of every case in mm, from whichever row knows it."""
        known = np.full(len(self.all_cases), np.nan)
        np.fmax.at(known, self.case, self.frame["image_diagonal"].to_numpy(dtype=float))
        return known[len(self.all_cases) - len(self.cases) :]  # the absent case, if any, sorts first

    @cached_property
    def blocks(self) -> dict[tuple[str, str], IntArray]:
        """Numbers of the rows of every metric and region."""
        key = self.metric * len(self.regions) + self.region
        order = np.argsort(key, kind="stable")
        found, starts = np.unique(key[order], return_index=True)
        places = (divmod(int(number), len(self.regions)) for number in found)
        names = [(self.metrics[metric], self.regions[region]) for metric, region in places]
        return dict(zip(names, np.split(order, starts[1:]), strict=True))


def _tables_of_metric(
    assessment: Assessment, rows: _Rows, metric: MetricUse, regions: Sequence[str] | None
) -> list[Table]:
    own = {region: block for (name, region), block in rows.blocks.items() if name == metric.name}
    place = f" of task {rows.task}" if rows.task else ""
    if not own:
        message = f"the results{place} have no rows of metric {metric.name!r}"
        raise ResultsError(message)
    per_dataset = metric.level == "dataset"
    caseless = np.concatenate([rows.is_caseless(block) for block in own.values()])
    if not (caseless == per_dataset).all():
        wanted = "one row without a case" if per_dataset else "one row a case"
        message = f"metric {metric.name!r} gives {wanted} for each algorithm and region, but the results differ"
        raise ResultsError(message)
    found = set(own)
    known = [region.name for region in assessment.regions]
    if per_dataset or not known:
        names = [name for name in known if name in found] + sorted(found - set(known))
    else:
        names = known
    if regions is not None:
        names = [name for name in names if name in regions or name == _ABSENT]
    tables = []
    for name in names:
        if name not in own:
            message = f"the results{place} have no rows of metric {metric.name!r} in region {name!r}"
            raise ResultsError(message)
        tables.append(_table(rows, own[name], metric=metric, region=name or None))
    return tables


def _table(rows: _Rows, block: IntArray, *, metric: MetricUse, region: str | None) -> Table:
    per_dataset = metric.level == "dataset"
    cases = (_ABSENT,) if per_dataset else rows.cases
    shape = (len(cases), len(rows.algorithms))
    # The absent case sorts before all others, and has no row here unless it is the only one.
    place = (
        np.zeros(len(block), dtype=np.int64) if per_dataset else rows.case[block] - (len(rows.all_cases) - len(cases))
    )
    flat = place * shape[1] + rows.algorithm[block]
    _refuse_duplicates(rows.frame, block, flat, shape[0] * shape[1])
    values = np.full(shape, np.nan)
    outcomes = np.full(shape, _number_of(rows.outcomes, Outcome.MISSING.value), dtype=np.int64)
    flags = np.full(shape, _number_of(rows.flags, _ABSENT), dtype=np.int64)
    mentioned = np.zeros(shape, dtype=bool)
    values.flat[flat] = rows.value[block]
    outcomes.flat[flat] = rows.outcome[block]
    flags.flat[flat] = rows.flag[block]
    mentioned.flat[flat] = True
    coded = _Coded(outcomes, (*rows.outcomes, Outcome.MISSING.value), flags, (*rows.flags, _ABSENT))
    values, last_rank = _apply_policy(values, coded, metric=metric, rows=rows, cases=cases)
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
    )


@dataclass(frozen=True)
class _Coded:
    """Outcomes and flags of a table as whole numbers, cases × algorithms, and what the numbers mean."""

    outcomes: IntArray
    outcome_names: tuple[str, ...]
    flags: IntArray
    flag_names: tuple[str, ...]

    def counters(self) -> tuple[Counter[str], ...]:
        """How often each algorithm has each outcome."""
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
        """Where a value has this outcome."""
        return _one_of(self.outcomes, self.outcome_names, outcome)

    def flagged(self, flag: str) -> BoolArray:
        """Where a value has this flag."""
        return _one_of(self.flags, self.flag_names, flag)


def _one_of(codes: IntArray, names: Sequence[str], wanted: str) -> BoolArray:
    numbers = [number for number, name in enumerate(names) if name == wanted]
    found: BoolArray = np.isin(codes, numbers) if numbers else np.zeros(codes.shape, dtype=bool)
    return found


def _number_of(names: Sequence[str], wanted: str) -> int:
    """Its number, or that of one more behind them."""
    return names.index(wanted) if wanted in names else len(names)


def _apply_policy(
    values: FloatArray, coded: _Coded, *, metric: MetricUse, rows: _Rows, cases: tuple[str, ...]
) -> tuple[FloatArray, BoolArray]:
    filled = values.copy()
    last_rank = np.zeros(values.shape, dtype=bool)
    diagonals: FloatArray | None = None
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
            name = rows.algorithms[int(np.argwhere(where)[0][1])]
            message = f"the submission of {name!r} lacks an input that metric {metric.name!r} needs"
            raise ResultsError(message)
        rule = Outcome.MISSING if outcome == Outcome.NOT_APPLICABLE else outcome
        value = metric.policy.get(str(rule))
        if value is None:
            case, algorithm = np.argwhere(where)[0]
            message = (
                f"{int(where.sum())} values of metric {metric.name!r} are {outcome} (first: case {cases[case]!r}, "
                f"algorithm {rows.algorithms[algorithm]!r}); set policy.{rule} of the metric before ranking"
            )
            raise ResultsError(message)
        if value == "image_diagonal":
            diagonals = _known_diagonals(rows, metric) if diagonals is None else diagonals
            filled[where] = np.broadcast_to(diagonals[:, None], where.shape)[where]
        elif value == "worst_rank":
            last_rank |= where
        else:
            filled[where] = constant(value, metric)
    return filled, last_rank


def constant(value: PolicyValue, metric: MetricUse) -> float:
    """The number that a policy word stands for; not a number for ``exclude``.

    Raises
    ------
    ValueError
        For a word that needs the case, such as ``image_diagonal``.
    """
    if isinstance(value, (int, float)):
        return float(value)
    bounds = {"worst": metric.worst, "perfect": metric.best, "exclude": float("nan")}
    number = bounds.get(value)
    if number is None:
        message = f"policy {value!r} of metric {metric.name!r} has no fixed number"
        raise ValueError(message)
    return number


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


def _refuse_duplicates(rows: pd.DataFrame, numbers: IntArray, flat: IntArray, size: int) -> None:
    counts = np.bincount(flat, minlength=size)
    if counts.max(initial=0) < 2:
        return
    block = rows.iloc[numbers]
    doubled = block[counts[flat] > 1]
    cases = sorted(set(doubled["case"]))
    shown = ", ".join(cases[:_SHOWN]) + (", …" if len(cases) > _SHOWN else "")
    hint = ""
    if len(cases) * 5 >= block["case"].nunique():
        hint = "; so many suggest that a column which tells tasks apart was forgotten"
    message = f"several rows for the same case, algorithm, metric and region; cases: {shown}{hint}"
    raise ResultsError(message)


def _text(column: pd.Series[Any]) -> npt.NDArray[Any]:
    """Text without surprises: nothing is an empty text, and 7.0 read from a gappy column is 7."""
    present = column.notna().to_numpy()
    if pd.api.types.is_float_dtype(column) and (column[present] == column[present].round()).all():
        texts = column[present].astype("int64").astype(str)
    else:
        texts = column[present].astype(str)
    result = np.full(len(column), _ABSENT, dtype=object)
    result[present] = texts.to_numpy(dtype=object)
    return result


def _coded(column: pd.Series[Any]) -> pd.Categorical[str]:
    """Text as categories in ascending order; every category stands in some row."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        numbers, values = column.cat.codes.to_numpy(), column.cat.categories.to_series()
        used = np.unique(numbers[numbers >= 0])
        numbers = np.where(numbers >= 0, np.searchsorted(used, numbers), -1)
        values = values.iloc[used]
    else:
        numbers, distinct = pd.factorize(column)
        values = pd.Series(distinct)
    texts = [*_text(values), *([_ABSENT] if (numbers < 0).any() else [])]
    names = sorted(set(texts))
    number = {name: index for index, name in enumerate(names)}
    lookup = np.array([number[text] for text in texts], dtype=np.int64)
    return _categories(lookup[numbers], names)


def _constant(text: str, length: int) -> pd.Categorical[str]:
    return _categories(np.zeros(length, dtype=np.int64), [text])


def _categories(codes: IntArray, names: Sequence[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index(list(names), dtype="str"))


def _codes(column: pd.Series[Any]) -> tuple[IntArray, tuple[str, ...]]:
    """Numbers of the categories and their names, for a column of text as well."""
    categories = column if isinstance(column.dtype, pd.CategoricalDtype) else pd.Series(_coded(column))
    codes = np.asarray(categories.cat.codes, dtype=np.int64)
    return codes, tuple(map(str, categories.cat.categories))


def _present(column: pd.Series[Any]) -> tuple[IntArray, tuple[str, ...]]:
    """Numbers and names of those categories alone that stand in some row, in ascending order."""
    codes, names = _codes(column)
    used = np.flatnonzero(np.bincount(codes, minlength=len(names)))
    if len(used) < len(names):
        codes = np.searchsorted(used, codes)
    return codes, tuple(names[number] for number in used)


def _numbers(column: pd.Series[Any], name: str) -> FloatArray:
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    if column.dtype == np.float64:
        return _finite(numbers, name)
    blank = column.isna() | column.astype(str).str.strip().isin(["", "NA", "NaN", "nan"])
    wrong = np.flatnonzero(np.isnan(numbers) & ~blank.to_numpy())
    if len(wrong):
        message = f"column {name!r}, row {int(wrong[0]) + 1}: {column.iloc[int(wrong[0])]!r} is not a number"
        raise ResultsError(message)
    return _finite(numbers, name)


def _finite(numbers: FloatArray, name: str) -> FloatArray:
    if np.isinf(numbers).any():
        row = int(np.flatnonzero(np.isinf(numbers))[0])
        message = f"column {name!r}, row {row + 1}: infinite values are not ranked; leave the value empty"
        raise ResultsError(message)
    return numbers


def _row_words(row: pd.Series[Any]) -> str:
    return ", ".join(f"{key} {row[key]!r}" for key in ("algorithm", "case", "region", "metric") if row[key])


def metadata_column(cases: pd.DataFrame | None, wanted: Iterable[str], column: str) -> npt.NDArray[Any]:
    """Values of a case-metadata column, in the order of the wanted cases.

    Raises
    ------
    ResultsError
        If there is no such column, or a case is not listed or has no value there.
    """
    if cases is None or "case" not in cases.columns or column not in cases.columns:
        message = f"the assessment needs the case column {column!r}; give a case table (cases.csv) that has it"
        raise ResultsError(message)
    names = _text(cases["case"])
    if len(set(names)) != len(names):
        message = "the case table lists a case twice"
        raise ResultsError(message)
    lookup = dict(zip(names, _text(cases[column]), strict=True))
    values = [lookup.get(case, _ABSENT) for case in wanted]
    for case, value in zip(wanted, values, strict=True):
        if value == _ABSENT:
            message = f"the case table gives no {column!r} for case {case!r}"
            raise ResultsError(message)
    return np.array(values, dtype=object)
