"""Untrusted table next to prediction files: class and score of each object, confidences of cases.

The table is optional. A row that cannot be read is not used, and its case counts. A missing table that a metric requires
is a problem of the whole archive.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confinement import archive
from confinement.archive import Member
from confinement.limits import TableLimits
from evaluation.problems.beside import RulesBeside, TableBeside
from evaluation.problems.files import FileProblem
from evaluation.readers.limits import Limits
from executions.scoring.domain.matching import EXTRAS_SHOWN
from executions.scoring.domain.report import Extra, Finding, Report, Status

_NAMES_SHOWN = 5


def set_apart(files: Sequence[Member], rules: RulesBeside) -> tuple[str, list[Member]]:
    """Separate the table from the other files.

    Returns its path in the archive, empty without a table, and the other files.

    Raises
    ------
    ArchiveError
        If there are several tables, or none although it is required.
    """
    tables = [member for member in files if member.name.lower() == rules.file]
    if len(tables) > 1:
        names = ", ".join(member.path for member in tables[:_NAMES_SHOWN])
        kind = rules.words.replace("table", "tables", 1)
        raise archive.ArchiveError(f"The archive has {len(tables)} {kind}: {names}. Keep one.")
    if not tables and rules.needed:
        raise archive.ArchiveError(
            f"There is no {rules.file} in the archive. It tells {rules.purpose}. Add it, with the columns "
            f"{', '.join(rules.columns)}."
        )
    return (tables[0].path if tables else ""), [member for member in files if member not in tables]


def extract(path: Path, member: str, rules: RulesBeside, folder: Path) -> TableBeside:
    """Read the table of an archive.

    Raises
    ------
    ArchiveError
        When it is damaged or larger than any table may be.
    ReadError
        When it cannot be taken as a whole.
    """
    target = folder / rules.file
    too_large = f"more than a {rules.words} needs. {rules.remedy}"
    archive.extract(path, member, target, limit=TableLimits().bytes, remedy=too_large)
    try:
        limits = Limits(table_rows=TableLimits().rows, table_bytes=TableLimits().bytes)
        return rules.read(target, limits=limits)
    finally:
        target.unlink(missing_ok=True)


def judge(table: TableBeside, report: Report, file: str) -> None:
    """Add the rows of unknown cases to a report."""
    expected_cases = {*report.members, *report.findings}
    strange = [case for case in table.cases if case not in expected_cases]
    report.extra += [
        Extra(f"{file}: case {case[:80]}", "no case of this name; ignored") for case in strange[:EXTRAS_SHOWN]
    ]
    report.extra = report.extra[:EXTRAS_SHOWN]
    report.extra_total += len(strange)


@dataclass
class OpenTableBeside:
    """The table of a submission as read in a child process.

    The table is read for the first requested case and reused for the others.
    """

    path: Path
    member: str
    rules: RulesBeside | None
    table: TableBeside | None = None

    def read(self, folder: Path) -> TableBeside | None:
        """Read it unless that has been done in this process; None where there is none."""
        if self.rules is None or not self.member:
            return None
        if self.table is None:
            self.table = extract(self.path, self.member, self.rules, folder)
        return self.table

    def finding(
        self, problem: FileProblem, content: Any, case: str, member: str, folder: Path
    ) -> tuple[Finding, dict[str, Any]]:
        """Return the finding of a valid file, with a remark on rows that are not used, and their features."""
        table = self.read(folder)
        unused = problem.unused(content, table, case=case, file=Path(member).name)
        remarks = [unused.remark, "" if table is None else problem.remark_beside(table.of(case))]
        message = "; ".join(remark for remark in remarks if remark)
        return Finding(case, Status.VALID, file=member, message=message), unused.features
