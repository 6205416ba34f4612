"""Simple shapes that approximate an object: ellipse, circle, convex hull, or its own outline.

In 2D all are convex polygons and intersect exactly as such. A circle is a polygon scaled to the true area, with enough
corners for an error below 1e-4. In 3D the shapes are sampled on a regular grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.matching.objects import Objects

Shape = Literal["ellipse", "circle", "convex_hull", "polygon"]
SHAPES: Final = ("ellipse", "circle", "convex_hull", "polygon")
_CORNERS: Final = 360
_SAMPLES: Final = 48


class Body:
    """A convex shape in 2D or 3D.

    Attributes
    ----------
    centre
        Its middle.
    matrix
        For an ellipsoid: x is inside if ``|matrix @ (x - centre)| <= 1``; ``None`` for hulls.
    normals, offsets
        For a hull: x is inside if ``normals @ x + offsets <= 0`` for every face.
    corners
        In 2D: the polygon, counter-clockwise.
    """

    def __init__(
        self,
        centre: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        *,
        matrix: NDArray[np.float64] | None = None,
        faces: NDArray[np.float64] | None = None,
        corners: NDArray[np.float64] | None = None,
    ) -> None:
        self.centre, self.low, self.high = centre, low, high
        self.matrix, self.faces, self.corners = matrix, faces, corners

    def contains(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return a mask of the points inside or on the edge."""
        if self.matrix is not None:
            reach: NDArray[np.float64] = (((points - self.centre) @ self.matrix.T) ** 2).sum(axis=1)
            return np.less_equal(reach, 1 + 1e-9)
        assert self.faces is not None
        behind: NDArray[np.float64] = (points @ self.faces[:, :-1].T + self.faces[:, -1]).max(axis=1)
        return np.less_equal(behind, 1e-9)


def bodies(objects: Objects, shape: Shape) -> list[Body]:
    """The approximation of each object.

    An ellipse has the second moments of the object's pixels (of a box: touches its sides); a circle has its area around
    its centre; a hull encloses all its pixels.

    Raises
    ------
    ValueError
        For points, which have no extent, or an unknown shape.
    """
    if shape not in SHAPES:
        message = f"shape is one of {', '.join(SHAPES)}, not {shape!r}"
        raise ValueError(message)
    if not objects.has_extent:
        message = "points have no extent to approximate"
        raise ValueError(message)
    return [_body(objects, index, shape) for index in range(objects.size)]


def iou(one: Body, other: Body) -> float:
    """Intersection over union of two bodies."""
    if one.corners is not None and other.corners is not None:
        common = _area(_clip(one.corners, other.corners))
        return common / (_area(one.corners) + _area(other.corners) - common)
    low, high = np.minimum(one.low, other.low), np.maximum(one.high, other.high)
    step = (high - low) / _SAMPLES
    axes = [a + s * (np.arange(_SAMPLES) + 0.5) for a, s in zip(low, step, strict=True)]
    points = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
    first, second = one.contains(points), other.contains(points)
    union = np.count_nonzero(first | second)
    return np.count_nonzero(first & second) / union if union else 0.0


def _body(objects: Objects, index: int, shape: Shape) -> Body:
    dimensions = objects.dimensions
    if not objects.has_masks:
        low, high = objects.boxes[index, :dimensions], objects.boxes[index, dimensions:]
        if shape in ("convex_hull", "polygon"):
            return _hull(_box_corners(low, high))
        radii = (high - low) / 2
        if shape == "circle":
            radii = np.full(dimensions, _radius(float(np.prod(high - low)), dimensions))
        return _ellipsoid((low + high) / 2, np.diag(1 / radii))
    mask, start = objects.mask(index)
    pixels = np.argwhere(mask) + np.asarray(start)
    if shape in ("convex_hull", "polygon"):
        return _hull(np.concatenate([pixels + corner for corner in np.ndindex((2,) * dimensions)]))
    centre = pixels.mean(axis=0) + 0.5
    if shape == "circle":
        return _ellipsoid(centre, np.eye(dimensions) / _radius(float(len(pixels)), dimensions))
    offsets = pixels + 0.5 - centre
    # A pixel has an extent of its own: 1/12 along each axis. A solid ellipsoid of radius r has the variance r²/(k + 2).
    covariance = offsets.T @ offsets / len(pixels) + np.eye(dimensions) / 12
    values, vectors = np.linalg.eigh(covariance)
    return _ellipsoid(centre, (vectors / np.sqrt(values * (dimensions + 2))).T)


def _radius(content: float, dimensions: int) -> float:
    return float(np.sqrt(content / np.pi)) if dimensions == 2 else float((0.75 * content / np.pi) ** (1 / 3))


def _ellipsoid(centre: NDArray[np.float64], matrix: NDArray[np.float64]) -> Body:
    inverse = np.linalg.inv(matrix)
    reach = np.sqrt((inverse**2).sum(axis=1))
    corners = None
    if len(centre) == 2:
        angles = 2 * np.pi * np.arange(_CORNERS) / _CORNERS
        scale = np.sqrt(2 * np.pi / (_CORNERS * np.sin(2 * np.pi / _CORNERS)))
        corners = centre + scale * np.stack([np.cos(angles), np.sin(angles)], axis=1) @ inverse.T
        corners = corners if _signed_area(corners) > 0 else corners[::-1]
    return Body(centre, centre - reach, centre + reach, matrix=matrix, corners=corners)


def _hull(points: NDArray[np.float64]) -> Body:
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    corners = points[hull.vertices].astype(float) if points.shape[1] == 2 else None
    low, high = points.min(axis=0).astype(float), points.max(axis=0).astype(float)
    return Body((low + high) / 2, low, high, faces=hull.equations, corners=corners)


def _box_corners(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    sides = np.stack([low, high])
    return np.array([[sides[bit, axis] for axis, bit in enumerate(bits)] for bits in np.ndindex((2,) * len(low))])


def _clip(polygon: NDArray[np.float64], window: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut a convex polygon by another, edge by edge (both counter-clockwise)."""
    for start, end in zip(window, np.roll(window, -1, axis=0), strict=True):
        if len(polygon) == 0:
            return polygon
        edge = end - start
        side = edge[0] * (polygon[:, 1] - start[1]) - edge[1] * (polygon[:, 0] - start[0])
        following, next_side = np.roll(polygon, -1, axis=0), np.roll(side, -1)
        crosses = (side >= 0) != (next_side >= 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(crosses, side / (side - next_side), 0.0)
        cuts = polygon + share[:, None] * (following - polygon)
        is_vertex = np.stack([side >= 0, crosses], axis=1).ravel()
        polygon = np.stack([polygon, cuts], axis=1).reshape(-1, 2)[is_vertex]
    return polygon


def _signed_area(polygon: NDArray[np.float64]) -> float:
    x, y = polygon.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2)


def _area(polygon: NDArray[np.float64]) -> float:
    return abs(_signed_area(polygon))
