"""Letters of all-pairwise comparisons: two algorithms share one if and only if neither is shown to be better.

A letter stands for as many algorithms as can share one. The sets that insert-and-absorb ends with are found here by adding
one algorithm after another: its letters are what the letters so far have in common with those it does not differ from.

References
----------
Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of Computational and
Graphical Statistics 13, 2004.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

MOST_IN_MATRICES = 200
"""Above so many algorithms single pairs are not written down: matrices would be most of the document."""
MOST_COLUMNS = 500
"""With more letters than this nobody can read them, and comparisons without any order may ask for very many."""


def letters(shown: npt.NDArray[np.bool_]) -> list[str] | None:
    """Letters of algorithms in the order of the ranking.

    Parameters
    ----------
    shown
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
    count = len(shown)
    alike = [int(sum(1 << int(other) for other in np.flatnonzero(row))) for row in ~(shown | shown.T)]
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
        for index in column:
            words[index] += _name(number)
    return words


def legible(words: Iterable[str | None]) -> bool:
    """Whether the words of a ranking can be told apart into letters: whether there are no more than a to z.

    Examples
    --------
    >>> legible(["a", "ab", "b"]), legible(["yz", "zaa"]), legible([None])
    (True, False, False)
    """
    # The first of two characters is aa, and each column has a member: with it, a word does not ascend.
    return all(word is not None and all(one < other for one, other in itertools.pairwise(word)) for word in words)


def _maximal(columns: set[int]) -> list[int]:
    """Columns that no other one contains."""
    kept: list[int] = []
    for column in sorted(columns, key=int.bit_count, reverse=True):
        if not any(column & other == column for other in kept):
            kept.append(column)
    return kept


def _name(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name
