"""Is this prediction a hit on that reference? The criteria, each as a table of all pairs of an image.

Every function takes the reference's objects first and the prediction's second and returns an array of shape
``(references, predictions)``: an overlap in [0, 1], a distance in mm, or 0 and 1. Inside, only pairs that can be hits are
looked at, so that thousands of objects cost little more than their pixels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from evaluation.matching import approximations
from evaluation.matching.mask_lists import MaskList
from evaluation.metrics.boundary import SLACK, band_width
from evaluation.metrics.distances import squared_distance_to_background

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from evaluation.matching.approximations import Shape
    from evaluation.matching.objects import Objects


class Pairs(NamedTuple):
    """Pairs of objects with a value; all others have the value 0 (for a distance: are too far away).

    Attributes
    ----------
    reference, prediction
        Indices of the objects.
    value
        The criterion's value.
    """

    reference: NDArray[np.int64]
    prediction: NDArray[np.int64]
    value: NDArray[np.float64]

    def where(self, chosen: NDArray[np.bool_]) -> Pairs:
        """Only some of the pairs."""
        return Pairs(self.reference[chosen], self.prediction[chosen], self.value[chosen])


@dataclass(frozen=True)
class Criterion:
    """A localization criterion.

    Attributes
    ----------
    pairs
        Finds all pairs with a value above 0, or all within a distance.
    kind
        ``overlap``, ``distance`` or ``point`` (0 or 1, without a cutoff).
    """

    pairs: Callable[..., Pairs]
    kind: Literal["overlap", "distance", "point"]


def _same_space(reference: Objects, prediction: Objects) -> None:
    if reference.size and prediction.size and reference.dimensions != prediction.dimensions:
        message = f"objects in {reference.dimensions} and in {prediction.dimensions} dimensions"
        raise ValueError(message)
    one, other = reference.grid_shape, prediction.grid_shape
    if one is not None and other is not None and one != other:
        message = f"label maps of shape {one} and {other}"
        raise ValueError(message)


def shared_pixels(reference: NDArray[np.int64], prediction: NDArray[np.int64], predictions: int) -> Pairs:
    """Count the pixels that objects of two index maps share, in one pass over the pixels."""
    both = np.flatnonzero((reference.ravel() != 0) & (prediction.ravel() != 0))
    keys = (reference.ravel()[both] - 1) * np.int64(predictions) + (prediction.ravel()[both] - 1)
    if keys.size and int(keys.max()) < 8 * keys.size + 4_000_000:
        counts = np.bincount(keys)
        distinct_keys = np.flatnonzero(counts)
        shared = counts[distinct_keys]
    else:
        distinct_keys, shared = np.unique(keys, return_counts=True)
    return Pairs(distinct_keys // predictions, distinct_keys % predictions, shared.astype(float))


def mask_overlap(reference: Objects, prediction: Objects) -> Pairs:
    """Pixels that objects of two label maps, or of two lists of masks, share.

    Raises
    ------
    ValueError
        Without masks on both sides, or if the maps differ in shape.
    """
    if not (reference.has_masks and prediction.has_masks):
        message = "this criterion needs masks on both sides"
        raise ValueError(message)
    _same_space(reference, prediction)
    if reference.masks is not None or prediction.masks is not None:
        return shared_by_masks(_masks_of(reference), _masks_of(prediction))
    return shared_pixels(reference.index_map, prediction.index_map, prediction.size)


def shared_by_masks(reference: MaskList, prediction: MaskList) -> Pairs:
    """Count the pixels that masks of two lists share; masks of one list may overlap."""
    product = (reference.incidence @ prediction.incidence.T).tocoo()
    order = np.lexsort((product.col, product.row))
    rows, columns = product.row[order].astype(np.int64), product.col[order].astype(np.int64)
    return Pairs(rows, columns, product.data[order].astype(float))


def _masks_of(objects: Objects) -> MaskList:
    if objects.masks is not None:
        return objects.masks
    parts, offsets = (
        zip(*(objects.mask(index) for index in range(objects.size)), strict=True) if objects.size else ((), ())
    )
    assert objects.grid_shape is not None
    return MaskList(objects.grid_shape, parts, offsets)


def _mask_iou(reference: Objects, prediction: Objects) -> Pairs:
    common = mask_overlap(reference, prediction)
    union = reference.areas[common.reference] + prediction.areas[common.prediction] - common.value
    return common._replace(value=common.value / union)


def box_overlap(reference: Objects, prediction: Objects, extra: float = 0.0) -> tuple[Pairs, Pairs]:
    """Extent of the common box of all pairs that have one, and of both boxes together."""
    _same_space(reference, prediction)
    k = reference.dimensions
    one, other = reference.boxes, prediction.boxes
    sides = np.ones((reference.size, prediction.size))
    for axis in range(k):
        low = np.maximum(one[:, None, axis], other[None, :, axis])
        high = np.minimum(one[:, None, k + axis], other[None, :, k + axis])
        sides *= np.maximum(high - low + extra, 0.0)
    rows, columns = np.nonzero(sides)
    common = sides[rows, columns]
    ours = np.prod(one[:, k:] - one[:, :k] + extra, axis=1)[rows]
    theirs = np.prod(other[:, k:] - other[:, :k] + extra, axis=1)[columns]
    return Pairs(rows, columns, common), Pairs(rows, columns, ours + theirs - common)


def _box_iou(
    reference: Objects, prediction: Objects, *, box_convention: Literal["half_open", "inclusive_pixels"] = "half_open"
) -> Pairs:
    if box_convention not in ("half_open", "inclusive_pixels"):
        message = f"box_convention is 'half_open' or 'inclusive_pixels', not {box_convention!r}"
        raise ValueError(message)
    common, union = box_overlap(reference, prediction, 1.0 if box_convention == "inclusive_pixels" else 0.0)
    return common._replace(value=common.value / union.value)


def _approx_iou(reference: Objects, prediction: Objects, *, shape: Shape = "ellipse") -> Pairs:
    if shape == "polygon" and reference.has_masks and prediction.has_masks:
        return _mask_iou(reference, prediction)
    _same_space(reference, prediction)
    ours, theirs = approximations.bodies(reference, shape), approximations.bodies(prediction, shape)
    if not theirs:
        return _as_pairs([])
    low, high = (np.array(corner) for corner in zip(*((body.low, body.high) for body in theirs), strict=True))
    overlaps = []
    for i, body in enumerate(ours):
        near = np.flatnonzero(((body.low < high) & (low < body.high)).all(axis=1)).tolist()
        overlaps += [(i, j, approximations.iou(body, theirs[j])) for j in near]
    return _as_pairs([entry for entry in overlaps if entry[2] > 0])


def _boundary_iou(
    reference: Objects, prediction: Objects, *, distance: float | None = None, distance_ratio: float = 0.02
) -> Pairs:
    """Boundary IoU of each pair of masks that touch; the bands of all objects are made in one pass each."""
    if reference.grid_shape is None or prediction.grid_shape is None:
        message = "this criterion needs masks on both sides"
        raise ValueError(message)
    _same_space(reference, prediction)
    width = distance
    if width is None:
        width = band_width(reference.grid_shape, reference.spacing, distance_ratio)
    if reference.masks is not None or prediction.masks is not None:
        first, second = _bands_of_masks(reference, width), _bands_of_masks(prediction, width)
        shared = shared_by_masks(first, second)
        both = first.areas[shared.reference] + second.areas[shared.prediction] - shared.value
        return shared._replace(value=shared.value / both)
    ours, theirs = _bands(reference, width), _bands(prediction, width)
    common = shared_pixels(ours, theirs, prediction.size)
    our_areas, their_areas = np.bincount(ours.ravel())[1:], np.bincount(theirs.ravel())[1:]
    union = our_areas[common.reference] + their_areas[common.prediction] - common.value
    return common._replace(value=common.value / union)


def _bands(objects: Objects, width: float) -> NDArray[np.int64]:
    """The index map, kept only within a distance of each object's own outline."""
    bands = np.zeros_like(objects.index_map)
    for index, box in enumerate(objects.slices):
        bands[box][_band(objects.index_map[box] == index + 1, objects.spacing, width)] = index + 1
    return bands


