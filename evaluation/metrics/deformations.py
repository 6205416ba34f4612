"""Displacement fields: sampled at points, determinants of their Jacobians, and labels pulled through them.

A field is an array ``(X, Y[, Z], d)`` of displacements in voxels of its own grid, along the array axes: it maps a voxel x of the
fixed image to x + u(x). It pulls the moving image and pushes points of the fixed one.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_PIECE = 1 << 18
"""Voxels that are worked on at once, so that what is needed on the way stays small."""


def sample_field(field: ArrayLike, points: ArrayLike, interpolation: str = "linear") -> NDArray[np.float64]:
    """Return displacements at points, interpolated between voxels.

    Parameters
    ----------
    field
        ``(X, Y[, Z], d)``.
    points
        ``(n, d)`` in voxels, inside the hull of voxel centres.
    interpolation
        ``linear``, or ``cubic`` for cubic splines, as the program of Learn2Reg samples fields (SciPy's ``map_coordinates``).

    Returns
    -------
    ndarray
        ``(n, d)``.

    Raises
    ------
    ValueError
        If a point is outside the hull.

    Examples
    --------
    >>> field = np.zeros((2, 2, 2))
    >>> field[1, :, 0] = 1
    >>> sample_field(field, [[0.25, 0.5]])
    array([[0.25, 0.  ]])
    """
    vectors, places = np.asarray(field), np.atleast_2d(np.asarray(points, dtype=float))
    shape = np.array(vectors.shape[:-1])
    if (places < 0).any() or (places > shape - 1).any():
        message = "a point outside the hull of voxel centres"
        raise ValueError(message)
    if interpolation == "cubic":
        from scipy.ndimage import map_coordinates

        columns = [map_coordinates(vectors[..., axis], places.T, output=np.float64) for axis in range(len(shape))]
        return np.stack(columns, axis=1)
    low = np.floor(places).astype(np.int64)
    share = places - low
    displacements = np.zeros((len(places), vectors.shape[-1]))
    for corner in product((0, 1), repeat=len(shape)):
        step = np.array(corner)
        weight = np.where(step == 1, share, 1 - share).prod(axis=1)
        # Behind the last voxel is nothing; what would be read there has no share.
        voxels = np.minimum(low + step, shape - 1)
        displacements += weight[:, None] * vectors[tuple(voxels.T)]
    return displacements


def jacobian_determinants(field: ArrayLike) -> NDArray[np.float64]:
    """det(I + ∂u/∂x) at every voxel: central differences in the interior, one-sided ones at the faces.

    The same number in voxels and in mm, and in any orientation.

    Parameters
    ----------
    field
        ``(X, Y[, Z], d)``, at least two voxels along every axis.

    Returns
    -------
    ndarray
        ``(X, Y[, Z])``.

    Examples
    --------
    >>> field = np.zeros((3, 3, 2))
    >>> field[..., 0] = 0.5 * np.arange(3)[:, None]
    >>> float(jacobian_determinants(field)[1, 1])
    1.5
    """
    vectors = np.asarray(field)
    axes = vectors.ndim - 1
    if vectors.shape[-1] != axes or min(vectors.shape[:-1]) < 2:
        message = (
            f"a field of shape {vectors.shape}: expected as many components as axes, and two voxels or more along each"
        )
        raise ValueError(message)
    determinants = np.empty(vectors.shape[:-1])
    # Slab by slab: nine derivatives of a large field at once would take many times the memory of the field.
    thickness = max(1, _PIECE // max(1, int(np.prod(vectors.shape[1:-1]))))
    for start in range(0, vectors.shape[0], thickness):
        stop = min(start + thickness, vectors.shape[0])
        low, high = max(start - 1, 0), min(stop + 1, vectors.shape[0])
        inner = slice(start - low, stop - low)
        rows = [
            [np.gradient(part, axis=axis)[inner] + (1.0 if axis == component else 0.0) for axis in range(axes)]
            for component in range(axes)
            for part in [vectors[low:high, ..., component].astype(np.float64)]
        ]
        determinants[start:stop] = _determinant(rows)
    return determinants


def _determinant(rows: list[list[NDArray[np.float64]]]) -> NDArray[np.float64]:
    if len(rows) == 2:
        (a, b), (c, d) = rows
        flat: NDArray[np.float64] = a * d - b * c
        return flat
    (a, b, c), (d, e, f), (g, h, i) = rows
    determinants: NDArray[np.float64] = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return determinants


def sample_labels(labels: NDArray[Any], places: NDArray[np.float64]) -> NDArray[Any]:
    """Labels at places by nearest neighbour, index floor(c + 0.5) an axis; 0 outside.

    Outside is c < -0.5 or c ≥ n - 0.5 on any axis, as ITK has it.

    Parameters
    ----------
    labels
        ``(X, Y[, Z])``.
    places
        ``(d, n)`` in voxels.

    Examples
    --------
    >>> sample_labels(np.array([[10], [11]]), np.array([[-0.6, -0.5, 0.5, 1.5], [0, 0, 0, 0]])).tolist()
    [0, 10, 11, 0]
    """
    sampled = np.zeros(places.shape[1], dtype=labels.dtype)
    inside = np.ones(places.shape[1], dtype=bool)
    for coordinates, length in zip(places, labels.shape, strict=True):
        inside &= (coordinates >= -0.5) & (coordinates < length - 0.5)
    index = np.zeros(int(inside.sum()), dtype=np.int64)
    for coordinates, length in zip(places, labels.shape, strict=True):
        nearest = np.floor(coordinates[inside] + 0.5).astype(np.int64)
        # A place just below the border may round up to it.
        index = index * length + np.minimum(nearest, length - 1)
    sampled[inside] = np.ravel(labels)[index]
    return sampled


def warp_labels(labels: ArrayLike, field: ArrayLike, matrix: ArrayLike | None = None) -> NDArray[Any]:
    """Labels of the moving image pulled onto the grid of a field: W(x) = M(x + u(x)), nearest neighbour, 0 outside.

    Parameters
    ----------
    labels
        Of the moving image, ``(X', Y'[, Z'])``.
    field
        ``(X, Y[, Z], d)`` in voxels of the fixed grid.
    matrix
        ``(d, d + 1)`` from voxels of the fixed grid to voxels of the moving one; the same grid if not given.

    Returns
    -------
    ndarray
        ``(X, Y[, Z])``.
    """
    moving, vectors = np.asarray(labels), np.asarray(field)
    axes = vectors.shape[-1]
    shape = vectors.shape[:-1]
    to_moving = None if matrix is None else np.asarray(matrix, dtype=float)
    warped = np.empty(shape, dtype=moving.dtype)
    thickness = max(1, _PIECE // max(1, int(np.prod(shape[1:]))))
    inner = [np.arange(length, dtype=float) for length in shape[1:]]
    for start in range(0, shape[0], thickness):
        stop = min(start + thickness, shape[0])
        grids = np.meshgrid(np.arange(start, stop, dtype=float), *inner, indexing="ij", sparse=True)
        places = np.empty((axes, int(np.prod((stop - start, *shape[1:])))))
        for axis, grid in enumerate(grids):
            places[axis] = (grid + vectors[start:stop, ..., axis]).ravel()
        if to_moving is not None:
            places = to_moving[:, :axes] @ places + to_moving[:, axes:]
        warped[start:stop] = sample_labels(moving, places).reshape((stop - start, *shape[1:]))
    return warped
