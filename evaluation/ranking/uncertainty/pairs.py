"""Statements on pairs: shared letters, and differences with their intervals and margins.

Algorithms share a letter unless one is significantly better. A letter represents a maximal set of algorithms. The final
sets of insert-and-absorb are determined here by adding one algorithm after another. The letters of the new algorithm
are the intersections of the existing letters with the algorithms from which it does not differ.

References
----------
Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of Computational and
Graphical Statistics 13, 2004.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.skewness import critical_t, moments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.ranking.resampling import Contributions


MOST_IN_MATRICES = 200
"""Maximum number of algorithms for which single pairs are stored.

Above it, matrices would be most of the document.
"""
MOST_COLUMNS = 500
"""Maximum number of letters.

More letters are not readable, and comparisons without any order may require very many.
"""
_NOISE: Final = 1e-12
"""Rounding errors of sums, relative to the numbers."""

FloatArray = npt.NDArray[np.float64]


def with_consequences(shown_better: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return comparisons with those that follow from others.

    If one algorithm is better than a second and the second is better than a third, the first is better than the third. Such a comparison
    is wrong only if one of the two others is, so that it uses no part of the error. The guard against skewness and tests by ranks
    compare each pair separately, and can leave it out.

    Parameters
    ----------
    shown_better
        Row is significantly better than column.

    Examples
    --------
    >>> import numpy as np
    >>> with_consequences(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    better = shown_better
    while True:
        counts = better.astype(np.float32)
        longer = better | (counts @ counts > 0.0)
        if (longer == better).all():
            return better
        better = longer


def letters(shown_better: npt.NDArray[np.bool_]) -> list[str] | None:
    """Letters of algorithms in the order of the ranking.

    Parameters
    ----------
    shown_better
        Row is shown to be better than column.

    Returns
    -------
    list of str or None
        ``None`` if more than `MOST_COLUMNS` letters would be needed.

    Examples
    --------
    >>> import numpy as np
    >>> letters(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    ['a', 'ab', 'b']
    """
    count = len(shown_better)
    alike = [int(sum(1 << int(other) for other in np.flatnonzero(row))) for row in ~(shown_better | shown_better.T)]
    columns: list[int] = []
    for member in range(count):
        bit = 1 << member
        near = alike[member] & (bit - 1)
        rest = [column for column in columns if column & near != column]
        joined = {column & near | bit for column in columns} or {bit}
        columns = rest + _maximal(joined)
        # Columns of some algorithms are no more than those of all: each is part of one that no other is part of.
        if len(columns) > MOST_COLUMNS:
            return None
    members = sorted([index for index in range(count) if column >> index & 1] for column in columns)
    words = [""] * count
    for number, column in enumerate(members):
        name = _name(number)
        for index in column:
            words[index] += name
    return words


def legible(words: Iterable[str | None]) -> bool:
    """Return whether the letter codes of a ranking use only the letters a to z.

    Only then can a code be split into its letters.

    Examples
    --------
    >>> legible(["a", "ab", "b"]), legible(["yz", "zaa"]), legible([None])
    (True, False, False)
    """
    # The first of two characters is aa, and each column has a member: with it, a word does not ascend.
    return all(word is not None and all(one < other for one, other in itertools.pairwise(word)) for word in words)


def _maximal(columns: set[int]) -> list[int]:
    """Columns that no other one contains."""
    maximal: list[int] = []
    for column in sorted(columns, key=int.bit_count, reverse=True):
        if not any(column & other == column for other in maximal):
            maximal.append(column)
    return maximal


def _name(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name


def flip_intervals(
    contributed: Contributions, first: int, critical: float, *, skewness: float = 0.0, guarded: bool = True
) -> list[tuple[float, tuple[float, float] | None]]:
    """Differences of the first from every algorithm, and their intervals; ``None`` where one is unbounded.

    The interval contains every x for which the units' contributions, less x times their weights, are within the critical
    value of the self-normalised statistic. Each end is moved outwards to the limit of Hall's statistic, if `guarded`, by
    the pair's own skewness and by the skewness that is typical of all pairs.
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
    if not guarded:
        return [(float(t), (float(x), float(y))) for t, x, y in zip(totals, low, high, strict=True)]
    units = len(parts)
    guard = critical_t(critical, units)
    if math.isinf(guard):
        return [(float(total), None) for total in totals]
    of_pairs = moments(units * parts, noise=units * contributed.rounding)
    low = np.minimum(low, of_pairs.limit(guard, skewness))
    high = np.maximum(high, of_pairs.limit(-guard, skewness))
    return [(float(t), (float(x), float(y))) for t, x, y in zip(totals, low, high, strict=True)]


def difference(
    estimate: float,
    interval: tuple[float, float] | None,
    *,
    margin: float,
    is_better: bool,
    limit: float | None,
    level: float,
    is_descriptive: bool = False,
) -> dict[str, Any]:
    """Return the entry of a ranking document on the difference of the first algorithm from another one.

    The lower end of the interval is above the margin only where the first is significantly better. It is the margin itself, and the
    interval does not contain it, where a later step of the test shows the difference.

    Parameters
    ----------
    estimate, interval
        The difference and its simultaneous interval; ``None`` where it is unbounded.
    margin
        Difference that does not matter.
    is_better
        Whether the first is significantly better.
    limit
        Lower limit of the lead over the best of the others, where a winner is named.
    level
        Level of the interval.
    is_descriptive
        Whether the difference is stated without a verdict.

    Examples
    --------
    >>> difference(0.1, (-0.01, 0.2), margin=0.0, is_better=True, limit=0.03, level=0.95)["interval"]
    [0.03, 0.2]
    >>> difference(0.0, (-0.01, 0.02), margin=0.05, is_better=False, limit=None, level=0.95)["verdict"]
    'equivalent'
    """
    ends: list[float] | None = None
    if is_descriptive:
        ends = None if interval is None else [without_noise(end, margin, max(map(abs, interval))) for end in interval]
        return {"estimate": estimate, "interval": ends, "level": level, "verdict": None}
    if interval is not None:
        low, high = interval
        low = max(low, margin if limit is None else limit) if is_better else min(low, margin)
        ends = [low, max(high, low, estimate)]
    return {
        "estimate": estimate,
        "interval": ends,
        "level": level,
        "verdict": _verdict(ends, margin, is_better=is_better),
    }


def without_noise(value: float, margin: float, scale: float) -> float:
    """Return the margin in place of a value that differs from it by rounding errors only.

    Examples
    --------
    >>> without_noise(4e-16, 0.0, 3.0), without_noise(0.001, 0.0, 3.0), without_noise(-math.inf, 0.0, math.inf)
    (0.0, 0.001, -inf)
    """
    return margin if math.isfinite(value) and abs(value - margin) <= _NOISE * scale else value


def _verdict(ends: list[float] | None, margin: float, *, is_better: bool) -> str:
    """Return whether a difference is ``better``, ``equivalent`` or ``undecided``."""
    if is_better:
        return "better"
    if ends is None or margin == 0.0:
        return "undecided"
    return "equivalent" if -margin < ends[0] and ends[1] < margin else "undecided"
