"""Distances and agreement of two boundaries.

A boundary is the set of foreground voxels with a neighbour outside (by faces unless ``boundary_connectivity`` is
``full``; the image's edge counts as outside). Distances are Euclidean, between voxel centres, in mm. With ``boundary``
``surfels`` it consists of the surface elements between voxels (`evaluation.metrics.surfels`), and means, percentiles and
shares are weighted by their area. Reference first, prediction second; each function returns value and outcome, and none
gives a value when a mask is empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import numpy as np

from evaluation.metrics.declaration import MASKS, declare
from evaluation.metrics.distances import squared_distance_to_background
from evaluation.metrics.masks import Boundary, overlap, pair
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import BOUNDARY, BOUNDARY_CONNECTIVITY, DISTANCE_PENALTY, EMPTY_MASKS, SPACING
from evaluation.metrics.surfels import weighted_percentile
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.metrics.masks import Mask, MaskPair
    from evaluation.metrics.surfaces import Connectivity

Combination: TypeAlias = Literal[
    "max_of_directed", "pooled", "mean_of_directed", "reference_to_prediction", "prediction_to_reference"
]
COMBINATIONS: Final[tuple[Combination, ...]] = get_args(Combination)
SLACK: Final = 1e-6
"""Relative slack of comparisons with a tolerance: header spacings have 32 bits, and a tie counts as within."""


@declare(
    "Hausdorff Distance",
    "HD",
    categories=MASKS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=(SPACING, BOUNDARY_CONNECTIVITY, BOUNDARY, *EMPTY_MASKS, DISTANCE_PENALTY),
)
def hausdorff_distance(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",
    boundary: Boundary = "voxels",
) -> Result:
    """Hausdorff distance: the largest distance of a point on either boundary from the other boundary.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.
    boundary_connectivity
        ``face`` (4 neighbours in 2D, 6 in 3D) or ``full`` (8, 26); of no meaning for surface elements.
    boundary
        ``voxels`` or ``surfels``; see the description of this module.

    Returns
    -------
    Result
        Value in [0, inf) mm, lower is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value.

    Raises
    ------
    ValueError
        If shapes differ or the spacing does not fit.

    Examples
    --------
    >>> hausdorff_distance([[1, 0, 0, 0]], [[0, 0, 0, 1]], spacing=(1, 0.5)).value
    1.5
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    forward, back = masks.distances(_kind_of(boundary, boundary_connectivity))
    return ok(max(forward.max(), back.max()))


@declare(
    "Hausdorff Distance, X-th percentile (default HD95)",
    "HD95",
    categories=MASKS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=(
        Option(
            "percentile",
            "number",
            95,
            "Percentile applied to each directed distance set.",
            maximum=100,
            exclusive_minimum=0,
        ),
        Option(
            "combine",
            "enum",
            "max_of_directed",
            "How both directions become one value: the greater percentile, one percentile of both sets together, the mean of both, or the percentile of one direction alone.",
            choices=COMBINATIONS,
        ),
        SPACING,
        BOUNDARY_CONNECTIVITY,
        BOUNDARY,
        *EMPTY_MASKS,
        DISTANCE_PENALTY,
    ),
    label="HD{percentile:g}",
)
def hausdorff_percentile(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    percentile: float = 95.0,
    combine: Combination = "max_of_directed",
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",
    boundary: Boundary = "voxels",
) -> Result:
    """Hausdorff distance with a percentile in place of the maximum, by default the 95th (HD95).

    Parameters
    ----------
    reference, prediction, spacing, boundary_connectivity, boundary
        As for `hausdorff_distance`.
    percentile
        In (0, 100], by linear interpolation between order statistics; of surface elements the smallest distance that
        this share of the area does not exceed.
    combine
        ``max_of_directed``: the greater of the percentiles of both directions; ``mean_of_directed``: their mean;
        ``reference_to_prediction`` and ``prediction_to_reference``: that of one direction (missed, or surplus, parts
        only); ``pooled``: one percentile of all distances together.

    Returns
    -------
    Result
        Value in [0, inf) mm, lower is better; outcomes as for `hausdorff_distance`.

    Examples
    --------
    >>> hausdorff_percentile([[1, 0, 0, 0]], [[0, 0, 0, 1]], percentile=50).value
    3.0
    """
    if not 0 < percentile <= 100:
        message = f"percentile lies above 0 and not above 100, not at {percentile}"
        raise ValueError(message)
    if combine not in COMBINATIONS:
        message = f"combine is one of {', '.join(COMBINATIONS)}, not {combine!r}"
        raise ValueError(message)
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    kind = _kind_of(boundary, boundary_connectivity)
    forward, back = masks.distances(kind)
    weights, other_weights = _weights(masks, kind)
    if combine == "pooled":
        both = None if weights is None or other_weights is None else np.concatenate([weights, other_weights])
        return ok(_percentile(np.concatenate([forward, back]), percentile, both))
    directed = (_percentile(forward, percentile, weights), _percentile(back, percentile, other_weights))
    if combine == "reference_to_prediction":
        return ok(directed[0])
    if combine == "prediction_to_reference":
        return ok(directed[1])
    return ok(max(directed) if combine == "max_of_directed" else sum(directed) / 2)


