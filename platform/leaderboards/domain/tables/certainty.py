"""What is said about an order as a whole: the headline of the day, the verdict as a word, and what has to be added."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.claims.answers import LOOKS


def spoken(order: Mapping[str, Any], sentences: Sequence[str], *, closed: bool) -> list[str]:
    """The sentences of an order, the headline with "so far" while results can still come.

    Parameters
    ----------
    order
        One of the orders of a stored table.
    sentences
        Those stored with it, made as for a closed phase.
    closed
        Whether no further result can come.
    """
    return list(sentences) if closed else [order["headline_so_far"], *sentences[1:]]


def looks(interval: float) -> str:
    """The sentence for a board that is computed anew with every submission.

    Examples
    --------
    >>> looks(0.95)
    'Each update of this board is a statement of its own: over many looks, more than 5 % will once have been wrong.'
    """
    return " ".join(LOOKS.all(interval))
