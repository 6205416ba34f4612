"""Why a ranking document lacks letters or comparisons of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.ranking.uncertainty.pairs import MOST_COLUMNS, MOST_IN_MATRICES, legible

if TYPE_CHECKING:
    from collections.abc import Mapping


def letters_of(entry: Mapping[str, Any]) -> list[str]:
    """Letters of the algorithms of an entry as tables show them: empty where there are more than a to z.

    Written together, letters of two characters cannot be told from two letters.
    """
    words = [row["letters"] for row in entry["algorithms"]]
    return words if legible(words) else [""] * len(words)


def why_without_letters(entry: Mapping[str, Any]) -> str:
    """Why a table shows no letters, or no comparisons of pairs either, in one sentence; empty if it shows them."""
    left_out = why_left_out(entry["left_out"])
    if left_out or any(letters_of(entry)) or not entry["algorithms"]:
        return left_out
    return "Letters are left out, because more than a to z would be needed."


def why_left_out(left_out: Mapping[str, str]) -> str:
    """Why letters, or letters and comparisons of pairs, are not there, in one sentence; empty if they are.

    Parameters
    ----------
    left_out
        As it stands in an entry of a ranking document.

    Examples
    --------
    >>> why_left_out({"letters": "too_many_letters"})
    'Letters are left out, because more than 500 would be needed; winner and rank sets stay.'
    >>> why_left_out({})
    ''
    """
    if "shown_better" in left_out:
        return (
            f"Letters and comparisons of single pairs are left out, because there are more than {MOST_IN_MATRICES} "
            "algorithms; winner and rank sets stay."
        )
    if "letters" in left_out:
        return f"Letters are left out, because more than {MOST_COLUMNS} would be needed; winner and rank sets stay."
    return ""
