"""Cases in folders as a scoring image is shown them: for who asks an image again at home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from evaluation import problems
from evaluation.problems.files import FileProblem
from evaluation.problems.folders import find_cases
from evaluation.problems.tables import TableProblem, TableReferences
from evaluation.readers import Issue, ReadError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.problems.beside import TableBeside
    from evaluation.problems.tables import PredictionTable


class Predictions(Protocol):
    """The predictions of one team."""

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        """Write the prediction of a case; nothing where there is none that can be read."""
        ...


class References(Protocol):
    """The references of all cases."""

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        """Write the reference of a case.

        Raises
        ------
        ReadError
            When there is none, or it cannot be read.
        """
        ...

    def predictions(self, folder: Path) -> Predictions:
        """Find the predictions of one team.

        Raises
        ------
        ReadError
            When the folder is not there, or its table cannot be taken.
        """
        ...


def references_in(assessment: Assessment, folder: Path) -> References:
    """Find the references of a folder.

    Raises
    ------
    ReadError
        If they cannot be taken.
    ValueError
        For a kind of problem of which no scoring image is shown anything.
    """
    problem = problems.get(assessment.problem)
    if problem.scorer_files.is_supported and isinstance(problem, FileProblem):
        return _Files(problem, assessment, folder)
    if problem.scorer_files.is_supported and isinstance(problem, TableProblem):
        return _Tables(problem, assessment, folder)
    message = f"no scoring image is shown cases of {problem.title}"
    raise ValueError(message)


class _Files:
    def __init__(self, problem: FileProblem, assessment: Assessment, folder: Path) -> None:
        self.problem, self.assessment = problem, assessment
        self.files = problem.find_references(folder)
        self.table = problem.read_table_beside(assessment, folder)

    def read(self, case: str) -> Any:
        """The reference of a case."""
        if case not in self.files:
            raise ReadError("not_found", case, "no reference of the case")
        return self.problem.read_reference(self.assessment, self.files[case])

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        table_entry = None if self.table is None else self.table.of(case)
        return self.problem.scorer_files.write_reference(self.assessment, self.read(case), table_entry, folder)

    def predictions(self, folder: Path) -> _FilesOfTeam:
        return _FilesOfTeam(self, folder)


class _FilesOfTeam:
    def __init__(self, references: _Files, folder: Path) -> None:
        self.references = references
        self.files = find_cases(folder, references.problem.case_of, takes_folders=references.problem.takes_folders)
        self.table: TableBeside | Issue | None = references.problem.predicted_table(references.assessment, folder)

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        problem, assessment = self.references.problem, self.references.assessment
        if case not in self.files:
            return {}
        facts = problem.facts_of(self.references.read(case))
        try:
            content = problem.read_prediction(self.files[case], facts, problem.expected(assessment))
        except ReadError:
            return {}
        table_entry = None if self.table is None or isinstance(self.table, Issue) else self.table.of(case)
        return problem.scorer_files.write_prediction(assessment, content, table_entry, folder)


class _Tables:
    def __init__(self, problem: TableProblem, assessment: Assessment, folder: Path) -> None:
        self.problem = problem
        references = problem.open_references(assessment, folder)
        assert isinstance(references, TableReferences)
        self.references = references

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        if case not in set(self.references.cases):
            raise ReadError("not_found", case, "no reference of the case")
        rows = self.problem.scorer_files.reference_rows(self.references.table, case, self.references.shared)
        return self.problem.scorer_files.write_rows(rows, folder)

    def predictions(self, folder: Path) -> _TableOfTeam:
        path = self.problem.find_table(folder)
        references = self.references
        return _TableOfTeam(
            self.problem,
            self.problem.read_predictions(path, references.cases, references.shared, references=references.table),
            references.shared,
        )


class _TableOfTeam:
    def __init__(self, problem: TableProblem, table: PredictionTable, shared: Mapping[str, Any]) -> None:
        self.problem, self.table, self.shared = problem, table, shared

    def shown(self, case: str, folder: Path) -> dict[str, Path]:
        prediction = None if self.table.issue(case) is not None else self.table.of(case)
        return (
            {}
            if prediction is None
            else self.problem.scorer_files.write_rows(
                self.problem.scorer_files.prediction_rows(prediction, self.shared), folder
            )
        )
