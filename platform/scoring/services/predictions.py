"""The predictions of one archive, found valid: as a confined child reads them, case by case."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from confinement import archive
from evaluation.assessment import Assessment
from evaluation.problems.files import FileProblem, file_problem
from scoring.domain.prediction_tables import OpenTable
from scoring.domain.tables_beside import OpenTableBeside
from test_sets.models import TestSet
from test_sets.queries.expectation import expectation


@dataclass(frozen=True)
class Predictions:
    """An archive that was found valid, and what it is scored against.

    Attributes
    ----------
    path
        The zip archive.
    members
        Case → its member of the archive, of the cases that have a valid prediction.
    beside
        The member that holds the table beside the files; empty where there is none.
    """

    path: Path
    members: Mapping[str, str]
    beside: str
    test_set: TestSet
    assessment: Assessment

    def open(self) -> "OpenPredictions":
        """Return what a child reads them with."""
        wanted = expectation(self.test_set, self.assessment)
        if wanted.table is not None:
            return _Table(OpenTable(self.path, next(iter(self.members.values()), ""), wanted))
        beside = OpenTableBeside(self.path, self.beside, wanted.beside)
        limits = {case.name: case.byte_limit for case in wanted.cases}
        return _Files(self.path, file_problem(self.assessment.problem), self.members, limits, beside)


class OpenPredictions(Protocol):
    """The predictions of an archive as a child finds them, case by case."""

    @property
    def path(self) -> Path: ...

    def of(self, case: str, folder: Path) -> Any: ...

    def close(self, case: str, folder: Path) -> None: ...


@dataclass
class _Table:
    """Predictions that are rows of one table."""

    table: OpenTable

    @property
    def path(self) -> Path:
        return self.table.path

    def of(self, case: str, folder: Path) -> Any:
        return self.table.read(folder).of(case)

    def close(self, case: str, folder: Path) -> None:
        """Nothing is left behind."""


@dataclass
class _Files:
    """Predictions that are a file a case, with a table beside them where there is one."""

    path: Path
    problem: FileProblem
    members: Mapping[str, str]
    byte_limits: Mapping[str, int]
    beside: OpenTableBeside

    def of(self, case: str, folder: Path) -> Any:
        target = self._target(case, folder)
        archive.extract(self.path, self.members[case], target, limit=self.byte_limits[case])
        return self.problem.submitted(target, self.beside.read(folder))

    def close(self, case: str, folder: Path) -> None:
        self._target(case, folder).unlink(missing_ok=True)

    def _target(self, case: str, folder: Path) -> Path:
        return folder / PurePosixPath(self.members[case]).name
