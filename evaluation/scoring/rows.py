"""Results of scoring: rows for every case, region and metric, and contributions to data set values."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.outcomes import Flag, Outcome
from evaluation.scoring.evidence_blocks import Block

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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