@declare(
    "Average Symmetric Surface Distance",
    "ASSD",
    categories=MASKS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=(SPACING, BOUNDARY_CONNECTIVITY, BOUNDARY, *EMPTY_MASKS, DISTANCE_PENALTY),
)
def assd(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",
    boundary: Boundary = "voxels",
) -> Result:
    """Average symmetric surface distance: the mean over the voxels of both boundaries together.

    Parameters and outcomes are those of `hausdorff_distance`. The longer boundary weighs more; see `masd`.

    Examples
    --------
    >>> assd([[1, 0, 0, 0]], [[0, 0, 0, 1]]).value
    3.0
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    kind = _kind_of(boundary, boundary_connectivity)
    forward, back = masks.distances(kind)
    weights, other = _weights(masks, kind)
    if weights is None or other is None:
        return ok((forward.sum() + back.sum()) / (forward.size + back.size))
    return ok((forward @ weights + back @ other) / (weights.sum() + other.sum()))


@declare(
    "Mean Absolute Surface Distance",
    "MASD",
    categories=MASKS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=(SPACING, BOUNDARY_CONNECTIVITY, BOUNDARY, *EMPTY_MASKS, DISTANCE_PENALTY),
)
def masd(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",
    boundary: Boundary = "voxels",
) -> Result:
    """Mean absolute surface distance: the mean of the means of both directions.

    Parameters and outcomes are those of `hausdorff_distance`. Both boundaries weigh the same, however long; see `assd`.

    Examples
    --------
    >>> masd([[1, 0, 0, 0]], [[0, 0, 0, 1]]).value
    3.0
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    kind = _kind_of(boundary, boundary_connectivity)
    forward, back = masks.distances(kind)
    weights, other = _weights(masks, kind)
    return ok((np.average(forward, weights=weights) + np.average(back, weights=other)) / 2)


