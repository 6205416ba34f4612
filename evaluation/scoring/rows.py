"""Results of scoring: rows for every case, region and metric, and contributions to data set values."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evaluation.outcomes import Flag, Outcome, undefined
from evaluation.scoring.evidence_blocks import Block, CaseEvidence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evaluation.assessment import Assessment
    from evaluation.problems import Problem
    from evaluation.readers import Issue


class Numbers(NamedTuple):
    """Whole numbers and floating-point numbers; what they mean is the problem's business."""

    counts: list[int]
    values: list[float]


Pieces = dict[tuple[str, str], Numbers]
"""The numbers of one case by part and region, as in `evaluation.scoring.evidence.Block`."""


def block_of(part: str, algorithm: str, region: str, by_case: Mapping[str, Numbers]) -> Block:
    """Write the numbers of all cases into a block."""
    cases = sorted(by_case)
    return Block.of_lists(
        part=part,
        algorithm=algorithm,
        region=region,
        cases=cases,
        counts=[by_case[case].counts for case in cases],
        values=[by_case[case].values for case in cases],
    )


class Row(NamedTuple):
    """One value of a results table.

    Attributes
    ----------
    algorithm, case, region
        ``case`` is empty for values of the whole data set, ``region`` for values over all classes.
    metric
        Name of the metric in the assessment.
    value
        A finite number exactly if ``outcome`` is ``ok``.
    image_diagonal
        Diagonal in mm, on every row of an image metric.
    flag
        Information that the outcome alone does not contain; usually empty.
    worst
        The worst value that can reasonably be expected here, in the metric's unit, if its range has no worst end.
    before
        The value of leaving everything unchanged, if such an answer exists: for a registration, without any
        displacement.
    """

    algorithm: str
    case: str
    region: str
    metric: str
    value: float | None
    outcome: Outcome
    image_diagonal: float | None
    flag: Flag = Flag.NONE
    worst: float | None = None
    before: float | None = None


class ScoredCase(list[Row]):
    """The rows of one case, with the reason if the prediction could not be read.

    Attributes
    ----------
    reason
        Reason why all outcomes are ``missing``; ``None`` if the prediction was read, or if there was none to read.
    pieces
        Contribution of the case to the values of the whole data set; ``None`` if the prediction is missing.
    lacking
        Metrics of the whole data set for which the prediction lacks an input, such as scores.
    features
        What questions about the predictions of all cases need from this one; empty where the kind asks none.
    apart
        For instances, on request: the numbers that rate detection, classification and outlines
        (`evaluation.scoring.disentangling.numbers_of`).
    """

    apart: Numbers | None = None
    features: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        rows: Iterable[Row],
        reason: Issue | None = None,
        pieces: Pieces | None = None,
        lacking: Collection[str] = (),
    ) -> None:
        super().__init__(rows)
        self.reason = reason
        self.pieces = pieces
        self.lacking = set(lacking)

    @property
    def rows(self) -> list[Row]:
        """The rows as a plain list."""
        return list(self)


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
        regions = problem.evidence.regions_of(assessment, use, shared)
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
