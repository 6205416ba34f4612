"""Untrusted table with the rows of all cases, repacked as one table per case, so that everything after reads one format."""

import zipfile
from pathlib import Path

from confinement import archive
from confinement.limits import ArchiveLimits, TableLimits
from evaluation.admission import Expectation
from evaluation.problems.files import file_problem
from evaluation.problems.joint_tables import split_table
from evaluation.readers.limits import Limits
from executions.scoring.domain.report import Extra

_TOO_LARGE = "more than a table of these cases needs. Pack the table only."


def repack(path: Path, wanted: Expectation, limits: ArchiveLimits, folder: Path, target: Path) -> list[Extra] | None:
    """Write a ZIP archive with the table of each case.

    Returns the other files and the cases that are not expected. Returns None if the problem has no such table or the
    archive does not contain it.

    Raises
    ------
    ArchiveError
        If the archive is damaged or contains several such tables.
    ReadError
        If the table cannot be read.
    """
    name = file_problem(wanted.problem).joint_table if wanted.table is None else ""
    if not name:
        return None
    files = archive.members(path, limits)
    tables = [member for member in files if member.name.lower() == name]
    if not tables:
        return None
    if len(tables) > 1:
        raise archive.ArchiveError(f"The archive has {len(tables)} tables {name}. Keep one.")
    table = folder / name
    archive.extract(path, tables[0].path, table, limit=TableLimits().bytes, remedy=_TOO_LARGE)
    apart = folder / "cases"
    apart.mkdir()
    bounds = Limits(table_rows=TableLimits().rows, table_bytes=TableLimits().bytes)
    by_case, unexpected = split_table(table, wanted.names, apart, limits=bounds)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as sink:
        for file in by_case.values():
            sink.write(file, file.name)
            file.unlink()
    table.unlink()
    others = [member for member in files if member is not tables[0]]
    extra = [Extra(member.path, f"ignored next to {name}") for member in others]
    extra += [Extra(f"{name}: case {case[:80]}", "no case of this name; ignored") for case in unexpected]
    return extra
