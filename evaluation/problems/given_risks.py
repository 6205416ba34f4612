"""Risks supplied by the organizers.

There is one risk per case where all algorithms rank the same predictions. Otherwise there is one per algorithm and
case.

Where each algorithm has separate predictions, their risks were measured elsewhere. ``risk.csv`` is then a table
``algorithm,case,risk``, or a results table whose metric ``risk`` is used. An empty risk there means that the prediction
is missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from evaluation.outcomes import Outcome
from evaluation.problems.answers import EVERYTHING, KnownCase
from evaluation.problems.confidences import RISK
from evaluation.problems.tables import ReferenceTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.readers.cells import Table

ALGORITHM: Final = "algorithm"
NOT_PREDICTED: Final = 1.0
"""The risk of a case for which an algorithm has no prediction."""


@dataclass(frozen=True)
class KnownRisk(KnownCase):
    """The risk of one case.

    Attributes
    ----------
    of_algorithms
        Risk by algorithm, ``None`` where it has no prediction; empty where the risk is the same for all.
    is_own
        Whether the risk is that of one algorithm's own prediction.
    is_predicted
        Whether there is a prediction that the risk is of.
    """

    of_algorithms: Mapping[str, float | None] = field(default_factory=dict)
    is_own: bool = False
    is_predicted: bool = True

    def of(self, algorithm: str) -> KnownRisk:
        """The risk of the case for one algorithm.

        Raises
        ------
        ValueError
            If nothing is known of the algorithm.
        """
        if not self.of_algorithms:
            return self
        wanted = algorithm.casefold()
        name = next((name for name in self.of_algorithms if name.casefold() == wanted), None)
        if name is None:
            message = f"the references have no risks of {algorithm!r}: add its rows to risk.csv"
            raise ValueError(message)
        risk = self.of_algorithms[name]
        numbers = {EVERYTHING: (NOT_PREDICTED if risk is None else risk,)}
        return KnownRisk(numbers, is_own=True, is_predicted=risk is not None)


class OwnRisks(ReferenceTable):
    """The risks of every algorithm's own predictions.

    Attributes
    ----------
    name
        Of the file.
    risks
        By algorithm and case; ``None`` for a case without a prediction.
    rows
        Row of each in the file, the header being row 1.
    """

    content = "risks of the predictions of each algorithm"

    def __init__(self, name: str) -> None:
        self.name = name
        self.risks: dict[str, dict[str, float | None]] = {}
        self.rows: dict[tuple[str, str], int] = {}

    def add(self, algorithm: str, case: str, risk: float | None, row: int) -> None:
        """Take a row.

        Raises
        ------
        ReadError
            For a second one of the same algorithm and case.
        """
        from evaluation.readers import ReadError

        if (algorithm, case) in self.rows:
            actual = f"a second row for {algorithm[:40]} and the case {case[:40]} (rows {self.rows[algorithm, case]} and {row})"
            raise ReadError("table", self.name, actual, "one row an algorithm and case")
        self.rows[algorithm, case] = row
        self.risks.setdefault(algorithm, {})[case] = risk

    @property
    def cases(self) -> list[str]:  # type: ignore[override]
        """Those that the table names, ascending."""
        return sorted({case for risk_by_case in self.risks.values() for case in risk_by_case})

    def covered(self, cases: Sequence[str]) -> list[str]:
        """Cases of which every algorithm has a row."""
        return [case for case in cases if all(case in risk_by_case for risk_by_case in self.risks.values())]

    def lacking(self, cases: Sequence[str]) -> str:
        """Return a message on the first algorithm and case without a row; empty if there is none."""
        for algorithm, risk_by_case in sorted(self.risks.items()):
            for case in cases:
                if case not in risk_by_case:
                    return (
                        f"{self.name}: no row of {algorithm} for the case {case}; expected one, with an empty risk where it "
                        "has no prediction"
                    )
        return ""

    def of(self, case: str) -> KnownRisk:
        """The risks of a case."""
        return KnownRisk(
            {EVERYTHING: None},
            of_algorithms={name: risk_by_case.get(case) for name, risk_by_case in self.risks.items()},
        )


def read_own_risks(path: Path) -> OwnRisks | None:
    """Read risks of every algorithm's own predictions; ``None`` where the table names no algorithms.

    Raises
    ------
    ReadError
        For a table that cannot be read, or the first row that cannot be taken.
    """
    from evaluation.readers import ReadError
    from evaluation.readers.cells import read_table

    table = read_table(path)
    if ALGORITHM not in table or "case" not in table:
        return None
    own_risks = OwnRisks(table.name)
    if RISK in table:
        _add_all(own_risks, table, RISK, range(len(table)))
    elif {"metric", "value"} <= set(table.columns):
        regions = table.columns.get("region", [""] * len(table))
        rows = [row for row, metric in enumerate(table.columns["metric"]) if metric == RISK and not regions[row]]
        _add_all(own_risks, table, "value", rows)
    else:
        raise ReadError("table", table.name, "no column risk", "the columns algorithm, case, risk")
    if not own_risks.rows:
        raise ReadError("table", table.name, "no row of the metric risk", "one row an algorithm and case")
    return own_risks


def _add_all(own_risks: OwnRisks, table: Table, column: str, rows: Sequence[int]) -> None:
    from evaluation.readers import ReadError

    algorithms, cases, cells = table.text(ALGORITHM), table.text("case"), table.columns[column]
    values, wrong = table.numbers_or_errors(column, low=0.0)
    outcomes = table.columns.get("outcome")
    for row in rows:
        is_there = bool(cells[row])
        if is_there and row in wrong:
            raise wrong[row]
        expected = Outcome.OK if is_there else Outcome.MISSING
        if outcomes is not None and outcomes[row] != expected:
            actual = f"the outcome {outcomes[row][:40]!r} with {'a' if is_there else 'no'} value in row {row + 2}"
            raise ReadError("table", table.name, actual, "ok with a risk, or missing without one")
        own_risks.add(algorithms[row], cases[row], values[row] if is_there else None, row + 2)
