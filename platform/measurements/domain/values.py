"""Values as a child reported them, checked once more, and as rows of a result."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.importing.measured import Cell, Fitting, is_in_range
from evaluation.outcomes import Outcome
from scoring.domain.results import CaseRow


class ImpossibleError(ValueError):
    """What a process that read a stranger's file reports cannot be."""


@dataclass(frozen=True)
class Values:
    """The values of a table.

    Attributes
    ----------
    teams
        Team → value of every entry of `Fitting.keys`.
    diagonals
        Case → diagonal of its image, where the table says it.
    """

    teams: dict[str, list[Cell]]
    diagonals: dict[str, float]

    @property
    def document(self) -> dict[str, Any]:
        """As JSON values."""
        return {"teams": self.teams, "diagonals": self.diagonals}


def checked(reported: Any, fitting: Fitting, *, teams: Sequence[str]) -> Values:
    """Values in the order of `Fitting.keys`; taken from the child only if they can be of these teams and cases.

    Raises
    ------
    ImpossibleError
        Otherwise.
    """
    if not isinstance(reported, Mapping) or set(reported) != {"teams", "diagonals"}:
        raise ImpossibleError("something else than values")
    own, diagonals = reported["teams"], reported["diagonals"]
    if not isinstance(own, Mapping) or not set(own) <= set(teams):
        raise ImpossibleError("other teams than those that the table names")
    if not isinstance(diagonals, Mapping) or not set(diagonals) <= set(fitting.cases):
        raise ImpossibleError("other cases than those of the phase")
    if not all(_is_finite(value) and value > 0 for value in diagonals.values()):
        raise ImpossibleError("a diagonal that is no length")
    bounds = [metric for _ in fitting.cases for _ in fitting.regions for metric in fitting.assessment.metrics]
    undefined = set(Outcome) - {Outcome.OK, Outcome.MISSING}
    found: dict[str, list[Cell]] = {}
    for team, values in own.items():
        if not isinstance(values, list) or len(values) != len(bounds):
            raise ImpossibleError("not one value for each case, region and metric")
        for value, metric in zip(values, bounds, strict=True):
            if value is None or (isinstance(value, str) and value in undefined):
                continue
            if not (_is_finite(value) and is_in_range(metric, value)):
                raise ImpossibleError("a value that is no number, or outside its range")
        found[team] = [float(value) if _is_finite(value) else value for value in values]
    return Values(found, {case: float(value) for case, value in diagonals.items()})


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def rows_of(values: Values, team: str, fitting: Fitting) -> list[CaseRow]:
    """The rows of a team, as a scored run stores them: one for every case, region and metric, missing ones included."""
    rows = []
    for (case, region, metric), cell in zip(fitting.keys, values.teams[team], strict=True):
        value = cell if isinstance(cell, float) else None
        outcome = cell if isinstance(cell, str) else str(Outcome.MISSING if cell is None else Outcome.OK)
        rows.append(CaseRow(case, region, metric, value, outcome, values.diagonals.get(case)))
    return rows


def changes(before: Mapping[tuple[str, str, str], float | None], rows: Sequence[CaseRow]) -> list[str]:
    """Which values differ from those that stand now, in words."""
    found = []
    for row in rows:
        key = (row.case, row.region, row.metric)
        if key in before and before[key] != row.value:
            where = ", ".join(part for part in (row.case, row.region, row.metric) if part)
            found.append(f"{where}: {_word(before[key])} → {_word(row.value)}")
    return found


def _word(value: float | None) -> str:
    return "missing" if value is None else f"{value:.6g}"
