"""Landmarks of one case: errors of each region, and counts for the rates of the whole data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evaluation import catalogue
from evaluation.metrics.landmarks import count_found, count_identified
from evaluation.metrics.values import Values, ratio
from evaluation.outcomes import Flag, Outcome, Result, undefined
from evaluation.scoring.rows import Numbers, Row, ScoredCase, block_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray
    from evaluation.readers.landmark_tables import Points
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Pieces

HITS, KNOWN, ANSWERED = range(3)
"""Positions in the counts of a case: landmarks found, landmarks of the reference, and presence of a prediction."""


@dataclass(frozen=True)
class Landmarks:
    """The landmarks of the reference of one case.

    Attributes
    ----------
    points
        Landmarks as in the table.
    names
        Names of all landmarks of the task.
    scale
        Factors that turn coordinates into distances, axis by axis.
    diagonal
        Diagonal of the image of the case, if the task uses it as a penalty.
    """

    points: Points
    names: tuple[str, ...]
    scale: tuple[float, ...]
    diagonal: float | None = None

    def rows_of(self, points: Points, names: Sequence[str]) -> NDArray[np.float64]:
        """Coordinates in the unit of distances, ``(n, axes)``; not a number where there is no such landmark."""
        lost = (np.nan,) * len(self.scale)
        coordinates: NDArray[np.float64] = np.array([points.get(name, lost) for name in names], dtype=float)
        return coordinates.reshape(len(names), len(self.scale)) * self.scale


def groups(assessment: Assessment, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Landmarks of each region; without regions each landmark is one."""
    if not assessment.regions:
        return {name: (name,) for name in names}
    return {region.name: tuple(str(label) for label in region.labels) for region in assessment.regions}


def score_landmarks(
    assessment: Assessment, case: str, reference: Landmarks, prediction: Points | None, *, algorithm: str
) -> ScoredCase:
    """Rows of the metrics of single cases, and counts for those of the whole data set."""
    rows: list[Row] = []
    pieces: Pieces = {}
    predicted_points = {} if prediction is None else prediction
    everything = reference.rows_of(reference.points, reference.names)
    given = assessment.settings["penalty"]
    penalty = float(given) if isinstance(given, (int, float)) else reference.diagonal
    if penalty is None:
        message = f"{case}: its image diagonal, the penalty of a lost landmark, is not known"
        raise ValueError(message)
    for region, names in groups(assessment, reference.names).items():
        truth, guess = reference.rows_of(reference.points, names), reference.rows_of(predicted_points, names)
        for use in assessment.computed:
            if use.level == "dataset":
                hits, landmark_count = _count(use, truth, guess, everything)
                pieces[use.name, region] = Numbers([hits, landmark_count, int(prediction is not None)], [])
                continue
            result = _error(use, truth, guess, penalty, answered=prediction is not None)
            rows.append(Row(algorithm, case, region, use.name, *result, None, result.flag, penalty))
    return ScoredCase(rows, pieces=pieces)


def _error(
    use: MetricUse, truth: NDArray[np.float64], guess: NDArray[np.float64], penalty: float, *, answered: bool
) -> Result:
    if np.isnan(truth).any(axis=1).all():
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    if not answered:
        return undefined(Outcome.MISSING)
    result: Result = catalogue.get(use.id).compute(truth, guess, penalty=penalty, **use.options)
    return result


def _count(
    use: MetricUse, truth: NDArray[np.float64], guess: NDArray[np.float64], everything: NDArray[np.float64]
) -> tuple[int, int]:
    radius = float(use.options["radius"])
    if "all_landmarks" in catalogue.get(use.id).needs:
        return count_identified(truth, guess, radius=radius, among=everything)
    return count_found(truth, guess, radius=radius)


def finish_landmarks(
    assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None]
) -> tuple[list[Row], list[Block]]:
    """Rates over all cases, and the counts that they are made of; ``missing`` where no case is answered."""
    case_pieces = {case: numbers for case, numbers in pieces.items() if numbers is not None}
    keys = list(next(iter(case_pieces.values()), {}))
    rows: list[Row] = []
    blocks: list[Block] = []
    uses = {use.name: use for use in assessment.computed}
    for name, region in sorted(keys, key=lambda key: list(uses).index(key[0])):
        of_cases = {case: numbers[name, region] for case, numbers in case_pieces.items()}
        result: Result = undefined(Outcome.MISSING)
        if any(numbers.counts[ANSWERED] for numbers in of_cases.values()):
            block = block_of(name, algorithm, region, of_cases)
            blocks.append(block)
            result = rate(block, np.ones((1, len(block.cases)))).result()
        rows.append(Row(algorithm, "", region, name, *result, None, result.flag))
    return rows, blocks


def rate(block: Block, multiplicities: FloatArray) -> Values:
    """Return shares of landmarks found, pooled over cases with the multiplicities ``(B, cases)``."""
    counts = block.counts.reshape(len(block.cases), 3)
    landmark_counts = multiplicities @ counts[:, KNOWN]
    return Values(ratio(multiplicities @ counts[:, HITS], landmark_counts)).undefine(
        landmark_counts == 0, Outcome.DEGENERATE, Flag.REFERENCE
    )


def unanswered(evidence: CaseEvidence) -> int:
    """Cases without a prediction."""
    counts = evidence.block.counts.reshape(len(evidence.block.cases), 3)
    return int((counts[:, ANSWERED] == 0).sum())


def are_possible(assessment: Assessment, reference: Landmarks, pieces: Mapping[tuple[str, str], Numbers]) -> bool:
    """Return whether counts are possible for a case with an answer."""
    of_region = groups(assessment, reference.names)
    uses = [use.name for use in assessment.computed if use.level == "dataset"]
    if set(pieces) != {(name, region) for region in of_region for name in uses}:
        return False
    return all(
        _is_possible(numbers, sum(name in reference.points for name in of_region[region]))
        for (_, region), numbers in pieces.items()
    )


def _is_possible(numbers: Numbers, landmark_count: int) -> bool:
    if numbers.values or len(numbers.counts) != 3 or any(type(count) is not int for count in numbers.counts):
        return False
    return 0 <= numbers.counts[HITS] <= landmark_count and numbers.counts[KNOWN:] == [landmark_count, 1]
