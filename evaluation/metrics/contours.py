"""Hausdorff distances of many pairs of objects of two label maps, each contour found once.

Work grows with the pixels of the maps and of the contours, never with objects × pixels: a stranger who scatters an object
over the whole image gains nothing by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evaluation.metrics.nearest import both_ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.matching import Objects


class Contours(NamedTuple):
    """Contour points of the objects of a label map in mm, one object behind the other, and where each object starts."""

    points: NDArray[np.float64]
    starts: NDArray[np.int64]

    def of(self, index: int) -> NDArray[np.float64]:
        """The points of one object."""
        return self.points[self.starts[index] : self.starts[index + 1]]


def contours(objects: Objects, wanted: NDArray[np.int64]) -> Contours:
    """Find the contours of some objects: their pixels with a neighbour by a face that is no part of them.

    The edge of the image counts as outside, but not along an axis of a single voxel.
    """
    index = objects.index_map
    edge = np.zeros(index.shape, dtype=bool)
    thin = all(size == 1 for size in index.shape)
    for axis, size in enumerate(index.shape):
        if size == 1 and not thin:
            continue
        first, last = (_along(axis, index.ndim, part) for part in (slice(None, -1), slice(1, None)))
        differs = index[first] != index[last]
        edge[first] |= differs
        edge[last] |= differs
        edge[_along(axis, index.ndim, slice(0, 1))] = True
        edge[_along(axis, index.ndim, slice(-1, None))] = True
    keep = np.zeros(objects.size + 1, dtype=bool)
    keep[np.asarray(wanted, dtype=np.int64) + 1] = True
    places = np.flatnonzero(edge.ravel() & keep[index.ravel()])
    owner = index.ravel()[places] - 1
    order = np.argsort(owner, kind="stable")
    columns = np.unravel_index(places[order], index.shape)
    points = np.stack([column * size for column, size in zip(columns, objects.spacing, strict=True)], axis=1)
    return Contours(points, np.searchsorted(owner[order], np.arange(objects.size + 1)))


def hausdorff_of_pairs(
    reference: Objects, prediction: Objects, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Hausdorff distance of each pair in mm, as `evaluation.metrics.boundary.hausdorff_distance` defines it.

    Parameters
    ----------
    reference, prediction
        Objects of label maps of one shape.
    rows, columns
        The pairs: indices of the objects on either side.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> truth, found = Objects(labels=[[1, 1, 1, 0, 0]]), Objects(labels=[[5, 5, 5, 5, 5]])
    >>> hausdorff_of_pairs(truth, found, np.array([0]), np.array([0])).tolist()
    [2.0]
    """
    if not len(rows):
        return np.zeros(0)
    ours, theirs = contours(reference, rows), contours(prediction, columns)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    ways = (both_ways(ours.of(row), theirs.of(column)) for row, column in pairs)
    return np.array([max(forward.max(), back.max()) for forward, back in ways])


def _along(axis: int, dimensions: int, part: slice) -> tuple[slice, ...]:
    return tuple(part if other == axis else slice(None) for other in range(dimensions))
