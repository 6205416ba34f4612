"""Registration of one case by its landmarks: positions in the moving image against those of the references."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation import catalogue
from evaluation.outcomes import Flag, Outcome, Result, undefined
from evaluation.readers import ReadError
from evaluation.readers.landmark_tables import read_points
from evaluation.scoring.registration import WHOLE, mapped
from evaluation.scoring.rows import Row, ScoredCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.readers import Geometry, Issue
    from evaluation.readers.landmark_tables import Points

_SHOWN: Final = 5


@dataclass(frozen=True)
class LandmarkPairs:
    """Landmarks of both images of a case.

    Attributes
    ----------
    geometry
        Grid of the fixed image.
    names
        Names of the landmarks, ascending.
    fixed, moving
        Landmarks of both images in mm, ``(n, d)``, in the order of the names.
    to_mm
        Matrix ``(d, d + 1)`` from submitted coordinates to mm in the moving image.
    """

    geometry: Geometry
    names: tuple[str, ...]
    fixed: NDArray[np.float64]
    moving: NDArray[np.float64]
    to_mm: NDArray[np.float64]


def score_moved_landmarks(
    assessment: Assessment, case: str, reference: LandmarkPairs, prediction: Path | Points | None, *, algorithm: str
) -> ScoredCase:
    """Score the moved landmarks of one case.

    A table that cannot be read has the outcome ``missing``, with the reason. So has one
    that lacks a landmark.
    """
    reason: Issue | None = None
    positions: NDArray[np.float64] | None = None
    if prediction is not None:
        try:
            positions = _positions(reference, prediction)
        except ReadError as error:
            reason = error.issue
    rows = []
    for use in assessment.computed:
        result = _measured(use, reference, positions)
        before = _measured(use, reference, reference.fixed).value
        rows.append(
            Row(algorithm, case, WHOLE, use.name, *result, reference.geometry.diagonal, result.flag, None, before)
        )
    return ScoredCase(rows, reason)


def _measured(use: MetricUse, reference: LandmarkPairs, positions: NDArray[np.float64] | None) -> Result:
    if not reference.names:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    if positions is None:
        return undefined(Outcome.MISSING)
    result: Result = catalogue.get(use.id).compute(reference.moving, positions, **use.options)
    return result


def _positions(reference: LandmarkPairs, prediction: Path | Points) -> NDArray[np.float64]:
    """Submitted positions in mm."""
    axes = len(reference.geometry.shape)
    points: Points
    if isinstance(prediction, Path):
        points, number = read_points(prediction)
        file = prediction.name
    else:
        points, file = prediction, "landmarks.csv"
        number = len(next(iter(points.values()), (0.0,) * axes))
    check_points(file, points, number, reference.names, axes)
    coordinates = np.array([points[name] for name in reference.names], dtype=float).reshape(-1, axes)
    return mapped(reference.to_mm, coordinates)


def check_points(file: str, points: Points, axes: int, names: Sequence[str], expected_axes: int) -> None:
    """Refuse points of another dimension, and tables without a landmark of the case.

    Raises
    ------
    ReadError
        With the names that are missing.
    """
    if axes != expected_axes:
        raise ReadError("table", file, f"{axes} coordinates per landmark", f"{expected_axes}, as in the image")
    if missing := [name for name in names if name not in points]:
        listed = ", ".join(name[:60] for name in missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
        problem = f"no row for {len(missing)} of {len(names)} landmarks ({listed})"
        raise ReadError("table", file, problem, "one row for each landmark of the fixed image")
