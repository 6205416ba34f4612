"""One pass over a table of externally measured values.

It determines the meaning of the columns, and the subject and value of each cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.importing.content import DIAGONAL, Cell, Measured
from evaluation.importing.fitting import NO_CASE, Fitting, is_in_range, needs_worst, range_words, takes_uncertainty
from evaluation.importing.numbers import as_number, is_blank
from evaluation.importing.roles import ROLES
from evaluation.importing.sheets import Sheet, SheetLimits, shown
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.assessment.model import MetricUse

_LONGEST_TEAM: Final = 80
STANDARD_ERROR: Final = "se"
WORST: Final = "worst"
_Key = tuple[str, str, str, str]


class TableReader:
    """One pass over a table.

    Attributes
    ----------
    read_besides
        Columns that have no role and are read by their names.
    """

    def __init__(self, sheet: Sheet, roles: Mapping[str, str], fitting: Fitting, measured: Measured) -> None:
        self.sheet, self.fitting, self.measured = sheet, fitting, measured
        self.problem = kind_of(fitting.assessment)
        self.uses = fitting.assessment.metrics
        besides = {
            DIAGONAL: self.problem.metrics.has_image_diagonal,
            STANDARD_ERROR: any(takes_uncertainty(metric) for metric in self.uses),
            WORST: any(needs_worst(metric) for metric in self.uses),
        }
        self.besides = {
            name: sheet.columns.index(name) for name, is_read in besides.items() if is_read and name in sheet.columns
        }
        self.places: dict[str, list[int]] = {}
        for column_index, column in enumerate(sheet.columns):
            role = roles.get(column, "ignore")
            if role in ROLES and role != "ignore" and column not in self.besides:
                self.places.setdefault(role, []).append(column_index)
        self.metrics: dict[str, MetricUse] = {}
        for metric in self.uses:
            for name in (metric.name, str(metric.options.get("id", metric.name))):
                self.metrics.setdefault(name.casefold(), metric)
        self.has_cases = any(metric.level == "case" for metric in self.uses)
        self.cases, self.regions = set(fitting.cases), set(fitting.regions)
        self.teams = {name.casefold(): name for name in fitting.teams}
        self.columns_are = ""
        self.unknown: set[tuple[int, str]] = set()

    @property
    def read_besides(self) -> set[str]:
        """Columns that have no role and are read by their names."""
        return {column for column in self.besides if column != DIAGONAL or self.measured.diagonals}

    # The columns ------------------------------------------------------------------------------------------------------

    def is_laid_out(self) -> bool:
        """Determine the meaning of the value columns; return whether the roles form a table of results."""
        before = len(self.measured.problems)
        for metric in self.uses:
            if metric.level != "case" and not self.problem.is_measured_elsewhere:
                self._refuse_layout(
                    f"{metric.name} is one value of the whole data set", "Only values of single cases are taken."
                )
        for role, places in self.places.items():
            if role != "value" and len(places) > 1:
                columns = " and ".join(shown(self.sheet.columns[column_index]) for column_index in places[:2])
                self._refuse_layout(f"the columns {columns} are both {ROLES[role]}", "Choose one of them.")
        if "value" not in self.places:
            self._refuse_layout("no column holds values", "Say which column holds them, or name it “value”.")
        if len(self.measured.problems) == before:
            self._find_meaning()
        for column in (STANDARD_ERROR, WORST):
            if column in self.besides and len(self.places.get("value", ())) > 1:
                several = f"the column {shown(column)} stands beside several columns of values"
                self._refuse_layout(several, "Send one row a value.")
        if "task" in self.places and len(set(self._cells("task"))) > 1:
            self._refuse_layout("the rows are of several tasks", "Send one table for each task, to a phase of it.")
        return len(self.measured.problems) == before

    def _find_meaning(self) -> None:
        columns = [self.sheet.columns[column_index] for column_index in self.places["value"]]
        named = {role for role in ("algorithm", "case", "metric") if role in self.places}
        if self.fitting.team:
            named.add("algorithm")
        if not self.has_cases:
            named.add("case")
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
            if "metric" in lacking and len(self.uses) > 1:
                self._refuse_layout("no column names the metric", "Add a column “metric”.")
        elif len(columns) > 1:
            several = ", ".join(shown(column) for column in columns[:3])
            self._refuse_layout(
                f"there are several columns of values ({several}), and other columns name all that they could stand for",
                "Keep one of them.",
            )

    def _take_one_value(self, columns: Sequence[str]) -> None:
        """Case and team are named in columns: then the values are of the only metric, or each column is a metric."""
        if len(columns) == 1 and len(self.uses) == 1:
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
        names = [metric.name for metric in self.uses]
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"

    def _cells(self, role: str) -> list[str]:
        return self.sheet.column(self.places[role][0])

    # The values -------------------------------------------------------------------------------------------------------

    def read(self, limits: SheetLimits) -> None:
        """Read every row; a problem in one leaves the others to be looked at."""
        lines: dict[_Key, int] = {}
        values: dict[_Key, Cell] = {}
        errors: dict[_Key, float] = {}
        for index, column_index in self._value_cells():
            key = self._key(index, column_index)
            if key is None:
                continue
            line = self.sheet.lines[index]
            if key in lines:
                named = ", ".join(shown(part) for part in key if part)
                self._refuse(line, column_index, f"a second value of {named}", f"The first stands in row {lines[key]}.")
                continue
            lines[key] = line
            values[key] = self._value(index, column_index, key[3])
            self._read_besides(index, key, values[key], errors)
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
        whole = keys[len(keys) - len(self.fitting.whole) :]
        self.measured.errors = {team: [errors.get((team, *key)) for key in whole] for team in teams}
        self.measured.replicates = {team: [None] * len(whole) for team in teams}

    def _value_cells(self) -> Iterator[tuple[int, int]]:
        for index in range(len(self.sheet.rows)):
            for column_index in self.places["value"]:
                yield index, column_index

    def _key(self, index: int, column_index: int) -> _Key | None:
        """Team, case, region and metric of a value; ``None`` with its problem noted if one of them is not known.

        ``None`` without a problem where a column of a metric is empty in the row of another level.
        """
        metric = self._metric(index, column_index)
        is_whole = metric is not None and self.metrics[metric.casefold()].level == "dataset"
        if is_whole and self._is_of_cases(index) and is_blank(self.sheet.rows[index][column_index]):
            return None
        team, region = self._team(index, column_index), self._region(index)
        case = self._no_case(index, metric) if is_whole else self._case(index, column_index, metric)
        if team is None or case is None or region is None or metric is None:
            return None
        return team, case, region, metric

    def _is_of_cases(self, index: int) -> bool:
        """Return whether a row names a case."""
        return "case" in self.places and bool(self.sheet.rows[index][self.places["case"][0]])

    def _no_case(self, index: int, metric: str | None) -> str | None:
        """The empty name: a value of the whole data set is of no case."""
        if not self._is_of_cases(index):
            if self.columns_are != "case":
                return NO_CASE
            what = f"{metric} is one value of the whole data set, and the columns are cases"
            self._unknown(self.sheet.lines[index], -1, what, "Send it in a table with a column “value”.")
            return None
        column_index = self.places["case"][0]
        named = self.sheet.rows[index][column_index]
        what = f"{shown(named)} beside {metric}, which is one value of the whole data set"
        self._refuse(self.sheet.lines[index], column_index, what, "Leave the cell of the case empty.")
        return None

    def _named(self, role: str, index: int, column_index: int) -> tuple[str, int]:
        """Return the name that a row or the head of a column contains, with the index of its column."""
        if self.columns_are == role:
            return self.sheet.columns[column_index], column_index
        name_index = self.places[role][0]
        return self.sheet.rows[index][name_index], name_index

    def _team(self, index: int, column_index: int) -> str | None:
        single = self.fitting.team
        if single and "algorithm" not in self.places:
            return single
        name, name_index = self._named("algorithm", index, column_index)
        line = 1 if self.columns_are == "algorithm" else self.sheet.lines[index]
        if single:
            if name.casefold() == single.casefold():
                return single
            self._unknown(line, name_index, f"{shown(name)} is not {single}", f"The table is of {single} alone.")
            return None
        team = self.teams.get(name.casefold())
        if team is not None:
            return team
        if not name:
            self._unknown(line, name_index, "no team is named", "Name one in every row.")
            return None
        if self.fitting.takes_new_teams and len(name) <= _LONGEST_TEAM:
            self.measured.new_teams[name] = line
            self.teams[name.casefold()] = name
            return name
        remedy = "Correct the name, or let the table make teams." if not self.fitting.takes_new_teams else "Shorten it."
        self._unknown(line, name_index, f"{shown(name)} is no team of this task", remedy)
        return None

    def _case(self, index: int, column_index: int, metric: str | None) -> str | None:
        if self.columns_are != "case" and "case" not in self.places:  # all rows are of the whole data set
            self._unknown(1, -1, "no column names the cases", "Add a column “case”.")
            return None
        name, name_index = self._named("case", index, column_index)
        if name in self.cases:
            return name
        line = 1 if self.columns_are == "case" else self.sheet.lines[index]
        if not name:
            if metric is not None and len(self.places["value"]) > 1 and is_blank(self.sheet.rows[index][column_index]):
                return None  # the row of values of the whole data set
            what = f"no case is named, and {metric or 'the value'} is of single cases"
            self._unknown(line, name_index, what, "Name the case.")
            return None
        remedy = "Take it out, or correct the name: the sealed case list says what counts."
        self._unknown(line, name_index, f"{shown(name)} is no case of this phase", remedy)
        return None

    def _region(self, index: int) -> str | None:
        if "region" not in self.places:
            if len(self.regions) == 1:
                return self.fitting.regions[0]
            listed = ", ".join(self.fitting.regions)
            self._unknown(1, -1, "no column names the region", f"Add a column “region” with {listed}.")
            return None
        column_index = self.places["region"][0]
        name = self.sheet.rows[index][column_index]
        if name in self.regions:
            return name
        listed = ", ".join(region for region in self.fitting.regions if region)
        remedy = f"Regions are {listed}." if listed else "This phase has no regions: leave the column out."
        self._unknown(self.sheet.lines[index], column_index, f"{shown(name)} is no region of this phase", remedy)
        return None

    def _metric(self, index: int, column_index: int) -> str | None:
        if self.columns_are != "metric" and "metric" not in self.places:
            return self.uses[0].name
        name, name_index = self._named("metric", index, column_index)
        use = self.metrics.get(name.casefold())
        if use is not None:
            return use.name
        line = 1 if self.columns_are == "metric" else self.sheet.lines[index]
        self._unknown(
            line, name_index, f"{shown(name)} is no metric of this phase", f"Metrics are {self._metric_words}."
        )
        return None

    def _value(self, index: int, column_index: int, metric: str) -> Cell:
        """Return the value of a cell; ``None`` if it is missing.

        The result is also ``None`` for a value that cannot be accepted, which is recorded as a problem.
        """
        cell, line = self.sheet.rows[index][column_index], self.sheet.lines[index]
        value = None if is_blank(cell) else as_number(cell, comma=self.sheet.has_decimal_commas)
        if value is None and not is_blank(cell):
            remedy = "Write a number such as 0.87, and leave the cell empty where there is none."
            self._refuse(line, column_index, f"{shown(cell)} is no number", remedy)
            return None
        use = self.metrics[metric.casefold()]
        if value is not None and not is_in_range(use, value):
            remedy = f"{use.name} is declared as {range_words(use)}; nothing is clipped."
            self._refuse(line, column_index, f"{shown(cell)} lies outside the declared range", remedy)
        outcome = self._outcome(index, value)
        return outcome if value is None else value

    def _outcome(self, index: int, value: float | None) -> str | None:
        """Return the outcome that left a value undefined.

        The result is ``None`` if the value is present, and if it is missing.
        """
        if "outcome" not in self.places:
            return None
        column_index = self.places["outcome"][0]
        outcome, line = self.sheet.rows[index][column_index], self.sheet.lines[index]
        if outcome and outcome not in set(Outcome):
            self._refuse(line, column_index, f"{shown(outcome)} is no outcome", f"Outcomes are {', '.join(Outcome)}.")
        elif outcome and (outcome == "ok") != (value is not None):
            value_words = "no value" if value is None else "a value"
            self._refuse(
                line,
                column_index,
                f"the outcome {outcome} and {value_words}",
                "A row has a value if and only if its outcome is ok.",
            )
        # Of a metric that the platform does not know, nobody can say what left a value undefined: it is not there.
        is_told = self.problem.metrics.can_be_undefined and outcome not in ("", "ok", "missing")
        return outcome if is_told else None

    # What stands beside a value ---------------------------------------------------------------------------------------

    def _read_besides(self, index: int, key: _Key, value: Cell, errors: dict[_Key, float]) -> None:
        if not self.besides:
            return
        if DIAGONAL in self.besides:
            self._note_diagonal(index, key[1])
        use = self.metrics[key[3].casefold()]
        if STANDARD_ERROR in self.besides:
            self._note_error(index, key, use, value, errors)
        if WORST in self.besides and needs_worst(use):
            self._note_worst(index, key, use)

    def _beside(self, index: int, column: str) -> tuple[str, float | None]:
        cell = self.sheet.rows[index][self.besides[column]]
        return cell, None if is_blank(cell) else as_number(cell, comma=self.sheet.has_decimal_commas)

    def _note_diagonal(self, index: int, case: str) -> None:
        cell, value = self._beside(index, DIAGONAL)
        if is_blank(cell):
            return
        line, column_index = self.sheet.lines[index], self.besides[DIAGONAL]
        if value is None or value <= 0:
            self._refuse(line, column_index, f"{shown(cell)} is no length", "Write the diagonal of the image in mm.")
        elif self.measured.diagonals.setdefault(case, value) != value:
            what = f"{shown(cell)} as diagonal of {case}, and {self.measured.diagonals[case]:g} above"
            self._refuse(line, column_index, what, "An image has one.")

    def _note_error(self, index: int, key: _Key, use: MetricUse, value: Cell, errors: dict[_Key, float]) -> None:
        cell, error = self._beside(index, STANDARD_ERROR)
        if is_blank(cell):
            return
        line, column_index = self.sheet.lines[index], self.besides[STANDARD_ERROR]
        if use.level != "dataset":
            what = f"a standard error of {use.name}, which is of single cases"
            self._refuse(line, column_index, what, "Leave the cell empty: single cases are resampled here.")
        elif error is None or error <= 0:
            remedy = "Write a number above 0: a value that does not vary was not measured on a sample."
            self._refuse(line, column_index, f"{shown(cell)} is no standard error", remedy)
        elif value is None:
            self._refuse(line, column_index, "a standard error and no value", "Leave the cell empty.")
        else:
            errors[key] = error

    def _note_worst(self, index: int, key: _Key, use: MetricUse) -> None:
        cell, worst = self._beside(index, WORST)
        if is_blank(cell):
            return
        line, column_index, key_without_team = self.sheet.lines[index], self.besides[WORST], key[1:]
        if worst is None:
            self._refuse(line, column_index, f"{shown(cell)} is no number", f"Write the worst {use.name} of the case.")
        elif self.measured.worst.setdefault(key_without_team, worst) != worst:
            what = f"{shown(cell)} as the worst {use.name} of {key[1]}, and {self.measured.worst[key_without_team]:g} above"
            self._refuse(line, column_index, what, "It is the same for all teams.")

    def _refuse(self, line: int, column_index: int, what: str, remedy: str) -> None:
        column = f", column {self.sheet.columns[column_index]}" if column_index >= 0 else ""
        self.measured.refuse(self.sheet.file, f"row {line}{column}: ", what, remedy)

    def _unknown(self, line: int, column_index: int, what: str, remedy: str) -> None:
        """Note a name that nothing here has; the same name in many rows once."""
        if (column_index, what) not in self.unknown:
            self.unknown.add((column_index, what))
            self._refuse(line, column_index, what, remedy)
