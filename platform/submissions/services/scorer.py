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
from typing import Any, NamedTuple

import numpy as np

from confinement import archive
from confinement.limits import ChildLimits, TableLimits
from confinement.sandbox import Answer, answers
from evaluation.assessment import Assessment, parse
from evaluation.canonical import canonical_json
from evaluation.matching import Objects
from evaluation.outcomes import Flag, Outcome
from evaluation.readers import Geometry, LabelImage, read_label_image
from evaluation.readers.instance_tables import Instances, InstanceTable
from evaluation.scoring import (
    PreparedInstances,
    PreparedReference,
    ScoredCase,
    prepare_instances,
    prepare_reference,
    score_case,
    score_instances,
    score_objects,
)
from evaluation.scoring.assembling import is_pooled
from evaluation.scoring.classification_evidence import ALL_CLASSES, PART
from evaluation.scoring.detection_evidence import fits
from evaluation.scoring.labels import answer_of, is_answer, no_answer
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
from test_sets.queries.expectation import TABLE_FILES, ExpectedCase, expectation, geometry_of
from test_sets.services import reference_tables
from uploads.storage import local_path

# Voxels of references that one worker process keeps prepared: some hundred small cases, or a few large ones.
CACHED_VOXELS = 50_000_000
_OUTCOMES = frozenset(str(outcome) for outcome in Outcome)
_FLAGS = frozenset(str(flag) for flag in Flag)


@dataclass(frozen=True)
class PreparedLabel:
    """The class of a case, by its place among the classes of the task."""

    code: int
    classes: int


Prepared = PreparedReference | PreparedInstances | PreparedLabel | Objects
_ANSWER = (PART, ALL_CLASSES)


