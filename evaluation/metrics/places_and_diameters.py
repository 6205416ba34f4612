"""Place and diameters of a structure: distance of the centres, and errors of the long and the short axis.

All functions take the reference first and the prediction second. Diameters are those of ULS23
(github.com/DIAGNijmegen/ULS23, evaluation/misc.py of commit 06a2bff), which follow the measurement of lesions in RECIST.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.metrics.declaration import PIXELS, declare
from evaluation.metrics.masks import Mask, pair
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import EMPTY_MASKS
from evaluation.outcomes import Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_SLICE_AXIS: Final = Option(
    "slice_axis",
    "integer",
    2,
    "Axis of a volume across which its slices lie; 2 is the third axis of the file, which is axial in most volumes.",
    minimum=0,
    maximum=2,
)


@declare(
    "Centre Distance",
    "Centre dist.",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=EMPTY_MASKS,
)
def centre_distance(
    reference: ArrayLike | Mask, prediction: ArrayLike | Mask, *, spacing: Sequence[float] | None = None
) -> Result:
    """Distance between the centres of mass of two masks in mm (TrackRad 2025).

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.

    Returns
    -------
    Result
        Value in [0, inf) mm, lower is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value.

    Examples
    --------
    >>> centre_distance([[1, 1, 0, 0]], [[0, 0, 1, 1]], spacing=(1, 2.5)).value
    5.0
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(float(np.linalg.norm(_centre(masks.prediction) - _centre(masks.reference))))


@declare(
    "Long-axis Diameter Error",
    "Long-axis SAPE",
    categories=PIXELS,
    direction="lower",
    range=(0, 1),
    family="boundary",
    needs="masks spacing",
    options=(_SLICE_AXIS, *EMPTY_MASKS),
)
def long_axis_error(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    slice_axis: int = 2,
    spacing: Sequence[float] | None = None,
) -> Result:
    """Symmetric absolute percentage error of the long-axis diameter, |b - a| / (a + b) (SAPE, ULS23).

    The long axis is the greatest distance between boundary pixels of the largest part of a slice, over all slices.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    slice_axis
        Axis across which the slices of a volume lie.
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.

    Returns
    -------
    Result
        Value in [0, 1], lower is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value. Two single
        pixels have diameters of 0 and no error.

    Examples
    --------
    >>> long_axis_error([[1, 1, 1, 1, 0]], [[1, 1, 0, 0, 0]]).value
    0.5
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(_error(*(diameters(mask, slice_axis).long for mask in (masks.reference, masks.prediction))))


@declare(
    "Short-axis Diameter Error",
    "Short-axis SAPE",
    categories=PIXELS,
    direction="lower",
    range=(0, 1),
    family="boundary",
    needs="masks spacing",
    options=(_SLICE_AXIS, *EMPTY_MASKS),
)
def short_axis_error(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    slice_axis: int = 2,
    spacing: Sequence[float] | None = None,
) -> Result:
    """Symmetric absolute percentage error of the short-axis diameter (SAPE, ULS23).

    The short axis is the longest line between boundary pixels of the slice of the long axis that is perpendicular to it
    within 1°; if there is none, within 2° and so on. Parameters and outcomes are those of `long_axis_error`.

    Examples
    --------
    >>> cross = np.zeros((5, 5), dtype=bool)
    >>> cross[2, :] = cross[:, 2] = True
    >>> lower = cross.copy()
    >>> lower[[0, 4]] = False
    >>> short_axis_error(cross, lower).value
    0.3333333333333333
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(_error(*(diameters(mask, slice_axis).short for mask in (masks.reference, masks.prediction))))


class Diameters(NamedTuple):
    """Long and short axis in mm."""

    long: float
    short: float


def diameters(mask: Mask, slice_axis: int = 2) -> Diameters:
    """Long and short axis of a mask that is not empty.

    Raises
    ------
    ValueError
        If the mask has no such axis.
    """
    if not 0 <= slice_axis <= 2:
        message = f"slice_axis is 0, 1 or 2, not {slice_axis}"
        raise ValueError(message)
    crop, spacing = mask.crop, mask.spacing
    if crop.ndim == 2:
        slices, steps = [crop], np.array(spacing)
    else:
        slices = list(np.moveaxis(crop, slice_axis, 0))
        steps = np.delete(np.array(spacing), slice_axis)
    longest, ends, outline = 0.0, (0, 0), np.zeros((0, 2))
    for each in slices:
        if each.any():
            points = _outline(each) * steps
            distance, pair_of_points = _longest(points)
            if distance > longest:
                longest, ends, outline = distance, pair_of_points, points
    return Diameters(longest, _perpendicular(outline, ends) if longest else 0.0)


def _error(one: float, other: float) -> float:
    return abs(other - one) / (one + other) if one + other else 0.0


def _centre(mask: Mask) -> NDArray[np.float64]:
    centre: NDArray[np.float64] = (np.argwhere(mask.crop).mean(axis=0) + mask.offset) * np.asarray(mask.spacing)
    return centre


def _outline(pixels: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Boundary pixels of the largest part of a slice; of parts of one size the first."""
    from scipy import ndimage

    labels, count = ndimage.label(pixels)
    part = labels == 1 + int(np.argmax(np.bincount(labels.ravel(), minlength=count + 1)[1:]))
    inner = ndimage.binary_erosion(np.pad(part, 1))[1:-1, 1:-1]
    return np.argwhere(part & ~inner).astype(float)


def _longest(points: NDArray[np.float64]) -> tuple[float, tuple[int, int]]:
    """Greatest distance between two points, and the first pair that has it."""
    best, ends = 0.0, (0, 0)
    for index in range(len(points) - 1):
        distances = np.sqrt(((points[index + 1 :] - points[index]) ** 2).sum(axis=1))
        farthest = int(distances.argmax())
        if distances[farthest] > best:
            best, ends = float(distances[farthest]), (index, index + 1 + farthest)
    return best, ends


def _perpendicular(points: NDArray[np.float64], ends: tuple[int, int]) -> float:
    """Length of the longest line that is perpendicular to another one, within the fewest whole degrees possible."""
    axis = points[ends[1]] - points[ends[0]]
    best = np.zeros(91)
    for index in range(len(points) - 1):
        lines = points[index + 1 :] - points[index]
        lengths = np.sqrt((lines**2).sum(axis=1))
        cosines = np.clip(lines @ axis / (lengths * np.linalg.norm(axis)), -1, 1)
        off: NDArray[Any] = np.abs(np.degrees(np.arccos(cosines)) - 90)
        np.maximum.at(best, np.minimum(np.floor(off).astype(int), 90), lengths)
    degrees = np.flatnonzero(best)
    return float(best[degrees[0]]) if degrees.size else 0.0
