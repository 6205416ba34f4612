"""Headline of a leaderboard: one sentence, the first that is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.numbers import level
from evaluation.ranking.reading import MOST_NAMED, listed
from evaluation.rounding import difference_texts, share_down, share_up
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from evaluation.ranking.reading import Facts

WITHOUT_CERTAINTY: Final = {
    "not_resampled": "the ranking was not resampled",
    "not_given": "the uncertainty of values that were measured elsewhere is unknown",
    "drawn_apart": "parts of the ranking were resampled in different places, and their dependence is unknown",
    "no_evidence": "the evidence is missing",
    "operator": "the smallest and largest values of a sample do not generalize to other samples",
    "too_few_draws": "there were fewer than 200 resamples",
    "sampled_groups": "whole groups of cases are resampled, and each group is ranked separately",
}
"""Reasons for missing statements about certainty, by the reason in the document."""
UNDECIDABLE: Final = frozenset({"too_few_units", "stratum_too_small", "possible_clusters"})
"""Reasons for which no winner could have been named, and rank sets contain every rank."""


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


def _others(facts: Facts) -> str:
    """Return a phrase with the teams that are not significantly worse than the first, and its verb."""
    names = facts.not_worse
    if len(names) > MOST_NAMED:
        return f"{len(names)} teams are"
    return f"{joined(names)} {'is' if len(names) == 1 else 'are'}"


def _ends(facts: Facts, ends: tuple[str, str]) -> str:
    """Return an interval as text, marked as approximate where it comes from random draws."""
    return f"{'approximately ' if facts.entry['sets']['method'] == 'draws' else ''}{ends[0]} to {ends[1]}"


def _lead(facts: Facts) -> str:
    """Return a sentence on the lead; empty where a lead has no meaning, as in combinations of ranks."""
    lead = facts.lead
    if lead is None:
        return ""
    estimate, ends = difference_texts(lead["estimate"], lead["interval"], facts.margin)
    words = f" Its lead over {lead['over']} is {estimate}{facts.score_unit}"
    if not ends:
        return f"{words}."
    # The lower end is a limit of the lead over all others, not only over this one.
    if facts.others > 1:
        return f"{words}; over the best of the others it is {_ends(facts, ends)}."
    return f"{words} ({_ends(facts, ends)})."


def _leaning(facts: Facts) -> str:
    but = (
        f"{_others(facts)} not significantly worse" if facts.not_worse else "not clearly enough to be named the winner"
    )
    return f"{_leads(facts, 'leads')}, but {but}.{_lead(facts)}"


def _one_more_failure(facts: Facts) -> str:
    after = facts.rows[0]["rank_if_one_more_failed"]
    if after is not None and after > 1:
        but = "one more failed case could cost it the first place"
    else:  # what a failure of all cases of a unit costs, or what failures cost that happened
        but = "its lead is not large enough to allow for rare failures"
    return f"{_leads(facts, 'leads')}, but {but}.{_lead_as_observed(facts) or _lead(facts)}"


def _lead_as_observed(facts: Facts) -> str:
    """Return a sentence on a lead that one more failure would cost, with its interval from the observed failures."""
    lead = facts.lead
    ends = None if lead is None else lead.get("interval_as_observed")
    if lead is None or ends is None:
        return ""
    estimate, texts = difference_texts(lead["estimate"], ends, facts.margin)
    assert texts is not None
    words = (
        f" If failures are no more frequent than observed, its lead over {lead['over']} is {estimate}{facts.score_unit}"
    )
    interval = f"{level(lead['level'])} interval"
    if facts.others > 1:
        return f"{words}, and over the best of the others {_ends(facts, texts)} ({interval})."
    return f"{words} ({interval} {_ends(facts, texts)})."


def clusters_warning(facts: Facts) -> Mapping[str, Any]:
    """Return the warning on a column that could be a level."""
    return next(warning for warning in facts.entry["warnings"] if warning["code"] == "possible_clusters")


def _possible_clusters(facts: Facts) -> str:
    column = clusters_warning(facts)["column"]
    verb = "leads" if facts.entry["verdict"] == "leaning" else "ranks first"
    return (
        f"{_leads(facts, verb)}: {facts.units} of one {column} may be alike, and the design does not declare {column}. "
        "No winner is named until it does."
    )


def _exploratory(facts: Facts) -> str:
    return f"{_leads(facts)}.{_lead(facts)} This ranking is exploratory: there is no statement of significance."


def _open(facts: Facts) -> str:
    if not facts.reach:
        return (
            f"No clear leader. {facts.first} ranks first{facts.so_far}, but not clearly enough to be named the winner."
        )
    tied = 1 + len(facts.reach)
    who = joined([facts.first, *facts.reach]) if tied <= MOST_NAMED else f"{tied} teams"
    return f"No clear leader{facts.so_far}. {who} are statistically tied for first place."


def _too_few(facts: Facts) -> str:
    least = facts.entry["sets"]["units_needed"]["winner"]
    number = facts.entry["sets"]["units"]
    verb = "is" if number == 1 else "are"
    where = " in one task" if facts.several_tasks else ""
    return (
        f"{_leads(facts)}, but {facts.counted(number)}{where} {verb} too few to say whether that is more than chance; "
        f"{least} are the least."
    )


def _has_no_error_left(facts: Facts) -> bool:
    """Return whether a winner could have been named with some part of the error, of which none is left."""
    return facts.entry.get("spent_level") == 0.0 and facts.reason in ("too_few_units", "not_shown")


def _stratum(facts: Facts) -> str:
    stratum = facts.stratum
    return (
        f"{_leads(facts)}, but {stratum['stratum']} has only {facts.counted(stratum['units'])}: too few to say whether "
        "that is more than chance."
    )


def _all_others(facts: Facts) -> str:
    return "all others" if facts.others > 1 else facts.names[1]


def _confirmed(facts: Facts) -> str:
    first = f"{facts.first} is the winner{facts.so_far}."
    if facts.is_by_draws:
        return f"{first} The same algorithm is confirmed in every combined ranking. {_INDEPENDENT.format(facts.units)}"
    lead = facts.lead
    first = f"{first} {_INDEPENDENT.format(facts.units)}"
    if lead is None:
        return first
    estimate, ends = difference_texts(lead["estimate"], lead["interval"], facts.margin, is_better=True)
    # The order allows for rare failures that did not occur, the interval does not.
    interval = f" ({level(lead['level'])} interval {ends[0]} to {ends[1]}, with failures as observed)" if ends else ""
    return f"{first} Its lead over {lead['over']} is {estimate}{facts.score_unit}{interval}."


_INDEPENDENT: Final = "This holds whatever rare failures there are; the {} only have to be independent."


def _significant(facts: Facts) -> str:
    lead, rate, after = facts.lead, facts.break_even, facts.rows[0]["rank_if_one_more_failed"]
    approximately = ", approximately," if facts.is_by_draws else ""
    words = f"{facts.first} is{approximately} significantly better than {_all_others(facts)}{facts.so_far}"
    if lead is not None:
        estimate, ends = difference_texts(lead["estimate"], lead["interval"], facts.margin, is_better=True)
        interval = f", {level(lead['level'])} interval {_ends(facts, ends)}" if ends else ""
        words += f" (by {estimate}{facts.score_unit}{interval})"
    if rate is not None:
        return f"{words}, provided it fails in fewer than {share_down(rate['rate'])} of cases ({failures_seen(rate)})."
    left_out = any(warning["code"] == "failures_left_out" for warning in facts.entry["warnings"])
    if after == 1 and not left_out:
        return f"{words}. It would still be first with one more failed case."
    which = "Failures" if left_out else "Rare failures that did not occur"
    return f"{words}. {which} are not part of this statement."


def failures_seen(rate: Mapping[str, Any]) -> str:
    """Return a phrase with the number of observed failures and the rate that could have gone unseen."""
    return f"{rate['failed']} of {rate['of']} observed; up to {share_up(rate['upper'])} could have gone unseen"


def _earlier(facts: Facts) -> str:
    return (
        f"{facts.first} was named the winner{facts.so_far} by an earlier rule. "
        "That rule assumes symmetric differences and equal failure rates."
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
        "headline.too_many_changes",
        "The board has had more changes than the phase registered, so that no part of the error is left for a winner.",
        _has_no_error_left,
        lambda facts: (
            f"{_leads(facts)}, but the board has had more changes than the phase registered. No winner can be named."
        ),
        "unet ranks first so far, but the board has had more changes than the phase registered. No winner can be named.",
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
        "headline.possible_clusters",
        "A column looks like a level and is not declared, so that no winner is named.",
        lambda facts: facts.reason == "possible_clusters",
        _possible_clusters,
        "unet leads: cases of one patient may be alike, and the design does not declare patient. No winner is named until it does.",
    ),
    Claim(
        "headline.exploratory",
        "The ranking is registered as exploratory, or was chosen after the results.",
        lambda facts: facts.is_exploratory,
        _exploratory,
        "unet ranks first. Its lead over vnet is 0.010; over the best of the others it is −0.004 to 0.024. This ranking is exploratory: there is no statement of "
        "significance.",
    ),
    Claim(
        "headline.confirmed",
        "A winner is named, whatever rare failures there are.",
        lambda facts: facts.is_confirmed,
        _confirmed,
        "unet is the winner. This holds whatever rare failures there are; the cases only have to be independent. "
        "Its lead over vnet is 0.056 (95 % interval 0.031 to 0.080, with failures as observed).",
    ),
    Claim(
        "headline.significant",
        "A winner is named that is better than every other algorithm, up to a rate of failures where that is known.",
        lambda facts: facts.is_significant,
        _significant,
        "unet is significantly better than all others (by 0.024, 95 % interval 0.006 to 0.041), provided it fails in fewer than 0.7 % of "
        "cases (0 of 60 observed; up to 4.9 % could have gone unseen).",
    ),
    Claim(
        "headline.clear",
        "A stored document of schema 2 names a winner.",
        lambda facts: bool(facts.entry["winner"]["named"]),
        _earlier,
        "unet was named the winner by an earlier rule. That rule assumes symmetric differences and equal failure rates.",
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
            f"{_leads(facts)}, but would not rank ahead of {listed(facts.against, last='or')} if only these two had taken "
            "part: the first place depends on the other participants."
        ),
        "unet ranks first, but would not rank ahead of vnet if only these two had taken part: the first place depends on the other participants.",
    ),
    Claim(
        "headline.one_more_failure",
        "The first is significantly better, but would not be with one more failure, or with any rate of failures.",
        lambda facts: facts.reason == "one_more_failure",
        _one_more_failure,
        "unet leads, but one more failed case could cost it the first place. If failures are no more frequent than observed, its lead over vnet is "
        "0.034, and over the best of the others 0.021 to 0.047 (95 % interval).",
    ),
    Claim(
        "headline.leaning",
        "No winner; one algorithm is first, and would be first again in half of fresh test sets.",
        lambda facts: facts.entry["verdict"] == "leaning",
        _leaning,
        "unet leads, but 4 teams are not significantly worse. Its lead over vnet is 0.010; over the best of the others it is −0.004 to 0.024.",
    ),
    Claim(
        "headline.open",
        "Everything else.",
        lambda _: True,
        _open,
        "No clear leader. 5 teams are statistically tied for first place.",
    ),
)
