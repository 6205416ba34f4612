"""Letters of all-pairwise comparisons: two algorithms share one if and only if neither is shown to be better.

References
----------
Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of Computational and
Graphical Statistics 13, 2004.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
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
    different = shown | shown.T
    columns: list[int] = [(1 << count) - 1]
    for first in range(count):
        for second in range(first + 1, count):
            if not different[first, second]:
                continue
            both = (1 << first) | (1 << second)
            hit = [column for column in columns if column & both == both]
            if not hit:
                continue
            rest = [column for column in columns if column & both != both]
            made = {column & ~(1 << member) for column in hit for member in (first, second)}
            columns = _absorbed(rest, made)
            if len(columns) > MOST_COLUMNS:
                return None
    members = sorted([index for index in range(count) if column >> index & 1] for column in columns)
    words = [""] * count
    for number, column in enumerate(members):
        for index in column:
            words[index] += _name(number)
    return words


def _absorbed(rest: list[int], made: set[int]) -> list[int]:
    """Columns that no other one contains; those of `rest` do not contain one another."""
    kept: list[int] = []
    for column in sorted(made, key=int.bit_count, reverse=True):
        if not any(column & other == column for other in rest) and not any(column & other == column for other in kept):
            kept.append(column)
    return rest + kept


def _name(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    name = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        name = chr(ord("a") + digit) + name
    return name
