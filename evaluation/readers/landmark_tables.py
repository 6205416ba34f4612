"""Named points of all cases in one table: ``landmarks.csv`` with the columns case, landmark, x, y and perhaps z."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.readers.cells import read_table
from evaluation.readers.errors import Issue, ReadError
from evaluation.readers.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CASE: Final = "case"
LANDMARK: Final = "landmark"
AXES: Final = ("x", "y", "z")
Points = dict[str, tuple[float, ...]]
"""Coordinates by the name of the landmark."""


@dataclass
class LandmarkTable:
    """The landmarks of all cases.

    Attributes
    ----------
    points
        Landmarks by case.
    axes
        Coordinates per landmark, 2 or 3.
    invalid
        Reason why the rows of a case were excluded, by case; only filled on request.
    """

    points: dict[str, Points]
    axes: int
    invalid: dict[str, Issue] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of all landmarks, ascending."""
        return sorted({name for points in self.points.values() for name in points})


def read_landmarks(path: Path, *, by_case: bool = False, limits: Limits = DEFAULT) -> LandmarkTable:
    """Read the landmarks of all cases.

    Parameters
    ----------
    by_case
        True to exclude the cases of invalid rows and report the reason, instead of refusing the whole table.

    Raises
    ------
    ReadError
        If the table cannot be read.
    """
    table = read_table(path, (CASE, LANDMARK, *AXES[:2]), limits=limits)
    axes = AXES if "z" in table else AXES[:2]
    cases, landmarks = table.text(CASE), table.columns[LANDMARK]
    wrong: dict[int, ReadError] = {}
    columns = []
    for axis in axes:
        values, bad = table.numbers_or_errors(axis)
        columns.append(values)
        for row, error in bad.items():
            wrong.setdefault(row, error)
    points: dict[str, Points] = {}
    places: dict[tuple[str, str], int] = {}
    for row, (case, landmark, *coordinates) in enumerate(zip(cases, landmarks, *columns, strict=True)):
        if not landmark:
            wrong.setdefault(row, ReadError("table", path.name, f"nothing as {LANDMARK} in row {row + 2}"))
        first = places.setdefault((case, landmark), row)
        if first != row:
            message = f"a second row for the landmark {landmark[:60]} of the case {case[:60]} (rows {first + 2} and {row + 2})"
            wrong.setdefault(row, ReadError("table", path.name, message, "one row a landmark and case"))
        points.setdefault(case, {})[landmark] = tuple(coordinates)
    return LandmarkTable(points, len(axes), _left_out(cases, points, wrong, by_case=by_case))


def _left_out(
    cases: list[str], points: dict[str, Points], wrong: Mapping[int, ReadError], *, by_case: bool
) -> dict[str, Issue]:
    """Remove cases with invalid rows from the points and return the reasons, by case."""
    invalid: dict[str, Issue] = {}
    for row in sorted(wrong):
        error, case = wrong[row], cases[row]
        if not by_case:
            raise error
        case_error = ReadError(error.kind, error.file, f"case {case[:60]}: {error.found}", error.expected)
        invalid.setdefault(case, case_error.issue._replace(remedy="Correct the row and upload the table again."))
        points.pop(case, None)
    return invalid


def read_points(path: Path, *, limits: Limits = DEFAULT) -> tuple[Points, int]:
    """Read the landmarks of one case, a table with the columns landmark, x, y and perhaps z.

    Returns
    -------
    tuple
        The points, and the number of axes.

    Raises
    ------
    ReadError
        If the table cannot be taken.
    """
    table = read_table(path, (LANDMARK, *AXES[:2]), limits=limits)
    axes = AXES if "z" in table else AXES[:2]
    names, columns = table.text(LANDMARK), [table.numbers(axis) for axis in axes]
    points: Points = {}
    for row, (name, *coordinates) in enumerate(zip(names, *columns, strict=True)):
        if name in points:
            message = f"a second row for the landmark {name[:60]} (row {row + 2})"
            raise ReadError("table", path.name, message, "one row a landmark")
        points[name] = tuple(coordinates)
    return points, len(axes)
