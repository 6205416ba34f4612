"""Figures that landmarks have of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.outcomes import Outcome
from evaluation.problems.evidence_figures import MOST_PANELS
from evaluation.problems.value_figures import Measured, ValueFigure

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.metrics.values import FloatArray

_LOST: Final = (Outcome.MISSING, Outcome.PRED_EMPTY)
"""Outcomes of points that a team has not answered.

Points that the reference does not contain are attributed to no team.
"""


def _errors(rows: pd.DataFrame) -> FloatArray:
    """Return the distances, infinite for points without an answer.

    Points that the reference does not contain are excluded. A single point that is missing in an answer has the
    registered penalty as its distance. The penalty is stored in the column ``worst``.
    """
    import numpy as np

    values = rows["value"].to_numpy(dtype=np.float64)
    is_lost = rows["outcome"].isin(_LOST).to_numpy()
    if "worst" in rows:
        is_lost = is_lost | (values == rows["worst"].to_numpy(dtype=np.float64))
    errors: FloatArray = np.where(is_lost, np.inf, values)
    return errors[~np.isnan(errors)]


def _share_within(measured: Measured) -> dict[str, Any] | None:
    from evaluation.figures.reach import share_within

    errors = {name: _errors(rows) for name, rows in measured.rows.groupby("algorithm")}
    radii = sorted(
        {
            float(use.options["radius"])
            for use in measured.assessment.computed
            if isinstance(use.options.get("radius"), int | float)
        }
    )
    drawn = {name: errors[name] for name in measured.algorithms if name in errors}
    return share_within(measured.document, drawn, unit=measured.unit, radii=radii)


def _error_by_point(measured: Measured) -> dict[str, Any] | None:
    from evaluation.figures.reach import error_by_point

    by_team = dict(iter(measured.rows.groupby("algorithm")))
    errors = {
        name: {str(point): _errors(rows) for point, rows in by_team[name].groupby("region")}
        for name in measured.algorithms
        if name in by_team
    }
    return error_by_point(measured.document, errors, unit=measured.unit, most=MOST_PANELS)


FIGURES: Final = (
    ValueFigure(
        name="points-within",
        title="How many points does each team place within a distance?",
        reading="To the right the distance grows, and the share of all points that lie within it. The steeper a curve, the better; a "
        "curve that ends below 100 % belongs to a team that left points out. Dotted lines are the registered radii. Where a "
        "region holds several points, their mean distance is one of the values.",
        metrics=("radial_error",),
        draw=_share_within,
    ),
    ValueFigure(
        name="error-by-point",
        title="Which points are hard?",
        reading="A box is the middle half of a team's errors for one point, the line in it the median. A point at which every box is "
        "high is hard for all, or annotated differently; one at which a single box is high is a weakness of that team. "
        "Points that were left out have no error and are not drawn.",
        metrics=("radial_error",),
        draw=_error_by_point,
    ),
)
