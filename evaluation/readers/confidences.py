"""How sure an algorithm is of each of its files: ``confidence.csv``, which stands beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from evaluation.readers.limits import DEFAULT, Limits
from evaluation.readers.number_tables import read_number_table

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers.errors import Issue

CONFIDENCE: Final = "confidence"
CONFIDENCE_FILE: Final = "confidence.csv"


@dataclass
class ConfidenceTable:
    """The confidences of all cases.

    Attributes
    ----------
    confidences
        By case; one with an empty cell lacks.
    invalid
        Why the row of a case cannot be taken, by case.
    named
        Every case that has a row, in the order of the file.
    """

    confidences: dict[str, float] = field(default_factory=dict)
    invalid: dict[str, Issue] = field(default_factory=dict)
    named: tuple[str, ...] = ()

    @property
    def cases(self) -> list[str]:
        """All cases that the table names."""
        return list(self.named)

    def of(self, case: str) -> float | None:
        """The confidence of a case, if it has one."""
        return self.confidences.get(case)


@dataclass(frozen=True)
class ConfidenceRules:
    """What a task asks of the table: one finite number a case, larger for surer."""

    file: ClassVar[str] = CONFIDENCE_FILE
    words: ClassVar[str] = "table of confidences"
    columns: ClassVar[tuple[str, ...]] = ("case", CONFIDENCE)
    remedy: ClassVar[str] = "Give one row for each case."
    needed: ClassVar[bool] = True
    purpose: ClassVar[str] = "how sure the algorithm is of each case"

    def read(self, path: Path, *, limits: Limits = DEFAULT) -> ConfidenceTable:
        """Read the table; what cannot be taken of a case is told and costs no other.

        Raises
        ------
        ReadError
            If the file is no table or lacks a column.
        """
        table = read_number_table(path, (CONFIDENCE,), limits=limits)
        wrong = {case: error.issue for (case, _), error in table.wrong.items()}
        twice = {case: error.issue for case, error in table.twice.items()}
        confidences = {case: numbers[CONFIDENCE] for case, numbers in table.numbers.items() if CONFIDENCE in numbers}
        return ConfidenceTable(confidences, wrong | twice, table.cases)

    @property
    def document(self) -> dict[str, Any]:
        """What participants may know of it, as JSON values."""
        return {"file": self.file, "columns": list(self.columns)}
