"""Plain sentences about a ranking, derived from its numbers only.

The module also explains why a ranking has no letters or no comparisons of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.claims import certainty
from evaluation.claims.resamples import RESAMPLES, disagreement
from evaluation.ranking.reading import Facts, label, main_entry, overall
from evaluation.ranking.uncertainty.pairs import MOST_COLUMNS, MOST_IN_MATRICES, legible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.claims.catalogue import Said
    from evaluation.ranking.reading import Entry


_DISAGREEING = 3


def headline(document: Mapping[str, Any], *, closed: bool = True) -> Said:
    """The one sentence that belongs above a leaderboard; `closed` unless results can still come."""
    return certainty.headline(main_entry(document), document, closed=closed)


def headline_of(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> Said:
    """Return the sentence that names the leader and its certainty."""
    return certainty.headline(entry, document, closed=closed)


def sentences(document: Mapping[str, Any]) -> list[Said]:
    """All that is worth saying about the main ranking of a document."""
    return sentences_of(main_entry(document), document)


def certainty_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[Said]:
    """Return sentences about the leader, its certainty and what the certainty depends on.

    Sentences that only describe the resamples are excluded.
    """
    return [*certainty.certainty(entry, document, closed=closed), *disagreement(entry)[:_DISAGREEING]]


def sentences_of(entry: Entry, document: Mapping[str, Any], *, closed: bool = True) -> list[Said]:
    """Return sentences about the leader, its stability, exact ties, and the limits of tests and few cases.

    Parameters
    ----------
    entry
        One of the rankings of the document, or an overall one.
    document
        The whole document, for facts that an overall ranking does not contain.
    closed
        True if no further result can arrive; otherwise the headline contains "so far".
    """
    return [*certainty_of(entry, document, closed=closed), *RESAMPLES.all(Facts(entry, document, closed))]


def titled(document: Mapping[str, Any]) -> list[tuple[str, list[Said]]]:
    """Sentences of every ranking, each under what it is about: the overall ones first."""
    both = [*overall(document), *document["rankings"]]
    return [(label(entry), sentences_of(entry, document)) for entry in both]


def letters_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the letters of an entry's algorithms as tables show them; empty if more than a to z are needed.

    Letters of two characters that are written together cannot be distinguished from two letters.
    """
    words = [row["letters"] for row in entry["algorithms"]]
    return words if legible(words) else [""] * len(words)


def why_without_letters(entry: Mapping[str, Any]) -> str:
    """Explain in one sentence why a table shows no letters; empty if it shows them.

    The sentence also covers missing comparisons of pairs.
    """
    left_out = why_left_out(entry["left_out"])
    if left_out or any(letters_of(entry)) or not entry["algorithms"]:
        return left_out
    return "Letters are left out, because more than a to z would be needed."


def why_left_out(left_out: Mapping[str, str]) -> str:
    """Explain in one sentence why letters, or letters and comparisons of pairs, are missing; else empty.

    Parameters
    ----------
    left_out
        Value of the same key in an entry of a ranking document.

    Examples
    --------
    >>> why_left_out({"letters": "too_many_letters"})
    'Letters are left out, because more than 500 would be needed; winner and rank sets stay.'
    >>> why_left_out({})
    ''
    """
    if left_out.get("shown_better") == "exploratory":
        return "Letters and comparisons of single pairs are left out, because the ranking is exploratory."
    if "shown_better" in left_out:
        return (
            f"Letters and comparisons of single pairs are left out, because there are more than {MOST_IN_MATRICES} "
            "algorithms; winner and rank sets stay."
        )
    if "letters" in left_out:
        return f"Letters are left out, because more than {MOST_COLUMNS} would be needed; winner and rank sets stay."
    return ""
