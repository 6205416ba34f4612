"""Sentences of reports about one team, and about the scores and submissions of a challenge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.certainty import failure_sentence
from evaluation.claims.ranking import letters_of
from evaluation.figures.layout import interval_words, rank_words
from evaluation.ranking.reading import MOST_NAMED, percent
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.ranking.reading import Entry


@dataclass(frozen=True)
class Standing:
    """One algorithm in one ranking: its row and the entry of the document."""

    row: Mapping[str, Any]
    entry: Entry

    @property
    def reason(self) -> str | None:
        """Reason why rank sets give no information; ``None`` if they do."""
        reason: str | None = self.entry["sets"]["reason"]
        return reason

    @property
    def is_exploratory(self) -> bool:
        """True for a ranking without a statement of significance."""
        return bool(self.entry["winner"]["reason"] == "exploratory")


def _rank_set(facts: Standing) -> str:
    low, high = facts.row["rank_set"]
    words = f"Its rank set is rank {low} alone" if low == high else f"Its rank could be {low}–{high}"
    letters = facts.row["letters"] if any(letters_of(facts.entry)) else ""
    if not letters:
        return f"{words}."
    return f"{words}; {'letter' if len(letters) == 1 else 'letters'} {letters}."


def _range(facts: Standing) -> str:
    low, high = facts.row["rank_interval"]
    words = f"rank {rank_words(low)} alone" if low == high else interval_words((low, high))
    return f"Its resampling range is {words}; it came first in {percent(facts.row['share_first'])} of the resamples."


STANDING: Final = CATALOGUE.group(
    Claim(
        "standing.rank",
        "Always.",
        lambda _: True,
        lambda facts: (
            f"{facts.row['name']} has rank {rank_words(facts.row['rank'])} of {len(facts.entry['algorithms'])}."
        ),
        "unet has rank 2 of 12.",
    ),
    Claim(
        "standing.rank_set",
        "Rank sets are stated.",
        lambda facts: facts.row["rank_set"] is not None and facts.reason is None,
        _rank_set,
        "Its rank could be 1–3; letters ab.",
    ),
    Claim(
        "standing.too_few",
        "Too few units, or too few in a stratum.",
        lambda facts: facts.reason in ("too_few_units", "stratum_too_small"),
        lambda _: "There are too few cases to say between which ranks it truly lies.",
        "There are too few cases to say between which ranks it truly lies.",
    ),
    Claim(
        "standing.possible_clusters",
        "A column looks like a level and is not declared.",
        lambda facts: facts.reason == "possible_clusters",
        lambda _: "Its rank set contains every rank, because cases may not be independent.",
        "Its rank set contains every rank, because cases may not be independent.",
    ),
    Claim(
        "standing.range",
        "Resampled.",
        lambda facts: facts.row["rank_interval"] is not None,
        _range,
        "Its resampling range is 1–3; it came first in 12 % of the resamples.",
    ),
    Claim(
        "standing.within_reach",
        "Not first; rank sets are stated, and its own starts at 1.",
        lambda facts: (
            bool(facts.row["within_reach"])
            and facts.reason is None
            and not facts.is_exploratory
            and facts.row["name"] not in facts.entry["winners"]
        ),
        lambda _: "No other algorithm is significantly better.",
        "No other algorithm is significantly better.",
    ),
    Claim(
        "standing.failure",
        "Failures are counted.",
        lambda facts: facts.row["failure"] is not None and bool(facts.row["failure"]["of"]),
        lambda facts: failure_sentence(
            facts.row, are_independent=facts.entry["winner"]["reason"] != "possible_clusters"
        ),
        "No case of unet failed among 40; a failure rate of up to 7.3 % could have gone unseen.",
    ),
)
"""Claims about a team's rank, for the team itself."""


@dataclass(frozen=True)
class Reached:
    """Algorithms with the first rank by one metric and region, alone or tied, and their score."""

    what: str
    names: Sequence[str]
    score: float | None

    @property
    def who(self) -> str:
        """Their names, or how many they are where these get long."""
        return joined(self.names) if len(self.names) <= MOST_NAMED else f"{len(self.names)} algorithms"


REACHED: Final = CATALOGUE.group(
    Claim(
        "reached.best",
        "Those who are first have a score.",
        lambda facts: facts.score is not None,
        lambda facts: f"{facts.what}: the best score is {facts.score:.4g} ({facts.who}).",
        "DSC, liver: the best score is 0.9312 (unet).",
    )
)


@dataclass(frozen=True)
class HandedIn:
    """On how many cases each ranked team has no prediction; nothing where that is not known."""

    where: str
    missing: Mapping[str, int] | None


COMPLETE: Final = CATALOGUE.group(
    Claim(
        "handed_in.complete",
        "It is known how many cases each team lacks, and no team lacks one.",
        lambda facts: bool(facts.missing) and not any(facts.missing.values()),
        lambda facts: f"{facts.where}: every ranked team has a prediction for every case.",
        "Test phase: every ranked team has a prediction for every case.",
    ),
    Claim(
        "handed_in.unknown",
        "It is not known how many cases each team lacks.",
        lambda facts: not facts.missing,
        lambda facts: f"{facts.where}: how many cases each team lacks is not known from its results.",
        "Test phase: how many cases each team lacks is not known from its results.",
    ),
)


@dataclass(frozen=True)
class Against:
    """The rank of one team over all metrics and regions, and by each of them, under its name."""

    rank: float
    by: Mapping[str, float]

    def named(self, which: Sequence[str]) -> str:
        """Names with ranks."""
        return ", ".join(f"{name} (rank {rank_words(self.by[name])})" for name in which)

    @property
    def better(self) -> list[str]:
        """By which metrics and regions it has a better rank."""
        return [name for name, rank in self.by.items() if rank < self.rank]

    @property
    def worse(self) -> list[str]:
        """By which it has a worse one."""
        return [name for name, rank in self.by.items() if rank > self.rank]


AGAINST: Final = CATALOGUE.group(
    Claim(
        "against.rank",
        "Always.",
        lambda _: True,
        lambda facts: f"Overall rank {rank_words(facts.rank)}.",
        "Overall rank 2.",
    ),
    Claim(
        "against.better",
        "Its rank is better by some metric or region.",
        lambda facts: bool(facts.better),
        lambda facts: f"Better than that by {facts.named(facts.better)}.",
        "Better than that by DSC, liver (rank 1).",
    ),
    Claim(
        "against.worse",
        "Its rank is worse by some metric or region.",
        lambda facts: bool(facts.worse),
        lambda facts: f"Worse than that by {facts.named(facts.worse)}.",
        "Worse than that by NSD, liver (rank 3).",
    ),
    Claim(
        "against.same",
        "There are several metrics or regions, and its rank is the same by each.",
        lambda facts: len(facts.by) > 1 and not facts.better and not facts.worse,
        lambda _: "The rank is the same by every metric and region.",
        "The rank is the same by every metric and region.",
    ),
)
"""By what a team is better or worse than over all."""
