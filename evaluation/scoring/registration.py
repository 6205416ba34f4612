"""Registration of one case: labels pulled through the displacement field, landmarks pushed, and the field itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.checking.grids import features_of_values, shift_of
from evaluation.metrics.deformations import jacobian_determinants, sample_field, warp_labels
from evaluation.outcomes import Flag, Outcome, Result, undefined
from evaluation.readers import LabelImage, ReadError
from evaluation.readers.fields import read_field
from evaluation.readers.geometry import NO_SHIFT, Shift
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.rows import Row, ScoredCase
from evaluation.scoring.semantic import RegionMasks, measure_masks, worst_of_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse, Region
    from evaluation.readers import Geometry, Issue

WHOLE: Final = ""
"""Region of the metrics of landmarks and of the field."""
_BEFORE: Final = (frozenset({"landmarks"}), frozenset({"masks"}))
"""Needs of the metrics that are also computed without any displacement: errors of landmarks, and overlap."""


@dataclass(frozen=True)
class RegistrationReference:
    """Data against which a transformation of one case is measured.

    Attributes
    ----------
    geometry
        Grid of the fixed image, which is the grid of fields.
    fixed, moving
        Label images, if labels are measured.
    to_moving
        Matrix ``(d, d + 1)`` from voxels of the fixed grid to voxels of the moving grid.
    fixed_points
        Landmarks in voxels of the fixed grid, ``(n, d)``.
    moving_points
        Corresponding landmarks in mm to the right, front and up, ``(n, d)``; `None` if landmarks are not measured.
    mask
        Region where the field is evaluated; everywhere if ``None``.
    """

    geometry: Geometry
    fixed: LabelImage | None = None
    moving: LabelImage | None = None
    to_moving: NDArray[np.float64] | None = None
    fixed_points: NDArray[np.float64] | None = None
    moving_points: NDArray[np.float64] | None = None
    mask: NDArray[np.bool_] | None = None


@dataclass
class PreparedRegistration:
    """A reference with the masks of its regions, for any number of predictions."""

    reference: RegistrationReference
    masks: RegionMasks | None = None
    empty: frozenset[str] = field(default_factory=frozenset)
    """Regions that the fixed or the moving labels lack: nothing can be pulled there."""
    _before: dict[tuple[str, str], float | None] = field(default_factory=dict)

    @property
    def geometry(self) -> Geometry:
        """Grid that fields must match."""
        return self.reference.geometry

    def before(self, assessment: Assessment, use: MetricUse, region: str) -> float | None:
        """The value of a metric without any displacement, where it is compared; it is that of every prediction."""
        if not _is_compared(use):
            return None
        if (use.name, region) not in self._before:
            shape = self.geometry.shape
            nothing = np.broadcast_to(np.float64(0), (*shape, len(shape)))
            measured = _Measured(assessment, self, nothing)
            for own_region, own_use in wanted(assessment):
                if _is_compared(own_use):
                    result = _of_reference(own_use, own_region, self) or measured.value(own_use, own_region)
                    self._before[own_use.name, own_region] = result.value
        return self._before[use.name, region]


class PredictedField(np.ndarray):
    """Displacements of a participant in voxels of the fixed grid, ``(X, Y[, Z], d)``.

    Attributes
    ----------
    shift
        Displacement between the grid of the file and the expected one.
    """

    shift: Shift = NO_SHIFT


def read_predicted_field(path: Path, grid: Geometry, *, convention: str, limits: Limits = DEFAULT) -> PredictedField:
    """Read a displacement field of a participant on the fixed grid.

    Raises
    ------
    ReadError
        If it cannot be read, or is not on the grid by the rule of the grid.
    """
    vectors = read_field(path, expected=grid, convention=convention, limits=limits).view(PredictedField)
    vectors.shift = shift_of(path, grid, vectors=True, limits=limits)
    return vectors


def affine_of(geometry: Geometry) -> NDArray[np.float64]:
    """Return the matrix from voxels to mm, ``(d, d + 1)``; by the spacing alone if the file has no position."""
    axes = len(geometry.shape)
    if geometry.affine is None:
        return np.hstack([np.diag(geometry.spacing_or_unit), np.zeros((axes, 1))])
    matrix = np.asarray(geometry.affine, dtype=float)
    return np.hstack([matrix[:axes, :axes], matrix[:axes, 3:]])


def mapped(matrix: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points ``(n, d)`` under ``(d, d + 1)``."""
    axes = matrix.shape[0]
    mapped_points: NDArray[np.float64] = points @ matrix[:, :axes].T + matrix[:, axes]
    return mapped_points


def inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of ``(d, d + 1)``."""
    axes = matrix.shape[0]
    turned = np.linalg.inv(matrix[:, :axes])
    return np.hstack([turned, -turned @ matrix[:, axes:]])


def between(fixed: Geometry, moving: Geometry) -> NDArray[np.float64] | None:
    """From voxels of the fixed grid to voxels of the moving one; ``None`` if they are the same."""
    first, second = affine_of(fixed), inverse(affine_of(moving))
    axes = first.shape[0]
    joined = np.hstack([second[:, :axes] @ first[:, :axes], second[:, :axes] @ first[:, axes:] + second[:, axes:]])
    same = np.hstack([np.eye(axes), np.zeros((axes, 1))])
    return None if np.array_equal(joined, same) else joined


def prepare_registration(regions: Sequence[Region], reference: RegistrationReference) -> PreparedRegistration:
    """Cut out the regions of the fixed labels."""
    if reference.fixed is None or reference.moving is None:
        return PreparedRegistration(reference)
    present = [set(np.unique(image.labels).tolist()) for image in (reference.fixed, reference.moving)]
    empty = {
        region.name
        for region in regions
        if any(not present_labels & {int(x) for x in region.labels} for present_labels in present)
    }
    return PreparedRegistration(reference, RegionMasks(reference.fixed, regions), frozenset(empty))


def of_labels(use: MetricUse) -> bool:
    """Return whether a metric compares labels; it then has one value per region."""
    return "masks" in needs_of(use)


def needs_of(use: MetricUse) -> frozenset[str]:
    """Return the parts of a case that a metric of a registration needs; labels are compared as masks of regions.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> regions = [{"name": "block", "labels": [1]}]
    >>> metrics = [{"id": "fbeta"}, {"id": "tre"}]
    >>> document = {"problem": "registration", "settings": {"field": "voxel"}, "regions": regions, "metrics": metrics}
    >>> uses = parse(document).metrics
    >>> [sorted(needs_of(use)) for use in uses]
    [['masks'], ['landmarks']]
    """
    return frozenset("masks" if need == "labels" else need for need in catalogue.get(use.id).needs)


def wanted(assessment: Assessment) -> Iterator[tuple[str, MetricUse]]:
    """The rows of a case in their order."""
    for region in assessment.regions:
        for use in assessment.computed:
            if of_labels(use):
                yield region.name, use
    for use in assessment.computed:
        if not of_labels(use):
            yield WHOLE, use


def score_registration(
    assessment: Assessment,
    case: str,
    reference: PreparedRegistration,
    prediction: Path | NDArray[np.float64] | None,
    *,
    convention: str,
    algorithm: str = "",
    limits: Limits = DEFAULT,
) -> ScoredCase:
    """Score one displacement field; what cannot be read has the outcome ``missing`` everywhere, with the reason.

    Parameters
    ----------
    prediction
        The file, or displacements in voxels of the fixed grid.
    """
    reason: Issue | None = None
    measured: _Measured | None = None
    features: dict[str, Any] = {}
    if prediction is not None:
        try:
            vectors = (
                prediction
                if isinstance(prediction, np.ndarray)
                else read_predicted_field(prediction, reference.geometry, convention=convention, limits=limits)
            )
            measured = _Measured(assessment, reference, np.asarray(vectors))
            features = features_of_values(np.asarray(vectors), getattr(vectors, "shift", NO_SHIFT))
        except ReadError as error:
            reason = error.issue
    diagonal = reference.geometry.diagonal
    rows = []
    for region, use in wanted(assessment):
        result = _of_reference(use, region, reference)
        if result is None:
            result = undefined(Outcome.MISSING) if measured is None else measured.value(use, region)
        worst = None if reference.masks is None or not region else worst_of_case(use, region, reference.masks)
        before = reference.before(assessment, use, region)
        rows.append(Row(algorithm, case, region, use.name, *result, diagonal, result.flag, worst, before))
    scored = ScoredCase(rows, reason)
    scored.features = features
    return scored


def _is_compared(use: MetricUse) -> bool:
    """Return whether a metric also has a value without any displacement.

    Distances of labels are excluded, because their computation would take too long.
    """
    return needs_of(use) in _BEFORE


def _of_reference(use: MetricUse, region: str, reference: PreparedRegistration) -> Result | None:
    """Return the result that the reference alone makes undefined for every algorithm, if any."""
    needs = needs_of(use)
    registration = reference.reference
    nothing = (
        ("masks" in needs and region in reference.empty)
        or ("landmarks" in needs and (registration.fixed_points is None or not len(registration.fixed_points)))
        or ("field" in needs and _nothing_evaluated(registration, int(use.options.get("margin", 0))))
    )
    return undefined(Outcome.DEGENERATE, Flag.REFERENCE) if nothing else None


def _nothing_evaluated(reference: RegistrationReference, margin: int) -> bool:
    shape = reference.geometry.shape
    if min(shape) <= 2 * margin or min(shape) < 2:
        return True
    inner = tuple(slice(margin, length - margin) for length in shape)
    return reference.mask is not None and not reference.mask[inner].any()


class _Measured:
    """One field, with what several metrics need of it made once."""

    def __init__(self, assessment: Assessment, reference: PreparedRegistration, vectors: NDArray[np.float64]) -> None:
        self._assessment = assessment
        self._reference = reference
        self._field = vectors
        self._warped: RegionMasks | None = None
        self._determinants: NDArray[np.float64] | None = None

    def value(self, use: MetricUse, region: str) -> Result:
        """Of one metric in one region."""
        metric = catalogue.get(use.id)
        if of_labels(use):
            assert self._reference.masks is not None
            return measure_masks(self._assessment.problem, use, region, self._reference.masks, self._pulled())
        result: Result
        if "landmarks" in metric.needs:
            result = metric.compute(self._reference.reference.moving_points, self._pushed(use), **use.options)
            return result
        if self._determinants is None:
            self._determinants = jacobian_determinants(self._field)
        mask = self._reference.reference.mask
        result = metric.compute(self._field, mask, determinants=self._determinants, **use.options)
        return result

    def _pulled(self) -> RegionMasks:
        """The moving labels on the fixed grid."""
        registration = self._reference.reference
        if self._warped is None:
            assert registration.moving is not None
            labels: Any = warp_labels(registration.moving.labels, self._field, registration.to_moving)
            self._warped = RegionMasks(LabelImage(labels, registration.geometry), self._assessment.regions)
        return self._warped

    def _pushed(self, use: MetricUse) -> NDArray[np.float64]:
        """The fixed landmarks where the field maps them, in mm."""
        registration = self._reference.reference
        assert registration.fixed_points is not None
        moved = registration.fixed_points + sample_field(
            self._field, registration.fixed_points, use.options.get("interpolation", "linear")
        )
        return mapped(affine_of(registration.geometry), moved)
