"""Agreement of algorithms: groups of near-identical ones, weights, and the consensus of independent ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

NEAR_IDENTICAL: Final = 0.25
"""Largest disagreement of one group of algorithms, as a share of the median disagreement of all pairs."""
_FLOOR: Final = 0.02
"""Smallest disagreement (1 - DSC) that a weight distinguishes, so that no algorithm outvotes all others."""


@dataclass(frozen=True)
class Panel:
    """Algorithms that vote on what a reference should be.

    Attributes
    ----------
    names
        Names of the algorithms.
    groups
        Number of the group of each algorithm; near-identical algorithms have the same number.
    weights
        Weight of each algorithm's vote; they sum to 1. All members of a group share the weight of one algorithm.
    """

    names: tuple[str, ...]
    groups: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def independent(self) -> int:
        """Number of groups, that is of algorithms counted once."""
        return len(set(self.groups))


def dice(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Return the Dice similarity coefficient of two masks in [0, 1]; NaN if both are empty.

    Examples
    --------
    >>> dice(np.array([True, True, False]), np.array([True, False, False]))
    0.6666666666666666
    """
    total = int(np.count_nonzero(first)) + int(np.count_nonzero(second))
    return 2 * int(np.count_nonzero(first & second)) / total if total else float("nan")


def disagreements(masks: Mapping[str, Sequence[NDArray[np.bool_]]], names: Sequence[str]) -> NDArray[np.float64]:
    """Return the disagreement (1 - DSC, mean over regions) of all pairs of algorithms in one case.

    Parameters
    ----------
    masks
        For each algorithm one mask per region; an algorithm without a prediction is absent.
    names
        The algorithms, in the order of rows and columns.

    Returns
    -------
    ndarray
        Shape (algorithms, algorithms), in [0, 1]; NaN where a prediction is absent or all regions are empty in both.
    """
    count = len(names)
    result = np.full((count, count), np.nan)
    for row, first in enumerate(names):
        for column in range(row):
            second = names[column]
            if first in masks and second in masks:
                values = [dice(one, other) for one, other in zip(masks[first], masks[second], strict=True)]
                values = [value for value in values if not np.isnan(value)]
                if values:
                    result[row, column] = result[column, row] = 1 - float(np.mean(values))
    return result


def make_panel(names: Sequence[str], pairs: NDArray[np.float64], *, near_identical: float = NEAR_IDENTICAL) -> Panel:
    """Group near-identical algorithms, and weight the groups by their agreement with the others.

    Parameters
    ----------
    names
        The algorithms.
    pairs
        Disagreements of all pairs, shape (cases, algorithms, algorithms), as from `disagreements`.
    near_identical
        Largest disagreement within a group, as a share of the median disagreement of all pairs.

    Returns
    -------
    Panel
        The weight of a group is inversely proportional to the square of its smallest median disagreement with another
        group. The references are not used, so a wrong reference changes no weight.

    Raises
    ------
    ValueError
        If fewer than two independent algorithms remain.

    Notes
    -----
    Groups are formed by complete linkage, so every two members of a group are near-identical.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    count = len(names)
    if count < 2:
        message = f"suspect references need at least 2 algorithms, there is {count}"
        raise ValueError(message)
    seen = np.isfinite(pairs).any(axis=0)
    middle = np.ones((count, count))
    middle[seen] = np.nanmedian(pairs[:, seen], axis=0)
    np.fill_diagonal(middle, 0.0)
    distances = squareform(middle, checks=False)
    cut = near_identical * float(np.median(distances))
    groups = fcluster(linkage(distances, "complete"), cut, "distance")
    if len(set(groups)) < 2:
        message = f"the {count} algorithms are near-identical; suspect references need 2 independent ones"
        raise ValueError(message)
    weights = np.zeros(count)
    for group in set(groups):
        members = groups == group
        others = middle[np.ix_(members, ~members)]
        weights[members] = 1 / max(float(np.median(others.min(axis=1))), _FLOOR) ** 2 / members.sum()
    weights /= weights.sum()
    return Panel(tuple(names), tuple(int(group) for group in groups), tuple(float(weight) for weight in weights))


def vote_share(masks: Mapping[str, NDArray[np.bool_]], panel: Panel) -> NDArray[np.float64]:
    """Return the share of the weighted votes for each voxel, in [0, 1].

    Parameters
    ----------
    masks
        The masks of one region by algorithm, all of one shape; algorithms without a prediction are absent.
    panel
        The weights.

    Raises
    ------
    ValueError
        If no algorithm of the panel has a prediction.
    """
    weights = {name: weight for name, weight in zip(panel.names, panel.weights, strict=True) if name in masks}
    total = sum(weights.values())
    if not total:
        message = "no algorithm has a prediction for the case"
        raise ValueError(message)
    shape = next(iter(masks.values())).shape
    share = np.zeros(shape)
    for name, weight in weights.items():
        share += masks[name] * (weight / total)
    return share
