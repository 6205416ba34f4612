"""Values measured outside, read against the assessment that ranks them and the cases that it is registered for.

`evaluation.importing.arrange` takes a table as it comes; here everything is known before: the cases, the metrics with their
ranges, the regions and, as a rule, the teams. So nothing is guessed and nothing is dropped: whatever does not fit is a
problem of one line, and as long as there is one, nothing counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.roles import ROLES
from evaluation.importing.sheets import DEFAULT, Sheet, SheetLimits, shown
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.assessment import Assessment
    from evaluation.assessment.model import MetricUse

MOST_PROBLEMS: Final = 50
"""So many problems are listed; how many there are beside them is said."""
_LONGEST_TEAM: Final = 80
DIAGONAL: Final = "image_diagonal"
Cell = float | str | None
"""A value, the outcome that left it undefined, or nothing where it is missing."""
_Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Fitting:
    """What a table has to fit.

    Attributes
    ----------
    assessment
        By which the values are ranked.
    cases
        Names of the cases in their order.
    teams
        Names of the teams that there are.
    team
        The only team that the table is of; empty where a column names the teams.
    takes_new_teams
        Whether the table may name teams that do not exist yet.
    """

    assessment: Assessment
    cases: tuple[str, ...]
    teams: tuple[str, ...] = ()
    team: str = ""
    takes_new_teams: bool = False

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions; the empty name where there are none."""
        return tuple(region.name for region in self.assessment.regions) or ("",)

    @property
    def keys(self) -> list[tuple[str, str, str]]:
        """Case, region and metric of every value that a team has, in the order in which values are listed."""
        return [
            (case, region, metric.name)
            for case in self.cases
            for region in self.regions
            for metric in self.assessment.metrics
        ]


