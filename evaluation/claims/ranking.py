"""What a ranking says, in plain sentences made from its numbers and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.claims import certainty
from evaluation.claims.comparisons import disagreement
from evaluation.claims.facts import Facts
from evaluation.claims.resamples import RESAMPLES
from evaluation.figures.selection import label, main_entry, overall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.claims.catalogue import Said
    from evaluation.claims.facts import Entry

_DISAGREEING = 3


def headline(document: Mapping[str, Any], *, closed: bool = True) -> Said:
    """The one sentence that belongs above a leaderboard; `closed` unless results can still come."""
    return certainty.headline(main_entry(document), document, closed=closed)


def headline_of(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> Said:
    """Who leads, and whether that is certain."""
    return certainty.headline(entry, document, closed=closed)


def sentences(document: Mapping[str, Any]) -> list[Said]:
    """All that is worth saying about the main ranking of a document."""
    return sentences_of(main_entry(document), document)


def certainty_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[Said]:
    """Who leads, how sure that is, and what it hangs on; without what only describes the resamples."""
    return [*certainty.certainty(entry, document, closed=closed), *disagreement(entry)[:_DISAGREEING]]


def sentences_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[Said]:
    """Say who leads, how stable that is, who is tied exactly, and what tests and few cases allow at all.

    Parameters
    ----------
    entry
        One of the rankings of the document, or an overall one.
    document
        The whole document, for what an overall ranking does not hold itself.
    closed
        Whether no further result can come; else the headline says "so far".
    """
    return [*certainty_of(entry, document, closed=closed), *RESAMPLES.all(Facts(entry, document, closed))]


def titled(document: Mapping[str, Any]) -> list[tuple[str, list[Said]]]:
    """Sentences of every ranking, each under what it is about: the overall ones first."""
    both = [*overall(document), *document["rankings"]]
    return [(label(entry), sentences_of(entry, document)) for entry in both]
