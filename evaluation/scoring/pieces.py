"""What one case adds to the values of the whole data set, as plain numbers that any process can hand to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluation.scoring.evidence_blocks import Block

if TYPE_CHECKING:
    from collections.abc import Mapping


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
