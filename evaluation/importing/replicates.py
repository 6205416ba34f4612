"""Replicates of values of the whole data set: the values on resamples that were drawn elsewhere, one row each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.importing.fitting import is_in_range, range_words
from evaluation.importing.numbers import as_number
from evaluation.importing.sheets import Sheet, shown
from evaluation.scoring.given_evidence import FEWEST_REPLICATES

if TYPE_CHECKING:
    from evaluation.assessment.model import MetricUse
    from evaluation.importing.content import Measured
    from evaluation.importing.fitting import Fitting

COLUMNS: Final = ("algorithm", "metric", "region", "replicate", "value")


@dataclass
class Replicates:
    """Content of a table of replicates.

    Attributes
    ----------
    values
        Value on each replicate, by team and position in `Fitting.whole`.
    numbers
        Names that distinguish the replicates, in their order.
    """

    sheet: Sheet
    fitting: Fitting
    values: dict[tuple[str, int], dict[str, float]] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()

    def settle(self, measured: Measured) -> None:
        """Attach the replicates to their values."""
        measured.numbers = self.numbers
        for (team, position), values in self.values.items():
            if team in measured.values:
                measured.replicates[team][position] = [values[number] for number in self.numbers]
                continue
            what = f"{shown(team)} has replicates and no value"
            measured.refuse(self.sheet.file, "", what, "Send its values, too.")


def read_replicates(sheet: Sheet, fitting: Fitting, measured: Measured) -> Replicates:
    """Read ``algorithm,metric,region,replicate,value``; unnecessary columns may be absent.

    A replicate is a resample of the test cases on which all values of all algorithms were computed. The same replicate
    number refers to the same cases, which makes differences between algorithms paired.
    """
    reader = _Reader(sheet, fitting, measured)
    replicates = Replicates(sheet, fitting)
    if not reader.is_laid_out():
        return replicates
    for index in range(len(sheet.rows)):
        reader.read(index, replicates)
    if not measured.problems:
        _check_numbers(replicates, measured)
    return replicates


class _Reader:
    def __init__(self, sheet: Sheet, fitting: Fitting, measured: Measured) -> None:
        self.sheet, self.fitting, self.measured = sheet, fitting, measured
        self.places = {column: sheet.columns.index(column) for column in COLUMNS if column in sheet.columns}
        self.whole = {
            (region, name.casefold()): position
            for position, (region, metric) in enumerate(fitting.whole)
            for name in (metric.name, str(metric.options.get("id", metric.name)))
        }
        self.metrics = {name for _, name in self.whole}
        self.regions = set(fitting.regions)
        self.teams = {name.casefold(): name for name in (*fitting.teams, *measured.new_teams, *measured.values)}
        if fitting.team:
            self.teams = {fitting.team.casefold(): fitting.team}
        self.unknown: set[tuple[str, str]] = set()

    def is_laid_out(self) -> bool:
        """Return whether all columns that distinguish the replicates are present."""
        needed = {"replicate", "value"}
        needed |= set() if self.fitting.team else {"algorithm"}
        needed |= {"metric"} if len({metric.name for _, metric in self.fitting.whole}) > 1 else set()
        needed |= {"region"} if len(self.regions) > 1 else set()
        lacking = [column for column in COLUMNS if column in needed and column not in self.places]
        if not self.fitting.whole:
            what = "there are replicates, and no metric of this phase is one value of the whole data set"
            self.measured.refuse(self.sheet.file, "", what, "Leave them out: single cases are resampled here.")
        elif lacking:
            what = f"no column is called {', '.join(lacking)}"
            self.measured.refuse(self.sheet.file, "row 1: ", what, f"Name the columns {', '.join(COLUMNS)}.")
        return bool(self.fitting.whole) and not lacking

    def read(self, index: int, replicates: Replicates) -> None:
        """Take a row."""
        line = self.sheet.lines[index]
        team, metric, region = self._team(index), self._metric(index), self._region(index)
        number = self._cell(index, "replicate")
        if not number:
            self._refuse(line, "replicate", "the cell is empty", "Number the resamples.")
        if team is None or metric is None or region is None or not number:
            return
        position = self.whole[region, metric]
        value = self._value(index, self.fitting.whole[position][1])
        if value is None:
            return
        values = replicates.values.setdefault((team, position), {})
        if number in values:
            named = ", ".join(shown(part) for part in (team, metric, region) if part)
            self._refuse(line, "replicate", f"{shown(number)} a second time for {named}", "Give each resample one row.")
        values[number] = value

    def _cell(self, index: int, column: str) -> str:
        return self.sheet.rows[index][self.places[column]] if column in self.places else ""

    def _team(self, index: int) -> str | None:
        if "algorithm" not in self.places:
            return self.fitting.team
        name = self._cell(index, "algorithm")
        team = self.teams.get(name.casefold())
        if team is None:
            self._note(index, "algorithm", f"{shown(name)} is none of the teams with values", "Correct the name.")
        return team

    def _metric(self, index: int) -> str | None:
        if "metric" not in self.places:
            return next(iter(self.metrics))
        name = self._cell(index, "metric").casefold()
        if name in self.metrics:
            return name
        named = ", ".join(dict.fromkeys(metric.name for _, metric in self.fitting.whole))
        what = f"{shown(self._cell(index, 'metric'))} is no metric of the whole data set"
        self._note(index, "metric", what, f"Replicates are of {named}.")
        return None

    def _region(self, index: int) -> str | None:
        if "region" not in self.places:
            return self.fitting.regions[0]
        name = self._cell(index, "region")
        if name in self.regions:
            return name
        listed = ", ".join(region for region in self.fitting.regions if region) or "none"
        self._note(index, "region", f"{shown(name)} is no region of this phase", f"Regions are {listed}.")
        return None

    def _value(self, index: int, metric: MetricUse) -> float | None:
        cell, line = self._cell(index, "value"), self.sheet.lines[index]
        value = as_number(cell, comma=self.sheet.has_decimal_commas)
        if value is None:
            self._refuse(
                line, "value", f"{shown(cell)} is no number", "Write a number such as 0.87 for every replicate."
            )
            return None
        if not is_in_range(metric, value):
            remedy = f"{metric.name} is declared as {range_words(metric)}; nothing is clipped."
            self._refuse(line, "value", f"{shown(cell)} lies outside the declared range", remedy)
        return value

    def _refuse(self, line: int, column: str, what: str, remedy: str) -> None:
        self.measured.refuse(self.sheet.file, f"row {line}, column {column}: ", what, remedy)

    def _note(self, index: int, column: str, what: str, remedy: str) -> None:
        """Note a name that nothing here has; the same name in many rows once."""
        if (column, what) not in self.unknown:
            self.unknown.add((column, what))
            self._refuse(self.sheet.lines[index], column, what, remedy)


def _check_numbers(replicates: Replicates, measured: Measured) -> None:
    """All values have the same replicates, and enough of them."""
    file, of_first = replicates.sheet.file, next(iter(replicates.values.items()), None)
    if of_first is None:
        return
    (first_team, first_place), first = of_first
    for (team, position), values in replicates.values.items():
        if set(values) == set(first):
            continue
        odd = min(set(values) ^ set(first))
        has, lacks = (
            ((team, position), (first_team, first_place))
            if odd in values
            else ((first_team, first_place), (team, position))
        )
        what = f"the replicate {shown(odd)} is there for {_named(replicates, *has)} and not for {_named(replicates, *lacks)}"
        measured.refuse(file, "", what, "Send the same resamples for all.")
        return
    if len(first) < FEWEST_REPLICATES:
        what = f"there are {len(first)} replicates, and {FEWEST_REPLICATES} are the least"
        measured.refuse(file, "", what, "Draw more resamples.")
    replicates.numbers = tuple(sorted(first, key=_order))


def _named(replicates: Replicates, team: str, position: int) -> str:
    region, metric = replicates.fitting.whole[position]
    return f"{metric.name} of {team}{f' in {region}' if region else ''}"


def _order(number: str) -> tuple[int, int, str]:
    """Numbers by their value, other names behind them in their order."""
    return (0, int(number), number) if number.isascii() and number.isdecimal() and len(number) < 19 else (1, 0, number)
