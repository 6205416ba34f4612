"""Headline of a leaderboard: one sentence, the first that is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.ranking.reading import MOST_NAMED, listed, of_hundred
from evaluation.wording import joined

if TYPE_CHECKING:
    from evaluation.ranking.reading import Facts

WITHOUT_CERTAINTY: Final = {
    "not_resampled": "the ranking was not resampled",
    "not_given": "nobody said how uncertain values are that were measured elsewhere",
    "drawn_apart": "what varies was drawn in different places, and what that has in common is not known",
    "no_evidence": "the evidence is missing",
    "operator": "the smallest and largest values of a sample say too little about those of others",
    "too_few_draws": "there were fewer than 200 resamples",
    "sampled_groups": "whole groups of cases are drawn, and each of them is ranked on its own",
}
"""Reasons for missing statements about certainty, by the reason in the document."""


def no_result(facts: Facts) -> bool:
    """Return whether no algorithm has a usable result."""
    failures = [row["failure"] for row in facts.rows]
    if all(failure is not None and failure["failed"] == failure["of"] for failure in failures):
        return True
    return all(row["score"] is None for row in facts.rows)


def _leads(facts: Facts, verb: str = "ranks first") -> str:
    """Return a phrase with the algorithms that are first on the unmodified data."""
    if len(facts.winners) == 1:
        return f"{facts.first} {verb}{facts.so_far}"
    return f"{_sharing(facts)} share first place{facts.so_far}"


def _sharing(facts: Facts) -> str:
    return joined(facts.winners) if len(facts.winners) <= MOST_NAMED else f"{len(facts.winners)} algorithms"


def _why(facts: Facts) -> str:
    if facts.reason == "no_evidence" and facts.entry["cases"] == 1:
        return "there is only one case"
    return WITHOUT_CERTAINTY[facts.reason]


def _tie(facts: Facts) -> str:
    same = "they gave the same results" if facts.same_results(facts.winners) else "it is open who is best"
    return f"{_leads(facts)}; {same}."


def _leaning(facts: Facts) -> str:
    again = f"on as many fresh {facts.units} it would come first again in {of_hundred(facts.entry['first_again'])}"
    if facts.reach:
        return f"{_leads(facts, 'leads')}, but it is not shown to be better than {listed(facts.reach, last='or')}: {again}."
    return f"{_leads(facts, 'leads')}, but not clearly enough to be named the winner: {again}."


def _open(facts: Facts) -> str:
    if facts.reach:
        verb = "is" if len(facts.reach) == 1 else "are"
        return (
            f"It is open who is best: {facts.first} ranks first{facts.so_far}, and {listed(facts.reach)} {verb} "
            "within its reach."
        )
    return f"It is open who is best: {facts.first} ranks first{facts.so_far}, but not clearly enough to be named the winner."


def _too_few(facts: Facts) -> str:
    least = facts.entry["sets"]["units_needed"]["winner"]
    number = facts.entry["sets"]["units"]
    verb = "is" if number == 1 else "are"
    where = " in one task" if facts.several_tasks else ""
    return (
        f"{_leads(facts)}, but {facts.counted(number)}{where} {verb} too few to say whether that is more than chance; "
        f"{least} are the least."
    )


def _stratum(facts: Facts) -> str:
    stratum = facts.stratum
    return (
        f"{_leads(facts)}, but {stratum['stratum']} has only {facts.counted(stratum['units'])}: too few to say whether "
        "that is more than chance."
    )


def _wins(facts: Facts) -> str:
    whom = f"each of the other {facts.others} algorithms" if facts.others > 1 else facts.names[1]
    return (
        f"{facts.first} wins{facts.so_far}: it is better than {whom}. "
        f"(A claim like this is wrong in at most {facts.alpha} of such challenges.)"
    )


HEADLINES: Final = CATALOGUE.group(
    Claim(
        "headline.no_result",
        "Every case of every algorithm failed, or none has a score.",
        no_result,
        lambda _: "No algorithm has a usable result.",
        "No algorithm has a usable result.",
    ),
    Claim(
        "headline.only_one",
        "One algorithm is ranked.",
        lambda facts: facts.others == 0,
        lambda facts: f"{facts.first} is the only algorithm{facts.so_far}.",
        "unet is the only algorithm so far.",
    ),
    Claim(
        "headline.certainty_unknown",
        "Rank sets cannot be stated, whatever the number of cases.",
        lambda facts: facts.reason in WITHOUT_CERTAINTY,
        lambda facts: f"{_leads(facts)}; how certain that is cannot be said, because {_why(facts)}.",
        "unet ranks first; how certain that is cannot be said, because the ranking was not resampled.",
    ),
    Claim(
        "headline.too_few",
        "Fewer units than with which any winner could be named.",
        lambda facts: facts.reason == "too_few_units",
        _too_few,
        "unet ranks first, but 4 cases are too few to say whether that is more than chance; 6 are the least.",
    ),
    Claim(
        "headline.small_stratum",
        "A stratum has fewer than five units.",
        lambda facts: facts.reason == "stratum_too_small",
        _stratum,
        "unet ranks first, but site A has only 3 cases: too few to say whether that is more than chance.",
    ),
    Claim(
        "headline.clear",
        "The registered rule names a winner.",
        lambda facts: bool(facts.entry["winner"]["named"]),
        _wins,
        "unet wins: it is better than each of the other 4 algorithms. (A claim like this is wrong in at most 5 % of such challenges.)",
    ),
    Claim(
        "headline.tie",
        "Several algorithms share the best rank.",
        lambda facts: len(facts.winners) > 1,
        _tie,
        "unet and vnet share first place; it is open who is best.",
    ),
    Claim(
        "headline.depends_on_entries",
        "In a contest of two another one ties with the first or beats it.",
        lambda facts: bool(facts.against),
        lambda facts: (
            f"{_leads(facts)}, but would not come out ahead of {listed(facts.against, last='or')} if only the two had taken "
            "part: the first place depends on who else did."
        ),
        "unet ranks first, but would not come out ahead of vnet if only the two had taken part: the first place depends on who else did.",
    ),
    Claim(
        "headline.leaning",
        "No winner; one algorithm is first, and would be first again in half of fresh test sets.",
        lambda facts: facts.entry["verdict"] == "leaning",
        _leaning,
        "unet leads, but it is not shown to be better than vnet: on as many fresh cases it would come first again in about 70 of 100.",
    ),
    Claim(
        "headline.open",
        "Everything else.",
        lambda _: True,
        _open,
        "It is open who is best: unet ranks first, and vnet is within its reach.",
    ),
)
