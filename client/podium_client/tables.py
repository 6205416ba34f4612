"""Checking a table of predictions before it is uploaded, with the code that the platform reads it with."""

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from podium_client.errors import ClientError
from podium_client.findings import Finding

Fetch = Callable[[str], Path]


def check_table(wanted: dict[str, Any], files: list[str], fetch: Fetch) -> tuple[list[Finding], list[str]]:
    """Find the one table among `files` and judge every case; returns findings, and what will be ignored.

    Raises
    ------
    ClientError
        When the platform would not take the table as a whole.
    """
    from evaluation.readers import ReadError

    table, names = wanted["table"], [case["name"] for case in wanted["cases"]]
    table_files = [file for file in files if PurePosixPath(file).name.lower() in table["files"]]
    if len(table_files) > 1:
        raise ClientError(f"There are {len(table_files)} tables: {', '.join(table_files[:5])}. Keep one.")
    if not table_files:
        raise ClientError(f"There is no {' or '.join(table['files'])}.")
    ignored = [file for file in files if file != table_files[0]]
    path = fetch(table_files[0])
    try:
        findings, strange = _judge(path, wanted["problem"], table, names)
    except ReadError as error:
        raise ClientError(str(error)) from error
    return findings, [*ignored, *(f"{PurePosixPath(table_files[0]).name}: case {case}" for case in strange)]


def _judge(path: Path, kind: str, table: dict[str, Any], names: list[str]) -> tuple[list[Finding], list[str]]:
    """Read the table as the platform will.

    Returns findings, and the cases that were not requested.
    """
    from evaluation.problems.case_tables import expected_of
    from evaluation.problems.tables import table_problem
    from evaluation.readers.limits import Limits

    problem, expected = table_problem(kind), expected_of(kind, table)
    rows = problem.read_predictions(
        path,
        names,
        {"classes": expected.classes},
        every_reason=True,
        most_of_case=table["most_objects_of_case"],
        limits=Limits(table_rows=problem.most_rows(len(names), table["most_rows"])),
    )
    problem.check_predictions(rows, path, expected)
    findings = []
    for name in names:
        if (issue := rows.issue(name)) is not None:
            findings.append(Finding(name, issue.message, issue.remedy))
        elif name in rows.absent and not rows.without_row:
            findings.append(Finding(name, f"{path.name} has no row for {name}", f"Add a row for {name}."))
    return findings, list(rows.strange)
