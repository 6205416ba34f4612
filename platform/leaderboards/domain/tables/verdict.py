"""Whether a winner may be named: only where the registered rule for it is met."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.domain.tables.words import percent

FEWEST_TEAMS = 3
"""With fewer, a first place says little about the method."""
MOST_NAMED = 4


@dataclass(frozen=True)
class Verdict:
    """What is said about the first place once nothing can change any more.

    Attributes
    ----------
    winner
        Name of the winning team; empty where none is named.
    reason
        Why, as a sentence.
    """

    winner: str
    reason: str


def verdict(table: Mapping[str, Any], order: Mapping[str, Any], front: Sequence[str]) -> Verdict | None:
    """Judge the first place of a final ranking.

    Parameters
    ----------
    table
        As `leaderboards.domain.tables.stored.build` returned it.
    order
        One of its orders.
    front
        The teams that cannot be told apart from the first by the registered rule, the first included.

    Returns
    -------
    Verdict or None
        None for the order by one of several metrics, which decides nothing.
    """
    deciding = [entry for entry in table["orders"] if entry["metric"] is None] or table["orders"]
    if order not in deciding:
        return None
    if len(table["teams"]) < FEWEST_TEAMS:
        return Verdict("", f"No winner is named: fewer than {FEWEST_TEAMS} teams are ranked.")
    if all(group is None for group in order["group"]):
        return Verdict("", "No winner is named: the ranking was not resampled, so nobody knows how sure it is.")
    if len(front) > 1:
        shown = _joined(front) if len(front) <= MOST_NAMED else f"{front[0]} and {len(front) - 1} others"
        return Verdict("", f"No winner is named: by the registered rule {shown} cannot be told apart.")
    share = order["share"][table["teams"].index(front[0])]
    return Verdict(
        front[0],
        f"By the registered rule nobody else reaches its place; it came first in {percent(share)} of the resamples.",
    )


def _joined(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
