"""Why a ranking document lacks letters or comparisons of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.ranking.uncertainty.letters import MOST_COLUMNS, MOST_IN_MATRICES

if TYPE_CHECKING:
    from collections.abc import Mapping


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
