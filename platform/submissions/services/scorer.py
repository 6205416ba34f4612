"""Scoring single cases: prepared references in the worker, predictions in confined children.

A prediction is a file of its own or the rows of a table. Beside rows of results, a case gives the pieces of the values that
only the whole data set has.
"""

import json
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol

from confinement import archive
from confinement.limits import ChildLimits, TableLimits
from confinement.sandbox import Answer, answers
from evaluation import problems
from evaluation.assessment import Assessment, parse
from evaluation.canonical import canonical_json
from evaluation.outcomes import Flag, Outcome
from evaluation.problems.files import FileProblem, file_problem
from evaluation.problems.tables import TableProblem
from evaluation.scoring import ScoredCase
from evaluation.scoring.assembling import is_pooled
from evaluation.scoring.pieces import Numbers, Pieces
from submissions.domain import decoys
from submissions.domain.checks import explain
from submissions.domain.instance_tables import OpenInstances
from submissions.domain.prediction_tables import OpenTable
from submissions.domain.report import Report
from submissions.domain.results import CaseRow
from submissions.models import Run
from submissions.services import disentangling
from test_sets import vault
from test_sets.models import Annotation, TestCase
from test_sets.queries.expectation import expectation
from test_sets.services import reference_tables
from uploads.storage import local_path

# Voxels of references that one worker process keeps prepared: some hundred small cases, or a few large ones.
CACHED_VOXELS = 50_000_000
_OUTCOMES = frozenset(str(outcome) for outcome in Outcome)
_FLAGS = frozenset(str(flag) for flag in Flag)


class Under(NamedTuple):
    """What a case gave under the references of one annotator: rows, and pieces as `Scored` has them."""

    rows: list[CaseRow]
    pieces: list[list[Any]] | None = None


@dataclass(frozen=True)
class Scored:
    """What scoring one case gave."""

    case: str
    rows: list[CaseRow]
    pieces: list[list[Any]] | None = None
    """What the case adds to the values of the whole data set, as plain JSON: part, region and the two lists of each.

    Without the class of the reference, which is not written down before it is encrypted.
    """
    note: str = ""
    """Why there are no values, for the participant."""
    details: str = ""
    """For organizers."""
    annotators: dict[str, Under] = field(default_factory=dict)
    """What it gave under the references of each annotator, where there are several."""
    handed: dict[str, Any] = field(default_factory=dict)
    """Of a decoy: the digest of what was handed in, and how many voxels are labelled or objects found."""
    disentangled: disentangling.Plain | None = None
    """Of instances: what detection, classification and outlines are rated by."""


class ReferenceCache:
    """Prepared references of this process, the least recently used dropped first when there are too many voxels.

    Keyed by the digests of reference and assessment, so that a replaced reference or another assessment can never meet
    what was prepared for the old one.
    """

    def __init__(self, voxels: int) -> None:
        self._room = voxels
        self._kept: OrderedDict[tuple[str, str], tuple[int, Any]] = OrderedDict()

    def get(self, assessment: Assessment, case: TestCase | Annotation) -> Any:
        """Return the prepared reference of a case."""
        key = (assessment.digest, case.reference_sha256)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        problem = problems.get(assessment.problem)
        if isinstance(problem, TableProblem):
            table = reference_tables.stored(case.reference_file, problem.id)
            return self._keep(key, 1, problem.prepare(table, case.name, case.test_set.shared))
        kind = file_problem(assessment.problem)
        with vault.opened(case.reference_file) as path:
            content = kind.read_reference(assessment, path)
        prepared = kind.prepare(assessment, content, reference_tables.instances_of(case))
        # What metrics work out about a reference, and the libraries that they load when first called, would otherwise
        # be worked out and loaded in every child again.
        kind.warm_up_with(assessment, prepared, content)
        return self._keep(key, kind.cost(case.geometry), prepared)

    def _keep(self, key: tuple[str, str], voxels: int, prepared: Any) -> Any:
        self._kept[key] = (voxels, prepared)
        while len(self._kept) > 1 and sum(voxels for voxels, _ in self._kept.values()) > self._room:
            self._kept.popitem(last=False)
        return prepared


references = ReferenceCache(CACHED_VOXELS)


def preload() -> None:
    """Load the libraries that reading and scoring load when first called, so that forked workers and children share them."""
    for problem in problems.scored_problems():
        problem.preload()


def assessment_of(run: Run) -> Assessment:
    """Return the assessment that a run is scored by."""
    return _parsed(run.assessment_digest, canonical_json(run.submission.phase.assessment_document))


