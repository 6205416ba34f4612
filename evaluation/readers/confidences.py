"""Confidence of an algorithm in each of its files: the table ``confidence.csv`` next to them."""

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
    dropped
        Reason of each row that is not used, by case. Such a case has no confidence.
    named
        Every case that has a row, in the order of the file.
    """

    confidences: dict[str, float] = field(default_factory=dict)
    dropped: dict[str, list[Issue]] = field(default_factory=dict)
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
    """Requirements of a task for the table: one finite number per case, larger for more confident."""

    file: ClassVar[str] = CONFIDENCE_FILE
    words: ClassVar[str] = "table of confidences"
    columns: ClassVar[tuple[str, ...]] = ("case", CONFIDENCE)
    remedy: ClassVar[str] = "Give one row for each case."
    needed: ClassVar[bool] = True
    purpose: ClassVar[str] = "how sure the algorithm is of each case"

    def read(self, path: Path, *, limits: Limits = DEFAULT) -> ConfidenceTable:
        """Read the table.

        Invalid content of one case is reported and does not affect other cases.

        Raises
        ------
        ReadError
            If the file is not a table or lacks a column.
        """
        table = read_number_table(path, (CONFIDENCE,), limits=limits)
        wrong = {case: [error.issue] for (case, _), error in table.wrong.items()}
        twice = {case: [error.issue] for case, error in table.twice.items()}
        confidences = {case: numbers[CONFIDENCE] for case, numbers in table.numbers.items() if CONFIDENCE in numbers}
        return ConfidenceTable(confidences, wrong | twice, table.cases)

    @property
    def document(self) -> dict[str, Any]:
        """Return the facts that participants may know about the table, as JSON values."""
        return {"file": self.file, "columns": list(self.columns)}
