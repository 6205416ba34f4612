"""Sentence about the intervals of differences from the leader: whether they apply together, and which ends do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.numbers import level as level_text
from evaluation.ranking.reading import Facts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.ranking.reading import Entry


@dataclass(frozen=True)
class Intervals:
    """Intervals of the differences of several algorithms from the leader.

    Attributes
    ----------
    level
        Level of the intervals.
    number
        Number of intervals.
    is_approximate
        Whether the intervals come from random draws.
    is_exploratory
        Whether the ranking is exploratory, so that the intervals only describe.
    has_raised_ends
        Whether a difference is significant. Its lower end can belong to the test.
    """

    level: float
    number: int
    is_approximate: bool = False
    is_exploratory: bool = False
    has_raised_ends: bool = False

    @property
    def subject(self) -> str:
        """The intervals with their level, at the beginning of a sentence."""
        noun = "interval" if self.number == 1 else "intervals"
        return f"The {'approximate ' if self.is_approximate else ''}{level_text(self.level)} {noun}"


_IF_ALIKE: Final = "if failures are as frequent as observed"


def _descriptive(facts: Intervals) -> str:
    verb = "describes" if facts.number == 1 else "describe"
    return f"{facts.subject} {verb} these results. This ranking is exploratory and has no statement of significance."


INTERVALS: Final = CATALOGUE.group(
    Claim(
        "differences.none",
        "No difference has an interval.",
        lambda facts: facts.number == 0,
        lambda _: "The differences have no intervals.",
        "The differences have no intervals.",
    ),
    Claim(
        "differences.descriptive",
        "The ranking is exploratory.",
        lambda facts: facts.is_exploratory,
        _descriptive,
        "The 95 % intervals describe these results. This ranking is exploratory and has no statement of significance.",
    ),
    Claim(
        "differences.one",
        "One difference has an interval. With two algorithms, test and interval have the same level.",
        lambda facts: facts.number == 1,
        lambda facts: f"{facts.subject} applies {_IF_ALIKE}.",
        "The 95 % interval applies if failures are as frequent as observed.",
    ),
    Claim(
        "differences.except_raised",
        "Several differences have intervals, and at least one of them is significant, so that a test can have raised its lower end.",
        lambda facts: facts.has_raised_ends,
        lambda facts: (
            f"{facts.subject} apply together {_IF_ALIKE}, except lower ends above 0 or the margin: a test can have raised them."
        ),
        "The 95 % intervals apply together if failures are as frequent as observed, except lower ends above 0 or the margin: a test can "
        "have raised them.",
    ),
    Claim(
        "differences.together",
        "Several differences have intervals, and none of them is significant.",
        lambda _: True,
        lambda facts: f"{facts.subject} apply together {_IF_ALIKE}.",
        "The 95 % intervals apply together if failures are as frequent as observed.",
    ),
)
"""Claims about the intervals of the differences from the leader: one sentence, the first that is true."""


def intervals_of(entry: Entry, document: Mapping[str, Any] | None = None) -> Intervals:
    """Return the facts about the intervals of the differences in a ranking."""
    facts = Facts(entry, document)
    differences = [row["difference_from_first"] for row in facts.rows if row.get("difference_from_first")]
    levels = {difference.get("level", entry["sets"]["level"]) for difference in differences}
    return Intervals(
        level=min(levels, default=entry["sets"]["level"]),
        number=sum(difference["interval"] is not None for difference in differences),
        is_approximate=entry["sets"]["method"] == "draws",
        is_exploratory=facts.is_exploratory,
        has_raised_ends=any(difference["verdict"] == "better" for difference in differences),
    )


def caption_of(entry: Entry, document: Mapping[str, Any] | None = None) -> str:
    """Return the caption of a figure of the differences in a ranking."""
    note = INTERVALS.first(intervals_of(entry, document))
    return f"Differences from the leader. Positive: the leader is better. {note}"
