"""Whether a winner may be named: only where the registered rule for it is met."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboards.domain.tables.words import percent

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
        The teams that rank first or have the first place within their reach.

    Returns
    -------
    Verdict or None
        None for the order by one of several metrics, which decides nothing.
    """
    deciding = [entry for entry in table["orders"] if entry["metric"] is None] or table["orders"]
    if order not in deciding:
        return None
    winner = order["winner"]
    if winner["named"]:
        return Verdict(
            winner["algorithm"],
            f"It is shown to be better than every other team; a claim like this is wrong in at most {percent(winner['alpha'])} "
            "of such challenges.",
        )
    if winner["reason"] in _REASONS:
        return Verdict("", f"No winner is named: {_REASONS[winner['reason']]}.")
    if winner["reason"] == "tie":
        first = [team for team, rank in zip(table["teams"], order["rank"], strict=True) if rank == min(_ranks(order))]
        return Verdict("", f"No winner is named: {_joined(first)} share first place.")
    if len(front) > 1:
        shown = _joined(front) if len(front) <= MOST_NAMED else f"{front[0]} and {len(front) - 1} others"
        return Verdict("", f"No winner is named: the first place is within reach of {shown}.")
    return Verdict(
        "", f"No winner is named: {front[0]} is not shown clearly enough to be better than every other team."
    )


_REASONS = {
    "one_algorithm": "only one team is ranked",
    "not_resampled": "the ranking was not resampled, so nobody knows how sure it is",
    "no_evidence": "the evidence is missing that would say how sure the ranking is",
    "operator": "the smallest and largest values of a sample say too little about those of others",
    "too_few_draws": "there were fewer than 200 resamples",
    "sampled_groups": "whole groups of cases are drawn, and each of them is ranked on its own",
    "stratum_too_small": "one of the strata has fewer than five cases",
    "too_few_units": "there are too few cases to say who is best",
    "depends_on_entries": "the first place depends on who else took part",
}


def _ranks(order: Mapping[str, Any]) -> list[float]:
    return [rank for rank in order["rank"] if rank is not None]


def _joined(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
