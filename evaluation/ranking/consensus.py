"""Across tasks: a consensus ranking, how alike the tasks rank, and which tasks belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evaluation.ranking.compare import footrule, kendall_tau_b, symmetric_difference, weighted_footrule
from evaluation.ranking.scores import rank, snap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FloatArray = npt.NDArray[np.float64]
Distance = Literal["footrule", "weighted_footrule", "symmetric_difference"]
_DISTANCES: Final = {
    "footrule": footrule,
    "weighted_footrule": weighted_footrule,
    "symmetric_difference": symmetric_difference,
}


def consensus(ranks: FloatArray, *, ties: str = "min") -> tuple[FloatArray, FloatArray]:
    """Return the mean over tasks of the fractional ranks, and the ranks of these means.

    Parameters
    ----------
    ranks
        Tasks × algorithms, or tasks × samples × algorithms. They are first converted into fractional ranks,
        regardless of their rule for ties.
    ties
        Rule for ties of the result.

    Returns
    -------
    tuple
        Mean fractional ranks, snapped to 12 significant digits, and consensus ranks, without the first axis.

    Examples
    --------
    >>> import numpy as np
    >>> means, ranks = consensus(np.array([[1.0, 1, 3], [1, 2, 2], [1, 2, 3]]))
    >>> means.round(3).tolist(), ranks.tolist()
    ([1.167, 2.0, 2.833], [1.0, 2.0, 3.0])
    """
    fractional = rank(ranks, higher_is_better=False, ties="average")
    means = snap(fractional.mean(axis=0))
    return means, rank(means, higher_is_better=False, ties=ties)


def task_distances(ranks: FloatArray, distance: Distance = "footrule") -> FloatArray:
    """Distance between every two tasks' rankings, tasks × tasks.

    Parameters
    ----------
    ranks
        Tasks × algorithms.
    distance
        ``footrule`` (Spearman), ``weighted_footrule`` or ``symmetric_difference`` (Kemeny and Snell).

    Examples
    --------
    >>> import numpy as np
    >>> task_distances(np.array([[1.0, 2, 3], [3.0, 2, 1]])).tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    """
    measure = _DISTANCES[distance]
    return np.array([[measure(first, second) for second in ranks] for first in ranks])


def task_tau(ranks: FloatArray) -> FloatArray:
    """Kendall's τ-b between every two tasks' rankings; not a number where one of them is constant."""
    return np.array([kendall_tau_b(row, ranks) for row in ranks])


def cluster(distances: FloatArray, names: Sequence[str], method: Literal["complete", "average"]) -> dict[str, Any]:
    """Cluster tasks by the distances of their rankings.

    Parameters
    ----------
    distances
        Tasks × tasks, symmetric.
    names
        Of the tasks.
    method
        Linkage.

    Returns
    -------
    dict
        ``order`` of the leaves, ``merges`` (each with the two things merged, leaves by name and earlier merges by
        number from 0, and its ``height``), and ``lines`` to draw (x and y of each bracket).

    Raises
    ------
    ValueError
        For fewer than three tasks: two have one distance and nothing to cluster.

    Notes
    -----
    Distances between rankings are small whole numbers and tie often; with ties the order of merging, and with complete
    linkage even the heights, depend on the implementation. Read the tree where no distances tie.
    """
    from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    if len(names) < 3:
        message = f"clustering needs more than two tasks, there are {len(names)}"
        raise ValueError(message)
    tree = linkage(squareform(distances, checks=False), method=method)
    drawn = scipy_dendrogram(tree, no_plot=True, labels=list(names))
    count = len(names)
    merges = [
        {
            "of": [names[int(node)] if node < count else int(node) - count for node in row[:2]],
            "height": float(row[2]),
        }
        for row in tree
    ]
    lines = [
        {"x": list(map(float, x)), "y": list(map(float, y))}
        for x, y in zip(drawn["icoord"], drawn["dcoord"], strict=True)
    ]
    return {"order": list(drawn["ivl"]), "merges": merges, "lines": lines, "method": method}


def winners_by_task(ranks: Mapping[str, FloatArray], algorithms: Sequence[str]) -> dict[str, list[str]]:
    """Return the winners of each task; several where the first rank is shared."""
    return {
        task: [name for name, algorithm_rank in zip(algorithms, row, strict=True) if algorithm_rank == row.min()]
        for task, row in ranks.items()
    }