def _bands_of_masks(objects: Objects, width: float) -> MaskList:
    masks = _masks_of(objects)
    return replace(masks, parts=tuple(_band(part, objects.spacing, width) for part in masks.parts))


def _band(mask: NDArray[np.bool_], spacing: tuple[float, ...], width: float) -> NDArray[np.bool_]:
    """Pixels of an object within a distance of its outline."""
    squared = squared_distance_to_background(np.pad(mask, 1), spacing)
    inner = squared[(slice(1, -1),) * mask.ndim]
    band: NDArray[np.bool_] = mask & (inner <= (width * (1 + SLACK)) ** 2)
    return band


def _ior(reference: Objects, prediction: Objects) -> Pairs:
    if reference.has_masks and prediction.has_masks:
        common, whole = mask_overlap(reference, prediction), reference.areas
    else:
        common, whole = box_overlap(reference, prediction)[0], reference.extents
    return common._replace(value=common.value / whole[common.reference])


def _center_distance(reference: Objects, prediction: Objects, *, within: float = np.inf, spacing: Any = None) -> Pairs:
    _same_space(reference, prediction)
    if not reference.size or not prediction.size:
        return _as_pairs([])
    size = np.asarray(reference.spacing if spacing in (None, "from_image") else spacing, dtype=float)
    ours, theirs = reference.centres * size, prediction.centres * size
    rows, columns, values = [], [], []
    for start in range(0, len(ours), 256):
        table = np.sqrt(((ours[start : start + 256, None] - theirs[None]) ** 2).sum(axis=2))
        row, column = np.nonzero(table <= within * (1 + SLACK))
        rows.append(row + start)
        columns.append(column)
        values.append(table[row, column])
    return Pairs(np.concatenate(rows), np.concatenate(columns), np.concatenate(values))


