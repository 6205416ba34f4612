"""What scoring one case gives, and what a case without a prediction gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluation.assessment import Assessment
from evaluation.scoring.rows import Numbers, Pieces
from scoring.domain.results import CaseRow
from scoring.services import disentangling


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


def missing(assessment: Assessment, case: str, prepared: Any) -> Scored:
    """Return what a case without prediction gives."""
    found = assessment.kind.score(assessment, case, prepared, None)
    rows = [CaseRow.of(row) for row in found.rows]
    kept = kept_pieces(assessment, found.pieces, prepared)
    return Scored(case, rows, kept, disentangled=disentangling.nothing(assessment, prepared))


def whole_pieces(assessment: Assessment, plain: Sequence[Sequence[Any]] | None, prepared: Any) -> Pieces | None:
    """Return the pieces of a scored case, with what its reference adds to them."""
    pieces = pieces_of(plain)
    return None if pieces is None else assessment.kind.with_reference(prepared, pieces)


def kept_pieces(assessment: Assessment, pieces: Pieces | None, prepared: Any) -> list[list[Any]] | None:
    """Return the pieces of a case as they are kept: without what its reference adds."""
    if pieces is not None:
        pieces = assessment.kind.without_reference(prepared, pieces)
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
    return [[part, region, list(own.counts), list(own.values)] for (part, region), own in pieces.items()]


def missing_under(assessment: Assessment, case: str, drawn: Mapping[str, Any]) -> dict[str, Under]:
    """Return what a case without prediction gives under each annotator."""
    nothing = {key: missing(assessment, case, own) for key, own in drawn.items()}
    return {key: Under(found.rows, found.pieces) for key, found in nothing.items()}
