"""Columns of a results table: text as categories, numbers finite or absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
ABSENT = ""


class ResultsError(ValueError):
    """Error for a results table that cannot be ranked, with the affected rows and the reason."""


def check_results(results: pd.DataFrame) -> pd.DataFrame:
    """Bring a results table into the contract's form: columns complete, text as text, values finite or absent.

    Columns of text become categories in ascending order, so that a million rows are compared as whole numbers.

    Parameters
    ----------
    results
        At least ``algorithm``, ``case`` and ``value``; ``task``, ``region``, ``metric``, ``outcome``, ``flag``,
        ``image_diagonal`` and ``worst`` if there are any.

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
    # Made in one go at the end: adding columns one by one takes several times as long for a small table.
    columns: dict[str, Any] = {
        column: _coded(results[column]) if column in results.columns else constant_column(ABSENT, len(results))
        for column in ("task", "algorithm", "case", "region", "metric", "flag")
    }
    if ABSENT in columns["algorithm"].categories:
        message = "some rows name no algorithm"
        raise ResultsError(message)
    columns["value"] = value = _numbers(results["value"], "value")
    absent = np.isnan(value)
    if "outcome" in results.columns:
        columns["outcome"] = outcome = _coded(results["outcome"])
        unknown = sorted(set(outcome.categories) - set(Outcome))
        if unknown:
            message = f"unknown outcome {unknown[0]!r}; known are {', '.join(Outcome)}"
            raise ResultsError(message)
    else:
        columns["outcome"] = outcome = _categories(absent.astype(np.int64), [Outcome.OK.value, Outcome.MISSING.value])
    good = np.asarray(outcome == Outcome.OK)
    hollow = np.flatnonzero(good & absent)
    if len(hollow):
        first = pd.DataFrame(columns).iloc[hollow[0]]
        message = f"{len(hollow)} rows have the outcome ok but no value, first: {_row_words(first)}"
        raise ResultsError(message)
    columns["value"] = np.where(good, value, np.nan)
    for column in ("image_diagonal", "worst"):
        columns[column] = (
            _numbers(results[column], column) if column in results.columns else np.full(len(results), np.nan)
        )
    return pd.DataFrame(columns)


def _text(column: pd.Series[Any]) -> npt.NDArray[Any]:
    """Text without surprises: nothing is an empty text, and 7.0 read from a gappy column is 7."""
    present = column.notna().to_numpy()
    if pd.api.types.is_float_dtype(column) and (column[present] == column[present].round()).all():
        texts = column[present].astype("int64").astype(str)
    else:
        texts = column[present].astype(str)
    result = np.full(len(column), ABSENT, dtype=object)
    result[present] = texts.to_numpy(dtype=object)
    return result


def _coded(column: pd.Series[Any]) -> pd.Categorical[str]:
    """Return text as categories in ascending order, each of which occurs in some row."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        numbers, values = column.cat.codes.to_numpy(), column.cat.categories.to_series()
        used = np.unique(numbers[numbers >= 0])
        numbers = np.where(numbers >= 0, np.searchsorted(used, numbers), -1)
        values = values.iloc[used]
    else:
        numbers, distinct = pd.factorize(column)
        values = pd.Series(distinct)
    distinct_values = values.tolist()
    plain = all(type(value) is str for value in distinct_values)
    texts = [*(distinct_values if plain else _text(values)), *([ABSENT] if (numbers < 0).any() else [])]
    names = sorted(set(texts))
    number = {name: index for index, name in enumerate(names)}
    lookup = np.array([number[text] for text in texts], dtype=np.int64)
    return _categories(lookup[numbers], names)


def constant_column(text: str, length: int) -> pd.Categorical[str]:
    return _categories(np.zeros(length, dtype=np.int64), [text])


def _categories(codes: IntArray, names: Sequence[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index(list(names), dtype="str"))


def codes_of(column: pd.Series[Any]) -> tuple[IntArray, tuple[str, ...]]:
    """Numbers of the categories and their names, for a column of text as well."""
    categories = column if isinstance(column.dtype, pd.CategoricalDtype) else pd.Series(_coded(column))
    codes = np.asarray(categories.cat.codes, dtype=np.int64)
    return codes, tuple(map(str, categories.cat.categories))


def present(column: pd.Series[Any]) -> tuple[IntArray, tuple[str, ...]]:
    """Return the numbers and names of the categories that occur in some row, in ascending order."""
    codes, names = codes_of(column)
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
    """Return the values of a case-metadata column, in the order of the requested cases.

    Raises
    ------
    ResultsError
        If the column does not exist, or a case is not listed or has no value there.
    """
    if cases is None or "case" not in cases.columns or column not in cases.columns:
        message = f"the assessment needs the case column {column!r}; give a case table (cases.csv) that has it"
        raise ResultsError(message)
    names = _text(cases["case"])
    if len(set(names)) != len(names):
        message = "the case table lists a case twice"
        raise ResultsError(message)
    lookup = dict(zip(names, _text(cases[column]), strict=True))
    values = [lookup.get(case, ABSENT) for case in wanted]
    for case, value in zip(wanted, values, strict=True):
        if value == ABSENT:
            message = f"the case table gives no {column!r} for case {case!r}"
            raise ResultsError(message)
    return np.array(values, dtype=object)
