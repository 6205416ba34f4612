"""A template of an archive of references, generated from the phase that it is sealed for."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Final

from challenges.models import Phase
from datastore.test_sets.queries.test_sets import has_one_table
from datastore.test_sets.services.archive_parts import OF_CASES, REFERENCES, registered
from evaluation.assessment import Assessment
from evaluation.assessment.columns import column_name, grouping_columns
from evaluation.problems import kind_of
from evaluation.problems.coordinates import FROM_CASES, SPACINGS
from evaluation.problems.files import FileProblem
from web.spreadsheets import csv_text

CASES: Final = "cases.csv"
README: Final = "README.txt"
MOST_CASES: Final = 2000
"""Most registered cases that a template names; of more, it names the first three alone."""
_EXAMPLES: Final = 3


def template_of(phase: Phase) -> bytes:
    """Return a ZIP archive with the folders, files and columns that sealing expects of a phase.

    Filled, it is accepted as it is. The file README.txt explains it, and sealing ignores it.
    """
    assessment, cases = phase.assessment, _case_names(phase)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(README, "\n".join(_explained(phase, assessment, cases)) + "\n")
        archive.writestr(CASES, _table(case_columns(phase), cases))
        archive.writestr(f"{REFERENCES}/", "")
        for name, columns in kind_of(assessment).references.columns_by_table(assessment).items():
            archive.writestr(f"{REFERENCES}/{name}", _table(columns, cases))
    return target.getvalue()


def case_columns(phase: Phase) -> list[str]:
    """Columns of the table of cases: groups of the ranking, registered characteristics, and sizes of pixels."""
    assessment, values = phase.assessment, registered(phase)
    columns = ["case", *grouping_columns(assessment)]
    declared = values.rows("image_characteristics") if values is not None else []
    columns += [column_name(str(row["name"])) for row in declared if row.get("level") in OF_CASES and row.get("name")]
    if assessment.settings.get("spacing") == FROM_CASES:
        columns += SPACINGS[:2]
    return list(dict.fromkeys(columns))


def _case_names(phase: Phase) -> list[str]:
    """Return names for the cases that the design registers for the test set."""
    values = registered(phase)
    number = values.get("number_test_cases") if values is not None else None
    count = number if isinstance(number, int) and 0 < number <= MOST_CASES else _EXAMPLES
    return [f"case-{index:0{len(str(count))}d}" for index in range(1, count + 1)]


def _table(columns: Sequence[str], cases: Sequence[str]) -> str:
    return csv_text(columns, ([case, *("" for _ in columns[1:])] for case in cases))


def _explained(phase: Phase, assessment: Assessment, cases: Sequence[str]) -> Iterator[str]:
    """The lines of README.txt."""
    problem = kind_of(assessment)
    yield f"Template of the test set of {phase.challenge.title}, {phase}"
    yield ""
    yield f"1. Replace the names of cases in {CASES}, such as {cases[0]}, by your own. Keep the columns and fill every cell."
    number = 2
    if isinstance(problem, FileProblem):
        endings = " or ".join(problem.suffixes)
        yield f"{number}. Put the references into the folder {REFERENCES}/, one per case: {cases[0]}{problem.suffixes[0]}."
        yield f"   Endings: {endings}."
        number += 1
    for name, columns in problem.references.columns_by_table(assessment).items():
        yield f"{number}. Fill {REFERENCES}/{name}. Its columns are {', '.join(columns)}."
        number += 1
        if "instance" in columns or "class" in columns or "landmark" in columns:
            yield "   A case can have several rows, one per object. Delete the rows of cases without objects."
        if "y" in columns or "y_min" in columns:
            yield "   Add or remove the columns of the third axis (z) as your data have two or three."
    if len(assessment.regions) and has_one_table(assessment):
        names = dict.fromkeys(str(label) for region in assessment.regions for label in region.labels)
        yield f"   Classes or columns of the design: {', '.join(names)}."
    yield f"{number}. Optional: a folder images/ with one image per case, and further columns in {CASES}."
    yield f"{number + 1}. Pack everything again and upload it on the page Test sets. This file is ignored."