def prepare(assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> Prepared:
    """Prepare a reference for scoring any number of predictions, by the kind of problem."""
    if assessment.problem == "instance_segmentation":
        return prepare_instances(assessment, image, instances)
    return prepare_reference(assessment, image)


def score(
    assessment: Assessment,
    case: str,
    reference: Prepared,
    prediction: LabelImage | Path | Objects | Numbers | None,
    instances: InstanceTable | None = None,
    *,
    apart: bool = False,
) -> ScoredCase:
    """Score one prediction, or its absence, against a prepared reference; `apart` also counts for disentangled evaluation."""
    if isinstance(reference, PreparedLabel):
        return ScoredCase([], pieces={_ANSWER: prediction or no_answer(reference.code)})
    if isinstance(reference, Objects):
        found = score_objects(assessment, case, reference, prediction)
        return ScoredCase(found.rows, pieces=None if prediction is None else found.pieces)
    if isinstance(reference, PreparedInstances):
        return score_instances(assessment, case, reference, prediction, instances, apart=apart)
    return score_case(assessment, case, reference, prediction)


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
        self._kept: OrderedDict[tuple[str, str], tuple[int, Prepared]] = OrderedDict()

    def get(self, assessment: Assessment, case: TestCase | Annotation) -> Prepared:
        """Return the prepared reference of a case."""
        key = (assessment.digest, case.reference_sha256)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        if assessment.problem in TABLE_FILES:
            return self._keep(key, 1, _of_table(assessment, case))
        with vault.opened(case.reference_file) as path:
            image = read_label_image(path)
        prepared = prepare(assessment, image, reference_tables.instances_of(case))
        # What metrics work out about a reference, and the libraries that they load when first called, would otherwise
        # be worked out and loaded in every child again. Moved by a voxel, since equal masks take short cuts.
        moved = LabelImage(np.roll(image.labels, 1, axis=0), image.geometry)
        score(assessment, case.name, prepared, moved)
        disentangling.work_out(assessment, prepared)
        return self._keep(key, math.prod(case.geometry["shape"]), prepared)

    def _keep(self, key: tuple[str, str], voxels: int, prepared: Prepared) -> Prepared:
        self._kept[key] = (voxels, prepared)
        while len(self._kept) > 1 and sum(voxels for voxels, _ in self._kept.values()) > self._room:
            self._kept.popitem(last=False)
        return prepared


def _of_table(assessment: Assessment, case: TestCase | Annotation) -> Prepared:
    table = reference_tables.stored(case.reference_file, assessment.problem)
    if table.labels is None:
        return table.objects_of(case.name)
    classes = case.test_set.shared["classes"]
    # A decoy may have no reference, or one of no scored case; it is worked on like others and then left out.
    label = table.labels.get(case.name, classes[0])
    return PreparedLabel(classes.index(label) if label in classes else 0, len(classes))


references = ReferenceCache(CACHED_VOXELS)


def preload() -> None:
    """Load the libraries that reading and scoring load when first called, so that forked workers and children share them."""
    assessment = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "any", "labels": [1]}],
            "metrics": [{"id": "dsc"}, {"id": "nsd", "options": {"tolerance": 1.0}}, {"id": "assd"}],
            "aggregation": {"levels": ["case"], "operator": "mean"},
        }
    )
    labels = np.zeros((8, 8, 8), dtype=np.uint8)
    labels[2:5, 2:5, 2:5] = 1
    moved = LabelImage(np.roll(labels, 1, axis=0), Geometry(labels.shape))
    score_case(assessment, "", prepare_reference(assessment, LabelImage(labels, moved.geometry)), moved)


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
    prepared: dict[str, Prepared] = {}
    drawn: dict[str, dict[str, Prepared]] = {}
    for case in cases:
        prepared[case.name] = references.get(assessment, case)
        beat()
        drawn[case.name] = annotated(assessment, case)
        beat()
    path = local_path(run.submission.predictions_file)
    beside = OpenInstances(
        path, Report.of(run.submission.report).table, expectation(run.test_set, assessment).instances
    )
    if assessment.problem in TABLE_FILES:
        table = OpenTable(path, next(iter(members.values()), ""), expectation(run.test_set, assessment))
        places = {name: place for place, name in enumerate(sorted(table.wanted.names))}
        limits = replace(limits, message_bytes=TableLimits().message_bytes)

    def row(name: str, folder: Path) -> Any:
        table.read(folder)

        def under(own: Prepared) -> ScoredCase:
            if table.labels is None:
                return score(assessment, name, own, table.objects.of(name))
            return score(assessment, name, own, answer_of(table.labels, places[name], own.code))

        more = {key: reported(under(own)) for key, own in drawn[name].items()}
        handed = {}
        if by_name[name].is_decoy and table.labels is not None:
            handed = decoys.look_at_answer(answer_of(table.labels, places[name], 0))
        elif by_name[name].is_decoy:
            handed = decoys.look_at_objects(table.objects.of(name))
        return reported(under(prepared[name])) | {"annotators": more, "handed": handed}

    def work(name: str, folder: Path) -> Any:
        case = by_name[name]
        target = folder / PurePosixPath(members[name]).name
        archive.extract(path, members[name], target, limit=_expected(case).byte_limit)
        scored = score(assessment, name, prepared[name], target, beside.read(folder), apart=True)
        more = {
            key: reported(score(assessment, name, own, target, beside.read(folder))) for key, own in drawn[name].items()
        }
        handed = decoys.look(target) if case.is_decoy else {}
        target.unlink(missing_ok=True)
        apart = disentangling.reported(scored)
        return reported(scored) | {"annotators": more, "handed": handed, "disentangled": apart}

    def reported(scored: ScoredCase) -> Any:
        reason = f"{scored.reason.message}. {scored.reason.remedy}" if scored.reason else ""
        return {"rows": rows_of(scored), "reason": reason, "pieces": _plain(scored.pieces)}

    def rows_of(scored: ScoredCase) -> list[CaseRow]:
        return [CaseRow.of(row) for row in scored.rows]

    act = row if assessment.problem in TABLE_FILES else work
    for answer in answers([case.name for case in cases], act, limits=limits, reads=[path], beat=beat, seconds=seconds):
        found = _scored(assessment, answer, members[answer.item], prepared[answer.item])
        more = _of_annotators(assessment, answer, members[answer.item], drawn[answer.item])
        apart = disentangling.trusted(assessment, None if found.note else answer.value, prepared[answer.item])
        details = found.details or disentangling.doubt(apart, noted=bool(found.note))
        handed = decoys.trusted(answer.value)
        yield replace(found, annotators=more, handed=handed, disentangled=apart, details=details)