@dataclass
class Measured:
    """What a table says.

    Attributes
    ----------
    values
        Team → value of every entry of `Fitting.keys`; ``None`` is a missing one, a text the outcome that left it undefined. Empty as
        long as there are problems.
    diagonals
        Case → diagonal of its image, where the kind of problem has images and the table says it.
    new_teams
        Names of teams that do not exist yet, with the row that names them first.
    problems
        Why the table does not count, one line each: file, row, column, value and remedy.
    more
        How many problems there are beside those that are listed.
    notes
        What a reader has to know of how the table was read, as sentences.
    """

    values: dict[str, list[Cell]] = field(default_factory=dict)
    diagonals: dict[str, float] = field(default_factory=dict)
    new_teams: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    more: int = 0
    notes: list[str] = field(default_factory=list)

    def refuse(self, file: str, where: str, what: str, remedy: str) -> None:
        """Note a problem."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(f"{file}: {where}{what}. {remedy}")
        else:
            self.more += 1


def read_measured(
    sheet: Sheet, roles: Mapping[str, str], fitting: Fitting, *, limits: SheetLimits = DEFAULT
) -> Measured:
    """Read the values of a table whose columns are known.

    Parameters
    ----------
    roles
        As `evaluation.importing.guess_roles` returns them.
    """
    measured = Measured()
    reader = _Reader(sheet, roles, fitting, measured)
    if reader.is_laid_out():
        reader.read(limits)
    if measured.problems:
        measured.values = {}
    ignored = [
        column
        for column in sheet.columns
        if roles.get(column, "ignore") == "ignore" and not (column == DIAGONAL and measured.diagonals)
    ]
    if ignored:
        measured.notes.append(f"Not used: {', '.join(ignored[:20])}.")
    return measured


def is_in_range(metric: MetricUse, value: float) -> bool:
    """Whether a value lies between the bounds that the assessment declares."""
    ends = [end for end in (metric.worst, metric.best) if end is not None]
    low, high = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    return not ends or ((low is None or value >= low) and (high is None or value <= high))


def range_words(metric: MetricUse) -> str:
    """The declared range in words.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> time = {"id": "runtime", "direction": "lower", "range": [0, None], "policy": {"missing": 600}}
    >>> range_words(parse({"schema": 1, "problem": "external", "metrics": [time]}).metrics[0])
    'at least 0'
    """
    low, high = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
    if low is not None and high is not None:
        return f"from {low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    return "any number" if high is None else f"at most {high:g}"


class _Reader:
    """One pass over a table."""

    def __init__(self, sheet: Sheet, roles: Mapping[str, str], fitting: Fitting, measured: Measured) -> None:
        self.sheet, self.fitting, self.measured = sheet, fitting, measured
        self.places: dict[str, list[int]] = {}
        for place, column in enumerate(sheet.columns):
            role = roles.get(column, "ignore")
            if role in ROLES and role != "ignore":
                self.places.setdefault(role, []).append(place)
        self.metrics: dict[str, MetricUse] = {}
        self.problem = fitting.assessment.kind
        has_diagonal = self.problem.has_image_diagonal and DIAGONAL in sheet.columns
        self.diagonal = sheet.columns.index(DIAGONAL) if has_diagonal else -1
        for metric in fitting.assessment.metrics:
            for name in (metric.name, str(metric.options.get("id", metric.name))):
                self.metrics.setdefault(name.casefold(), metric)
        self.cases, self.regions = set(fitting.cases), set(fitting.regions)
        self.teams = {name.casefold(): name for name in fitting.teams}
        self.columns_are = ""
        self.unknown: set[tuple[int, str]] = set()

    # The columns ------------------------------------------------------------------------------------------------------

    def is_laid_out(self) -> bool:
        """Say what the columns of values are named for; whether the roles make a table of results."""
        before = len(self.measured.problems)
        for metric in self.fitting.assessment.metrics:
            if metric.level != "case":
                self._refuse_layout(
                    f"{metric.name} is one value of the whole data set", "Only values of single cases are taken."
                )
        for role, places in self.places.items():
            if role != "value" and len(places) > 1:
                columns = " and ".join(shown(self.sheet.columns[place]) for place in places[:2])
                self._refuse_layout(f"the columns {columns} are both {ROLES[role]}", "Choose one of them.")
        if "value" not in self.places:
            self._refuse_layout("no column holds values", "Say which column holds them, or name it “value”.")
        if len(self.measured.problems) == before:
            self._find_meaning()
        if "task" in self.places and len(set(self._cells("task"))) > 1:
            self._refuse_layout("the rows are of several tasks", "Send one table for each task, to a phase of it.")
        return len(self.measured.problems) == before

    def _find_meaning(self) -> None:
        columns = [self.sheet.columns[place] for place in self.places["value"]]
        named = {role for role in ("algorithm", "case", "metric") if role in self.places}
        if self.fitting.team:
            named.add("algorithm")
        lacking = [role for role in ("case", "algorithm", "metric") if role not in named]
        are_metrics = all(column.casefold() in self.metrics for column in columns)
        if "case" in lacking and len(columns) == 1:
            self._refuse_layout("no column names the cases", "Add a column “case”.")
        elif lacking == ["metric"] and are_metrics:
            self.columns_are = "metric"
        elif lacking == ["metric"]:
            self._take_one_value(columns)
        elif "algorithm" in lacking and "case" in lacking:
            self._refuse_layout("no column names the cases, and none the teams", "Add columns “case” and “algorithm”.")
        elif "algorithm" in lacking and (are_metrics or len(columns) == 1):
            self._refuse_layout(
                "no column names the teams", "Add a column “algorithm”, or say which team the table is of."
            )
        elif "algorithm" in lacking or "case" in lacking:
            self.columns_are = "algorithm" if "algorithm" in lacking else "case"
            if "metric" in lacking and len(self.fitting.assessment.metrics) > 1:
                self._refuse_layout("no column names the metric", "Add a column “metric”.")
        elif len(columns) > 1:
            several = ", ".join(shown(column) for column in columns[:3])
            self._refuse_layout(
                f"there are several columns of values ({several}), and other columns name all that they could stand for",
                "Keep one of them.",
            )

    def _take_one_value(self, columns: Sequence[str]) -> None:
        """Case and team are named in columns: then the values are of the only metric, or each column is a metric."""
        if len(columns) == 1 and len(self.fitting.assessment.metrics) == 1:
            return
        unknown = [column for column in columns if column.casefold() not in self.metrics]
        for column in unknown[:5]:
            self.measured.refuse(
                self.sheet.file,
                f"row 1, column {column}: ",
                f"{shown(column)} is no metric of this phase",
                f"Name the columns of values {self._metric_words}, add a column “metric”, or do not use it.",
            )

    def _refuse_layout(self, what: str, remedy: str) -> None:
        self.measured.refuse(self.sheet.file, "row 1: ", what, remedy)

    @property
    def _metric_words(self) -> str:
        names = [metric.name for metric in self.fitting.assessment.metrics]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"

    def _cells(self, role: str) -> list[str]:
        return self.sheet.column(self.places[role][0])

    # The values -------------------------------------------------------------------------------------------------------

    def read(self, limits: SheetLimits) -> None:
        """Read every row; a problem in one leaves the others to be looked at."""
        lines: dict[_Key, int] = {}
        values: dict[_Key, Cell] = {}
        for index, place in self._value_cells():
            key = self._key(index, place)
            if key is None:
                continue
            line = self.sheet.lines[index]
            if key in lines:
                named = ", ".join(shown(part) for part in key if part)
                self._refuse(line, place, f"a second value of {named}", f"The first stands in row {lines[key]}.")
                continue
            lines[key] = line
            values[key] = self._value(index, place, key[3])
            if self.diagonal >= 0:
                self._note_diagonal(index, key[1])
        teams = list(dict.fromkeys(key[0] for key in lines))
        keys = self.fitting.keys
        if len(teams) * len(keys) > limits.values:
            self._refuse_layout(
                f"{len(teams):,} teams have {len(teams) * len(keys):,} values, and at most {limits.values:,} are taken",
                "Send one table for each team.",
            )
        if self.measured.problems:
            return
        self.measured.values = {team: [values.get((team, *key)) for key in keys] for team in teams}

    def _value_cells(self) -> Iterator[tuple[int, int]]:
        for index in range(len(self.sheet.rows)):
            for place in self.places["value"]:
                yield index, place

    def _key(self, index: int, place: int) -> _Key | None:
        """Team, case, region and metric of a value; ``None`` with its problem noted if one of them is not known."""
        parts = (
            self._team(index, place),
            self._case(index, place),
            self._region(index),
            self._metric(index, place),
        )
        team, case, region, metric = parts
        if team is None or case is None or region is None or metric is None:
            return None
        return team, case, region, metric

    def _named(self, role: str, index: int, place: int) -> tuple[str, int]:
        """What a row, or the head of a column, names; with the column that it stands in."""
        if self.columns_are == role:
            return self.sheet.columns[place], place
        own = self.places[role][0]
        return self.sheet.rows[index][own], own

    def _team(self, index: int, place: int) -> str | None:
        single = self.fitting.team
        if single and "algorithm" not in self.places:
            return single
        name, own = self._named("algorithm", index, place)
        line = 1 if self.columns_are == "algorithm" else self.sheet.lines[index]
        if single:
            if name.casefold() == single.casefold():
                return single
            self._unknown(line, own, f"{shown(name)} is not {single}", f"The table is of {single} alone.")
            return None
        known = self.teams.get(name.casefold())
        if known is not None:
            return known
        if not name:
            self._unknown(line, own, "no team is named", "Name one in every row.")
            return None
        if self.fitting.takes_new_teams and len(name) <= _LONGEST_TEAM:
            self.measured.new_teams[name] = line
            self.teams[name.casefold()] = name
            return name
        remedy = "Correct the name, or let the table make teams." if not self.fitting.takes_new_teams else "Shorten it."
        self._unknown(line, own, f"{shown(name)} is no team of this task", remedy)
        return None

    def _case(self, index: int, place: int) -> str | None:
        name, own = self._named("case", index, place)
        if name in self.cases:
            return name
        line = 1 if self.columns_are == "case" else self.sheet.lines[index]
        remedy = "Take it out, or correct the name: the sealed case list says what counts."
        self._unknown(line, own, f"{shown(name)} is no case of this phase", remedy)
        return None

    def _region(self, index: int) -> str | None:
        if "region" not in self.places:
            if len(self.regions) == 1:
                return self.fitting.regions[0]
            listed = ", ".join(self.fitting.regions)
            self._unknown(1, -1, "no column names the region", f"Add a column “region” with {listed}.")
            return None
        own = self.places["region"][0]
        name = self.sheet.rows[index][own]
        if name in self.regions:
            return name
        listed = ", ".join(region for region in self.fitting.regions if region)
        remedy = f"Regions are {listed}." if listed else "This phase has no regions: leave the column out."
        self._unknown(self.sheet.lines[index], own, f"{shown(name)} is no region of this phase", remedy)
        return None

    def _metric(self, index: int, place: int) -> str | None:
        metrics = self.fitting.assessment.metrics
        if self.columns_are != "metric" and "metric" not in self.places:
            return metrics[0].name
        name, own = self._named("metric", index, place)
        known = self.metrics.get(name.casefold())
        if known is not None:
            return known.name
        line = 1 if self.columns_are == "metric" else self.sheet.lines[index]
        self._unknown(line, own, f"{shown(name)} is no metric of this phase", f"Metrics are {self._metric_words}.")
        return None

    def _value(self, index: int, place: int, metric: str) -> Cell:
        """What a cell says; ``None`` where its value is missing, or cannot be taken and that is noted."""
        cell, line = self.sheet.rows[index][place], self.sheet.lines[index]
        value = None if is_blank(cell) else as_number(cell, comma=self.sheet.has_decimal_commas)
        if value is None and not is_blank(cell):
            remedy = "Write a number such as 0.87, and leave the cell empty where there is none."
            self._refuse(line, place, f"{shown(cell)} is no number", remedy)
            return None
        use = self.metrics[metric.casefold()]
        if value is not None and not is_in_range(use, value):
            remedy = f"{use.name} is declared as {range_words(use)}; nothing is clipped."
            self._refuse(line, place, f"{shown(cell)} lies outside the declared range", remedy)
        outcome = self._outcome(index, value)
        return outcome if value is None else value

    def _outcome(self, index: int, value: float | None) -> str | None:
        """Why a value is undefined; ``None`` where it is missing, and where it is there."""
        if "outcome" not in self.places:
            return None
        own = self.places["outcome"][0]
        outcome, line = self.sheet.rows[index][own], self.sheet.lines[index]
        if outcome and outcome not in set(Outcome):
            self._refuse(line, own, f"{shown(outcome)} is no outcome", f"Outcomes are {', '.join(Outcome)}.")
        elif outcome and (outcome == "ok") != (value is not None):
            said = "no value" if value is None else "a value"
            self._refuse(
                line, own, f"the outcome {outcome} and {said}", "A row has a value if and only if its outcome is ok."
            )
        # Of a metric that the platform does not know, nobody can say what left a value undefined: it is not there.
        is_told = self.problem.tells_outcomes and outcome not in ("", "ok", "missing")
        return outcome if is_told else None

    def _note_diagonal(self, index: int, case: str) -> None:
        cell, line = self.sheet.rows[index][self.diagonal], self.sheet.lines[index]
        if is_blank(cell):
            return
        value = as_number(cell, comma=self.sheet.has_decimal_commas)
        if value is None or value <= 0:
            self._refuse(line, self.diagonal, f"{shown(cell)} is no length", "Write the diagonal of the image in mm.")
        elif self.measured.diagonals.setdefault(case, value) != value:
            what = f"{shown(cell)} as diagonal of {case}, and {self.measured.diagonals[case]:g} above"
            self._refuse(line, self.diagonal, what, "An image has one.")

    def _refuse(self, line: int, place: int, what: str, remedy: str) -> None:
        column = f", column {self.sheet.columns[place]}" if place >= 0 else ""
        self.measured.refuse(self.sheet.file, f"row {line}{column}: ", what, remedy)

    def _unknown(self, line: int, place: int, what: str, remedy: str) -> None:
        """Note a name that nothing here has; the same name in many rows once."""
        if (place, what) not in self.unknown:
            self.unknown.add((place, what))
            self._refuse(line, place, what, remedy)
