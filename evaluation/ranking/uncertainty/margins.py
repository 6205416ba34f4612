"""Simultaneous intervals of differences from the first, and whether a difference matters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evaluation.ranking.uncertainty.units import Contributions

FloatArray = npt.NDArray[np.float64]


def flip_interval(
    contributed: Contributions, first: int, other: int, critical: float
) -> tuple[float, tuple[float, float] | None]:
    """Difference of two scores, first minus other, and its interval; ``None`` where it is unbounded.

    The interval holds every x for which the units' contributions, less x times their weights, are within the critical
    value of the self-normalised statistic.
    """
    pair = np.array([first]), np.array([other])
    parts = contributed.differences(*pair)[:, 0]
    weights = contributed.unit_weights
    total = float(parts.sum())
    squares = critical**2
    a, b, c = float(weights @ weights), float(weights @ parts), float(parts @ parts)
    leading = 1.0 - squares * a
    if leading <= 0.0:
        return total, None
    half = total - squares * b
    root = math.sqrt(max(half * half - leading * (total * total - squares * c), 0.0))
    return total, ((half - root) / leading, (half + root) / leading)


def verdict(interval: tuple[float, float] | None, margin: float | None, *, shown: bool) -> str:
    """Whether a difference is ``better``, ``equivalent`` or ``undecided``; absence of evidence is the latter.

    Examples
    --------
    >>> verdict((-0.01, 0.02), 0.05, shown=False), verdict((-0.01, 0.02), None, shown=False)
    ('equivalent', 'undecided')
    """
    if margin is None or margin == 0.0:
        return "better" if shown else "undecided"
    if interval is None:
        return "undecided"
    low, high = interval
    if low > margin:
        return "better"
    return "equivalent" if -margin < low and high < margin else "undecided"


def difference(estimate: float, interval: tuple[float, float] | None, outcome: str) -> dict[str, Any]:
    """As it stands in a ranking document."""
    return {"estimate": estimate, "interval": None if interval is None else list(interval), "verdict": outcome}
