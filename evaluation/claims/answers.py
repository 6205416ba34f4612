"""Answers to common questions about a leaderboard, for readers who do not know resampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.numbers import level
from evaluation.ranking.reading import of_hundred, percent
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_NAMED: Final = 6
VERDICTS: Final = {
    "confirmed": "a winner is named, whatever rare failures there are",
    "significant": "a winner is named, if its failures are rare",
    "leaning": "one algorithm leads, but no winner is named",
    "open": "no clear leader",
    "clear": "a winner was named by an earlier rule",
}
"""Meaning of each verdict of a ranking document, by its keyword."""


@dataclass(frozen=True)
class BoardFacts:
    """Facts about one order that a leaderboard shows.

    Attributes
    ----------
    teams
        Number of ranked teams.
    front
        The teams that rank first, then those that are not significantly different from them.
    first
        Number of teams in `front` that share the best rank.
    verdict
        Verdict of the document.
    stated
        Whether the rank sets contain information.
    letters
        Whether the table contains letters.
    first_again, share
        How often the first ranks first again with an equal number of new units, and among the resamples.
    units
        Resampled units, in the plural.
    ties
        Lists of teams with identical results.
    interval
        Level of the rank sets.
    """

    teams: int
    front: Sequence[str]
    first: int
    verdict: str | None
    stated: bool
    letters: bool
    first_again: float | None
    share: float | None
    units: str
    ties: Sequence[Sequence[str]]
    interval: float


def _named(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return joined(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} others"


def _compares(facts: BoardFacts) -> bool:
    return facts.teams > 1 and bool(facts.front)


def _again(facts: BoardFacts) -> str:
    return (
        f"On as many new {facts.units}, {facts.front[0]} would be first again in {of_hundred(facts.first_again or 0.0)}. "
        f"It is first in {percent(facts.share or 0.0)} of the resamples. Resampling ignores that these {facts.units} are "
        "themselves one random sample."
    )


def _ties(facts: BoardFacts) -> Iterator[Sequence[str]]:
    yield from facts.ties


SURE: Final = CATALOGUE.group(
    Claim(
        "answers.confirmed",
        "A winner is named, whatever rare failures there are.",
        lambda facts: _compares(facts) and facts.verdict == "confirmed",
        lambda facts: (
            f"Yes: a winner is named, whatever rare failures there are. The {facts.units} only have to be independent."
        ),
        "Yes: a winner is named, whatever rare failures there are. The cases only have to be independent.",
    ),
    Claim(
        "answers.significant",
        "A winner is named that rare failures could refute.",
        lambda facts: _compares(facts) and facts.verdict == "significant",
        lambda _: "Yes, if its failures are rare: the first is significantly better than every other one.",
        "Yes, if its failures are rare: the first is significantly better than every other one.",
    ),
    Claim(
        "answers.clear",
        "A stored document of schema 2 names a winner.",
        lambda facts: _compares(facts) and facts.verdict == "clear",
        lambda _: "Yes, by an earlier rule, which assumes symmetric differences and equal failure rates.",
        "Yes, by an earlier rule, which assumes symmetric differences and equal failure rates.",
    ),
    Claim(
        "answers.leaning",
        "No winner is named; one leads.",
        lambda facts: _compares(facts) and facts.verdict == "leaning",
        lambda _: "Not quite: one leads, but no winner is named.",
        "Not quite: one leads, but no winner is named.",
    ),
    Claim(
        "answers.open",
        "No winner is named, and no team leads.",
        lambda facts: _compares(facts) and facts.verdict == "open",
        lambda _: "No: there is no clear leader.",
        "No: there is no clear leader.",
    ),
    Claim(
        "answers.first_again",
        "One is first alone, there are cases enough to state rank sets, and it is known how often it would be first again.",
        lambda facts: (
            _compares(facts)
            and facts.stated
            and facts.verdict is not None
            and facts.first == 1
            and facts.first_again is not None
            and facts.share is not None
        ),
        _again,
        "On as many new cases, unet would be first again in about 70 of 100. It is first in 86 % of the resamples. "
        "Resampling ignores that these cases are themselves one random sample.",
    ),
)
"""Is it sure?"""

REACH: Final = CATALOGUE.group(
    Claim(
        "answers.nobody_within_reach",
        "Rank sets are stated, and only that of the first starts at 1.",
        lambda facts: _compares(facts) and facts.stated and len(facts.front) == 1,
        lambda facts: f"Nobody but {facts.front[0]}: no other rank set starts at 1.",
        "Nobody but unet: no other rank set starts at 1.",
    ),
    Claim(
        "answers.within_reach",
        "Rank sets are stated, and several start at 1.",
        lambda facts: _compares(facts) and facts.stated and len(facts.front) > 1,
        lambda facts: f"{_named(facts.front)}: their rank sets start at 1.",
        "unet and vnet: their rank sets start at 1.",
    ),
    Claim(
        "answers.letters",
        "Rank sets are stated, and letters stand in the table.",
        lambda facts: _compares(facts) and facts.stated and facts.letters,
        lambda _: "Teams that share a letter in the table are not shown to differ.",
        "Teams that share a letter in the table are not shown to differ.",
    ),
    Claim(
        "answers.identical",
        "Teams whose results have the same digest.",
        lambda _: True,
        lambda names: f"{_named(names)} have identical results in every case: an exact tie, not merely a close race.",
        "unet and unet-copy have identical results in every case: an exact tie, not merely a close race.",
        parts=_ties,
    ),
)
"""Statements about the teams that are not significantly different from the first."""

LOOKS: Final = CATALOGUE.group(
    Claim(
        "answers.many_looks",
        "A board that is computed again with every submission, with statements at a level below 100 %.",
        lambda interval: interval < 1.0,
        lambda interval: (
            f"The level of {level(interval)} of rank sets and intervals applies to each update of this board separately: over many updates, an error is more likely."
        ),
        "The level of 95 % of rank sets and intervals applies to each update of this board separately: over many updates, an error is more likely.",
    )
)


@dataclass(frozen=True)
class Hard:
    """Cases on which the field did worst.

    Attributes
    ----------
    label
        Label of the metric and region.
    cases
        Each with the median and the best value as text; the hardest first.
    published_on
        Publication date of results by case, for readers without access to them yet.
    """

    label: str = ""
    cases: Sequence[tuple[str, str, str]] = ()
    published_on: str = ""


def _hardest(facts: Hard) -> str:
    cases = [f"{case} ({median}; the best team {best})" for case, median, best in facts.cases]
    return f"By {facts.label} the median of the teams is worst on {joined(cases)}."


HARD: Final = CATALOGUE.group(
    Claim(
        "answers.published_later",
        "The reader may not see results by case yet.",
        lambda facts: bool(facts.published_on),
        lambda facts: f"Results by case are published on {facts.published_on}.",
        "Results by case are published on 21 January 2027, 12:00 UTC.",
    ),
    Claim(
        "answers.hardest",
        "There are values of single cases.",
        lambda facts: bool(facts.cases),
        _hardest,
        "By DSC the median of the teams is worst on case-07 (0.31; the best team 0.52).",
    ),
    Claim(
        "answers.no_cases",
        "There are no values of single cases by this ranking.",
        lambda _: True,
        lambda _: "There are no values of single cases by this ranking.",
        "There are no values of single cases by this ranking.",
    ),
)
"""On which cases do all fail? The first that is true."""