@lru_cache(maxsize=16)
def _parsed(digest: str, document: str) -> Assessment:  # noqa: ARG001 (the digest tells equal documents apart quickly)
    return parse(json.loads(document))


def score_cases(
    run: Run,
    cases: Sequence[TestCase],
    members: Mapping[str, str],
    *,
    limits: ChildLimits,
    beat: Callable[[], None],
    seconds: float,
) -> Iterator[Scored]:
    """Score cases whose prediction has been found valid; fewer come back when `seconds` are over.

    A case at which the child dies, or for which it reports anything but complete rows, has the outcome `missing` with
    the reason.
    """
    assessment = assessment_of(run)
    by_name = {case.name: case for case in cases}
    prepared: dict[str, Any] = {}
    drawn: dict[str, dict[str, Any]] = {}
    for case in cases:
        prepared[case.name] = references.get(assessment, case)
        beat()
        drawn[case.name] = annotated(assessment, case)
        beat()
    submitted = _submitted(run, assessment, members)
    problem = problems.get(assessment.problem)
    if problem.table_files:
        limits = replace(limits, message_bytes=TableLimits().message_bytes)

    def work(name: str, folder: Path) -> Any:
        prediction = submitted.of(name, folder)
        scored = problem.score(assessment, name, prepared[name], prediction, parts=True)
        more = {
            key: reported(problem.score(assessment, name, reference, prediction))
            for key, reference in drawn[name].items()
        }
        handed = problem.look(prediction) if by_name[name].is_decoy and prediction is not None else {}
        submitted.close(name, folder)
        apart = disentangling.reported(scored)
        return reported(scored) | {"annotators": more, "handed": handed, "disentangled": apart}

    def reported(scored: ScoredCase) -> Any:
        reason = f"{scored.reason.message}. {scored.reason.remedy}" if scored.reason else ""
        return {"rows": rows_of(scored), "reason": reason, "pieces": _plain(scored.pieces)}

    def rows_of(scored: ScoredCase) -> list[CaseRow]:
        return [CaseRow.of(row) for row in scored.rows]

    names = [case.name for case in cases]
    for answer in answers(names, work, limits=limits, reads=[submitted.path], beat=beat, seconds=seconds):
        found = _scored(assessment, answer, members[answer.item], prepared[answer.item])
        more = _of_annotators(assessment, answer, members[answer.item], drawn[answer.item])
        apart = disentangling.trusted(assessment, None if found.note else answer.value, prepared[answer.item])
        details = found.details or disentangling.doubt(apart, noted=bool(found.note))
        handed = decoys.trusted(answer.value)
        yield replace(found, annotators=more, handed=handed, disentangled=apart, details=details)


class _Submitted(Protocol):
    """The predictions of a submission as a child finds them, case by case."""

    path: Path

    def of(self, case: str, folder: Path) -> Any: ...

    def close(self, case: str, folder: Path) -> None: ...


@dataclass
class _SubmittedTable:
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
class _SubmittedFiles:
    """Predictions that are a file a case, with a table of all objects beside them where there is one."""

    path: Path
    problem: FileProblem
    members: Mapping[str, str]
    byte_limits: Mapping[str, int]
    beside: OpenInstances

    def of(self, case: str, folder: Path) -> Any:
        target = self._target(case, folder)
        archive.extract(self.path, self.members[case], target, limit=self.byte_limits[case])
        return self.problem.submitted(target, self.beside.read(folder))

    def close(self, case: str, folder: Path) -> None:
        self._target(case, folder).unlink(missing_ok=True)

    def _target(self, case: str, folder: Path) -> Path:
        return folder / PurePosixPath(self.members[case]).name


def _submitted(run: Run, assessment: Assessment, members: Mapping[str, str]) -> _Submitted:
    path, wanted = local_path(run.submission.predictions_file), expectation(run.test_set, assessment)
    if wanted.table is not None:
        return _SubmittedTable(OpenTable(path, next(iter(members.values()), ""), wanted))
    beside = OpenInstances(path, Report.of(run.submission.report).table, wanted.instances)
    kind = file_problem(assessment.problem)
    return _SubmittedFiles(path, kind, members, {case.name: case.byte_limit for case in wanted.cases}, beside)


def annotated(assessment: Assessment, case: TestCase) -> dict[str, Any]:
    """Return the prepared references of a case by annotator; also of a decoy, so that it takes its time like others."""
    return {entry.annotator: references.get(assessment, entry) for entry in case.annotations.all()}


