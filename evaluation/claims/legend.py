"""Legend below the table of a ranking, and explanations of single counts next to tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.headlines import UNDECIDABLE
from evaluation.claims.numbers import level, level_of_winner
from evaluation.ranking.reading import share_of_winner
from evaluation.wording import counted, joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TOO_FEW: Final = frozenset({"too_few_units", "stratum_too_small"})
"""Reasons for which a rank set contains every rank because there are too few units."""


@dataclass(frozen=True)
class Legend:
    """A table of one order of the teams, as it is stored and shown.

    Attributes
    ----------
    order
        The stored order: columns by name, what ranks, and the certainty of the whole.
    level
        Of rank sets and ranges, between 0 and 1.
    samples
        How often was drawn; 0 if the ranking was not resampled.
    reported
        What a metric without rank is summed up by; empty where the table has none.
    failures
        Whether the table has a column of failures.
    bounds
        Whether a score has an exact one-sided bound.
    """

    order: Mapping[str, Any]
    level: float
    samples: int
    reported: str = ""
    failures: bool = False
    bounds: bool = False

    @property
    def reason(self) -> str | None:
        """Reason why rank sets contain no information, or None."""
        reason: str | None = self.order["sets"]["reason"]
        return reason

    @property
    def is_exploratory(self) -> bool:
        """True for a ranking without a statement of significance."""
        return bool(self.order["winner"].get("reason") == "exploratory")

    @property
    def winner_share(self) -> float:
        """Share of the error that naming a winner may use."""
        if self.order.get("spent_level") is not None:
            return float(self.order["spent_level"])
        teams = sum(rank is not None for rank in self.order["rank"])
        return share_of_winner(self.order["winner"]["alpha"], self.order["sets"]["level"], teams)

    @property
    def lettered(self) -> bool:
        """True if teams have letters."""
        return any(self.order["letters"])

    @property
    def tells_reach(self) -> bool:
        """True if the teams that are not significantly different from the first are known."""
        return self.reason is None or self.reason in UNDECIDABLE


def _sets(facts: Legend) -> str:
    return (
        "Rank set: the ranks that a team can have. Together, the rank sets contain all true ranks in about "
        f"{level(facts.level)} of challenges like this, if failures are as frequent as observed. The shaded band is that of "
        "the first."
    )


def _level(facts: Legend) -> str:
    words = level_of_winner(
        facts.winner_share,
        is_confirmed=facts.order["verdict"] == "confirmed",
        has_margin=bool(facts.order.get("margin")),
    )
    return f"Winner: {words}"


def _sets_of_all(facts: Legend) -> str:
    why = (
        "cases may not be independent, so no order can be shown"
        if facts.reason == "possible_clusters"
        else "too few cases to say"
    )
    return f"Rank set: {why}. It contains every rank, and every row has the amber bar."


RANKED_BY: Final = CATALOGUE.group(
    Claim(
        "legend.by_one",
        "The order is that of one metric, in one region or over several.",
        lambda facts: bool(facts.order["metric"]),
        lambda facts: f"Ranked by {facts.order['label']} ({facts.order['statistic']}).",
        "Ranked by DSC, liver (mean).",
    ),
    Claim(
        "legend.by_all",
        "The order combines metrics or regions.",
        lambda facts: not facts.order["metric"],
        lambda _: "Ranked over all metrics and regions.",
        "Ranked over all metrics and regions.",
    ),
)
"""By what the rows are ranked: the caption of the table."""
LEGEND: Final = CATALOGUE.group(
    Claim(
        "legend.sets",
        "Rank sets are stated, of a ranking that is not exploratory.",
        lambda facts: facts.reason is None and not facts.is_exploratory,
        _sets,
        "Rank set: the ranks that a team can have. Together, the rank sets contain all true ranks in about 95 % of challenges like this, if failures are as frequent as observed.",
    ),
    Claim(
        "legend.sets_of_exploratory",
        "Rank sets of an exploratory ranking are stated.",
        lambda facts: facts.reason is None and facts.is_exploratory,
        lambda _: (
            "Rank set: the ranks that a team could have, as a description of these results. This ranking is exploratory. The shaded "
            "band is that of the first."
        ),
        "Rank set: the ranks that a team could have, as a description of these results. This ranking is exploratory. The shaded band is "
        "that of the first.",
    ),
    Claim(
        "legend.sets_of_all",
        "Too few units, too few in a stratum, or units that may not be independent.",
        lambda facts: facts.reason in UNDECIDABLE,
        _sets_of_all,
        "Rank set: too few cases to say. It contains every rank, and every row has the amber bar.",
    ),
    Claim(
        "legend.no_sets",
        "Rank sets cannot be stated for another reason.",
        lambda facts: facts.reason is not None and facts.reason not in UNDECIDABLE,
        lambda _: "Rank set: cannot be said, so it is left out.",
        "Rank set: cannot be said, so it is left out.",
    ),
    Claim(
        "legend.level",
        "A winner is named.",
        lambda facts: facts.order.get("verdict") in ("confirmed", "significant"),
        _level,
        "Winner: if the two best algorithms were equally good, one of them would be named in about 3.3 % of challenges.",
    ),
    Claim(
        "legend.letters",
        "Teams have letters.",
        lambda facts: facts.lettered,
        lambda _: "Teams that share a letter are not shown to differ.",
        "Teams that share a letter are not shown to differ.",
    ),
    Claim(
        "legend.no_letters",
        "Letters are left out.",
        lambda facts: not facts.lettered and bool(facts.order["left_out_note"]),
        lambda facts: str(facts.order["left_out_note"]),
        "Letters are left out, because more than 500 would be needed; winner and rank sets stay.",
    ),
    Claim(
        "legend.bar",
        "Always; who is within reach is named where that is known.",
        lambda _: True,
        lambda facts: f"The amber bar marks the first{' and those within its reach' if facts.tells_reach else ''}.",
        "The amber bar marks the first and those within its reach.",
    ),
    Claim(
        "legend.range",
        "The order was resampled.",
        lambda facts: facts.samples > 0 and any(low is not None for low in facts.order["low"]),
        lambda facts: (
            f"Resampling range: the middle {level(facts.level)} of {counted(facts.samples, 'resample')} lie in it; it describes "
            "them and proves nothing."
        ),
        "Resampling range: the middle 95 % of 1,000 resamples lie in it; it describes them and proves nothing.",
    ),
    Claim(
        "legend.bounds",
        "The table shows an exact one-sided bound of a score that is the best or the worst possible one.",
        lambda facts: facts.bounds,
        lambda facts: (
            f"“At least” and “at most” below a score: exact one-sided bound at {level(facts.level)}. Resamples do not vary there. "
            "The bound only assumes independent cases."
        ),
        "“At least” and “at most” below a score: exact one-sided bound at 95 %. Resamples do not vary there. The bound only assumes "
        "independent cases.",
    ),
    Claim(
        "legend.reported",
        "The table shows a metric that is registered and not used for the ranking.",
        lambda facts: bool(facts.reported),
        lambda facts: (
            f"Without rank: {facts.reported} of a metric that is registered and not used for the ranking, with its resampling range."
        ),
        "Without rank: mean of a metric that is registered and not used for the ranking, with its resampling range.",
    ),
    Claim(
        "legend.failures",
        "The table has a column of failures.",
        lambda facts: facts.failures,
        lambda _: (
            "Failures: cases without a usable result, with the rate of failures that could have gone unseen, and the rank that "
            "one more failed case could bring."
        ),
        "Failures: cases without a usable result.",
    ),
)
"""Statements that explain how to read the table, line by line."""


@dataclass(frozen=True)
class OverTasks:
    """Teams excluded from a ranking over tasks, and tasks whose ranking the reader may not see.

    The tasks that each excluded team lacks are included.
    """

    left_out: Sequence[Mapping[str, Any]] = ()
    hidden: Sequence[str] = ()


def _without_tasks(facts: OverTasks) -> str:
    named = "; ".join(f"{entry['name']} (lacks {joined(entry['lacks'])})" for entry in facts.left_out)
    return f"Not ranked over all tasks: {named}."


NOT_OVER_TASKS: Final = CATALOGUE.group(
    Claim(
        "tasks.left_out",
        "A team lacks a task of a ranking over tasks.",
        lambda facts: bool(facts.left_out),
        _without_tasks,
        "Not ranked over all tasks: unet (lacks liver and tumour).",
    ),
    Claim(
        "tasks.hidden",
        "There is a task without a ranking that the reader may see.",
        lambda facts: bool(facts.hidden),
        lambda facts: f"Not in it, because there is no ranking that you may see: {joined(facts.hidden)}.",
        "Not in it, because there is no ranking that you may see: Tumour.",
    ),
)
"""Statements about the parts that a page over tasks excludes."""


@dataclass(frozen=True)
class Counts:
    """Of one submission: all cases, those without a prediction, and images whose objects count as missed."""

    cases: int
    missing: int


def _aggregated(facts: Counts) -> str:
    if facts.missing == 0:
        return f"Each value is aggregated over {_all(facts)}; none is missing."
    return f"Each value is aggregated over {_all(facts)}; {counted(facts.missing, 'missing case')} counted as the assessment says."


def _all(facts: Counts) -> str:
    return "one case" if facts.cases == 1 else f"all {facts.cases:,} cases"


AGGREGATED: Final = CATALOGUE.group(
    Claim(
        "counts.aggregated",
        "Always.",
        lambda _: True,
        _aggregated,
        "Each value is aggregated over all 40 cases; 2 missing cases counted as the assessment says.",
    )
)
"""Over how many cases the scores of a submission are."""
MISSED_IMAGES: Final = CATALOGUE.group(
    Claim(
        "counts.missed_images",
        "An image has no prediction.",
        lambda facts: facts.missing > 0,
        lambda facts: (
            f"{facts.missing} of {counted(facts.cases, 'image')} {'is' if facts.missing == 1 else 'are'} missing, and "
            f"{'its' if facts.missing == 1 else 'their'} objects are counted as missed."
        ),
        "2 of 40 images are missing, and their objects are counted as missed.",
    )
)
"""Statements about images without a prediction, next to the parts of a score of objects."""


@dataclass(frozen=True)
class Checked:
    """Findings of the validation of a submission: cases by their state, and files that are no case."""

    valid: int
    missing: int
    invalid: int
    others: int


VALIDATED: Final = CATALOGUE.group(
    Claim(
        "counts.validated",
        "Always.",
        lambda _: True,
        lambda facts: (
            f"{facts.valid} valid, {facts.missing} missing, {facts.invalid} that cannot be scored, "
            f"{counted(facts.others, 'other file')}."
        ),
        "38 valid, 1 missing, 1 that cannot be scored, 2 other files.",
    )
)
"""Statements about the findings of the validation of a submission, as numbers."""