@declare(
    "Normalized Surface Distance",
    "NSD",
    categories=MASKS,
    direction="higher",
    range=(0, 1),
    family="boundary",
    needs="masks spacing",
    options=(
        Option(
            "tolerance",
            "number",
            1.0,
            "Largest boundary deviation still counted as correct (tau), per class; the organiser has to confirm it, ideally from inter-rater data.",
            unit="mm",
            minimum=0,
            required=True,
        ),
        Option(
            "tolerance_by_region",
            "object",
            None,
            "Tolerances of single regions by their name, in mm; the others have the tolerance above.",
            unit="mm",
            stands_where_set=True,
            accepted={"InS": ()},
        ),
        Option(
            "boundary_weighting",
            "enum",
            "pixel_count",
            "Count boundary pixels, or weight them by surface area.",
            choices=("pixel_count", "surface_area"),
        ),
        SPACING,
        BOUNDARY_CONNECTIVITY,
        BOUNDARY,
        *EMPTY_MASKS,
    ),
)
def nsd(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    tolerance: float,
    boundary_weighting: Literal["pixel_count", "surface_area"] = "pixel_count",
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",
    boundary: Boundary = "voxels",
) -> Result:
    """Normalized surface distance: the share of both boundaries within a tolerance of the other.

    Parameters
    ----------
    reference, prediction, spacing, boundary_connectivity, boundary
        As for `hausdorff_distance`.
    tolerance
        Largest deviation in mm that still counts as correct; a distance equal to it is within.
    boundary_weighting
        ``pixel_count``: every boundary voxel has weight 1; ``surface_area``: its weight is the surface area that it
        represents. Surface elements are always weighted by area.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; outcomes as for `hausdorff_distance`.

    Examples
    --------
    >>> nsd([[1, 0, 0, 0]], [[0, 0, 1, 0]], tolerance=2.0).value
    1.0
    """
    if not (np.isfinite(tolerance) and tolerance >= 0):
        message = f"tolerance is a number from 0 on, not {tolerance}"
        raise ValueError(message)
    if boundary_weighting not in ("pixel_count", "surface_area"):
        message = f"boundary_weighting is 'pixel_count' or 'surface_area', not {boundary_weighting!r}"
        raise ValueError(message)
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    kind = _kind_of(boundary, boundary_connectivity)
    forward, back = masks.distances(kind)
    limit = tolerance * (1 + SLACK)
    if boundary_weighting == "pixel_count" and boundary == "voxels":
        within = np.count_nonzero(forward <= limit) + np.count_nonzero(back <= limit)
        return ok(within / (forward.size + back.size))
    reference_areas = masks.reference.surface(kind).areas
    other = masks.prediction.surface(kind).areas
    return ok(
        (reference_areas[forward <= limit].sum() + other[back <= limit].sum()) / (reference_areas.sum() + other.sum())
    )


@declare(
    "Boundary Intersection over Union",
    "BIoU",
    categories=MASKS,
    direction="higher",
    range=(0, 1),
    family="boundary",
    needs="masks spacing",
    options=(
        Option(
            "distance",
            "number",
            None,
            "Width d of the inner boundary band; null uses distance_ratio.",
            unit="mm",
            minimum=0,
        ),
        Option(
            "distance_ratio",
            "number",
            0.02,
            "Band width as a fraction of the image diagonal, at least one pixel; used when distance is null.",
            maximum=1,
            exclusive_minimum=0,
        ),
        Option(
            "combine_with_mask_iou",
            "boolean",
            False,
            "Report min(Boundary IoU, Mask IoU) so that holes cannot go unseen.",
        ),
        SPACING,
        BOUNDARY_CONNECTIVITY,
        *EMPTY_MASKS,
    ),
)
def boundary_iou(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    distance: float | None = None,
    distance_ratio: float = 0.02,
    combine_with_mask_iou: bool = False,
    spacing: Sequence[float] | None = None,
    boundary_connectivity: Connectivity = "face",  # noqa: ARG001  (see below)
) -> Result:
    """Boundary intersection over union: IoU of the inner bands along both boundaries.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    distance
        Width of the band in mm: a voxel belongs to it if its distance to the nearest voxel outside is not greater, so
        that the width of one voxel gives the boundary. ``None`` uses ``distance_ratio``.
    distance_ratio
        Width as a share of the image's diagonal, but no less than a voxel along any axis.
    combine_with_mask_iou
        Return the smaller of the value and the IoU of the masks. A hole entirely inside the band of the other mask is
        then detected.
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.
    boundary_connectivity
        Accepted for a uniform signature of all boundary metrics; a band consists of distances, not of neighbours.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value, and
        ``degenerate`` if the band is narrower than any voxel.

    References
    ----------
    B. Cheng et al., "Boundary IoU: improving object-centric image segmentation evaluation", CVPR 2021.

    Examples
    --------
    >>> boundary_iou([[1, 1, 1, 1, 0]], [[1, 1, 1, 0, 0]], distance=1).value
    0.3333333333333333
    """
    if distance is not None and not (np.isfinite(distance) and distance >= 0):
        message = f"distance is a number from 0 on, not {distance}"
        raise ValueError(message)
    if not 0 < distance_ratio <= 1:
        message = f"distance_ratio lies above 0 and not above 1, not at {distance_ratio}"
        raise ValueError(message)
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    width = distance
    if width is None:
        width = band_width(masks.reference.shape, masks.reference.spacing, distance_ratio)
    one, other = _band(masks.reference, width), _band(masks.prediction, width)
    if not (one.any() or other.any()):
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    common = overlap(one, masks.reference.offset, other, masks.prediction.offset)
    value = float(common / (np.count_nonzero(one) + np.count_nonzero(other) - common))
    if combine_with_mask_iou:
        union = masks.reference.count + masks.prediction.count - masks.intersection
        value = min(value, masks.intersection / union)
    return ok(value)


