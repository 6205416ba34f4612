"""Distances from each point of a set to the nearest point of another set, for points of any kind."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray
    from pykdtree.kdtree import KDTree

ALL_PAIRS: Final = 20_000
"""Maximum number of pairs for which comparing all of them is fastest."""


def tree_of(points: NDArray[np.float64]) -> KDTree:
    """Build a k-d tree of points, shape (n, dimensions); it cannot travel to another process."""
    tree: KDTree = _library().KDTree(points)
    return tree


def squared_pairs(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared distance of every pair, shape (points of one, points of the other)."""
    squares: NDArray[np.float64] = np.subtract.outer(one[:, 0], other[:, 0]) ** 2
    for axis in range(1, one.shape[1]):
        squares += np.subtract.outer(one[:, axis], other[:, axis]) ** 2
    return squares


def both_ways(one: NDArray[np.float64], other: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Distances from each point to the nearest of the other set, for both sets.

    Examples
    --------
    >>> there, back = both_ways(np.array([[0.0, 0.0], [0.0, 3.0]]), np.array([[4.0, 3.0]]))
    >>> there.tolist(), back.tolist()
    ([5.0, 4.0], [4.0])
    """
    if len(one) * len(other) <= ALL_PAIRS:
        squares = squared_pairs(one, other)
        return np.sqrt(squares.min(axis=1)), np.sqrt(squares.min(axis=0))
    return tree_of(other).query(one)[0], tree_of(one).query(other)[0]


@cache
def _library() -> ModuleType:
    """Load the library of k-d trees with one thread.

    The platform uses one process per core, and the processes fork. Threads of the library could not be forked. The
    OpenMP settings are read once, while the library is loaded.
    """
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        return import_module("pykdtree.kdtree")
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
