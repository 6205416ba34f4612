"""Values of the whole data set from what single cases add to them, with the evidence that they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.outcomes import Outcome, undefined
from evaluation.scoring.evidence_blocks import Block, CaseEvidence
from evaluation.scoring.pieces import block_of
from evaluation.scoring.rows import Row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.problems import Problem
    from evaluation.scoring.pieces import Pieces


def finish_pieces(
    problem: Problem,
    assessment: Assessment,
    algorithm: str,
    pieces: Mapping[str, Pieces | None],
    shared: Mapping[str, Any],
) -> tuple[list[Row], list[Block]]:
    """The rows of the data set's values, and the evidence that they are made of.

    A missing case has no false positives, so leaving it out would raise PPV and lower FPPI: with any case missing, the
    value of the whole data set is ``missing`` and there is no evidence.

    Parameters
    ----------
    pieces
        Of every case; ``None`` for a case without a readable prediction. A part that lacks in a case is one for which the
        prediction lacks an input, such as scores.
    shared
        What the evidence of all algorithms has in common.
    """
    rows: list[Row] = []
    blocks: list[Block] = []
    answered = {case: of_case for case, of_case in pieces.items() if of_case is not None}
    for use in assessment.computed:
        if use.level != "dataset":
            continue
        regions = problem.regions_of(assessment, use, shared)
        is_lacking = any((use.name, region) not in of_case for of_case in answered.values() for region in regions)
        for region in regions:
            if is_lacking:
                result = undefined(Outcome.NOT_APPLICABLE)
            elif len(answered) < len(pieces):
                result = undefined(Outcome.MISSING)
            else:
                block = block_of(
                    use.name, algorithm, region, {case: of_case[use.name, region] for case, of_case in answered.items()}
                )
                blocks.append(block)
                evidence = CaseEvidence(assessment.problem, region, block, shared)
                result = problem.recompute(use, evidence, np.ones((1, len(block.cases)))).result()
            rows.append(Row(algorithm, "", region, use.name, *result, None, result.flag))
    return rows, blocks
