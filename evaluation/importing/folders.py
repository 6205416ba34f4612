"""Values measured outside in the folders of the command line: ``cases.csv``, and ``values.csv`` with or without ``replicates.csv``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.fitting import Fitting
from evaluation.importing.measured import read_measured, roles_of
from evaluation.importing.sheets import Sheet, read_sheet
from evaluation.outcomes import Outcome
from evaluation.problems.folders import CASES_FILE
from evaluation.problems.opened import Opened, References
from evaluation.readers import ReadError
from evaluation.readers.cells import read_table
from evaluation.scoring.given_evidence import Given, shared_of
from evaluation.scoring.rows import Row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.importing.content import Measured
    from evaluation.scoring.evidence_blocks import Block

VALUES_FILE: Final = "values.csv"
REPLICATES_FILE: Final = "replicates.csv"


@dataclass
class CaseList(References):
    """The complete list of cases, which is required to detect missing values."""

    cases: list[str]
    shared: dict[str, Any] = field(default_factory=dict)

    def prepare(self, case: str) -> Any:  # noqa: ARG002 (the signature)
        """Nothing: what was measured elsewhere is compared with nothing here."""
        return None


@dataclass
class OpenedValues(Opened):
    """The values of one algorithm, read and found to fit."""

    fitting: Fitting | None = None
    measured: Measured | None = None

    @property
    def found_cases(self) -> int:
        """Number of values."""
        assert self.measured is not None
        return sum(cell is not None for cells in self.measured.values.values() for cell in cells)

    def rows(self, algorithm: str) -> list[Row]:
        """One row for every case, metric and region, missing ones included; values of the whole data set last."""
        assert self.fitting is not None
        assert self.measured is not None
        rows = []
        for key, cell in zip(self.fitting.keys, self.measured.values[algorithm], strict=True):
            case, region, metric = key
            value = cell if isinstance(cell, float) else None
            outcome = Outcome(cell) if isinstance(cell, str) else Outcome.MISSING if cell is None else Outcome.OK
            worst = self.measured.worst.get(key)
            diagonal = self.measured.diagonals.get(case)
            rows.append(Row(algorithm, case, region, metric, value, outcome, diagonal, worst=worst))
        return rows

    def blocks(self, algorithm: str) -> list[Block]:
        """Return the available uncertainty of values of the whole data set."""
        assert self.fitting is not None
        assert self.measured is not None
        return given_blocks(self.fitting, self.measured, algorithm)


def given_blocks(fitting: Fitting, measured: Measured, algorithm: str) -> list[Block]:
    """Return the available uncertainty of values of the whole data set, in the form of evidence."""
    first = len(fitting.keys) - len(fitting.whole)
    blocks = []
    for position, (region, metric) in enumerate(fitting.whole):
        value = measured.values[algorithm][first + position]
        if isinstance(value, float):
            drawn, error = measured.replicates[algorithm][position], measured.errors[algorithm][position]
            given = Given(value, tuple(drawn or ()), measured.numbers if drawn else (), error)
            blocks.append(given.block(metric.name, algorithm, region))
    return blocks


def open_case_list(folder: Path) -> CaseList:
    """Read the complete list of cases.

    Raises
    ------
    ReadError
        If there is none, or it names a case twice.
    """
    path = folder if folder.is_file() else folder / CASES_FILE
    names = read_table(path, ("case",)).text("case")
    rows: dict[str, int] = {}
    for row, name in enumerate(names, start=2):
        if name in rows:
            actual = f"a second row for the case {name[:40]} (rows {rows[name]} and {row})"
            raise ReadError("table", path.name, actual, "one row a case")
        rows[name] = row
    return CaseList(sorted(rows))


def open_values(assessment: Assessment, predictions: Mapping[str, Path], references: CaseList) -> dict[str, Opened]:
    """Read the values of each folder, of one algorithm or of those that a column names.

    Values come from organizers, so that a mistake in them ends the run and costs no algorithm its values.

    Raises
    ------
    ValueError
        With the first problem of a table, in one line.
    ReadError
        If a table is not there.
    """
    opened: dict[str, Opened] = {}
    for name, folder in predictions.items():
        fitting, measured = _read(assessment, name, folder, references)
        for algorithm in measured.values:
            if algorithm in opened:
                message = f"{name}: a second table with values of {algorithm}; send one"
                raise ValueError(message)
            opened[algorithm] = OpenedValues(fitting=fitting, measured=measured)
    references.shared = shared_of(references.cases)
    return opened


def _read(assessment: Assessment, name: str, folder: Path, references: CaseList) -> tuple[Fitting, Measured]:
    sheet = _sheet(folder if folder.is_file() else folder / VALUES_FILE)
    drawn = folder / REPLICATES_FILE
    is_of_several = "algorithm" in roles_of(sheet, Fitting(assessment, ())).values()
    fitting = Fitting(
        assessment, tuple(references.cases), team="" if is_of_several else name, takes_new_teams=is_of_several
    )
    replicates = _sheet(drawn) if folder.is_dir() and drawn.is_file() else None
    measured = read_measured(sheet, roles_of(sheet, fitting), fitting, replicates=replicates)
    if measured.problems:
        more = len(measured.problems) - 1 + measured.more
        message = measured.problems[0] + (f" ({more:,} more problems.)" if more else "")
        raise ValueError(message)
    return fitting, measured


def _sheet(path: Path) -> Sheet:
    if not path.is_file():
        raise ReadError("not_found", path.name, f"no {path.name} in the folder {path.parent.name}")
    return read_sheet(path)
