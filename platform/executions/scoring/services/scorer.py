"""Scoring of single cases: prepared references in the worker, predictions in confined children.

A prediction is a separate file or the rows of a table. Besides rows of results, a case yields the pieces
of the values that exist only for the whole data set.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from confinement import archive
from confinement.limits import ChildLimits, TableLimits
from confinement.sandbox import answers
from datastore.test_sets import vault
from datastore.test_sets.models import Annotation, TestCase, TestSet
from datastore.test_sets.queries.test_sets import expectation
from datastore.test_sets.services import reference_tables
from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.checking.naming import bare_name
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import TableProblem
from evaluation.scoring import ScoredCase
from executions.scoring.domain.prediction_tables import OpenTable
from executions.scoring.domain.results import CaseRow
from executions.scoring.domain.tables_beside import OpenTableBeside
from executions.scoring.services import disentangling
from executions.scoring.services.cases import Scored, handed_for_decoy, of_annotators, plain_pieces, scored_of

# Voxels of references that one worker process keeps prepared: some hundred small cases, or a few large ones.
CACHED_VOXELS = 50_000_000


class ReferenceCache:
    """Prepared references of this process, the least recently used dropped first when there are too many voxels.

    Keyed by the digests of reference and assessment, so that a replaced reference or another assessment can never meet
    what was prepared for the old one.
    """

    def __init__(self, voxels: int) -> None:
        self._room = voxels
        self._kept: OrderedDict[tuple[str, str], tuple[int, Any]] = OrderedDict()

    def get(self, assessment: Assessment, case: TestCase | Annotation, *, algorithm: str) -> Any:
        """Return the prepared reference of a case, as it is for one algorithm."""
        return kind_of(assessment).reference_for(self._prepared(assessment, case), algorithm)

    def _prepared(self, assessment: Assessment, case: TestCase | Annotation) -> Any:
        key = (assessment.digest, case.reference_sha256)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        problem = kind_of(assessment)
        if isinstance(problem, TableProblem):
            table = reference_tables.stored(case.reference_file, problem.id)
            return self._keep(key, 1, problem.prepare(table, case.name, case.test_set.shared))
        kind = file_problem(assessment.problem)
        with vault.opened(case.reference_file) as path:
            content = kind.read_reference(assessment, path)
        prepared = kind.prepare(assessment, content, reference_tables.instances_of(case))
        # What metrics work out about a reference, and the libraries that they load when first called, would otherwise
        # be worked out and loaded in every child again.
        kind.performance.warm_up_with(assessment, prepared, content)
        return self._keep(key, kind.performance.cost_of(case.geometry), prepared)

    def _keep(self, key: tuple[str, str], voxels: int, prepared: Any) -> Any:
        self._kept[key] = (voxels, prepared)
        while len(self._kept) > 1 and sum(voxels for voxels, _ in self._kept.values()) > self._room:
            self._kept.popitem(last=False)
        return prepared


references = ReferenceCache(CACHED_VOXELS)


def preload() -> None:
    """Load the libraries that reading and scoring load when first called, so that forked workers and children share them."""
    for problem in problems.scored_problems():
        problem.performance.preload()


def annotated(assessment: Assessment, case: TestCase, *, algorithm: str) -> dict[str, Any]:
    """Return the prepared references of a case by annotator; also of a decoy, so that it takes its time like others."""
    return {entry.annotator: references.get(assessment, entry, algorithm=algorithm) for entry in case.annotations.all()}


@dataclass(frozen=True)
class Predictions:
    """A valid archive and the test set and assessment that it is scored against.

    Attributes
    ----------
    path
        The zip archive.
    members
        Case → its member of the archive, for the cases that have a valid prediction.
    beside
        The archive member with the table that accompanies the files; empty if there is none.
    algorithm
        Name of the algorithm that made the predictions. References that apply to a single algorithm use this
        name.
    """

    path: Path
    members: Mapping[str, str]
    beside: str
    test_set: TestSet
    assessment: Assessment
    algorithm: str

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
    """Predictions with one file per case, and an accompanying table if there is one."""

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
        return folder / bare_name(self.members[case])


def score_cases(
    predictions: Predictions,
    cases: Sequence[TestCase],
    *,
    limits: ChildLimits,
    beat: Callable[[], None],
    seconds: float,
) -> Iterator[Scored]:
    """Score cases whose prediction has been found valid; fewer come back when `seconds` are over.

    A case at which the child dies, or for which it reports anything but complete rows, has the outcome `missing` with
    the reason.
    """
    assessment, members = predictions.assessment, predictions.members
    by_name = {case.name: case for case in cases}
    prepared: dict[str, Any] = {}
    drawn: dict[str, dict[str, Any]] = {}
    for case in cases:
        prepared[case.name] = references.get(assessment, case, algorithm=predictions.algorithm)
        beat()
        drawn[case.name] = annotated(assessment, case, algorithm=predictions.algorithm)
        beat()
    submitted = predictions.open()
    problem = kind_of(assessment)
    if problem.table_files:
        limits = replace(limits, message_bytes=TableLimits().message_bytes)

    def work(name: str, folder: Path) -> Any:
        prediction = submitted.of(name, folder)
        scored = problem.score(assessment, name, prepared[name], prediction, parts=True)
        more = {
            key: reported(problem.score(assessment, name, reference, prediction))
            for key, reference in drawn[name].items()
        }
        handed = (
            problem.plausibility.summary_of(prediction) if by_name[name].is_decoy and prediction is not None else {}
        )
        submitted.close(name, folder)
        apart = disentangling.reported(scored) if problem.metrics.rates_object_parts else None
        return reported(scored) | {"annotators": more, "handed": handed, "disentangled": apart}

    def reported(scored: ScoredCase) -> Any:
        reason = f"{scored.reason.message}. {scored.reason.remedy}" if scored.reason else ""
        return {"rows": rows_of(scored), "reason": reason, "pieces": plain_pieces(scored.pieces)}

    def rows_of(scored: ScoredCase) -> list[CaseRow]:
        return [CaseRow.of(row) for row in scored.rows]

    names = [case.name for case in cases]
    for answer in answers(names, work, limits=limits, reads=[submitted.path], beat=beat, seconds=seconds):
        scored_case = scored_of(assessment, answer, members[answer.item], prepared[answer.item])
        more = of_annotators(assessment, answer, members[answer.item], drawn[answer.item])
        scored_case = replace(scored_case, annotators=more, handed=handed_for_decoy(answer.value))
        if problem.metrics.rates_object_parts:
            apart = disentangling.trusted(assessment, None if scored_case.note else answer.value, prepared[answer.item])
            details = scored_case.details or disentangling.doubt(apart, noted=bool(scored_case.note))
            scored_case = replace(scored_case, disentangled=apart, details=details)
        yield scored_case
