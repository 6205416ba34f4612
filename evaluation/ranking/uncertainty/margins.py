"""Simultaneous intervals of differences from the first, and whether a difference matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evaluation.ranking.uncertainty.units import Contributions

FloatArray = npt.NDArray[np.float64]


def flip_intervals(
    contributed: Contributions, first: int, critical: float
) -> list[tuple[float, tuple[float, float] | None]]:
    """Differences of the first from every algorithm, and their intervals; ``None`` where one is unbounded.

    The interval holds every x for which the units' contributions, less x times their weights, are within the critical
    value of the self-normalised statistic.
    """
    others = np.arange(contributed.plain.shape[1])
    parts = contributed.differences(np.full(len(others), first), others)
    weights = contributed.unit_weights
    totals = parts.sum(axis=0)
    squares = critical**2
    a, b, c = float(weights @ weights), weights @ parts, np.einsum("up,up->p", parts, parts)
    leading = 1.0 - squares * a
    if leading <= 0.0:
        return [(float(total), None) for total in totals]
    half = totals - squares * b
    root = np.sqrt(np.maximum(half * half - leading * (totals * totals - squares * c), 0.0))
    low, high = (half - root) / leading, (half + root) / leading
    return [(float(t), (float(x), float(y))) for t, x, y in zip(totals, low, high, strict=True)]


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
