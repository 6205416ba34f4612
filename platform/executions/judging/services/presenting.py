"""Presentation of cases to a scoring image.

Reference and prediction are read here and written again under names that reveal nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from confinement import archive
from confinement.containers.scoring import ScorerCase
from confinement.sandbox import answers
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.test_sets import expectation
from datastore.test_sets.services import reference_tables
from datastore.uploads.storage import child_limits
from evaluation.admission import Expectation
from evaluation.assessment import Assessment
from evaluation.problems import Problem, kind_of
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import TableProblem, table_problem
from evaluation.readers import Limits, ReadError
from executions.scoring.domain.prediction_tables import OpenTable
from executions.scoring.domain.tables_beside import OpenTableBeside

PRESENTED_BYTES = 3
"""Of a voxel, for the room that is looked for: reference and prediction, each at most as large as their labels."""
_REAL_BYTES = 8

Shown = dict[str, Path]
"""Files of a case by their names."""


@dataclass(frozen=True)
class Archive:
    """Location of the predictions of a run.

    Attributes
    ----------
    path
        The archive.
    members
        Case → the member that contains its prediction.
    beside
        The member that contains the table next to the files; empty if it does not exist.
    """

    path: Path
    members: Mapping[str, str]
    beside: str = ""


def room_for(assessment: Assessment, cases: Sequence[TestCase]) -> int:
    """Bytes that the open files of cases may need."""
    is_real = any(kind == "image" for _, kind in kind_of(assessment).scorer_files.stems_and_kinds)
    each = 2 * _REAL_BYTES if is_real else PRESENTED_BYTES
    facts = [case.geometry or {} for case in cases]
    return (
        sum(
            each * int(np.prod(case_facts.get("shape", (1,)))) * int(case_facts.get("channels", 1))
            for case_facts in facts
        )
        + 64 * 1024**2
    )


def references(
    assessment: Assessment, cases: Sequence[TestCase], folder: Path, beat: Callable[[], None]
) -> dict[str, Shown]:
    """Write the reference of each case into a folder, by the name of the case."""
    files_by_case = {}
    for number, case in enumerate(cases):
        files_by_case[case.name] = _reference(kind_of(assessment), assessment, case, folder / f"reference-{number}")
        beat()
    return files_by_case


def _reference(kind: Problem, assessment: Assessment, case: TestCase, folder: Path) -> Shown:
    if isinstance(kind, TableProblem):
        table = reference_tables.stored(case.reference_file, kind.id)
        return kind.scorer_files.write_rows(
            kind.scorer_files.reference_rows(table, case.name, case.test_set.shared), folder
        )
    problem = file_problem(assessment.problem)
    with vault.opened(case.reference_file) as path:
        content = problem.read_reference(assessment, path)
    return problem.scorer_files.write_reference(assessment, content, reference_tables.instances_of(case), folder)


def predictions(
    assessment: Assessment, cases: Sequence[TestCase], given: Archive, folder: Path, beat: Callable[[], None]
) -> dict[str, Shown]:
    """Write the prediction of each case into a folder, as a confined child read it; without those that cannot be read."""
    wanted = expectation(cases[0].test_set, assessment)
    read = _table_reader(wanted, given) if wanted.table is not None else _file_reader(assessment, wanted, given)
    kind = kind_of(assessment)
    handed = folder / "predictions"
    handed.mkdir()
    places = {case.name: handed / f"prediction-{number}" for number, case in enumerate(cases)}
    shared = cases[0].test_set.shared

    def work(name: str, child_folder: Path) -> list[str]:
        try:
            content, case_table = read(name, child_folder)
        except (archive.ArchiveError, ReadError):
            return []
        if isinstance(kind, TableProblem):
            return (
                []
                if content is None
                else list(
                    kind.scorer_files.write_rows(kind.scorer_files.prediction_rows(content, shared), places[name])
                )
            )
        assert isinstance(kind, FileProblem)
        return list(kind.scorer_files.write_prediction(assessment, content, case_table, places[name]))

    files_by_case = {}
    for answer in answers(list(places), work, limits=child_limits(), reads=[given.path], beat=beat, hands_over=handed):
        names = answer.value if answer.failure is None else None
        if files := _taken(kind, names, places[answer.item]):
            files_by_case[answer.item] = files
    return files_by_case


def _taken(kind: Problem, names: Any, folder: Path) -> Shown:
    """Only files of ours, of a name of ours: the child has read a stranger's file."""
    stems = tuple(f"{stem}." for stem, _ in kind.scorer_files.stems_and_kinds)
    if not isinstance(names, list) or not all(isinstance(name, str) and name.startswith(stems) for name in names):
        return {}
    files = {name: folder / PurePosixPath(name).name for name in names}
    return files if all(path.is_file() and not path.is_symlink() for path in files.values()) else {}


def _file_reader(assessment: Assessment, wanted: Expectation, given: Archive) -> Callable[[str, Path], tuple[Any, Any]]:
    problem = file_problem(kind_of(assessment).id)
    expected, cases = problem.expected(assessment), {case.name: case for case in wanted.cases}
    beside = OpenTableBeside(given.path, given.beside, wanted.beside)

    def read(name: str, folder: Path) -> tuple[Any, Any]:
        target = folder / PurePosixPath(given.members[name]).name
        limit = cases[name].byte_limit
        archive.extract(given.path, given.members[name], target, limit=limit)
        content = problem.read_prediction(target, cases[name].facts, expected, limits=Limits(decoded_bytes=limit))
        table = beside.read(folder)
        return content, None if table is None else table.of(name)

    return read


def _table_reader(wanted: Expectation, given: Archive) -> Callable[[str, Path], tuple[Any, Any]]:
    table = OpenTable(given.path, next(iter(given.members.values()), ""), wanted)
    return lambda name, folder: (table.read(folder).of(name), None)


def perfect_prediction(assessment: Assessment, reference: Shown, shared: Mapping[str, Any], folder: Path) -> Shown:
    """Return the perfect prediction of a case, which is the reference in the form of a prediction."""
    return dict(kind_of(assessment).samples.perfect_prediction(reference, shared, folder))


def tells_much(assessment: Assessment, case: TestCase) -> bool:
    """Return whether the reference of a case is not empty, if that is quick to determine; otherwise True."""
    kind = kind_of(assessment)
    if not isinstance(kind, TableProblem):
        return True
    table = reference_tables.stored(case.reference_file, kind.id)
    rows = table_problem(kind.id).scorer_files.reference_rows(table, case.name, case.test_set.shared).rows
    return any(any(row) for row in rows)


def scorer_case(name: str, reference: Shown, prediction: Shown | None) -> ScorerCase:
    """A case by the name under which the image sees it."""
    return ScorerCase(name, reference, prediction or {})