def annotated(assessment: Assessment, case: TestCase) -> dict[str, Prepared]:
    """Return the prepared references of a case by annotator; also of a decoy, so that it takes its time like others."""
    return {entry.annotator: references.get(assessment, entry) for entry in case.annotations.all()}


def missing_under(assessment: Assessment, case: str, drawn: Mapping[str, Prepared]) -> dict[str, Under]:
    """Return what a case without prediction gives under each annotator."""
    nothing = {key: missing(assessment, case, own) for key, own in drawn.items()}
    return {key: Under(found.rows, found.pieces) for key, found in nothing.items()}


def _of_annotators(
    assessment: Assessment, answer: Answer, member: str, drawn: Mapping[str, Prepared]
) -> dict[str, Under]:
    """What a child says of a case under each annotator, taken as that under the reference is; missing otherwise."""
    said = answer.value.get("annotators") if answer.failure is None and isinstance(answer.value, dict) else None
    said = said if isinstance(said, dict) else {}
    found = {key: _scored(assessment, replace(answer, value=said.get(key)), member, own) for key, own in drawn.items()}
    return {key: Under(own.rows, own.pieces) for key, own in found.items()}


def missing(assessment: Assessment, case: str, prepared: Prepared) -> Scored:
    """Return what a case without prediction gives."""
    found = score(assessment, case, prepared, None)
    rows = [CaseRow.of(row) for row in found.rows]
    return Scored(case, rows, _kept(found.pieces, prepared), disentangled=disentangling.nothing(assessment, prepared))


def whole_pieces(plain: Sequence[Sequence[Any]] | None, prepared: Prepared) -> Pieces | None:
    """Return the pieces of a scored case, with what its reference adds to them."""
    pieces = pieces_of(plain)
    if pieces is None or not isinstance(prepared, PreparedLabel):
        return pieces
    return {key: Numbers([prepared.code, *own.counts], own.values) for key, own in pieces.items()}


def _kept(pieces: Pieces | None, prepared: Prepared) -> list[list[Any]] | None:
    if pieces is not None and isinstance(prepared, PreparedLabel):
        pieces = {key: Numbers(own.counts[1:], own.values) for key, own in pieces.items()}
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


def _scored(assessment: Assessment, answer: Answer, member: str, prepared: Prepared) -> Scored:
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
    return Scored(answer.item, rows, _kept(pieces, prepared))


def _trusted_pieces(assessment: Assessment, value: Any, case: str, prepared: Prepared) -> Pieces | None:
    """Take pieces from a child only if they are possible: those of the case's reference, with sane numbers."""
    if not is_pooled(assessment):
        return None
    try:
        pieces = pieces_of(value["pieces"])
    except (TypeError, KeyError, ValueError):
        return None
    if pieces is None:
        return None
    if isinstance(prepared, PreparedLabel):
        fine = set(pieces) == {_ANSWER} and is_answer(pieces[_ANSWER], prepared.code, prepared.classes)
        return pieces if fine else None
    expected = _without_objects(assessment, case, prepared)
    if set(pieces) != set(expected):
        return None
    fine = all(fits(assessment.metric(key[0]), own, expected[key]) for key, own in pieces.items())
    return pieces if fine else None


def _without_objects(assessment: Assessment, case: str, prepared: Prepared) -> Pieces:
    """What a case adds when nothing is predicted: what the reference alone decides."""
    reference = prepared.objects if isinstance(prepared, PreparedInstances) else prepared
    none = reference.select(np.zeros(0, dtype=np.int64))
    return score_objects(assessment, case, reference, none).pieces


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
        if row.image_diagonal != expected.image_diagonal:
            return None
    return rows


def _expected(case: TestCase) -> ExpectedCase:
    return ExpectedCase(case.name, geometry_of(case.geometry))
