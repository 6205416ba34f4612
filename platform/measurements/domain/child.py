"""What a confined child does with a table that was brought: read it, and write its values."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evaluation import importing
from evaluation.assessment import Assessment

VALUES: Final = "values.json"
_SAMPLES: Final = 3


def read_values(
    path: Path, name: str, roles: Mapping[str, str], fitting: importing.Fitting, folder: Path
) -> dict[str, Any]:
    """Read a table against what it has to fit, and write its values to `folder` where there is no problem."""
    try:
        sheet = importing.read_sheet(path, name=name)
    except importing.TableError as error:
        return {"problems": [str(error)]}
    known = importing.guess_roles(sheet)
    if "value" not in known.values():
        # Not one number stands in it, and still its name says what it should hold.
        named = {"value", *(metric.name.casefold() for metric in fitting.assessment.metrics)}
        known |= {column: "value" for column in known if column.casefold() in named}
    known |= {column: role for column, role in roles.items() if column in known and role in importing.ROLES}
    measured = importing.read_measured(sheet, known, fitting)
    (folder / VALUES).write_text(
        json.dumps({"teams": measured.values, "diagonals": measured.diagonals}, ensure_ascii=False, allow_nan=False),
        "utf-8",
    )
    more = [f"{name}: {measured.more:,} more problems of these kinds."] if measured.more else []
    return {
        "columns": _columns(sheet, known),
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
        {"name": column, "role": roles[column], "samples": [row[place] for row in sheet.rows[:_SAMPLES]]}
        for place, column in enumerate(sheet.columns)
    ]
