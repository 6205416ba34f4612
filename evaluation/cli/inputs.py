"""Reading what the commands share: assessments, results and case tables."""

from __future__ import annotations

import csv
import json
import sys
from typing import TYPE_CHECKING, Any

from evaluation import durable
from evaluation.assessment import check_ignored_options, parse
from evaluation.cli import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from evaluation.assessment.model import Assessment

_COLUMNS = ("task", "algorithm", "case", "value", "metric", "region", "outcome", "image_diagonal", "flag", "worst")


def read_assessment(path: Path) -> Assessment:
    """Read and check an assessment document.

    Raises
    ------
    InputError
        If the file is no JSON; an `AssessmentError` if it is no assessment.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        message = f"{path} is not a JSON document: {error}"
        raise InputError(message) from None
    assessment = parse(document)
    check_ignored_options(assessment)
    return assessment


def parse_columns(text: str | None) -> dict[str, str]:
    """Read ``task=T,algorithm=A,case=C,value=V`` into the contract's name → the file's name.

    Examples
    --------
    >>> parse_columns("algorithm=alg_name,case=case")
    {'algorithm': 'alg_name', 'case': 'case'}
    """
    names: dict[str, str] = {}
    for pair in filter(None, (text or "").split(",")):
        name, equals, column = (part.strip() for part in pair.partition("="))
        if name not in _COLUMNS or not equals or not column:
            message = f"--columns: {pair!r} is not NAME=COLUMN with a name among {', '.join(_COLUMNS)}"
            raise InputError(message)
        if name in names:
            message = f"--columns: {name} stands there twice"
            raise InputError(message)
        names[name] = column
    return names


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV file as text, so that no identifier is taken for a number.

    Raises
    ------
    InputError
        If it is no CSV table.
    """
    # Here, so that commands without tables start without it.
    import pandas as pd

    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", skipinitialspace=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, csv.Error) as error:
        message = f"{path} is not a CSV table: {error}"
        raise InputError(message) from None
    table.columns = [str(column).strip() for column in table.columns]
    return table


def read_results(paths: Sequence[Path], columns: Mapping[str, str]) -> pd.DataFrame:
    """Read one or more results tables into one; a file without an algorithm column is that of the file's name."""
    import pandas as pd

    frames = []
    for path in paths:
        table = read_table(path)
        for name, column in columns.items():
            if column not in table.columns:
                message = f"{path} has no column {column!r}; it has {', '.join(table.columns)}"
                raise InputError(message)
            table[name] = table[column]
        if columns and "task" not in columns:
            table = table.drop(columns="task", errors="ignore")
        if "algorithm" not in table.columns:
            table["algorithm"] = path.stem
        present_columns = [name for name in _COLUMNS if name in table.columns]
        table = table[present_columns]
        for name in ("value", "image_diagonal", "worst"):
            if name in present_columns:
                blank = table[name].str.strip().isin(["", "NA", "NaN", "nan"])
                table = table.assign(**{name: table[name].where(~blank)})
        frames.append(table)
    return pd.concat(frames, ignore_index=True)


def progress_line(what: str) -> Callable[[int, int], None] | None:
    """A callback that writes progress on standard error when it is a terminal, else ``None``."""
    if not sys.stderr.isatty():
        return None

    def write(done: int, total: int) -> None:
        sys.stderr.write(f"\r{what} {done}/{total}" + ("\n" if done == total else ""))
        sys.stderr.flush()

    return write


def write_json(document: Mapping[str, Any], path: Path | None) -> None:
    """Write a document to a file, or to standard output."""
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if path is None:
        sys.stdout.write(text)
    else:
        durable.write_text(path, text)