def _points_inside(points: NDArray[np.float64], objects: Objects) -> list[tuple[int, int]]:
    """Return pairs of object and point for points in the object's mask, or in its box if it has no mask."""
    if objects.masks is not None:
        places = np.floor(points).astype(np.int64)
        return [
            (index, point)
            for index, (part, offset) in enumerate(zip(objects.masks.parts, objects.masks.offsets, strict=True))
            for point in np.flatnonzero(_are_inside(places - np.asarray(offset), part)).tolist()
        ]
    if objects.labels is not None:
        pixels = np.floor(points).astype(int)
        inside = ((pixels >= 0) & (pixels < objects.labels.shape)).all(axis=1)
        owners = np.zeros(len(points), dtype=int)
        owners[inside] = objects.index_map[tuple(pixels[inside].T)]
        return [(int(owner) - 1, point) for point, owner in enumerate(owners) if owner]
    return _points_in_boxes(points, objects)


def _are_inside(pixels: NDArray[np.int64], part: NDArray[np.bool_]) -> NDArray[np.bool_]:
    inside = np.asarray(((pixels >= 0) & (pixels < part.shape)).all(axis=1))
    inside[inside] = part[tuple(pixels[inside].T)]
    return inside


def _points_in_boxes(points: NDArray[np.float64], objects: Objects) -> list[tuple[int, int]]:
    k = objects.dimensions
    above = (points[None] >= objects.boxes[:, None, :k]).all(axis=2)
    below = (points[None] <= objects.boxes[:, None, k:]).all(axis=2)
    return [(int(i), int(j)) for i, j in np.argwhere(above & below)]


def _center_cover(reference: Objects, prediction: Objects) -> Pairs:
    _same_space(reference, prediction)
    return _as_pairs([(ref, pred, 1.0) for pred, ref in _points_inside(reference.centres, prediction)])


def _center_hit(reference: Objects, prediction: Objects) -> Pairs:
    _same_space(reference, prediction)
    return _as_pairs([(ref, pred, 1.0) for ref, pred in _points_inside(prediction.centres, reference)])


def _point_in_mask(reference: Objects, prediction: Objects) -> Pairs:
    if not reference.has_masks:
        message = "loc_point_in_mask needs masks in the reference"
        raise ValueError(message)
    return _center_hit(reference, prediction)


def _point_in_box(reference: Objects, prediction: Objects) -> Pairs:
    _same_space(reference, prediction)
    return _as_pairs([(ref, pred, 1.0) for ref, pred in _points_in_boxes(prediction.centres, reference)])


def _point_in_approx(reference: Objects, prediction: Objects, *, shape: Shape = "ellipse") -> Pairs:
    _same_space(reference, prediction)
    hits = []
    for index, body in enumerate(approximations.bodies(reference, shape)):
        if prediction.size:
            hits += [(index, int(j), 1.0) for j in np.flatnonzero(body.contains(prediction.centres))]
    return _as_pairs(hits)


def _as_pairs(entries: list[tuple[int, int, float]]) -> Pairs:
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return Pairs(np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(values, dtype=float))


CRITERIA: Final[Mapping[str, Criterion]] = {
    "loc_mask_iou": Criterion(_mask_iou, "overlap"),
    "loc_box_iou": Criterion(_box_iou, "overlap"),
    "loc_approx_iou": Criterion(_approx_iou, "overlap"),
    "loc_boundary_iou": Criterion(_boundary_iou, "overlap"),
    "loc_ior": Criterion(_ior, "overlap"),
    "loc_center_distance": Criterion(_center_distance, "distance"),
    "loc_center_cover": Criterion(_center_cover, "point"),
    "loc_center_hit": Criterion(_center_hit, "point"),
    "loc_point_in_mask": Criterion(_point_in_mask, "point"),
    "loc_point_in_box": Criterion(_point_in_box, "point"),
    "loc_point_in_approx": Criterion(_point_in_approx, "point"),
}
