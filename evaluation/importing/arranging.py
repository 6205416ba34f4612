"""From a table whose columns are known to values by algorithm, case, task, region and metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.questions import questions
from evaluation.importing.roles import ROLES
from evaluation.importing.sheets import DEFAULT, Sheet, SheetLimits, TableError, shown
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_KEYS: Final = ("task", "algorithm", "case", "region", "metric")
_FEWEST_CASES: Final = 2
_FEW_COLUMNS: Final = 8
_LONGEST_NAME: Final = 100
_FORMULA: Final = ("=", "+", "-", "@")
ONE_METRIC: Final = "value"


@dataclass(frozen=True)
class Arranged:
    """Values of a table in the form of the results contract.

    Attributes
    ----------
    results
        ``task``, ``algorithm``, ``case``, ``region``, ``metric``, ``value``, ``outcome``, one row per value of the
        table.
    tasks, algorithms, regions, metrics
        Names in the order of the table; `tasks` and `regions` are empty if the table names none.
    cases
        Number of cases, over all tasks.
    meaning
        Meaning of the columns of values: ``value`` (there is one), ``algorithm``, ``case`` or ``metric``.
    missing
        Cells without a value, and combinations of algorithm, case, region and metric that the table does not contain.
    notes
        Sentences on how the table was read that a reader must know, with the questions.
    questions
        Values outside the range of their metric, and names that are nearly the same.
    directions
        Better direction by metric, as far as the file states it.
    is_summary
        True if each value is of the whole data set: no case is named, and `cases` is 0.
    """

    results: pd.DataFrame
    tasks: tuple[str, ...]
    algorithms: tuple[str, ...]
    regions: tuple[str, ...]
    metrics: tuple[str, ...]
    cases: int
    meaning: str
    missing: int
    notes: tuple[str, ...]
    directions: Mapping[str, str] = field(default_factory=dict)
    is_summary: bool = False
    questions: tuple[str, ...] = ()

    def values_of(self, metric: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """All values of a metric that are there."""
        rows = self.results[self.results["metric"] == metric]
        values: np.ndarray[Any, np.dtype[np.float64]] = rows["value"].to_numpy(dtype=float)
        present: np.ndarray[Any, np.dtype[np.float64]] = values[~np.isnan(values)]
        return present

    @property
    def facts(self) -> dict[str, Any]:
        """Return the content of the table as JSON values."""
        return {
            "tasks": list(self.tasks),
            "algorithms": list(self.algorithms),
            "regions": list(self.regions),
            "metrics": list(self.metrics),
            "cases": self.cases,
            "meaning": self.meaning,
            "missing": self.missing,
            "notes": list(self.notes),
        }


def arrange(sheet: Sheet, roles: Mapping[str, str], *, limits: SheetLimits = DEFAULT) -> Arranged:
    """Read the values of a table by the roles of its columns.

    Parameters
    ----------
    roles
        Roles as `evaluation.importing.guess_roles` returns them.

    Raises
    ------
    TableError
        For roles that do not make a table of results, a cell that is no number, a value that appears twice, too
        little to rank or too much to compute.
    """
    places = _places(sheet, roles)
    if sheet.question and "algorithm" not in places:
        raise TableError(sheet.file, *sheet.question)
    is_summary = sheet.is_summary and "case" not in places
    if is_summary:
        meaning = "metric" if len(places["value"]) > 1 else ONE_METRIC
        _refuse_unnamed(sheet, places)
    else:
        meaning = _meaning(sheet, places)
    names = {key: sheet.column(places[key][0]) for key in _KEYS if key in places}
    for key, cells in names.items():
        _check_names(sheet, key, cells)
    outcomes = sheet.column(places["outcome"][0]) if "outcome" in places else None
    count = len(sheet.rows)
    frames = []
    for column_index in places["value"]:
        column = sheet.columns[column_index]
        values, cell_outcomes = _values(sheet, column_index, outcomes)
        keys: dict[str, Any] = {key: names.get(key, [""] * count) for key in _KEYS}
        if "metric" not in names:
            # Where the columns are algorithms or cases, nothing says what their values are called.
            keys["metric"] = [ONE_METRIC if meaning in ("algorithm", "case") else column] * count
        if meaning in ("algorithm", "case"):
            keys[meaning] = [column] * count
        frames.append(
            pd.DataFrame(keys | {"value": values, "outcome": cell_outcomes, "line": sheet.lines, "column": column})
        )
    results = pd.concat(frames, ignore_index=True)
    _refuse_formulas(sheet, results)
    _refuse_duplicates(sheet, results)
    distinct = {key: tuple(dict.fromkeys(results[key])) for key in _KEYS}
    _check_size(sheet, results, distinct, places, meaning, limits, fewest_cases=0 if is_summary else _FEWEST_CASES)
    ignored = [column for column in sheet.columns if roles.get(column, "ignore") == "ignore"]
    notes = [*sheet.notes, *([f"Not used: {', '.join(ignored[:20])}."] if ignored else [])]
    if sheet.delimiter != "," and any(
        "," in cell for column_index in places["value"] for cell in sheet.column(column_index)
    ):
        notes.append("Commas inside numbers were read as decimal signs.")
    asked = tuple(questions(results))
    return Arranged(
        results=results.drop(columns=["line", "column"]),
        tasks=tuple(name for name in distinct["task"] if name),
        algorithms=distinct["algorithm"],
        regions=tuple(name for name in distinct["region"] if name),
        metrics=distinct["metric"],
        cases=0 if is_summary else len(set(zip(results["task"], results["case"], strict=True))),
        meaning=meaning,
        missing=_missing(results),
        notes=(*notes, *asked),
        directions=sheet.directions,
        is_summary=is_summary,
        questions=asked,
    )


def _places(sheet: Sheet, roles: Mapping[str, str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for column_index, column in enumerate(sheet.columns):
        role = roles.get(column, "ignore")
        if role not in ROLES:
            raise TableError(
                sheet.file, f"the column {shown(column)} has the role {shown(role)}", f"Roles are {', '.join(ROLES)}."
            )
        if role != "ignore":
            places.setdefault(role, []).append(column_index)
    for role, column_indices in places.items():
        if role != "value" and len(column_indices) > 1:
            columns = " and ".join(shown(sheet.columns[column_index]) for column_index in column_indices[:2])
            raise TableError(sheet.file, f"the columns {columns} are both {ROLES[role]}", "Choose one of them.")
    if "value" not in places:
        raise TableError(sheet.file, "no column holds values", "Say which column holds the numbers to rank by.")
    return places


def _meaning(sheet: Sheet, places: Mapping[str, Sequence[int]]) -> str:
    """Return the meaning of the columns of values: the one category that no other column names."""
    has_case, has_algorithm, several = "case" in places, "algorithm" in places, len(places["value"]) > 1
    if not has_case and not has_algorithm:
        raise TableError(
            sheet.file,
            "no column names the cases, and none the algorithms",
            "Say which column names the cases, or name it “case”.",
        )
    if not has_algorithm:
        if not several:
            raise TableError(
                sheet.file,
                "there is one column of values and none names the algorithms",
                "Add a column “algorithm”, or one column of values for each algorithm.",
            )
        return "algorithm"
    if not has_case:
        algorithms = sheet.column(places["algorithm"][0])
        if not several or (len(set(algorithms)) == len(algorithms) and len(places["value"]) < _FEW_COLUMNS):
            raise TableError(
                sheet.file,
                "no column names the cases, so this looks like one summary value an algorithm",
                "Send the values of single cases: without them the uncertainty of a ranking is unknown.",
            )
        return "case"
    if several and "metric" in places:
        columns = ", ".join(shown(sheet.columns[column_index]) for column_index in places["value"][:3])
        raise TableError(
            sheet.file,
            f"a column names the metric, and there are several columns of values ({columns})",
            "Leave out all but one of them, or the column of the metric.",
        )
    return "metric" if several else ONE_METRIC


def _refuse_unnamed(sheet: Sheet, places: Mapping[str, Sequence[int]]) -> None:
    if "algorithm" not in places:
        raise TableError(sheet.file, "no column names the algorithms", "Say which column names them.")
    if "metric" in places and len(places["value"]) > 1:
        raise TableError(
            sheet.file, "a column names the metric, and there are several columns of values", "Keep one of them."
        )


def _check_names(sheet: Sheet, key: str, cells: Sequence[str]) -> None:
    optional = key in ("region", "task")
    for line, cell in zip(sheet.lines, cells, strict=True):
        if not cell and not optional:
            raise TableError(sheet.file, f"row {line} has an empty cell as {ROLES[key]}", "Name it in every row.")
        if len(cell) > _LONGEST_NAME:
            raise TableError(
                sheet.file,
                f"row {line} names {ROLES[key]} with {len(cell)} characters ({shown(cell)})",
                f"Use at most {_LONGEST_NAME}.",
            )


def _values(sheet: Sheet, column_index: int, outcomes: Sequence[str] | None) -> tuple[list[float], list[str]]:
    values, cell_outcomes = [], []
    comma = sheet.has_decimal_commas
    allowed_outcomes = set(Outcome)
    for index, cell in enumerate(sheet.column(column_index)):
        blank = is_blank(cell)
        value = None if blank else as_number(cell, comma=comma)
        line, column = sheet.lines[index], sheet.columns[column_index]
        if not blank and value is None:
            infinite = cell.casefold().lstrip("+-") in ("inf", "infinity")
            remedy = (
                "Leave the cell empty where a value is infinite or undefined."
                if infinite
                else "Write numbers such as 0.87, and leave the cell empty where there is none."
            )
            raise TableError(
                sheet.file, f"row {line} has {shown(cell)} in the column {shown(column)}, which is no number", remedy
            )
        outcome = (outcomes[index] if outcomes else "") or ("ok" if value is not None else "missing")
        if outcome not in allowed_outcomes:
            raise TableError(
                sheet.file, f"row {line} has the outcome {shown(outcome)}", f"Outcomes are {', '.join(Outcome)}."
            )
        if (outcome == "ok") != (value is not None):
            value_words = "no value" if value is None else "a value"
            raise TableError(
                sheet.file,
                f"row {line} has the outcome {outcome} and {value_words}",
                "A row has a value if and only if its outcome is ok.",
            )
        # Whatever left a value undefined there, it was measured elsewhere: here it is one that is not there.
        values.append(float("nan") if value is None else value)
        cell_outcomes.append("ok" if value is not None else "missing")
    return values, cell_outcomes


def _refuse_formulas(sheet: Sheet, results: pd.DataFrame) -> None:
    """Refuse names that a spreadsheet would compute: they come back in tables that other people open."""
    for key in _KEYS:
        for name in dict.fromkeys(results[key]):
            if name.startswith(_FORMULA):
                line = int(results.loc[results[key] == name, "line"].iloc[0])
                raise TableError(
                    sheet.file,
                    f"row {line} names {ROLES[key]} {shown(name)}, which a spreadsheet takes for a formula",
                    "Begin names with a letter or a digit.",
                )


def _refuse_duplicates(sheet: Sheet, results: pd.DataFrame) -> None:
    doubled = results.duplicated(list(_KEYS), keep=False)
    if not doubled.any():
        return
    first = results[doubled].iloc[0]
    same = results[(results[list(_KEYS)] == first[list(_KEYS)]).all(axis=1)]
    named = ", ".join(f"{key} {shown(first[key])}" for key in _KEYS if first[key])
    raise TableError(
        sheet.file,
        f"rows {same['line'].iloc[0]} and {same['line'].iloc[1]} both give the value of {named}",
        "Keep one of them, or say which column tells them apart (task, region or metric).",
    )


def _check_size(
    sheet: Sheet,
    results: pd.DataFrame,
    distinct: Mapping[str, Sequence[str]],
    places: Mapping[str, Sequence[int]],
    meaning: str,
    limits: SheetLimits,
    *,
    fewest_cases: int,
) -> None:
    algorithms, cases = len(distinct["algorithm"]), len(distinct["case"])
    if algorithms < 2:
        raise TableError(
            sheet.file, f"there is one algorithm, {shown(distinct['algorithm'][0])}", "A ranking needs two or more."
        )
    if cases < fewest_cases:
        raise TableError(
            sheet.file,
            f"there is one case, {shown(distinct['case'][0])}",
            "Send the values of single cases: without them the uncertainty of a ranking is unknown.",
        )
    boards = len(results[["task", "region", "metric"]].drop_duplicates())
    for number, most, what in (
        (algorithms, limits.algorithms, "algorithms"),
        (cases, limits.cases, "cases"),
        (boards, limits.boards, "combinations of task, metric and region"),
        (len(results), limits.values, "values"),  # noqa: PD011  (no data frame)
    ):
        if number > most:
            raise TableError(
                sheet.file,
                f"there are {number:,} {what}, and at most {most:,} are ranked",
                "Check that every column has its right role, or send fewer.",
            )
    if meaning == "metric" or "metric" in places:
        for metric in distinct["metric"]:
            if results.loc[results["metric"] == metric, "value"].isna().all():
                raise TableError(sheet.file, f"the metric {shown(metric)} has no value at all", "Leave it out.")
    elif results["value"].isna().all():
        raise TableError(
            sheet.file, "the columns of values hold no number", "Say which column holds the numbers to rank by."
        )
    _check_grid(sheet, results, distinct)


def _check_grid(sheet: Sheet, results: pd.DataFrame, distinct: Mapping[str, Sequence[str]]) -> None:
    """Every metric has values in every region of every task, or ranks could not be combined."""
    named = [name for name in distinct["region"] if name]
    if named and "" in distinct["region"]:
        line = int(results.loc[results["region"] == "", "line"].iloc[0])
        raise TableError(
            sheet.file,
            f"row {line} names no region, and other rows do",
            "Name one in every row, or leave the column out.",
        )
    if "" in distinct["task"] and len(distinct["task"]) > 1:
        line = int(results.loc[results["task"] == "", "line"].iloc[0])
        raise TableError(
            sheet.file,
            f"row {line} names no task, and other rows do",
            "Name one in every row, or leave the column out.",
        )
    combinations = set(zip(results["task"], results["metric"], results["region"], strict=True))
    for task in distinct["task"]:
        for metric in distinct["metric"]:
            for region in distinct["region"]:
                if (task, metric, region) not in combinations:
                    where = ", ".join(
                        part
                        for part in (f"region {shown(region)}" if region else "", f"task {shown(task)}" if task else "")
                        if part
                    )
                    raise TableError(
                        sheet.file,
                        f"there is no value of the metric {shown(metric)} in {where}",
                        "Give every metric in every region and task, or send them as tables of their own.",
                    )


def _missing(results: pd.DataFrame) -> int:
    empty = int(results["value"].isna().sum())
    unmentioned = 0
    for _, rows in results.groupby("task", sort=False):
        boards = len(rows[["region", "metric"]].drop_duplicates())
        unmentioned += rows["algorithm"].nunique() * rows["case"].nunique() * boards - len(rows)
    return empty + unmentioned
