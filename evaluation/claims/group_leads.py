"""Leads in groups of cases, which are exploratory: with an interval, or as the number of possible winners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.claims.headlines import UNDECIDABLE
from evaluation.claims.numbers import level
from evaluation.ranking.reading import Facts
from evaluation.rounding import difference_texts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from evaluation.ranking.reading import Entry

NOT_NAMED: Final = "not named"
NO_STATEMENT: Final = "none"
"""Text of a group for which there is neither."""


@dataclass(frozen=True)
class GroupLead:
    """The first place in a group of cases.

    Attributes
    ----------
    first
        The only algorithm with the first rank, if the interval of its lead is known; otherwise ``None``.
    over
        The next best algorithm.
    difference, interval
        Lead over it, and interval of the lead over the best of the others; empty without an interval.
    level
        Level of the interval.
    possible
        Number of algorithms whose rank set starts at 1; ``None`` if rank sets cannot be stated.
    of
        Number of ranked algorithms.
    is_approximate
        Whether the interval comes from random draws.
    """

    first: str | None
    over: str = ""
    difference: str = ""
    interval: str = ""
    level: str = ""
    possible: int | None = None
    of: int = 0
    is_approximate: bool = False

    @property
    def first_text(self) -> str:
        """The algorithm with the first rank, without a claim that it is better."""
        return NOT_NAMED if self.first is None else first_words(self.first)

    @property
    def lead_text(self) -> str:
        """The lead without names.

        Examples
        --------
        >>> GroupLead("unet", "vnet", "0.03", "−0.01 to 0.07", "95 %").lead_text
        '0.03 ahead (95 % interval −0.01 to 0.07)'
        >>> GroupLead("unet", "vnet", "0.03", "−0.01 to 0.07", "95 %", is_approximate=True).lead_text
        '0.03 ahead (95 % interval approximately −0.01 to 0.07)'
        >>> GroupLead(None, possible=2, of=5).lead_text, GroupLead(None).lead_text
        ('2 of 5 are possible winners', 'none')
        """
        if self.first is not None:
            approximately = "approximately " if self.is_approximate else ""
            return f"{self.difference} ahead ({self.level} interval {approximately}{self.interval})"
        if self.possible is None:
            return NO_STATEMENT
        verb = "is a possible winner" if self.possible == 1 else "are possible winners"
        return f"{self.possible} of {self.of} {verb}"


def first_words(name: str) -> str:
    """Return the words for the algorithm with the first rank in a group. Rankings of groups are exploratory and name no winner.

    Examples
    --------
    >>> first_words("unet")
    'unet ranks first'
    """
    return f"{name} ranks first"


def group_lead(entry: Entry, document: Mapping[str, Any] | None = None) -> GroupLead:
    """Return the statement about the first place in a group of cases that is ranked on its own."""
    facts = Facts(entry, document)
    lead, of = facts.lead, len(facts.rows)
    if (
        len(facts.winners) == 1
        and lead is not None
        and lead["interval"] is not None
        and facts.reason not in UNDECIDABLE
    ):
        estimate, ends = difference_texts(lead["estimate"], lead["interval"], facts.margin)
        if ends is not None:
            words = f"{estimate}{facts.score_unit}"
            return GroupLead(
                facts.first,
                lead["over"],
                words,
                f"{ends[0]} to {ends[1]}",
                level(lead["level"]),
                of=of,
                is_approximate=entry["sets"]["method"] == "draws",
            )
    if entry["sets"]["reason"] is not None:
        return GroupLead(None, of=of)
    return GroupLead(None, possible=sum(bool(row["within_reach"]) for row in facts.rows), of=of)
