"""The results table as a CSV file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluation import durable
from evaluation.outcomes import Flag, Outcome
from evaluation.readers import ReadError
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from evaluation.scoring.rows import Row

COLUMNS: Final = ("algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal")
FLAG: Final = "flag"
WORST: Final = "worst"
BEFORE: Final = "before"


def write_results(rows: Iterable[Row], path: Path | str) -> None:
    """Write rows as a results table; the columns ``flag``, ``worst`` and ``before`` are added only if a row has one.

    Numbers have 17 significant digits, so that reading them gives the same numbers.
    """
    durable.write_text(Path(path), results_text(rows))


def results_text(rows: Iterable[Row]) -> str:
    """Return the results table as text.

    Examples
    --------
    >>> from evaluation.scoring.rows import Row
    >>> print(results_text([Row("a", "1", "whole", "dsc", 0.5, Outcome.OK, 10.0)]), end="")
    algorithm,case,region,metric,value,outcome,image_diagonal
    a,1,whole,dsc,0.5,ok,10
    """
    rows = list(rows)
    flagged = any(row.flag is not Flag.NONE for row in rows)
    bounded = any(row.worst is not None for row in rows)
    compared = any(row.before is not None for row in rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        (*COLUMNS, *([FLAG] if flagged else []), *([WORST] if bounded else []), *([BEFORE] if compared else []))
    )
    for row in rows:
        cells = [*row[:4], _number(row.value), str(row.outcome), _number(row.image_diagonal)]
        cells += [str(row.flag)] if flagged else []
        cells += [_number(row.worst)] if bounded else []
        cells += [_number(row.before)] if compared else []
        writer.writerow(cells)
    return text.getvalue()


def read_results(*paths: Path | str, limits: Limits = DEFAULT) -> pd.DataFrame:
    """Read one or more results tables into one.

    Returns
    -------
    pandas.DataFrame
        The columns of the table: names as text (empty for values of the whole data set or over all classes),
        ``value``, ``image_diagonal``, ``worst`` and ``before`` as numbers with NaN for missing values, and
        ``flag``.

    Raises
    ------
    ReadError
        With kind ``table`` for a missing column, an unknown outcome, a value without ``ok`` or the reverse, an
        invalid number, or a row that occurs twice.
    """
    import pandas as pd

    frames = [_read_one(Path(path), limits) for path in paths]
    table = pd.concat(frames, ignore_index=True) if len(frames) != 1 else frames[0]
    twice = table.duplicated(list(COLUMNS[:4]))
    if twice.any():
        first = table[list(COLUMNS[:4])][twice].iloc[0]
        names = " / ".join(str(name) or "–" for name in first)
        raise ReadError("table", Path(paths[0]).name, f"two rows for {names}", "one row each")
    return table


def _read_one(path: Path, limits: Limits) -> pd.DataFrame:
    import pandas as pd

    name = path.name
    if not path.is_file():
        raise ReadError("not_found", name, "there is no such file")
    if path.stat().st_size > limits.table_bytes:
        raise ReadError("too_large", name, f"{path.stat().st_size:,} bytes", f"at most {limits.table_bytes:,}")
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig", nrows=limits.table_rows + 1)
    except (ValueError, pd.errors.ParserError, UnicodeDecodeError) as error:
        raise ReadError("table", name, f"no table ({str(error).splitlines()[0][:120]})", "CSV") from None
    if len(table) > limits.table_rows:
        raise ReadError("too_large", name, f"more than {limits.table_rows:,} rows")
    missing = [column for column in COLUMNS if column not in table.columns]
    if missing:
        raise ReadError("table", name, f"no column {', '.join(missing)}", "the columns " + ", ".join(COLUMNS))
    outcomes = {str(outcome) for outcome in Outcome}
    odd = table.loc[~table["outcome"].isin(outcomes), "outcome"]
    if len(odd):
        raise ReadError("table", name, f"the outcome {odd.iloc[0]!r} in row {odd.index[0] + 2}", ", ".join(Outcome))
    for column in (WORST, BEFORE):
        if column not in table.columns:
            table[column] = ""
    for column in ("value", "image_diagonal", WORST, BEFORE):
        table[column] = _numbers(table[column], column, name)
    wrong = (table["outcome"] == Outcome.OK) == table["value"].isna()
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        message = "no value with the outcome ok" if table["outcome"].iloc[row] == Outcome.OK else "a value without ok"
        raise ReadError("table", name, f"{message} in row {row + 2}", "a value exactly if the outcome is ok")
    if FLAG not in table.columns:
        table[FLAG] = ""
    return table[[*COLUMNS, FLAG, WORST, BEFORE]]


def _numbers(cells: pd.Series[str], column: str, name: str) -> pd.Series[float]:
    import numpy as np
    import pandas as pd

    numbers = pd.to_numeric(cells.where(cells != "", "nan"), errors="coerce").astype(float)
    bad = (cells != "") & ~np.isfinite(numbers)
    if bad.any():
        row = int(bad.to_numpy().argmax())
        raise ReadError(
            "table", name, f"{cells.iloc[row]!r} as {column} in row {row + 2}", "a finite number or nothing"
        )
    return numbers


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.17g}"
