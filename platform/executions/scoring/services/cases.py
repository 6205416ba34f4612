"""Scores of a case, with or without a prediction, and the checks of reports from child processes.

A confined child process has read untrusted files. Its report about a case is accepted only if it is possible.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from confinement.sandbox import Answer
from evaluation.assessment import Assessment
from evaluation.checking.naming import bare_name
from evaluation.outcomes import Flag, Outcome
from evaluation.problems import kind_of
from evaluation.scoring.rows import Numbers, Pieces
from executions.scoring.domain.results import CaseRow
from executions.scoring.services import disentangling
from executions.scoring.services.inspecting import explain

_OUTCOMES = frozenset(str(outcome) for outcome in Outcome)
_FLAGS = frozenset(str(flag) for flag in Flag)
_DIGEST_LENGTH = 64


class AnnotatorScore(NamedTuple):
    """Score of a case under the references of one annotator: rows, and pieces as in `Scored`."""

    rows: list[CaseRow]
    pieces: list[list[Any]] | None = None


@dataclass(frozen=True)
class Scored:
    """Score of a case."""

    case: str
    rows: list[CaseRow]
    pieces: list[list[Any]] | None = None
    """Contribution of the case to the values of the whole data set, as plain JSON.

    Each entry contains part, region and the two lists of numbers. The class of the reference is excluded, because it
    must not be written before it is encrypted.
    """
    note: str = ""
    """Reason for missing values, shown to the participant."""
    details: str = ""
    """For organizers."""
    annotators: dict[str, AnnotatorScore] = field(default_factory=dict)
    """Scores under the references of each annotator, if there are several."""
    handed: dict[str, Any] = field(default_factory=dict)
    """For a decoy: digest of the submitted prediction, and number of labelled voxels or detected objects."""
    disentangled: disentangling.Plain | None = None
    """Of instances: what detection, classification and outlines are rated by."""


def missing(assessment: Assessment, case: str, prepared: Any) -> Scored:
    """Return what a case without prediction gives."""
    scored = kind_of(assessment).score(assessment, case, prepared, None)
    rows = [CaseRow.of(row) for row in scored.rows]
    pieces = kept_pieces(assessment, scored.pieces, prepared)
    apart = disentangling.nothing(assessment, prepared) if kind_of(assessment).metrics.rates_object_parts else None
    return Scored(case, rows, pieces, disentangled=apart)


def whole_pieces(assessment: Assessment, plain: Sequence[Sequence[Any]] | None, prepared: Any) -> Pieces | None:
    """Return the pieces of a scored case, with what its reference adds to them."""
    pieces = pieces_of(plain)
    return None if pieces is None else kind_of(assessment).evidence.restore_reference(prepared, pieces)


def kept_pieces(assessment: Assessment, pieces: Pieces | None, prepared: Any) -> list[list[Any]] | None:
    """Return the pieces of a case as they are kept: without what its reference adds."""
    if pieces is not None:
        pieces = kind_of(assessment).evidence.remove_reference(prepared, pieces)
    return plain_pieces(pieces)


def pieces_of(plain: Sequence[Sequence[Any]] | None) -> Pieces | None:
    """Return pieces from plain JSON."""
    if plain is None:
        return None
    return {(part, region): Numbers(list(counts), list(values)) for part, region, counts, values in plain}


def plain_pieces(pieces: Pieces | None) -> list[list[Any]] | None:
    """Return pieces as plain JSON."""
    if pieces is None:
        return None
    return [[part, region, list(numbers.counts), list(numbers.values)] for (part, region), numbers in pieces.items()]


def missing_under(assessment: Assessment, case: str, drawn: Mapping[str, Any]) -> dict[str, AnnotatorScore]:
    """Return what a case without prediction gives under each annotator."""
    nothing = {key: missing(assessment, case, prepared) for key, prepared in drawn.items()}
    return {key: AnnotatorScore(scored.rows, scored.pieces) for key, scored in nothing.items()}


def scored_of(assessment: Assessment, answer: Answer, member: str, prepared: Any) -> Scored:
    """Return the score that a child process reports for a case, if it is possible.

    Otherwise the case is missing, with the reason.

    Parameters
    ----------
    member
        The file of the archive that the reason names.
    prepared
        The reference.
    """
    file = bare_name(member)
    nothing = missing(assessment, answer.item, prepared)
    if answer.failure is not None:
        message, remedy = explain(answer.failure, file)
        return replace(nothing, note=f"{message}. {remedy}", details=f"{answer.failure}: {answer.details}")
    rows = _trusted(answer.value, nothing.rows)
    reason = str(answer.value.get("reason") or "")[:500] if rows is not None else ""
    if rows is not None and reason:
        return replace(nothing, rows=rows, note=reason)
    pieces = None if rows is None else _trusted_pieces(assessment, answer.value, answer.item, prepared)
    if rows is None or (pieces is None and assessment.is_pooled):
        return replace(
            nothing, note=f"{file}: it could not be scored.", details="The child reported something that does not fit."
        )
    return Scored(answer.item, rows, kept_pieces(assessment, pieces, prepared))


def _trusted_pieces(assessment: Assessment, value: Any, case: str, prepared: Any) -> Pieces | None:
    """Take pieces from a child only if they are possible: those of the case's reference, with sane numbers."""
    if not assessment.is_pooled:
        return None
    try:
        pieces = pieces_of(value["pieces"])
    except (TypeError, KeyError, ValueError):
        return None
    if pieces is None:
        return None
    is_possible = kind_of(assessment).plausibility.is_possible(assessment, case, prepared, pieces)
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
        if (row.image_diagonal, row.worst, row.before) != (expected.image_diagonal, expected.worst, expected.before):
            return None
    return rows


def of_annotators(
    assessment: Assessment, answer: Answer, member: str, drawn: Mapping[str, Any]
) -> dict[str, AnnotatorScore]:
    """Return the scores of a case that a child process reports under each annotator.

    They are checked like those under the reference. Otherwise the case is missing under that annotator.
    """
    reported = answer.value.get("annotators") if answer.failure is None and isinstance(answer.value, dict) else None
    reported = reported if isinstance(reported, dict) else {}
    scored_by_annotator = {
        key: scored_of(assessment, replace(answer, value=reported.get(key)), member, prepared)
        for key, prepared in drawn.items()
    }
    return {key: AnnotatorScore(scored.rows, scored.pieces) for key, scored in scored_by_annotator.items()}


def handed_for_decoy(value: object) -> dict[str, Any]:
    """Return the report of a child process about a decoy if its format is valid, otherwise an empty dict."""
    handed = value.get("handed") if isinstance(value, Mapping) else None
    if not isinstance(handed, Mapping):
        return {}
    digest, labelled = handed.get("digest"), handed.get("labelled")
    fine = isinstance(digest, str) and len(digest) == _DIGEST_LENGTH and isinstance(labelled, int) and labelled >= 0
    return {"digest": digest, "labelled": labelled} if fine else {}
