"""Numbers, names and cases as a board writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.claims import answers
from evaluation.claims.answers import LOOKS

VERDICTS: Final = answers.VERDICTS
"""Meaning of each verdict of a ranking document, by its keyword. Documents of schema 2 have ``clear`` for a winner."""


def number(value: float | None) -> str:
    """Write a rank, with a fraction only where there is one to the first decimal.

    Examples
    --------
    >>> number(2.0), number(15.5), number(12.025), number(None)
    ('2', '15.5', '12', '–')
    """
    return "–" if value is None else f"{round(value, 1):g}"


def span(low: float | None, high: float | None) -> str:
    """Write a range of ranks.

    Examples
    --------
    >>> span(1, 2), span(3, 3), span(None, None)
    ('1–2', '3', '')
    """
    if low is None or high is None:
        return ""
    return number(low) if low == high else f"{number(low)}–{number(high)}"


def percent(share: float | None) -> str:
    """Write a share, never 0 % or 100 % for one that is not.

    Examples
    --------
    >>> percent(0.934), percent(0.002), percent(0.999), percent(0.0), percent(1.0), percent(None)
    ('93 %', '< 1 %', '> 99 %', '0 %', '100 %', '–')
    """
    if share is None:
        return "–"
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{100 * share:.0f} %"


def score(value: float | None, decimals: int) -> str:
    """Write a score, with fewer decimals where there are enough digits before them.

    Examples
    --------
    >>> score(0.87654, 3), score(1.2345, 2), score(123.456, 2), score(None, 3)
    ('0.877', '1.23', '123', '–')
    """
    if value is None:
        return "–"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.{decimals}f}"


def score_span(low: float | None, high: float | None, decimals: int) -> str:
    """Write the interval of a score.

    Examples
    --------
    >>> score_span(0.8612, 0.8834, 3)
    '0.861–0.883'
    """
    return "" if low is None or high is None else f"{score(low, decimals)}–{score(high, decimals)}"


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
    """Return the sentence for a leaderboard that is recomputed with every submission.

    Examples
    --------
    >>> looks(0.95)
    'The level of 95 % of rank sets and intervals applies to each update of this board separately: over many updates, an error is more likely.'
    """
    return " ".join(LOOKS.all(interval))


@dataclass(frozen=True)
class HardCase:
    """A case on which the field did badly."""

    case: str
    median: str
    best: str
    best_team: str
    worst: str
    worst_team: str


def hard_case(case_entry: Mapping[str, Any], decimals: int) -> HardCase:
    """A case as `evaluation.analyses.exploring.hardest` found it, its values as text."""
    (best, best_team), (worst, worst_team) = case_entry["best"], case_entry["worst"]
    return HardCase(
        case=case_entry["case"],
        median=score(case_entry["median"], decimals),
        best=score(best, decimals),
        best_team=best_team,
        worst=score(worst, decimals),
        worst_team=worst_team,
    )
