"""Reading of predictions as validation and scoring do: the one table of all cases, or the file of a case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.problems.files import file_problem
from evaluation.problems.tables import table_problem
from evaluation.readers.limits import Limits

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.admission.expectation import Expectation, ExpectedCase
    from evaluation.problems.tables import PredictionTable


@dataclass(frozen=True)
class RowLimits:
    """Bounds on a table of predictions: all rows, the rows of one case, and bytes."""

    rows: int = 5_000_000
    objects_of_case: int = 5_000
    bytes: int = 512 * 1024**2


def read_table(path: Path, expectation: Expectation, limits: RowLimits | None = None) -> PredictionTable:
    """Read a table of predictions for the expected cases.

    Raises
    ------
    ReadError
        When the table cannot be taken as a whole.
    ValueError
        When predictions are one file per case.
    """
    bounds = limits or RowLimits()
    if expectation.table is None:
        message = "This phase expects label images."
        raise ValueError(message)
    problem = table_problem(expectation.table.problem)
    names = expectation.names
    predictions = problem.read_predictions(
        path,
        names,
        expectation.table.reading,
        every_reason=True,
        most_of_case=bounds.objects_of_case,
        limits=Limits(
            table_rows=min(problem.most_rows(len(names), bounds.rows), bounds.rows), table_bytes=bounds.bytes
        ),
    )
    problem.check_predictions(predictions, path, expectation.table)
    return predictions


def read_case(path: Path, case: ExpectedCase, expectation: Expectation) -> Any:
    """Read the file of a case as scoring will read it.

    Raises
    ------
    ReadError
        When it cannot be taken.
    """
    limits = Limits(decoded_bytes=case.byte_limit)
    return file_problem(expectation.problem).read_prediction(path, case.facts, expectation.expected, limits=limits)
