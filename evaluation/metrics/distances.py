"""Distances between two borders: from each voxel of one to the nearest voxel of the other.

Two exact ways, chosen by size. A k-d tree looks up the border voxels only, so that two stray voxels at opposite
corners of a large volume cost nothing; a distance transform fills the joint box and wins when the borders are dense in
it. The tree answers in double precision, the transform squares in single precision (relative error below 1e-7). The
choice depends on the masks alone, never on what was computed before, so that a case has one value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from evaluation.metrics.nearest import ALL_PAIRS, squared_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.metrics.surfaces import Surface

_DENSE: Final = 0.1
"""Share of border voxels in the joint box from which a distance transform is the faster way …"""
_FEW: Final = 20_000
"""Number of border voxels up to which a tree is fast for any arrangement, regardless of their density."""


class DirectedDistances(NamedTuple):
    """Distances in mm, in the order of the border voxels.

    Attributes
    ----------
    to_prediction
        From each border voxel of the reference to the border of the prediction.
    to_reference
        From each border voxel of the prediction to the border of the reference.
    """

    to_prediction: NDArray[np.float64]
    to_reference: NDArray[np.float64]


def directed_distances(reference: Surface, prediction: Surface, spacing: Sequence[float]) -> DirectedDistances:
    """Measure both ways between two borders that are not empty."""
    low = np.minimum(reference.offset, prediction.offset)
    ends = [np.add(surface.offset, surface.border.shape) for surface in (reference, prediction)]
    size = np.maximum(*ends) - low
    voxels = float(np.prod(size, dtype=float))
    if max(reference.size, prediction.size) > max(_FEW, _DENSE * voxels):
        return _by_transform(reference, prediction, low, size, spacing)
    return DirectedDistances(_by_tree(reference, prediction), _by_tree(prediction, reference))


def _by_tree(start: Surface, target: Surface) -> NDArray[np.float64]:
    if start.size * target.size <= ALL_PAIRS:
        nearest: NDArray[np.float64] = np.sqrt(squared_pairs(start.points, target.points).min(axis=1))
        return nearest
    distances = np.zeros(start.size)
    apart = np.flatnonzero(~_coincident(start, target))
    if apart.size:
        distances[apart] = target.tree.query(start.points[apart])[0]
    return distances


def _coincident(start: Surface, target: Surface) -> NDArray[np.bool_]:
    """Return a mask of the border voxels that are also border voxels of the target.

    Their distance is 0 without a search.
    """
    local = start.indices - np.asarray(target.offset, dtype=np.int32)
    inside = ((local >= 0) & (local < np.asarray(target.border.shape, dtype=np.int32))).all(axis=1)
    coincident = np.zeros(start.size, dtype=bool)
    coincident[inside] = target.border[tuple(local[inside].T)]
    return coincident


def _by_transform(
    reference: Surface, prediction: Surface, low: NDArray[Any], size: NDArray[Any], spacing: Sequence[float]
) -> DirectedDistances:
    return DirectedDistances(
        _read_transform(reference, prediction, low, size, spacing),
        _read_transform(prediction, reference, low, size, spacing),
    )


def _read_transform(
    start: Surface, target: Surface, low: NDArray[Any], size: NDArray[Any], spacing: Sequence[float]
) -> NDArray[np.float64]:
    away = np.ones(tuple(int(n) for n in size), dtype=bool)
    _cut(away, target, low)[target.border] = False
    squared = squared_distance_to_background(away, spacing)
    distances: NDArray[np.float64] = np.sqrt(_cut(squared, start, low)[start.border], dtype=float)
    return distances


def _cut(array: NDArray[Any], surface: Surface, low: NDArray[Any]) -> NDArray[Any]:
    box = (slice(o - a, o - a + n) for o, a, n in zip(surface.offset, low, surface.border.shape, strict=True))
    view: NDArray[Any] = array[tuple(slice(int(s.start), int(s.stop)) for s in box)]
    return view


def squared_distance_to_background(foreground: NDArray[np.bool_], spacing: Sequence[float]) -> NDArray[np.float32]:
    """Exact squared distance in mm² of every foreground voxel to the nearest background voxel, between centres.

    The foreground must not fill the array.
    """
    import edt

    # As bytes: the library prepares booleans at length, which in a small box takes longer than the transform.
    bytes_ = np.ascontiguousarray(foreground).view(np.uint8)
    transform: NDArray[np.float32] = edt.edtsq(
        bytes_, anisotropy=tuple(float(s) for s in spacing), black_border=False, parallel=1
    )
    return transform
