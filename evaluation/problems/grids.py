"""The registered rule by which grids of predictions are compared with the expected grids, in every kind with images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment
    from evaluation.readers import Geometry

GEOMETRY: Final = Option(
    "geometry",
    "enum",
    "same_grid",
    "How the grid of a prediction is compared with that of the reference: same_grid accepts a shift below half a voxel or "
    "within the rounding of a quaternion, exact accepts no shift, shape compares only the numbers of voxels",
    choices=("same_grid", "exact", "shape"),
    stands_where_set=True,
)
"""Setting with the rule of `evaluation.readers.geometry.GridRule`."""
GRID_WORDS: Final = {
    "same_grid": "A shift below half a voxel is accepted with a note, and so is the rounding of a NIfTI quaternion.",
    "exact": "A grid is accepted only without any shift, apart from the ordinary rounding of headers.",
    "shape": "Only the number of voxels along each axis is compared. Origin, orientation and voxel size are ignored.",
}
"""Sentence of the submit page for each rule."""


def grid_words(assessment: Assessment) -> str:
    """Return the sentence of the submit page about the rule of an assessment."""
    return GRID_WORDS[str(assessment.settings.get(GEOMETRY.name, GEOMETRY.default))]


def registered_rule(assessment: Assessment) -> dict[str, Any]:
    """Return the rule as part of what is expected of predictions; empty for the default."""
    rule = assessment.settings.get(GEOMETRY.name)
    return {GEOMETRY.name: rule} if rule else {}


def ruled(grid: Geometry, values: Mapping[str, Any]) -> Geometry:
    """Return a grid with the rule of settings or of an expectation.

    Examples
    --------
    >>> from evaluation.readers import Geometry
    >>> ruled(Geometry((4, 5)), {"geometry": "shape"}).rule, ruled(Geometry((4, 5)), {}).rule
    (<GridRule.SHAPE: 'shape'>, <GridRule.SAME: 'same_grid'>)
    """
    return grid.compared_by(values.get(GEOMETRY.name))
