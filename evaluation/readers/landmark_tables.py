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
    dropped
        Reasons of the rows that were excluded, by case; only filled on request.
    """

    points: dict[str, Points]
    axes: int
    dropped: dict[str, list[Issue]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of all landmarks, ascending."""
        return sorted({name for points in self.points.values() for name in points})


def read_landmarks(path: Path, *, by_row: bool = False, limits: Limits = DEFAULT) -> LandmarkTable:
    """Read the landmarks of all cases.

    Parameters
    ----------
    by_row
        True to exclude each invalid row and report the reason, instead of refusing the whole table. Of two rows for one
        landmark of a case, both are excluded.

    Raises
    ------
    ReadError
        If the table cannot be read, or no row of it is valid.
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
            message = f"nothing as {LANDMARK} in row {row + 2}"
            wrong.setdefault(row, ReadError("table", path.name, message, row=row + 2))
        first = places.setdefault((case, landmark), row)
        if first != row:
            message = f"a second row for the landmark {landmark[:60]} of the case {case[:60]} (rows {first + 2} and {row + 2})"
            error = ReadError("table", path.name, message, "one row a landmark and case", row=row + 2, cell=landmark)
            wrong.setdefault(row, error)
            wrong.setdefault(first, error)
        points.setdefault(case, {})[landmark] = tuple(coordinates)
    if wrong and (not by_row or len(wrong) == len(table)):
        raise wrong[min(wrong)]
    return LandmarkTable(points, len(axes), _drop(cases, landmarks, points, wrong))


def _drop(
    cases: list[str], landmarks: list[str], points: dict[str, Points], wrong: Mapping[int, ReadError]
) -> dict[str, list[Issue]]:
    """Remove landmarks with invalid rows and return the reasons, by case."""
    dropped: dict[str, list[Issue]] = {}
    for row in sorted(wrong):
        error, case = wrong[row], cases[row]
        issue = error.of_case(case[:60]).issue._replace(remedy="Correct the row and upload the table again.")
        if issue not in dropped.setdefault(case, []):
            dropped[case].append(issue)
        points.get(case, {}).pop(landmarks[row], None)
    return dropped


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
