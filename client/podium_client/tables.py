"""Checking a table of predictions before it is uploaded, with the code that the platform reads it with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from podium_client.errors import ClientError
from podium_client.findings import Finding

Fetch = Callable[[str], Path]


def check_table(
    wanted: dict[str, Any], files: list[str], fetch: Fetch
) -> tuple[list[Finding], list[str], list[Finding]]:
    """Find the one table among `files` and judge every case; returns findings, what will be ignored, and questions.

    Raises
    ------
    ClientError
        When the platform would not take the table as a whole.
    """
    from evaluation.checking.rows import note_beside_table, the_table
    from evaluation.problems.case_tables import expected_of
    from evaluation.problems.tables import table_issue
    from evaluation.readers import ReadError

    table, names = wanted["table"], [case["name"] for case in wanted["cases"]]
    path_of_table = the_table(files, table["files"])
    if not isinstance(path_of_table, str):
        raise ClientError(path_of_table.sentence)
    ignored = [f"{file}: {note_beside_table(file, table['files']).reason}" for file in files if file != path_of_table]
    path = fetch(path_of_table)
    expected = expected_of(wanted["problem"], table)
    try:
        findings, extra, questions = _judge(path, expected, table, names)
    except ReadError as error:
        issue = table_issue(error, expected)
        raise ClientError(f"{issue.message}. {issue.remedy}") from error
    return findings, [*ignored, *extra], questions


def _judge(
    path: Path, expected: Any, table: dict[str, Any], names: list[str]
) -> tuple[list[Finding], list[str], list[Finding]]:
    """Read the table as the platform will.

    Returns findings, the rows that will be ignored, with the reason, and questions about all rows together.
    """
    from evaluation.checking.rows import judge_rows, row_label
    from evaluation.problems.tables import table_problem
    from evaluation.readers.limits import Limits

    problem = table_problem(expected.problem)
    rows = problem.read_predictions(
        path,
        names,
        expected.reading,
        every_reason=True,
        most_of_case=table["most_objects_of_case"],
        limits=Limits(table_rows=problem.most_rows(len(names), table["most_rows"])),
    )
    problem.check_predictions(rows, path, expected)
    judged = judge_rows(rows, names, path.name)
    extra = [f"{row_label(path.name, row)}: {note.reason}" for row, note in judged.extra.items()]
    return list(judged.findings.values()), extra, rows.findings(path.name)
