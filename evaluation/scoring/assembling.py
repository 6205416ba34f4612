"""From what single cases add to the values of the whole data set: rows, and the evidence that they are made of.

Folders of files are scored in one go; a platform scores case by case, in any order and on any machine, and puts the
pieces together at the end. Both ways give the same rows and the same evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.scoring.classification import score_answers
from evaluation.scoring.classification_evidence import ALL_CLASSES, NO_ANSWER, PART
from evaluation.scoring.evidence import Evidence, make_evidence
from evaluation.scoring.objects import finish_pieces, pooled_parts
from evaluation.scoring.pieces import Pieces, block_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.scoring.rows import Row


def is_pooled(assessment: Assessment) -> bool:
    """Whether some metric has one value for the whole data set, so that a result needs evidence."""
    return any(use.level == "dataset" for use in assessment.metrics)


def assemble(
    assessment: Assessment, pieces: Mapping[str, Pieces | None], *, shared: Mapping[str, Any], algorithm: str = ""
) -> tuple[list[Row], Evidence]:
    """Put the pieces of all cases together.

    Parameters
    ----------
    assessment
        With metrics of the whole data set.
    pieces
        Of every case; ``None`` for a case whose prediction is missing. Of an image classification every case has pieces,
        those of a missing one being `evaluation.scoring.labels.no_answer`.
    shared
        What the evidence of all algorithms has in common: `describe_classes` or `shared_evidence`.

    Returns
    -------
    tuple
        The rows of the whole data set, and the evidence.
    """
    if assessment.problem == "image_classification":
        return _of_answers(assessment, pieces, shared, algorithm)
    missing = [case for case, own in pieces.items() if own is None]
    there = {case: own for case, own in pieces.items() if own is not None}
    wanted = pooled_parts(assessment)
    lacking = {name for name in wanted if any(name not in {part for part, _ in own} for own in there.values())}
    rows, blocks = finish_pieces(
        assessment, algorithm, there, missing=missing, lacking=lacking, patients=shared.get("patients")
    )
    return rows, make_evidence(assessment, blocks, parts=wanted, shared=shared)


def _of_answers(
    assessment: Assessment, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any], algorithm: str
) -> tuple[list[Row], Evidence]:
    key = (PART, ALL_CLASSES)
    answers = {case: own[key] for case, own in pieces.items() if own is not None}
    answered = any(numbers.counts[1] != NO_ANSWER for numbers in answers.values())
    blocks = [block_of(PART, algorithm, ALL_CLASSES, answers)] if answered else []
    parts = {use.name: PART for use in assessment.metrics}
    evidence = make_evidence(assessment, blocks, parts=parts, shared=shared)
    return score_answers(assessment, algorithm, evidence), evidence
