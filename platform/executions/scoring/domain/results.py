"""Result of a run: its files, its digest and the few numbers that pages read.

A columnar file contains the rows and never changes. A second file contains the evidence. The digest covers the content
of both.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pandas as pd

from datastore.test_sets import vault
from datastore.uploads.storage import private, store_bytes
from evaluation.bundle import combined_digest
from evaluation.canonical import sha256

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence


COLUMNS = ("algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal", "flag", "worst", "before")
_FURTHER = ("worst", "before")
"""Columns that only belong to results in which a row fills them."""


class CaseRow(NamedTuple):
    """A row of the contract's results table without the algorithm, as plain JSON values."""

    case: str
    region: str
    metric: str
    value: float | None
    outcome: str
    image_diagonal: float | None
    flag: str = ""
    worst: float | None = None
    before: float | None = None

    @classmethod
    def of(cls, row: Any) -> Self:
        """Take over a row of `evaluation.scoring`."""
        diagonal = None if row.image_diagonal is None else float(row.image_diagonal)
        value = None if row.value is None else float(row.value)
        worst = None if row.worst is None else float(row.worst)
        before = None if row.before is None else float(row.before)
        return cls(row.case, row.region, row.metric, value, str(row.outcome), diagonal, str(row.flag), worst, before)


def in_order(rows: Iterable[CaseRow]) -> list[CaseRow]:
    """Sort by case, region and metric: the one order in which results are written and digested."""
    return sorted(rows, key=lambda row: row[:3])


def digest(rows: Iterable[CaseRow], evidence: "Evidence | None" = None) -> str:
    """Return the digest of the content of a result.

    It is equal for equal predictions, regardless of the team, the run and the file format. With evidence it
    covers both; without, it is that of the rows alone.
    """
    ordered = in_order(rows)
    # As `evaluation.bundle.result_digest` has it: the last columns are there only where a row fills them.
    further = [name for name in _FURTHER if any(getattr(row, name) is not None for row in ordered)]
    rows_digest = sha256([[*row[:7], *(getattr(row, name) for name in further)] for row in ordered])
    if evidence is None:
        return rows_digest
    from evaluation.scoring.evidence import evidence_digest

    return combined_digest(rows_digest, evidence_digest(evidence))


def frame(rows: Iterable[CaseRow], *, algorithm: str = "") -> pd.DataFrame:
    """Return rows as a table with the contract's columns."""
    table = pd.DataFrame([(algorithm, *row) for row in in_order(rows)], columns=list(COLUMNS))
    return table.astype(dict.fromkeys(("value", "image_diagonal", *_FURTHER), "float64"))


def store(rows: Iterable[CaseRow], name: str) -> None:
    """Write the result file."""
    buffer = io.BytesIO()
    frame(rows).to_parquet(buffer, index=False, engine="pyarrow", compression="zstd")
    store_bytes(name, buffer.getvalue())


def store_annotators(
    rows: Mapping[str, Sequence[CaseRow]], stem: str, *, evidence: "Mapping[str, Evidence] | None" = None
) -> str:
    """Write the results under the references of each annotator as one file below `stem`.

    Returns the name of the file, or an empty string without results. The evidence behind their values of the
    whole data set is written next to it, in one encrypted file per annotator.
    """
    if not rows:
        return ""
    evidence_by_annotator = evidence or {}
    tables = [frame(annotator_rows).assign(annotator=name) for name, annotator_rows in sorted(rows.items())]
    buffer = io.BytesIO()
    pd.concat(tables, ignore_index=True).to_parquet(buffer, index=False, engine="pyarrow", compression="zstd")
    name = f"{stem}/{sha256({key: digest(annotator_rows, evidence_by_annotator.get(key)) for key, annotator_rows in rows.items()})}.parquet"
    for key, annotator_evidence in evidence_by_annotator.items():
        store_evidence(annotator_evidence, _annotators_evidence(name, sorted(rows).index(key)))
    store_bytes(name, buffer.getvalue())
    return name


def _annotators_evidence(name: str, position: int) -> str:
    """Return the name of the evidence file of an annotator.

    It follows from the name of the result file and the position in alphabetical order.
    """
    return f"{name.removesuffix('.parquet')}-{position}.evidence.parquet{vault.SUFFIX}"


def read_annotators(name: str, *, algorithm: str = "") -> dict[str, pd.DataFrame]:
    """Return annotator → results under that annotator's references, with the columns that `read` gives."""
    with private().open(name) as stream:
        table = with_further(pd.read_parquet(io.BytesIO(stream.read()), engine="pyarrow"))
    table["algorithm"] = algorithm
    groups = table.groupby("annotator", sort=True)
    return {str(key): annotator_table[list(COLUMNS)].reset_index(drop=True) for key, annotator_table in groups}


def read_annotators_evidence(name: str, *, algorithm: str = "") -> "dict[str, Evidence]":
    """Return annotator → evidence stored next to a result file.

    The result is empty if no metric has a value of the whole data set.
    """
    evidence = {}
    for position, (annotator, table) in enumerate(read_annotators(name).items()):
        if (table["case"] == "").any():
            evidence[annotator] = read_evidence(_annotators_evidence(name, position), algorithm=algorithm)
    return evidence


def store_evidence(evidence: "Evidence", name: str) -> None:
    """Write the file of evidence, encrypted as the references are: that of a classification holds their classes."""
    from evaluation.scoring.evidence import save_evidence

    buffer = io.BytesIO()
    save_evidence(buffer, evidence)
    vault.keep_bytes(name, buffer.getvalue())


def evidence_bytes(name: str) -> bytes:
    """Return the plain file of evidence, without the algorithm's name."""
    return vault.read_bytes(name)


def read_evidence(name: str, *, algorithm: str = "") -> "Evidence":
    """Return the evidence in a file, with the algorithm's name filled in."""
    from evaluation.scoring.evidence import read_evidence_bytes

    return read_evidence_bytes(evidence_bytes(name), name).renamed(algorithm)


def read(name: str, *, algorithm: str = "") -> pd.DataFrame:
    """Return the table in a result file, with the algorithm's name filled in."""
    with private().open(name) as stream:
        table = pd.read_parquet(io.BytesIO(stream.read()), engine="pyarrow")
    table["algorithm"] = algorithm
    return with_further(table)


def with_further(table: pd.DataFrame) -> pd.DataFrame:
    """The table with every column that there is; one that was stored before a column was made has none of its values."""
    return table.assign(**{name: np.nan for name in _FURTHER if name not in table})


def rows_of(table: pd.DataFrame) -> list[CaseRow]:
    """Return a table's rows as plain values, to compare digests."""
    plain = table[list(COLUMNS[1:])].astype(object).where(table[list(COLUMNS[1:])].notna(), None)
    return [CaseRow(*row) for row in plain.itertuples(index=False)]


def to_csv(table: pd.DataFrame) -> str:
    """Write a table as the contract's CSV: 17 significant digits, nothing where there is no value, further columns only if any."""
    unused = [*([] if table["flag"].any() else ["flag"]), *(name for name in _FURTHER if not table[name].notna().any())]
    table = table.drop(columns=unused)
    return table.to_csv(index=False, float_format="%.17g", lineterminator="\n")
