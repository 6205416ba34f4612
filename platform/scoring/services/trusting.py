"""Taking what a confined child says of a case only where it is possible: the child has read a stranger's file."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from confinement.sandbox import Answer
from evaluation.assessment import Assessment
from evaluation.outcomes import Flag, Outcome
from evaluation.scoring.rows import Pieces
from scoring.domain.checks import explain
from scoring.domain.results import CaseRow
from scoring.services.cases import Scored, Under, kept_pieces, missing, pieces_of

_OUTCOMES = frozenset(str(outcome) for outcome in Outcome)
_FLAGS = frozenset(str(flag) for flag in Flag)
_DIGEST_LENGTH = 64


def scored_of(assessment: Assessment, answer: Answer, member: str, prepared: Any) -> Scored:
    """Return what a child says of a case, if it is possible; otherwise the case is missing, with the reason.

    Parameters
    ----------
    member
        The file of the archive, which the reason names.
    prepared
        The reference.
    """
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
    is_possible = assessment.kind.is_possible(assessment, case, prepared, pieces)
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


def of_annotators(assessment: Assessment, answer: Answer, member: str, drawn: Mapping[str, Any]) -> dict[str, Under]:
    """What a child says of a case under each annotator, taken as that under the reference is; missing otherwise."""
    said = answer.value.get("annotators") if answer.failure is None and isinstance(answer.value, dict) else None
    said = said if isinstance(said, dict) else {}
    found = {
        key: scored_of(assessment, replace(answer, value=said.get(key)), member, own) for key, own in drawn.items()
    }
    return {key: Under(own.rows, own.pieces) for key, own in found.items()}


def handed_for_decoy(value: object) -> dict[str, Any]:
    """Take what a child says of a decoy only if it has the form of it."""
    said = value.get("handed") if isinstance(value, Mapping) else None
    if not isinstance(said, Mapping):
        return {}
    digest, labelled = said.get("digest"), said.get("labelled")
    fine = isinstance(digest, str) and len(digest) == _DIGEST_LENGTH and isinstance(labelled, int) and labelled >= 0
    return {"digest": digest, "labelled": labelled} if fine else {}
