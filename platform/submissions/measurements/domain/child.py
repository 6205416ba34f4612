"""Work of a confined child on an uploaded table: read it, and write its values."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluation import importing
from evaluation.assessment import Assessment

VALUES: Final = "values.json"
_SAMPLES: Final = 3


@dataclass(frozen=True)
class Brought:
    """Files of a table of values.

    Attributes
    ----------
    path, name
        The table, and its name in messages.
    replicates, replicates_name
        The replicates that belong to it; ``None`` without any.
    """

    path: Path
    name: str
    replicates: Path | None = None
    replicates_name: str = ""


def read_values(files: Brought, roles: Mapping[str, str], fitting: importing.Fitting, folder: Path) -> dict[str, Any]:
    """Read a table against what it has to fit, and write its values to `folder` where there is no problem."""
    try:
        sheet = importing.read_results_file(files.path, name=files.name)
    except importing.TableError as error:
        return {"problems": [str(error)]}
    column_roles = importing.roles_of(sheet, fitting)
    column_roles |= {
        column: role for column, role in roles.items() if column in column_roles and role in importing.ROLES
    }
    columns = _columns(sheet, column_roles)
    replicates = None
    if files.replicates is not None:
        try:
            replicates = importing.read_sheet(files.replicates, name=files.replicates_name)
        except importing.TableError as error:
            return {"columns": columns, "problems": [str(error)]}
    measured = importing.read_measured(sheet, column_roles, fitting, replicates=replicates)
    (folder / VALUES).write_text(json.dumps(measured.document, ensure_ascii=False, allow_nan=False), "utf-8")
    more = [f"{files.name}: {measured.more:,} more problems of these kinds."] if measured.more else []
    return {
        "columns": columns,
        "problems": [*measured.problems, *more],
        "notes": measured.notes,
        "new_teams": measured.new_teams,
    }


def read_cases(path: Path, name: str, assessment: Assessment, folder: Path) -> dict[str, Any]:
    """Read a list of cases, and write it to `folder` where there is no problem; cases need no characteristics."""
    try:
        sheet = importing.read_sheet(path, name=name, limits=importing.SheetLimits(fewest_columns=1))
    except importing.TableError as error:
        return {"problems": [str(error)]}
    cases, problems = importing.read_case_list(sheet, assessment)
    (folder / VALUES).write_text(json.dumps(cases, ensure_ascii=False, allow_nan=False), "utf-8")
    return {"problems": problems}


def _columns(sheet: importing.Sheet, roles: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {"name": column, "role": roles[column], "samples": [row[index] for row in sheet.rows[:_SAMPLES]]}
        for index, column in enumerate(sheet.columns)
    ]
