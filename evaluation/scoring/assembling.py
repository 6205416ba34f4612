"""From what single cases add to the values of the whole data set: rows, and the evidence that they are made of.

Folders of files are scored in one go; a platform scores case by case, in any order and on any machine, and puts the
pieces together at the end. Both ways give the same rows and the same evidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation import problems
from evaluation.scoring.evidence_blocks import Evidence, make_evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.scoring.pieces import Pieces
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
        Of every case; ``None`` for a case whose prediction is missing, where the kind of problem gives no pieces of it.
    shared
        What the evidence of all algorithms has in common.

    Returns
    -------
    tuple
        The rows of the whole data set, and the evidence.
    """
    problem = problems.get(assessment.problem)
    rows, blocks = problem.finish(assessment, algorithm, pieces, shared)
    return rows, make_evidence(assessment, blocks, parts=problem.pooled_parts(assessment), shared=shared)