def missing_under(assessment: Assessment, case: str, drawn: Mapping[str, Any]) -> dict[str, Under]:
    """Return what a case without prediction gives under each annotator."""
    nothing = {key: missing(assessment, case, own) for key, own in drawn.items()}
    return {key: Under(found.rows, found.pieces) for key, found in nothing.items()}


def _of_annotators(assessment: Assessment, answer: Answer, member: str, drawn: Mapping[str, Any]) -> dict[str, Under]:
    """What a child says of a case under each annotator, taken as that under the reference is; missing otherwise."""
    said = answer.value.get("annotators") if answer.failure is None and isinstance(answer.value, dict) else None
    said = said if isinstance(said, dict) else {}
    found = {key: _scored(assessment, replace(answer, value=said.get(key)), member, own) for key, own in drawn.items()}
    return {key: Under(own.rows, own.pieces) for key, own in found.items()}


def missing(assessment: Assessment, case: str, prepared: Any) -> Scored:
    """Return what a case without prediction gives."""
    found = problems.get(assessment.problem).score(assessment, case, prepared, None)
    rows = [CaseRow.of(row) for row in found.rows]
    kept = _kept(assessment, found.pieces, prepared)
    return Scored(case, rows, kept, disentangled=disentangling.nothing(assessment, prepared))


def whole_pieces(assessment: Assessment, plain: Sequence[Sequence[Any]] | None, prepared: Any) -> Pieces | None:
    """Return the pieces of a scored case, with what its reference adds to them."""
    pieces = pieces_of(plain)
    return None if pieces is None else problems.get(assessment.problem).with_reference(prepared, pieces)


def _kept(assessment: Assessment, pieces: Pieces | None, prepared: Any) -> list[list[Any]] | None:
    if pieces is not None:
        pieces = problems.get(assessment.problem).without_reference(prepared, pieces)
    return _plain(pieces)


def pieces_of(plain: Sequence[Sequence[Any]] | None) -> Pieces | None:
    """Return pieces from plain JSON."""
    if plain is None:
        return None
    return {(part, region): Numbers(list(counts), list(values)) for part, region, counts, values in plain}


def _plain(pieces: Pieces | None) -> list[list[Any]] | None:
    if pieces is None:
        return None
    return [[part, region, list(own.counts), list(own.values)] for (part, region), own in pieces.items()]


def _scored(assessment: Assessment, answer: Answer, member: str, prepared: Any) -> Scored:
    file = PurePosixPath(member).name
    nothing = missing(assessment, answer.item, prepared)
    if answer.failure is not None:
        message, remedy = explain(answer.failure, file)
        return replace(nothing, note=f"{message}. {remedy}", details=f"{answer.failure}: {answer.details}")
    rows = _trusted(answer.value, nothing.rows)
    reason = str(answer.value.get("reason") or "")[:500] if rows is not None else ""
    if rows is not None and reason:
        return replace(nothing, rows=rows, note=reason)
    pieces = None if rows is None else _trusted_pieces(assessment, answer.value, answer.item, prepared)
    if rows is None or (pieces is None and is_pooled(assessment)):
        return replace(
            nothing, note=f"{file}: it could not be scored.", details="The child reported something that does not fit."
        )
    return Scored(answer.item, rows, _kept(assessment, pieces, prepared))


def _trusted_pieces(assessment: Assessment, value: Any, case: str, prepared: Any) -> Pieces | None:
    """Take pieces from a child only if they are possible: those of the case's reference, with sane numbers."""
    if not is_pooled(assessment):
        return None
    try:
        pieces = pieces_of(value["pieces"])
    except (TypeError, KeyError, ValueError):
        return None
    if pieces is None:
        return None
    is_possible = problems.get(assessment.problem).is_possible(assessment, case, prepared, pieces)
    return pieces if is_possible else None


def _trusted(value: Any, missing: list[CaseRow]) -> list[CaseRow] | None:
    """Take rows from a child only if they are exactly those of the case: same metrics and regions, sane values."""
    try:
        rows = [CaseRow(*row) for row in value["rows"]]
    except (TypeError, KeyError):
        return None
    if [row[:3] for row in rows] != [row[:3] for row in missing]:
        return None
    for row, expected in zip(rows, missing, strict=True):
        is_number = isinstance(row.value, int | float) and not isinstance(row.value, bool) and math.isfinite(row.value)
        if row.outcome not in _OUTCOMES or row.flag not in _FLAGS or is_number != (row.outcome == Outcome.OK):
            return None
        if (row.image_diagonal, row.worst) != (expected.image_diagonal, expected.worst):
            return None
    return rows
