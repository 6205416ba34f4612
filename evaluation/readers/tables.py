"""Tables of labels: `labels.csv` of references and of predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.metrics.samples import SUM_SLACK
from evaluation.readers.dialects import text_of
from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.number_cells import as_number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

LABELS_FILE: Final = "labels.csv"
SCORE_PREFIX: Final = "p_"
CASE: Final = "case"
LABEL: Final = "label"
_COMMON_COLUMNS: Final = frozenset(
    [
        "case",
        "label",
        "class",
        "instance",
        "score",
        "ignore",
        "decision",
        "x",
        "y",
        "z",
        "x_min",
        "y_min",
        "z_min",
        "x_max",
        "y_max",
        "z_max",
    ]
)
_NAMES_OF_THINGS: Final = frozenset({CASE, LABEL, "class", "patient", "site", "algorithm", "region", "metric"})
"""Columns whose cells are names, also where they look like numbers."""
_NOT_PLAIN: Final = "[,%'’ \u00a0\u202f\u2009]"
_SEARCHED_BYTES: Final = 1 << 24
"""Part of a table that is searched for the row that cannot be parsed."""
_NAMED: Final = 100
_SHOWN: Final = 40
_COLUMNS_SHOWN: Final = 12


@dataclass(frozen=True)
class PredictedLabels:
    """Predictions of an algorithm for the cases of a task.

    Attributes
    ----------
    decision
        Position of the label among the classes for every case, -1 without a valid row; ``None`` if the table
        has no labels.
    scores
        One column per class, NaN without a valid row; ``None`` if the table has no scores.
    answered
        True for each case that has a valid row.
    invalid
        Reason why rows of known cases were not accepted, by case; for a limited number of cases.
    absent
        Cases without a row.
    unexpected
        Cases of the table that the task does not know.
    """

    decision: NDArray[np.int64] | None
    scores: NDArray[np.float64] | None
    answered: NDArray[np.bool_]
    invalid: dict[str, Issue] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()


def read_columns(
    path: Path, *, limits: Limits = DEFAULT, expected: Sequence[str] = (CASE, LABEL)
) -> dict[str, pa.ChunkedArray]:
    """Read a table as columns of text without surrounding spaces.

    The table is a CSV file in UTF-8 with commas, semicolons or tabs between its cells, or an Excel workbook. Numbers may
    have decimal commas, per cent signs and separators of thousands; they become plain decimals. Capital letters in
    the names of common columns do not matter.

    Parameters
    ----------
    expected
        Columns that the message for an empty table names.

    Raises
    ------
    ReadError
        With kind ``not_found``, ``too_large`` or ``table``. Kind ``table`` covers bytes that are not UTF-8,
        rows of unequal length, and a duplicate column. It also covers more rows, columns or characters in a
        cell than the limits allow.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    name = path.name
    if not path.is_file():
        raise ReadError("not_found", name, "there is no such file")
    if path.stat().st_size > limits.table_bytes:
        raise ReadError("too_large", name, f"{path.stat().st_size:,} bytes", f"at most {limits.table_bytes:,}")
    content, delimiter = text_of(path.read_bytes(), name, limits)
    if b"\0" in content:
        raise ReadError("table", name, "bytes that are no text", "CSV in UTF-8")
    head = content.partition(b"\n")[0]
    if len(head) > limits.header_bytes or head.count(delimiter.encode()) >= limits.table_columns:
        raise ReadError("too_large", name, "too many columns", f"at most {limits.table_columns:,}")
    if not content.strip():
        raise ReadError("table", name, "nothing in it", f"the columns {', '.join(expected)}")
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(use_threads=False, block_size=len(content)),
            parse_options=csv.ParseOptions(delimiter=delimiter),
            convert_options=csv.ConvertOptions(
                column_types={column: pa.string() for column in _header(head, delimiter)}, strings_can_be_null=False
            ),
        )
        columns = _known_names([column.strip() for column in table.column_names])
    except (pa.ArrowException, ValueError) as error:
        raise ReadError("table", name, _uneven(content, delimiter, error), "CSV in UTF-8, one line a case") from None
    twice = [column for column in columns if columns.count(column) > 1]
    if twice:
        raise ReadError("table", name, f"two columns {twice[0][:40]!r}", "every column once")
    if table.num_rows > limits.table_rows:
        raise ReadError("too_large", name, f"{table.num_rows:,} rows", f"at most {limits.table_rows:,}")
    texts = {}
    for column, cells in zip(columns, table.columns, strict=True):
        longest = pc.max(pc.utf8_length(cells.cast(pa.string()))).as_py()
        if longest is not None and longest > limits.cell_characters:
            raise ReadError(
                "too_large", name, f"a cell of {longest:,} characters", f"at most {limits.cell_characters:,}"
            )
        texts[column] = pc.utf8_trim_whitespace(cells.cast(pa.string()))
    if delimiter != "," or any(mark in content for mark in (b'"', b"%", b"'", b"\xc2\xa0", b"\xe2\x80\xaf")):
        for column in set(columns) - _NAMES_OF_THINGS:
            texts[column] = _plain_numbers(texts[column], comma=delimiter != ",")
    return texts