def band_width(shape: Sequence[int], spacing: Sequence[float], ratio: float) -> float:
    """A share of the image's diagonal, no less than a voxel along any axis; an axis of one voxel is none."""
    extended = [(size, step) for size, step in zip(shape, spacing, strict=True) if size > 1]
    diagonal = sum((size * step) ** 2 for size, step in extended) ** 0.5
    return float(max([ratio * diagonal, *(step for _, step in extended)]))


def _band(mask: Mask, width: float) -> NDArray[np.bool_]:
    """Foreground voxels no farther than ``width`` from the outside, inside the mask's box."""
    padding = [(0, 0) if n == 1 else (1, 1) for n in mask.shape]
    padded = np.pad(mask.crop, padding)
    if padded.all():
        return mask.crop
    squared = squared_distance_to_background(padded, mask.spacing)
    inner = tuple(slice(before, size - after) for (before, after), size in zip(padding, padded.shape, strict=True))
    band: NDArray[np.bool_] = mask.crop & (squared[inner] <= (width * (1 + SLACK)) ** 2)
    return band


def _kind_of(boundary: Boundary, connectivity: Connectivity) -> Connectivity | Literal["surfels"]:
    """The kind of surface that both options together ask for."""
    if boundary == "voxels":
        return connectivity
    if boundary not in get_args(Boundary):
        message = f"boundary is 'voxels' or 'surfels', not {boundary!r}"
        raise ValueError(message)
    if connectivity != "face":
        message = "surface elements have no neighbourhood; leave boundary_connectivity at 'face'"
        raise ValueError(message)
    return "surfels"


def _weights(
    masks: MaskPair, kind: Connectivity | Literal["surfels"]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | tuple[None, None]:
    """Areas of the surface elements of both masks; ``None`` for voxels, which count alike."""
    if kind != "surfels":
        return None, None
    return masks.reference.surface(kind).areas, masks.prediction.surface(kind).areas


def _percentile(values: NDArray[Any], percentile: float, weights: NDArray[Any] | None = None) -> float:
    """Percentile by linear interpolation, as `numpy.percentile` but without its overhead on short arrays.

    With weights it is the smallest value that reaches this share of them.
    """
    if weights is not None:
        return weighted_percentile(values, weights, percentile)
    position = (values.size - 1) * (percentile / 100.0)
    below = int(position)
    above = min(below + 1, values.size - 1)
    ordered = np.partition(values, (below, above))
    return float(ordered[below] + (ordered[above] - ordered[below]) * (position - below))
