"""The result of a run: one columnar file that never changes, a second one of evidence, and the digest of what they say."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import pandas as pd

from evaluation.bundle import combined_digest
from evaluation.canonical import sha256
from test_sets import vault
from uploads.storage import private, store_bytes

# Scoring loads libraries that pages do without; what needs it imports it when called.
if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence

COLUMNS = ("algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal", "flag", "worst")


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

    @classmethod
    def of(cls, row: Any) -> Self:
        """Take over a row of `evaluation.scoring`."""
        diagonal = None if row.image_diagonal is None else float(row.image_diagonal)
        value = None if row.value is None else float(row.value)
        worst = None if row.worst is None else float(row.worst)
        return cls(row.case, row.region, row.metric, value, str(row.outcome), diagonal, str(row.flag), worst)


def in_order(rows: Iterable[CaseRow]) -> list[CaseRow]:
    """Sort by case, region and metric: the one order in which results are written and digested."""
    return sorted(rows, key=lambda row: row[:3])


def digest(rows: Iterable[CaseRow], evidence: "Evidence | None" = None) -> str:
    """Digest of what a result says: equal for equal predictions, whatever the team, the run, or the file format.

    With evidence it covers both; without, it is that of the rows alone.
    """
    ordered = in_order(rows)
    # As `evaluation.bundle.result_digest` has it: the last column is there only where a row fills it.
    width = 8 if any(row.worst is not None for row in ordered) else 7
    own = sha256([list(row[:width]) for row in ordered])
    if evidence is None:
        return own
    from evaluation.scoring.evidence import evidence_digest

    return combined_digest(own, evidence_digest(evidence))


def frame(rows: Iterable[CaseRow], *, algorithm: str = "") -> pd.DataFrame:
    """Return rows as a table with the contract's columns."""
    table = pd.DataFrame([(algorithm, *row) for row in in_order(rows)], columns=list(COLUMNS))
    return table.astype({"value": "float64", "image_diagonal": "float64", "worst": "float64"})


def store(rows: Iterable[CaseRow], name: str) -> None:
    """Write the result file."""
    buffer = io.BytesIO()
    frame(rows).to_parquet(buffer, index=False, engine="pyarrow", compression="zstd")
    store_bytes(name, buffer.getvalue())


def store_annotators(
    rows: Mapping[str, Sequence[CaseRow]], stem: str, *, evidence: "Mapping[str, Evidence] | None" = None
) -> str:
    """Write the results under the references of each annotator as one file below `stem`; returns its name, or nothing.

    What their values of the whole data set are made of is written beside it, one encrypted file an annotator.
    """
    if not rows:
        return ""
    known = evidence or {}
    tables = [frame(own).assign(annotator=name) for name, own in sorted(rows.items())]
    buffer = io.BytesIO()
    pd.concat(tables, ignore_index=True).to_parquet(buffer, index=False, engine="pyarrow", compression="zstd")
    name = f"{stem}/{sha256({key: digest(own, known.get(key)) for key, own in rows.items()})}.parquet"
    for key, own in known.items():
        store_evidence(own, _annotators_evidence(name, sorted(rows).index(key)))
    store_bytes(name, buffer.getvalue())
    return name


def _annotators_evidence(name: str, place: int) -> str:
    """Where the evidence of an annotator is, by the name of the file of results and the place in alphabetical order."""
    return f"{name.removesuffix('.parquet')}-{place}.evidence.parquet{vault.SUFFIX}"


def read_annotators(name: str, *, algorithm: str = "") -> dict[str, pd.DataFrame]:
    """Return annotator → results under that annotator's references, with the columns that `read` gives."""
    with private().open(name) as stream:
        table = pd.read_parquet(io.BytesIO(stream.read()), engine="pyarrow")
    table["algorithm"] = algorithm
    groups = table.groupby("annotator", sort=True)
    return {str(key): own[list(COLUMNS)].reset_index(drop=True) for key, own in groups}


def read_annotators_evidence(name: str, *, algorithm: str = "") -> "dict[str, Evidence]":
    """Return annotator → the evidence beside a file of results; nothing where no metric has a value of the whole data set."""
    found = {}
    for place, (annotator, table) in enumerate(read_annotators(name).items()):
        if (table["case"] == "").any():
            found[annotator] = read_evidence(_annotators_evidence(name, place), algorithm=algorithm)
    return found


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
    return table


def rows_of(table: pd.DataFrame) -> list[CaseRow]:
    """Return a table's rows as plain values, to compare digests."""
    plain = table[list(COLUMNS[1:])].astype(object).where(table[list(COLUMNS[1:])].notna(), None)
    return [CaseRow(*row) for row in plain.itertuples(index=False)]


def to_csv(table: pd.DataFrame) -> str:
    """Write a table as the contract's CSV: 17 significant digits, nothing where there is no value, flags and worst values only if any."""
    unused = [*([] if table["flag"].any() else ["flag"]), *([] if table["worst"].notna().any() else ["worst"])]
    table = table.drop(columns=unused)
    return table.to_csv(index=False, float_format="%.17g", lineterminator="\n")
