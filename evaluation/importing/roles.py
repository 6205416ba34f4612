"""Roles of a table's columns, guessed from their names and contents."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evaluation.importing.numbers import as_number, is_blank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.importing.sheets import Sheet

ROLES: Final[Mapping[str, str]] = MappingProxyType({
    "algorithm": "the algorithm or team",
    "case": "the case",
    "task": "the task",
    "metric": "the metric",
    "region": "the region or class",
    "outcome": "the outcome (ok, missing, …)",
    "value": "values",
    "ignore": "not used",
})  # fmt: skip
"""Roles of a column.

Several columns of values are named by the category that no other column contains: algorithms, cases or metrics.
"""

_WORDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "algorithm": (
        "algorithm", "algorithms", "algorithmname", "algname", "alg", "method", "methods", "methodname", "model",
        "modelname", "team", "teamname", "teams", "participant", "participantteam", "submitter", "submission",
        "submissionname", "user", "username", "entry", "network", "solution", "group",
    ),
    "case": (
        "case", "cases", "caseid", "casename", "subject", "subjectid", "patient", "patientid", "image", "imageid",
        "imagename", "scan", "scanid", "sample", "sampleid", "testcase", "file", "filename", "instance", "volume",
        "study", "studyid", "query", "item", "id", "pid",
    ),
    "task": ("task", "tasks", "taskname", "subtask", "phase", "track"),
    "metric": ("metric", "metrics", "metricname", "measure", "criterion", "scorename", "metrickey"),
    "region": ("region", "label", "class", "classname", "structure", "organ", "tissue", "roi", "target"),
    "outcome": ("outcome", "status"),
    "value": ("value", "values", "score", "scores", "result", "metricvalue", "performance"),
    "ignore": (
        "imagediagonal", "flag", "worst", "row", "index", "unnamed0", "rank", "ranking", "position", "date", "created",
        "createdat", "se", "seed", "fold", "site", "center", "centre", "scanner", "institution", "mean", "average", "std",
    ),
})  # fmt: skip
"""Column names in common use, in lower case without separators.

The selection was made here: names of challengeR's example, of our own results table, and synonyms. They are
suggestions only: the person who uploads a table confirms them.
"""
_FEWEST_NUMERIC: Final = 0.5


def guess_roles(sheet: Sheet) -> dict[str, str]:
    """Guess the role of each column, to be confirmed by a person who knows the table.

    Returns
    -------
    dict
        A role of `ROLES` by column, in the order of the file. At most one column has each role other than ``value`` and
        ``ignore``.

    Examples
    --------
    >>> from evaluation.importing.sheets import Sheet
    >>> rows = (("liver", "a", "7", "0.9"), ("liver", "b", "7", "0.8"))
    >>> guess_roles(Sheet("t.csv", "", ",", ("task", "alg_name", "case", "value"), rows, (2, 3)))
    {'task': 'task', 'alg_name': 'algorithm', 'case': 'case', 'value': 'value'}
    """
    if sheet.roles:
        return {column: sheet.roles.get(column, "ignore") for column in sheet.columns}
    numeric = {
        column: _is_numeric(sheet.column(column_index), comma=sheet.has_decimal_commas)
        for column_index, column in enumerate(sheet.columns)
    }
    roles = dict.fromkeys(sheet.columns, "")
    for role, words in _WORDS.items():
        candidates = [column for column in sheet.columns if not roles[column] and _bare(column) in words]
        if role == "value":
            candidates = [column for column in candidates if numeric[column]]
        if role == "ignore":
            roles |= dict.fromkeys(candidates, role)
        elif candidates:
            bare = {_bare(column): column for column in reversed(candidates)}
            roles[next(bare[word] for word in words if word in bare)] = role
    taken = set(roles.values())
    rest = [column for column in sheet.columns if not roles[column]]
    if "value" in taken and taken & {"algorithm"} and taken & {"case"}:
        roles |= dict.fromkeys(rest, "ignore")
    else:
        roles |= {column: "value" if numeric[column] else "ignore" for column in rest}
        _name_by_content(sheet, roles, numeric)
    return roles


def _name_by_content(sheet: Sheet, roles: dict[str, str], numeric: Mapping[str, bool]) -> None:
    """Find the column of names by its content: the first column whose cells are all different.

    This applies if no column name identifies it.
    """
    if not {"algorithm", "case"} & set(roles.values()):
        for column_index, column in enumerate(sheet.columns):
            cells = sheet.column(column_index)
            if roles[column] in ("ignore", "value") and not numeric[column] and len(set(cells)) == len(cells):
                roles[column] = "case"
                return
        first = sheet.columns[0]
        cells = sheet.column(0)
        if len(set(cells)) == len(cells) and all(re.fullmatch(r"\d+", cell) for cell in cells):
            roles[first] = "case"


def _is_numeric(cells: Sequence[str], *, comma: bool) -> bool:
    written = [cell for cell in cells if not is_blank(cell)]
    if not written:
        return False
    return sum(as_number(cell, comma=comma) is not None for cell in written) >= _FEWEST_NUMERIC * len(written)


def _bare(column: str) -> str:
    return re.sub(r"[^a-z0-9]", "", column.casefold())