def _known_names(columns: list[str]) -> list[str]:
    """Names of columns, those of common columns in lower case unless the table has both."""
    lower = [column.lower() for column in columns]
    return [
        plain if plain in _COMMON_COLUMNS and lower.count(plain) == 1 else column
        for column, plain in zip(columns, lower, strict=True)
    ]


def _plain_numbers(cells: pa.ChunkedArray, *, comma: bool) -> pa.ChunkedArray:
    """The cells with every number as a plain decimal, and all other cells as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.any(pc.match_substring_regex(cells, _NOT_PLAIN)).as_py():
        return cells
    plain = []
    for cell in cells.to_pylist():
        number = as_number(cell, comma=comma) if cell and not cell.isalpha() else None
        plain.append(cell if number is None or _is_plain(cell) else repr(number))
    return pa.chunked_array([pa.array(plain, pa.string())])


def _is_plain(cell: str) -> bool:
    return not any(mark in cell for mark in ",%'’ \u00a0\u202f\u2009")


def _uneven(content: bytes, delimiter: str, error: Exception) -> str:
    """Problem of a table that cannot be parsed: the first row with another number of cells than the header."""
    import csv as plain

    try:
        rows = plain.reader(content[:_SEARCHED_BYTES].decode(errors="replace").splitlines(), delimiter=delimiter)
        width = len(next(rows))
        for number, row in enumerate(rows, start=2):
            if row and len(row) != width:
                cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
                return f"row {number} has {cells} and the header has {width}"
    except (plain.Error, StopIteration):
        pass
    return f"no table ({str(error).splitlines()[0][:120]})"


def read_reference_labels(path: Path, *, limits: Limits = DEFAULT) -> dict[str, str]:
    """Read the label of every case of a task, in ascending order of cases.

    Raises
    ------
    ReadError
        As `read_columns`; also if the column ``case`` or ``label`` is missing, a case or label is empty, a case
        occurs twice, or there is no case at all.
    """
    columns = read_columns(path, limits=limits)
    _require(path.name, columns, CASE, LABEL)
    cases, labels = (columns[column].to_pylist() for column in (CASE, LABEL))
    if not cases:
        raise ReadError("table", path.name, "no case", "one row a case")
    for row, (case, label) in enumerate(zip(cases, labels, strict=True), start=2):
        if not case or not label:
            raise ReadError("table", path.name, f"no {LABEL if case else CASE} in row {row}", "both in every row")
    labels_by_case = dict(zip(cases, labels, strict=True))
    if len(labels_by_case) != len(cases):
        seen: set[str] = set()
        first = next(case for case in cases if case in seen or seen.add(case))  # type: ignore[func-returns-value]
        raise ReadError("table", path.name, f"two rows for the case {first}", "one row a case")
    return {case: labels_by_case[case] for case in sorted(labels_by_case)}


def read_predicted_labels(
    path: Path,
    cases: Sequence[str],
    classes: Sequence[str],
    *,
    named: int = _NAMED,
    any_score: bool = False,
    need_label: Sequence[str] = (),
    limits: Limits = DEFAULT,
) -> PredictedLabels:
    """Read the predictions of an algorithm for the cases of a task.

    An invalid row counts as no answer and is never repaired; the rest of the table counts. A row is invalid if
    its class is unknown to the task or its case occurs twice. It is also invalid if its scores are not
    probabilities or do not sum to 1; with `any_score`, only if they are not finite numbers.

    Parameters
    ----------
    path
        Table with the columns ``case`` and ``label``, or one column ``p_<class>`` per class, or both. For two
        classes, one column of scores is enough.
    cases
        The cases of the task, ascending.
    classes
        All classes in order.
    named
        Number of invalid rows for which the reason is kept.
    any_score
        True if scores are any finite numbers. One column for two classes then gives the other class the opposite score.
    need_label
        Names of the metrics that need the column ``label``.

    Raises
    ------
    ReadError
        As `read_columns`; also if there is neither a label nor a score, or not a score for every class.
    """
    columns = read_columns(path, limits=limits)
    _require(path.name, columns, CASE)
    score_columns = _score_columns(path.name, columns, classes)
    if LABEL not in columns and not score_columns:
        raise ReadError("table", path.name, "neither labels nor scores", f"{LABEL} or {SCORE_PREFIX}<class> columns")
    if need_label and LABEL not in columns:
        raise ReadError("table", path.name, f"no column {LABEL}, which {', '.join(need_label)} need", f"{LABEL}")
    position_of_case = {case: position for position, case in enumerate(cases)}
    rows_of = columns[CASE].to_pylist()
    position_of_row = np.array([position_of_case.get(case, -1) for case in rows_of], dtype=np.int64)
    times = np.bincount(position_of_row[position_of_row >= 0], minlength=len(cases))
    answered = times == 1
    wrong: dict[int, _Wrong] = {
        int(position): _Wrong(f"more than one row ({times[position]})")
        for position in np.flatnonzero(times > 1)[:named]
    }
    ours = np.flatnonzero((position_of_row >= 0) & (times[position_of_row] == 1))
    decision = None
    if LABEL in columns:
        decision = np.empty(len(cases), dtype=np.int64)
        decision[position_of_row[ours]] = _labels(columns[LABEL], ours, classes)
        strange = ours[decision[position_of_row[ours]] < 0]
        answered[position_of_row[strange]] = False
        for row in strange[:named]:
            given = columns[LABEL][int(row)].as_py()[:_SHOWN]
            words = f"the label {given!r} in row {row + 2}, which the task does not know"
            wrong.setdefault(int(position_of_row[row]), _Wrong(words, int(row) + 2, given))
    scores = None
    if score_columns:
        scores = np.empty((len(cases), len(classes)))
        numbers = _scores(columns, score_columns, classes, any_score=any_score)[ours]
        fine = np.isfinite(numbers).all(axis=1) if any_score else _check(numbers)
        answered[position_of_row[ours[~fine]]] = False
        for row in ours[~fine][:named]:
            given = {column: columns[column][int(row)].as_py() for column in score_columns.values()}
            words = _not_finite(given) if any_score else _wrong_scores(given)
            wrong.setdefault(int(position_of_row[row]), _Wrong(f"{words} in row {row + 2}", int(row) + 2))
        scores[position_of_row[ours]] = numbers
    if decision is not None:
        decision[~answered] = -1
    if scores is not None:
        scores[~answered] = np.nan
    return PredictedLabels(
        decision=decision,
        scores=scores,
        answered=answered,
        invalid={
            cases[position]: _issue(path.name, cases[position], wrong[position]) for position in sorted(wrong)[:named]
        },
        absent=tuple(case for case, count in zip(cases, times, strict=True) if count == 0),
        unexpected=tuple(case for case, position in zip(rows_of, position_of_row, strict=True) if position < 0),
    )


class _Wrong(NamedTuple):
    """Reason why the answer to a case is invalid, with its row and cell."""

    words: str
    row: int | None = None
    cell: str = ""


def _issue(file: str, case: str, wrong: _Wrong) -> Issue:
    return ReadError("table", file, f"case {case}: {wrong.words}", row=wrong.row, cell=wrong.cell).issue


def _require(file: str, columns: dict[str, Any], *wanted: str) -> None:
    lacking = [column for column in wanted if column not in columns]
    if lacking:
        raise ReadError("table", file, lacking_words(lacking[:1], list(columns)), "the columns " + ", ".join(wanted))


def lacking_words(lacking: Sequence[str], columns: Sequence[str]) -> str:
    """Name columns that a table lacks, and those that it has.

    Examples
    --------
    >>> lacking_words(["case"], ["id", "score"])
    'no column case; the columns are id, score'
    """
    listed = ", ".join(column[:_SHOWN] for column in columns[:_COLUMNS_SHOWN])
    more = ", …" if len(columns) > _COLUMNS_SHOWN else ""
    return f"no column {', '.join(lacking)}; the columns are {listed}{more}"


def _score_columns(file: str, columns: dict[str, Any], classes: Sequence[str]) -> dict[str, str]:
    """Column of every class that has one.

    Raises
    ------
    ReadError
        For a column of a class that the task does not know, or for too few columns.
    """
    score_columns = {}
    by_lower = (
        {name.lower(): name for name in classes} if len({name.lower() for name in classes}) == len(classes) else {}
    )
    for column in columns:
        if column.lower().startswith(SCORE_PREFIX):
            name = column[len(SCORE_PREFIX) :]
            name = name if name in classes else by_lower.get(name.lower(), name)
            if name not in classes:
                raise ReadError("table", file, f"the column {column[:60]} of no class of the task")
            score_columns[name] = column
    if score_columns and len(classes) != 2 and len(score_columns) < len(classes):
        raise ReadError(
            "table", file, f"scores of {len(score_columns)} classes", f"one of each of the {len(classes)} classes"
        )
    return score_columns


def _labels(cells: pa.ChunkedArray, rows: NDArray[np.int64], classes: Sequence[str]) -> NDArray[np.int64]:
    """Positions of labels among the classes, -1 for others; 1.0 is taken for the class 1."""
    encoded = cells.combine_chunks().dictionary_encode()
    positions = {name: position for position, name in enumerate(classes)}
    lookup = np.array([positions.get(_plain(text, positions), -1) for text in encoded.dictionary.to_pylist()])
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    decided: NDArray[np.int64] = lookup[codes[rows]].astype(np.int64)
    return decided


def _plain(text: str, positions: dict[str, int]) -> str:
    if text in positions:
        return text
    whole, point, rest = text.partition(".")
    return whole if point and whole.isdecimal() and rest and set(rest) == {"0"} else text


def _scores(
    columns: dict[str, pa.ChunkedArray], wanted: dict[str, str], classes: Sequence[str], *, any_score: bool = False
) -> NDArray[np.float64]:
    """Scores in the order of the classes; NaN for what is no number."""
    given = {name: _numbers(columns[column]) for name, column in wanted.items()}
    if len(given) < len(classes):
        (name,) = given
        other = classes[1 - list(classes).index(name)]
        given[other] = -given[name] if any_score else 1.0 - given[name]
    return np.stack([given[name] for name in classes], axis=1)


def _numbers(cells: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return np.asarray(pc.cast(cells, pa.float64()).to_numpy(), dtype=np.float64)
    except pa.ArrowInvalid:
        return np.array([_number(text) for text in cells.to_pylist()], dtype=np.float64)


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else float("nan")
    except ValueError:
        return float("nan")


def _check(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the rows that are probabilities."""
    fine = np.asarray(((scores >= 0) & (scores <= 1)).all(axis=1), dtype=bool)
    fine[fine] = np.abs(scores[fine].sum(axis=1) - 1) <= SUM_SLACK * scores.shape[1]
    return fine


def _wrong_scores(given: dict[str, str]) -> str:
    """Describe the error in the cells of a row that are not probabilities."""
    for column, text in given.items():
        if not 0 <= _number(text) <= 1:
            return f"{text[:_SHOWN]!r} as {column}, a score that is no number from 0 to 1,"
    return f"scores that do not sum to 1 but to {sum(map(_number, given.values())):.6g}"


def _not_finite(given: dict[str, str]) -> str:
    """Describe the first cell of a row that is no finite number."""
    column, text = next((column, text) for column, text in given.items() if not np.isfinite(_number(text)))
    return f"{text[:_SHOWN]!r} as {column}, a score that is no finite number,"


def _header(head: bytes, delimiter: str) -> list[str]:
    """Names of the columns as the table reader will find them, quotes taken away."""
    import csv as plain

    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").rstrip("\r")
    try:
        return next(plain.reader([text], delimiter=delimiter), [])
    except plain.Error as error:
        raise ValueError(str(error)) from None
