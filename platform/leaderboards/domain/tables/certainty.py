"""What is said about an order as a whole: the headline of the day, the verdict as a word, and what has to be added."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from evaluation.claims.answers import LOOKS

TOO_FEW: Final = frozenset({"too_few_units", "stratum_too_small"})
"""Reasons for which every rank set holds every rank."""


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


def sets_note(order: Mapping[str, Any]) -> str:
    """Why the rank sets of an order say nothing; empty where they do."""
    sets = order["sets"]
    if sets["reason"] is None:
        return ""
    if sets["reason"] in TOO_FEW:
        return (
            "too few cases to say, so it holds every rank: nobody can be ruled out as the best, and every row has the "
            "amber bar"
        )
    return "cannot be said, so it is left out"
