"""Result of a run: its files, its digest and the few numbers that pages read.

A columnar file contains the rows and never changes. A second file contains the evidence. The digest covers the content
of both.
"""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pandas as pd

from datastore.test_sets import vault
from datastore.uploads.storage import private, store_bytes
from evaluation.aggregation import Table, build_tables, check_results, metadata_column
from evaluation.assessment import Assessment
from evaluation.bundle import combined_digest
from evaluation.canonical import sha256
from evaluation.outcomes import Outcome

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


def summarize(
    assessment: Assessment,
    results: pd.DataFrame,
    metadata: pd.DataFrame | None = None,
    *,
    cases: Sequence[str] = (),
    noted: Collection[str] = (),
) -> dict[str, Any]:
    """Aggregate the result of a run along the levels of the assessment.

    Every outcome counts as the assessment defines.

    Parameters
    ----------
    metadata
        Case metadata with a column for every level above the case.
    cases
        Names of all cases; by default those in the results.
    noted
        Cases with a note why they have no value. If all values are of the whole data set, no other input shows
        them.

    Returns
    -------
    dict
        ``values``: a list of ``metric``, ``region``, ``value`` and ``outcomes`` (outcome → number of cases) in
        the order of the assessment. If the reference of some cases is empty, also ``others``: the number of the
        other cases and the value over them, since many correct empty answers hide the performance on non-empty
        references.
        ``cases``: the number of cases.
        ``missing_cases``: the number of cases without any value because the prediction is missing.
        ``doubts``: suspected mistakes in the team's files, a sentence each.
    """
    # A single submission that lacks an input has no result for that metric; only a ranking can tell whether anyone could.
    lacking = results["outcome"] == Outcome.NOT_APPLICABLE.value
    results = results.assign(outcome=results["outcome"].mask(lacking, Outcome.MISSING.value))
    tables = build_tables(assessment, check_results(results))
    levels = [level for level in assessment.aggregation.levels if level != "case"]
    values = []
    for table in tables:
        column = table.values[:, 0]  # noqa: PD011 (not a pandas object)
        # A value of the whole data set has no levels: there is nothing to aggregate.
        above = [] if table.per_dataset else levels
        groups = {level: metadata_column(metadata, table.cases, level) for level in above}
        higher = table.metric.higher_is_better
        value: dict[str, Any] = {
            "metric": table.metric.name,
            "region": table.region,
            "value": _along(assessment, column, groups, higher_is_better=higher),
            "outcomes": dict(table.outcomes[0]),
        }
        hollow = np.isin(table.cases, _empty_references(results, table))
        if hollow.any() and not hollow.all():
            rest = np.where(hollow, np.nan, column)
            value["others"] = {
                "cases": int((~hollow).sum()),
                "value": _along(assessment, rest, groups, higher_is_better=higher),
            }
        values.append(value)
    of_cases = results[results["case"] != ""]
    case_names = set(cases) or set(of_cases["case"])
    missing = set(of_cases[of_cases["outcome"] == Outcome.MISSING.value]["case"])
    if of_cases.empty:
        missing = set(noted) & case_names
    kind = assessment.kind
    doubts = list(kind.plausibility.doubts(assessment, results)) if kind.plausibility.result_rules else []
    return {"values": values, "cases": len(case_names), "missing_cases": len(missing), "doubts": doubts}


def _empty_references(results: pd.DataFrame, table: Table) -> list[str]:
    """Return the cases whose reference is empty in a region, as far as the result shows.

    A missing prediction provides no information about this.
    """
    rows = results[(results["metric"] == table.metric.name) & (results["region"] == (table.region or ""))]
    return rows[rows["outcome"].isin([Outcome.BOTH_EMPTY.value, Outcome.REF_EMPTY.value])]["case"].tolist()


def _along(
    assessment: Assessment, values: np.ndarray, groups: dict[str, np.ndarray], *, higher_is_better: bool
) -> float | None:
    """Aggregate cases to the innermost groups, those to the next ones, and the outermost to one number."""
    table = pd.DataFrame({"value": values, **groups})
    table = table[np.isfinite(table["value"])]
    if table.empty:
        return None
    quantile = assessment.aggregation.operator.quantile(higher_is_better=higher_is_better)

    def one(column: pd.Series) -> float:
        return float(column.mean() if quantile is None else column.quantile(quantile))

    names = list(groups)
    for position in range(len(names)):
        table = table.groupby(names[position:])["value"].agg(one).reset_index()
    return one(table["value"])
