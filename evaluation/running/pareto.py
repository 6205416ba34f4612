"""Quality against cost: the algorithms that no other one beats at both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class Pareto:
    """Algorithms that no other dominates, and for each other algorithm those that dominate it."""

    members: tuple[str, ...]
    dominated_by: dict[str, tuple[str, ...]]


def pareto(values: Mapping[str, Sequence[float]], directions: Sequence[Direction]) -> Pareto:
    """Algorithms for which none is at least as good in everything and better in one; equal ones are all in.

    Parameters
    ----------
    values
        Of each algorithm, one for each direction.
    directions
        Which values are better.

    Examples
    --------
    >>> pareto({"a": (0.9, 10), "b": (0.9, 12), "c": (0.8, 5)}, ("higher", "lower"))
    Pareto(members=('a', 'c'), dominated_by={'b': ('a',)})
    """
    turned = {
        name: tuple(
            value if way == "lower" else -value for value, way in zip(algorithm_values, directions, strict=True)
        )
        for name, algorithm_values in values.items()
    }
    by: dict[str, tuple[str, ...]] = {}
    for name, algorithm_values in turned.items():
        better = tuple(
            other
            for other, its in turned.items()
            if its != algorithm_values
            and all(theirs <= mine for theirs, mine in zip(its, algorithm_values, strict=True))
        )
        if better:
            by[name] = better
    return Pareto(tuple(name for name in values if name not in by), by)
