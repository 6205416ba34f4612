"""Characteristics of cases: what kind each is, and in which form it can group cases or explain values.

A kind is, in this order: a name where the assessment groups by the column; declared by the assessment; a name where the
column is called like an identifier; else guessed from the values. An identifier is never cut into ranges.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from evaluation.assessment.columns import NAME, NUMBER, YES_NO, column_name, grouping_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evaluation.assessment.model import Assessment

FEWEST_NUMBERS: Final = 5
"""A number with fewer different values is a name for a group, unless it is declared."""
MOST_LEVELS: Final = 8
"""Maximum number of values of a name that is used as an explanation.

Names with more values define groups of cases only, because each value would be a separate term.
"""
_IDENTIFIERS: Final = re.compile(
    r"(?i)(?:^|[_\s-])(?:id|ids|code|site|sites|centre|center|hospital|clinic|institution|patient|subject|"
    r"study|scanner|device|vendor|manufacturer|reader|rater|annotator|session|series|fold|batch|cohort|group|class|type)$"
)
_YES: Final = frozenset({"yes", "true", "y"})
_NO: Final = frozenset({"no", "false", "n"})


@dataclass(frozen=True)
class Characteristic:
    """A column of the case metadata as something known about cases.

    Attributes
    ----------
    name, title
        The column, and what people read.
    kind
        ``name``, ``number`` or ``yes_no``.
    by_case
        By case: texts of a name, floats of a number, 0 and 1 of yes and no; missing where nothing is known.
    """

    name: str
    title: str
    kind: str
    by_case: pd.Series[Any]


def characteristics_of(assessment: Assessment, cases: pd.DataFrame | None) -> list[Characteristic]:
    """Return every column of the case metadata that distinguishes cases, in their order.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> table = pd.DataFrame({"case": list("abcdef"), "site": range(1, 7), "age": [3.5, 4, 5, 6, 7, 8], "smoke": ["yes", "no"] * 3})
    >>> document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}
    >>> [(known.name, known.kind) for known in characteristics_of(parse(document), table)]
    [('site', 'name'), ('age', 'number'), ('smoke', 'yes_no')]
    """
    return list(_characteristics(assessment, cases))


def _characteristics(assessment: Assessment, cases: pd.DataFrame | None) -> Iterator[Characteristic]:
    if cases is None or "case" not in cases:
        return
    table = cases.set_index(cases["case"].astype(str)).drop(columns="case")
    used = grouping_columns(assessment)
    for column in map(str, table.columns):
        texts = _texts(table[column])
        if texts.nunique() < 2:
            continue
        kind = NAME if column in used else declared_kind(assessment, column) or guessed_kind(column, texts)
        values: pd.Series[Any] = texts
        if kind == NUMBER:
            values = pd.to_numeric(texts, errors="coerce").astype(float)
        elif kind == YES_NO:
            truth = texts.str.casefold().map(_truth).astype(float)
            # Two other words, such as "present" and "absent", are two names: which of them is yes, nobody said.
            kind, values = (YES_NO, truth) if truth.notna().equals(texts.notna()) else (NAME, texts)
        if values.nunique() >= 2:
            yield Characteristic(column, column.replace("_", " "), kind, values)


def declared_kind(assessment: Assessment, column: str) -> str | None:
    """Return the kind that the assessment declares for a column; None without a declaration.

    The declaration is by the heading of the column or by the characteristic of that name.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], "columns": {"smoke_in_view": "yes_no"}}
    >>> declared_kind(parse(document), "Smoke in view"), declared_kind(parse(document), "age")
    ('yes_no', None)
    """
    return assessment.columns.get(column) or assessment.columns.get(column_name(column))


def guessed_kind(column: str, texts: pd.Series[Any]) -> str:
    """Return the kind of an undeclared column, from its name and its values.

    Examples
    --------
    >>> guessed_kind("volume", pd.Series(["1.5", "2", "3", "4", "5"])), guessed_kind("patient_id", pd.Series(list("12345")))
    ('number', 'name')
    """
    present = texts.dropna()
    if _IDENTIFIERS.search(column):
        return NAME
    if set(present.str.casefold()) <= _YES | _NO:
        return YES_NO
    numbers = pd.to_numeric(present, errors="coerce")
    is_number = bool(numbers.notna().all()) and numbers.nunique() >= FEWEST_NUMBERS
    return NUMBER if is_number else NAME


def explaining_columns(
    characteristics: Sequence[Characteristic], cases: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return characteristics as columns of a model.

    Numbers are in standard deviations, yes and no are 0 and 1, and names are categories.

    Returns
    -------
    pandas.DataFrame
        One row per case in the order of `cases`, one column per characteristic by its title.
    list of str
        Excluded characteristics, with the reason.
    """
    table = pd.DataFrame(index=pd.Index(list(cases), name="case"))
    left_out = []
    for entry in characteristics:
        values = entry.by_case.reindex(list(cases))
        if values.nunique() < 2:
            continue
        if entry.kind == NUMBER:
            table[entry.title] = (values - values.mean()) / values.std(ddof=0)
        elif entry.kind == YES_NO:
            table[entry.title] = values
        elif values.nunique() <= MOST_LEVELS:
            table[entry.title] = values.astype(object).where(values.notna(), None)
        else:
            left_out.append(
                f"{entry.title} is left out: it has {values.nunique()} values, which stand in the groups of cases"
            )
    return table, left_out


def indicator_columns(characteristics: Sequence[Characteristic], cases: Sequence[str]) -> dict[str, list[float | None]]:
    """Characteristics as numbers along cases: names become one column of 0 and 1 a value, of the most frequent ones."""
    columns: dict[str, list[float | None]] = {}
    for entry in characteristics:
        values = entry.by_case.reindex(list(cases))
        if entry.kind != NAME:
            columns[entry.title] = [None if pd.isna(value) else float(value) for value in values]
            continue
        levels = list(values.value_counts().index[:MOST_LEVELS])
        for level in sorted(levels)[1:] if len(levels) == 2 else sorted(levels):
            title = f"{entry.title}: {level}"
            columns[title] = [None if pd.isna(value) else float(value == level) for value in values]
    return columns


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Values as text, nothing where there is none; 7.0 read from a gappy column is 7, and true is yes."""
    if pd.api.types.is_bool_dtype(column):
        column = column.map({True: "yes", False: "no"})
    elif pd.api.types.is_float_dtype(column):
        present = column.dropna()
        if (present == present.round()).all():
            column = column.astype("Int64")
    texts = column.astype(object).where(column.notna(), None)
    texts = texts.map(lambda value: None if value is None else str(value).strip() or None)
    return texts.astype(object)


def _truth(text: object) -> float | None:
    if text in _YES or text == "1":
        return 1.0
    return 0.0 if text in _NO or text == "0" else None
