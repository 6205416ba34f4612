"""Statements about the certainty of a ranking in addition to its headline, in order of importance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.claims.headlines import HEADLINES, UNDECIDABLE, WITHOUT_CERTAINTY, failures_seen, no_result
from evaluation.claims.numbers import (
    about,
    about_p_value,
    about_probability,
    level,
    level_of_winner,
    needed_cases,
)
from evaluation.ranking.reading import MOST_NAMED, Facts, is_combined, listed, percent
from evaluation.ranking.stability import MOST_REVERSED
from evaluation.rounding import share_down, share_up
from evaluation.wording import joined, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evaluation.claims.catalogue import Said
    from evaluation.ranking.reading import Entry

_LONGEST: Final = 8
_ROUNDING: Final = 1e-9
_STANDARD_ERRORS: Final = 2.0
# Reasons with which a winner could have been named.
_DECIDED: Final = frozenset({"shown", "not_shown", "one_more_failure", "tie", "depends_on_entries"})


@dataclass(frozen=True)
class Of:
    """A part of a ranking that a sentence is about: an algorithm, a list of them, or a warning."""

    facts: Facts
    what: Any


def headline(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> Said:
    """The one sentence that belongs above a leaderboard."""
    return HEADLINES.first(Facts(entry, document, closed))


def certainty(entry: Entry, document: Mapping[str, Any] | None = None, *, closed: bool = True) -> list[Said]:
    """Return the headline, and all other true statements about certainty, in order of importance."""
    facts = Facts(entry, document, closed)
    first = HEADLINES.first(facts)
    if no_result(facts) or facts.others == 0:
        return [first]
    return [first, *BESIDE.all(facts)]


def failure_sentence(row: Mapping[str, Any], *, are_independent: bool = True) -> str:
    """Return a sentence about the failed cases of an algorithm.

    It states how many failed, how many more could have failed, and the effect of one more failure.

    Parameters
    ----------
    are_independent
        Whether cases count as independent; otherwise there is no bound of the rate of failures.
    """
    failure, name, after = row["failure"], row["name"], row["rank_if_one_more_failed"]
    count = failure["failed"]
    if count == 0:
        what = f"No case of {name} failed among {failure['of']}"
        bound = f"; a failure rate of up to {share_up(failure['upper'])} could have gone unseen"
    else:
        what = f"{count} {'case' if count == 1 else 'cases'} of {name} failed among {failure['of']}"
        bound = f"; the rate of failures may be up to {share_up(failure['upper'])}"
    what = f"{what}{bound if are_independent else ''}."
    if after is None:
        return what
    if row["rank"] is not None and after <= row["rank"]:
        return f"{what} With one more failed case {name} would still be at rank {after:g}."
    # The rank is the worst over its cases; the failure of another one may cost less.
    return f"{what} With one more failed case {name} could be at rank {after:g}."


def _sets(facts: Facts) -> str:
    # Several rankings of one challenge each keep it on their own.
    return (
        f"Together, the rank sets contain all true ranks in about {level(facts.entry['sets']['level'])} of challenges "
        "like this, if failures are as frequent as observed."
    )


def _level(facts: Facts) -> str:
    assumptions = ", with symmetric differences and equal failure rates" if facts.is_by_earlier_rule else ""
    # Rankings of schema 2 were decided without the margin.
    has_margin = facts.margin > 0.0 and not facts.is_by_earlier_rule
    words = level_of_winner(
        facts.winner_share, is_confirmed=facts.is_confirmed, has_margin=has_margin, assumptions=assumptions
    )
    return words[:1].upper() + words[1:]


def _look(facts: Facts) -> str:
    return (
        f"This is change {facts.change} of the board. A winner may use {about(facts.winner_share)} of the error; all changes together use "
        f"at most {share_up(facts.whole_share)}, for entries that were not tuned on these scores."
    )


def _confirmable(facts: Facts) -> bool:
    needed = facts.entry.get("cases_to_confirm")
    return facts.is_significant and needed is not None and needed > facts.entry["sets"]["units"]


def _breakable(facts: Facts) -> bool:
    """Return whether there is a safe failure rate that the headline does not state."""
    rate = facts.break_even
    return rate is not None and rate["rate"] > 0.0 and not facts.is_significant


def _break_even(facts: Facts) -> str:
    rate = facts.break_even
    assert rate is not None
    return (
        f"The lead of {facts.first} could be cancelled if it failed in more than {share_down(rate['rate'])} of cases "
        f"({failures_seen(rate)})."
    )


def _is_over_sites(facts: Facts) -> bool:
    """Return whether the only first of several algorithms was determined from the sums of sites."""
    return "pooled" in (facts.document or {}) and facts.others > 0 and len(facts.winners) == 1


def _why_no_interval(facts: Facts) -> str:
    reasons = {
        "too_few_units": f"there are too few {facts.units}",
        "stratum_too_small": f"a site has only one of the {facts.units}",
        "too_few_draws": "there were fewer than 200 draws",
    }
    why = reasons.get(facts.reason, "it cannot be determined from what the sites sent")
    return f"The lead has no interval: {why}."


def _probable(facts: Facts) -> Mapping[str, Any] | None:
    probabilities: Mapping[str, Any] | None = facts.entry.get("false_claim_probability")
    return probabilities


def _probabilities(facts: Facts) -> str:
    of = _probable(facts)
    assert of is not None
    better, equivalent, worse = (
        about_probability(of["better"]), _within(of["equivalent"], facts), about_probability(of["worse"])
    )  # fmt: skip
    if of["method"] == "fresh_draws":
        return (
            f"If failures are as frequent as observed: on as many fresh {facts.units}, {facts.first} is first alone with "
            f"probability {better}, shares first place with {equivalent}, and is not first with {worse}."
        )
    whom = "the best of the others" if facts.others > 1 else facts.names[1]
    return (
        f"If failures are as frequent as observed: {facts.first} is better than {whom} with probability {better}, "
        f"equivalent with {equivalent}, and worse with {worse}."
    )


def _within(share: float, facts: Facts) -> str:
    """Return the probability of equivalence, which is exactly 0 where equality has none.

    On new cases, two can share the first place by chance.
    """
    of = _probable(facts)
    is_of_new_cases = of is not None and of["method"] == "fresh_draws"
    return "0 %" if share <= _ROUNDING and not facts.margin and not is_of_new_cases else about_probability(share)


def _unseen(facts: Facts) -> bool:
    of = _probable(facts)
    return of is not None and of.get("with_one_unseen_failure") is not None


def _with_unseen(facts: Facts) -> str:
    of = _probable(facts)
    assert of is not None
    value = about_p_value(of["with_one_unseen_failure"])
    return (
        f"If one failure of {facts.first} went unseen, the cautious p-value against its lead is {value} (one-sided, by the Bayesian "
        "bootstrap, not adjusted). It is not a probability."
    )


def _unseated(facts: Facts) -> bool:
    fewest = facts.entry.get("fewest_cases_to_unseat")
    return fewest is not None and fewest["units"] > 0


def _unseating(facts: Facts) -> str:
    fewest = facts.entry["fewest_cases_to_unseat"]
    units, other = fewest["units"], fewest["algorithm"]
    if not fewest["is_exact"]:
        return f"Leaving out at most {units:,} favourable {facts.units if units > 1 else facts.unit} would make {other} at least as good."
    which = f"{units:,} most favourable {facts.units}" if units > 1 else f"most favourable {facts.unit}"
    return f"Without the {which}, {other} would be at least as good."


def _unsettled(facts: Facts) -> Iterator[Of]:
    """Comparisons with the first for which a number of units would settle the order."""
    rows = {row["name"]: row for row in facts.rows}
    open_comparisons = [
        needed
        for needed in facts.entry.get("cases_to_settle") or ()
        if ((rows[needed["algorithm"]]["difference_from_first"] or {}).get("estimate") or 0.0) > facts.margin
    ]
    yield from (Of(facts, needed) for needed in open_comparisons[:MOST_NAMED])


def _settling(part: Of) -> str:
    facts, estimate, (low, high) = part.facts, part.what["estimate"], part.what["interval"]
    of_more = f" of more than {facts.margin:g}{facts.score_unit}" if facts.margin else ""
    words = (
        f"{needed_cases(estimate, low, high, facts.units)} to show a difference{of_more} from {part.what['algorithm']}"
    )
    return f"{words}: this data set is too small to plan with." if high is None else f"{words}."


def _most_often_first(facts: Facts) -> str | None:
    """Return the algorithm that is first in more resamples than the one first on the data.

    Returns None if both are the same, or if the difference is within two standard errors of the resampling.
    """
    shares = {row["name"]: row["share_first"] for row in facts.rows}
    if any(share is None for share in shares.values()) or len(facts.winners) > 1:
        return None
    most = max(facts.names, key=lambda name: shares[name])
    drawn = sum(facts.rows[0]["rank_frequencies"] or ())
    ahead = shares[most] - shares[facts.first]
    if ahead <= 0.0 or not drawn:
        return None
    error = math.sqrt(max(0.0, shares[most] + shares[facts.first] - ahead**2) / drawn)
    return most if ahead > _STANDARD_ERRORS * error else None


def _resampled_otherwise(facts: Facts) -> str:
    shares = {row["name"]: row["share_first"] for row in facts.rows}
    most = _most_often_first(facts)
    return (
        f"{most} is first in more resamples ({percent(shares[most])}) than {facts.first} "
        f"({percent(shares[facts.first])}){_decide(facts, most)}."
    )


def _decide(facts: Facts, most: str | None) -> str:
    """Return a phrase stating that a few units decide.

    It is empty for values resampled elsewhere, whose units are not known.
    """
    if any(warning["code"].startswith("given_") for warning in facts.entry["warnings"]):
        return ""
    return f": a few {facts.units} of {facts.first} or {most} decide"


def _shown_worse(facts: Facts) -> int:
    """Return the number of other algorithms that are significantly worse than the only first.

    The number is 0 if the first is a winner over all of them.
    """
    better = facts.entry["shown_better"]
    if better is None or facts.others < 2 or facts.entry["winner"]["named"] or len(facts.winners) > 1:
        return 0
    return sum(better[0])


def _worse(facts: Facts) -> str:
    count = _shown_worse(facts)
    whom, verb = f"{count} of the {facts.others} others", "is" if count == 1 else "are"
    if count == facts.others:
        whom = "Both others" if count == 2 else f"All {count} others"
    if facts.against:  # who is behind where all take part may be ahead where two do
        return f"{whom} {verb} shown to rank behind {facts.first}, among those that took part."
    return f"{whom} {verb} shown to be worse than {facts.first}."


def _equivalents(facts: Facts) -> list[str]:
    if facts.entry["margin"] is None:
        return []
    return [row["name"] for row in facts.rows if (row["difference_from_first"] or {}).get("verdict") == "equivalent"]


def _equivalent(facts: Facts) -> str:
    names, margin = _equivalents(facts), facts.entry["margin"]
    within = f"the difference is within ±{margin:g}" if len(names) == 1 else f"the differences are within ±{margin:g}"
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} equivalent to {facts.first}: {within}."


def _shared_ranks(facts: Facts) -> Iterator[Of]:
    """Lists of algorithms below the first place that share a rank."""
    shared: dict[float, list[str]] = {}
    for row in facts.rows:
        if row["name"] not in facts.winners and row["rank"] is not None:
            shared.setdefault(row["rank"], []).append(row["name"])
    yield from (Of(facts, (rank, names)) for rank, names in shared.items())


def _failures(facts: Facts) -> Iterator[Of]:
    yield from (Of(facts, row) for row in facts.rows if row["failure"] is not None)


def _failure_matters(part: Of) -> bool:
    failure = part.what["failure"]
    if not failure["of"]:
        return False
    # Who shares first place is asked about alike, as long as they are few enough to be named.
    first = part.facts.winners if len(part.facts.winners) <= MOST_NAMED else [part.facts.first]
    return part.what["name"] in first or bool(part.what["within_reach"] and failure["failed"])


def _against(facts: Facts) -> Iterator[Of]:
    yield from (Of(facts, name) for name in facts.against[:MOST_NAMED])


def _changing(facts: Facts) -> Iterator[Of]:
    changing = [team for team in facts.entry["sensitivity"]["teams"] or () if team["winner_changes"]]
    yield from (Of(facts, team) for team in changing[:MOST_NAMED])


def _without(part: Of) -> str:
    verb = "would rank first" if len(part.what["winners"]) == 1 else "would share first place"
    return f"Without {part.what['without']}, {_all_of(part.what['winners'])} {verb}."


def _all_of(names: Sequence[str]) -> str:
    """Return up to three names, else the number of algorithms.

    The text does not use “others”, since no algorithm was named before.
    """
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} algorithms"


def _order_stays(facts: Facts) -> bool:
    order = facts.entry["sensitivity"]["without_duplicates"]
    return bool(order == [name for name in facts.names if name in set(order)])


def _then(names: Sequence[str]) -> str:
    """Return an order as text, truncated if it is long."""
    more = len(names) - _LONGEST
    return ", ".join(names[:_LONGEST]) + (f" and {more} more" if more > 0 else "")


def _reversing(facts: Facts) -> list[Any]:
    """Algorithms without which two others change places, and the first place stays."""
    teams = facts.entry["sensitivity"]["teams"] or ()
    return [team for team in teams if team["reversed"] and not team["winner_changes"]]


def _alike_reversals(facts: Facts) -> list[list[Any]]:
    """Those without which the same pairs change places, together."""
    alike: dict[str, list[Any]] = {}
    for team in _reversing(facts):
        alike.setdefault(repr(team["reversed"]), []).append(team)
    return list(alike.values())


def _told_reversals(facts: Facts) -> Iterator[Of]:
    yield from (Of(facts, teams) for teams in _alike_reversals(facts)[:MOST_NAMED])


def _reversal(part: Of) -> str:
    pairs = part.what[0]["reversed"]
    (before, after), more = pairs[0], len(pairs) - 1
    at_least = "at least " if len(pairs) >= MOST_REVERSED else ""
    others = f", and {at_least}{more} other {'pair' if more == 1 else 'pairs'} would change places" if more else ""
    names = [team["without"] for team in part.what]
    whom = joined(names, "or") if len(names) <= MOST_NAMED else f"any one of {len(names)} algorithms"
    return f"Without {whom}, {after} would come before {before}{others}."


def _further_reversals(facts: Facts) -> str:
    rest = sum(len(teams) for teams in _alike_reversals(facts)[MOST_NAMED:])
    noun = "algorithm" if rest == 1 else "algorithms"
    return f"Leaving out any one of {rest} further {noun} would change the order of others, too."


def _duplicates(facts: Facts) -> Iterator[Of]:
    yield from (Of(facts, names) for names in facts.entry["sensitivity"]["duplicates"])


def _versions(part: Of) -> str:
    more = len(part.what) - _LONGEST
    names = joined(part.what) if more <= 0 else f"{', '.join(part.what[:_LONGEST])} and {more} more"
    if part.facts.same_results(part.what):
        return f"{names} may be versions of one algorithm: they gave the same results."
    return (
        f"{names} agree on half of the cases or more, or differ very little: they may be versions of one algorithm, "
        "unless the values are coarse."
    )


def _warnings(facts: Facts) -> Iterator[Of]:
    yield from (Of(facts, warning) for warning in facts.entry["warnings"])


def _clusters(part: Of) -> str:
    warning = part.what
    clusters = f"{warning['clusters']} {plural(warning['column']) if warning['clusters'] > 1 else warning['column']}"
    have = "have" if warning["clusters"] > 1 else "has"
    if part.facts.entry["sets"]["reason"] is None:
        return f"{clusters} {have} {warning['cases']} cases: if cases of one {warning['column']} are alike, the sets are too narrow."
    return f"{clusters} {have} {warning['cases']} cases: cases of one {warning['column']} may be alike."


def _undeclared(part: Of) -> str:
    level = part.what["level"]
    words = f"The design does not state whether the {plural(level)} are all there are or a sample"
    drawn = (part.facts.document or {}).get("resampling", {}).get("resample", ())
    return f"{words}; they are resampled like a sample." if level in drawn else f"{words}."


BESIDE: Final = CATALOGUE.group(
    Claim(
        "certainty.sets",
        "Every rank set is stated.",
        lambda facts: facts.entry["sets"]["reason"] is None and not facts.is_exploratory,
        _sets,
        "Together, the rank sets contain all true ranks in about 95 % of challenges like this, if failures are as frequent as observed.",
    ),
    Claim(
        "certainty.level",
        "A winner could have been named.",
        lambda facts: facts.reason in _DECIDED,
        _level,
        "If the two best algorithms were equally good, one of them would be named in about 3.3 % of challenges.",
    ),
    Claim(
        "certainty.exploratory",
        "Rank sets of an exploratory ranking are stated.",
        lambda facts: facts.entry["sets"]["reason"] is None and facts.is_exploratory,
        lambda facts: (
            f"Rank sets and intervals describe these {facts.units}. They are not adjusted for the number of rankings or for their choice."
        ),
        "Rank sets and intervals describe these cases. They are not adjusted for the number of rankings or for their choice.",
    ),
    Claim(
        "certainty.family",
        "Several rankings share the error.",
        lambda facts: facts.family is not None and facts.family["rankings"] > 1,
        lambda facts: (
            f"The {facts.family['rankings']} {facts.family['role']} rankings share the error, by Holm’s method for winners: "
            f"about {about(facts.winner_share)} in this ranking, and about {about(facts.share_of_all)} over all of them."
        ),
        "The 3 secondary rankings share the error, by Holm’s method for winners: about 1.1 % in this ranking, and about 3.3 % over all of "
        "them.",
    ),
    Claim(
        "certainty.look",
        "A winner could have been named, on a board that is computed again with each change.",
        lambda facts: facts.reason in _DECIDED and facts.change is not None,
        _look,
        "This is change 4 of the board. A winner may use 0.21 % of the error; all changes together use at most 3.4 %, for entries that "
        "were not tuned on these scores.",
    ),
    Claim(
        "certainty.several_rankings",
        "A winner could have been named, and the document has several rankings without roles.",
        lambda facts: facts.reason in _DECIDED and facts.family is None and len(facts.final_rankings) > 1,
        lambda facts: (
            f"The level of about {about(facts.winner_share)} applies to each of the {len(facts.final_rankings)} rankings separately. "
            f"If the two best were equally good in every ranking, these shares add up to about {about(facts.share_of_all)}."
        ),
        "The level of about 3.3 % applies to each of the 3 rankings separately. If the two best were equally good in "
        "every ranking, these shares add up to about 10 %.",
    ),
    Claim(
        "certainty.to_confirm",
        "The winner is not confirmed, and more units could confirm a lead of this size.",
        _confirmable,
        lambda facts: (
            f"At least {facts.entry['cases_to_confirm']:,} {facts.units} without a failure would be needed to confirm this lead."
        ),
        "At least 161 cases without a failure would be needed to confirm this lead.",
    ),
    Claim(
        "certainty.break_even",
        "A failure has a value, the lead is safe up to some failure rate, and the headline does not state it.",
        _breakable,
        _break_even,
        "The lead of unet could be cancelled if it failed in more than 1.5 % of cases (0 of 20 observed; up to 14 % could have gone "
        "unseen).",
    ),
    Claim(
        "certainty.no_lead_of_combined",
        "A ranking over sites combines ranks, and one algorithm is first.",
        lambda facts: _is_over_sites(facts) and is_combined(facts.entry),
        lambda _: (
            "No size of the lead is stated: the ranking combines ranks, and a difference of ranks depends on the other participants."
        ),
        "No size of the lead is stated: the ranking combines ranks, and a difference of ranks depends on the other participants.",
    ),
    Claim(
        "certainty.no_lead_interval",
        "A ranking over sites by one score has one algorithm first, and the sums of the sites allow no interval of its lead.",
        lambda facts: (
            _is_over_sites(facts) and not is_combined(facts.entry) and (facts.lead or {}).get("interval") is None
        ),
        _why_no_interval,
        "The lead has no interval: it cannot be determined from what the sites sent.",
    ),
    Claim(
        "certainty.failures_to_lose",
        "A ranking that is no weighted mean was ranked again with further failures, and two or more cost the first place.",
        lambda facts: (facts.entry.get("failures_to_lose") or 0) > 1,
        lambda facts: (
            f"{facts.first} would lose first place with {facts.entry['failures_to_lose']} more failed cases, if these are the costliest."
        ),
        "unet would lose first place with 3 more failed cases, if these are the costliest.",
    ),
    Claim(
        "certainty.false_claim",
        "It is known how probable it is that the first is not the best.",
        lambda facts: _probable(facts) is not None and not facts.is_exploratory,
        _probabilities,
        "If failures are as frequent as observed: unet is better than the best of the others with probability about 97 %, equivalent with "
        "0 %, and worse with about 3 %.",
    ),
    Claim(
        "certainty.unseen_failure",
        "A failure has a value.",
        lambda facts: _unseen(facts) and not facts.is_exploratory,
        _with_unseen,
        "If one failure of unet went unseen, the cautious p-value against its lead is about 0.39 (one-sided, by the Bayesian bootstrap, "
        "not adjusted). It is not a probability.",
    ),
    Claim(
        "certainty.unseated",
        "Leaving out some units makes another algorithm at least as good as the first.",
        _unseated,
        _unseating,
        "Without the 23 most favourable cases, vnet would be at least as good.",
    ),
    Claim(
        "certainty.to_settle",
        "An algorithm is not significantly worse than the first, and its difference exceeds the margin.",
        lambda part: not part.facts.is_exploratory,
        _settling,
        "About 260 cases (90 % range 90 to more than 10,000) would be needed to show a difference from vnet: this data set is too small "
        "to plan with.",
        parts=_unsettled,
    ),
    Claim(
        "certainty.other_first_in_resamples",
        "Another one is first in more resamples than the only first, by more than two standard errors of the resampling.",
        lambda facts: _most_often_first(facts) is not None,
        _resampled_otherwise,
        "vnet is first in more resamples (53 %) than unet (47 %): a few cases of unet or vnet decide.",
    ),
    Claim(
        "certainty.shown_worse",
        "Of several others some, and no winner is named who is better than all.",
        lambda facts: _shown_worse(facts) > 0 and not facts.is_exploratory,
        _worse,
        "3 of the 4 others are shown to be worse than unet.",
    ),
    Claim(
        "certainty.equivalent",
        "A margin is registered, and the interval of a difference lies within it.",
        lambda facts: bool(_equivalents(facts)) and not facts.is_exploratory,
        _equivalent,
        "vnet is equivalent to unet: the difference is within ±0.01.",
    ),
    Claim(
        "certainty.tie_below",
        "Algorithms below the first place have one rank and the same results.",
        lambda part: len(part.what[1]) > 1 and part.facts.same_results(part.what[1]),
        lambda part: f"{_all_of(part.what[1])} share rank {part.what[0]:g} and gave the same results.",
        "vnet and wnet share rank 3 and gave the same results.",
        parts=_shared_ranks,
    ),
    Claim(
        "certainty.failure",
        "Of the first always (of up to three that share first place), of those within reach if a case failed; where failures "
        "are counted.",
        _failure_matters,
        lambda part: failure_sentence(part.what, are_independent=not part.facts.may_be_clustered),
        "No case of unet failed among 40; a failure rate of up to 7.3 % could have gone unseen.",
        parts=_failures,
    ),
    Claim(
        "certainty.contest_of_two",
        "Another one would be first, alone or beside it, in a contest of two, and the headline speaks of something else.",
        lambda part: part.facts.reason in {*WITHOUT_CERTAINTY, *UNDECIDABLE},
        lambda part: f"{part.facts.first} would not rank ahead of {part.what} if only these two had taken part.",
        "unet would not rank ahead of vnet if only these two had taken part.",
        parts=_against,
    ),
    Claim(
        "certainty.duplicates",
        "Each has values like those of the first of them: the same on half of the cases, or with alike residuals close by.",
        lambda _: True,
        _versions,
        "unet and unet-copy agree on half of the cases or more, or differ very little: they may be versions of one algorithm, "
        "unless the values are coarse.",
        parts=_duplicates,
    ),
    Claim(
        "certainty.order_without_duplicates_stays",
        "There are such algorithms, and ranking only the first of each leaves the order of the rest.",
        lambda facts: bool(facts.entry["sensitivity"]["without_duplicates"]) and _order_stays(facts),
        lambda _: (
            "Keeping only the best of each group of possible versions does not change the order of the remaining algorithms."
        ),
        "Keeping only the best of each group of possible versions does not change the order of the remaining algorithms.",
    ),
    Claim(
        "certainty.order_without_duplicates",
        "There are such algorithms, and ranking only the first of each changes the order of the rest.",
        lambda facts: bool(facts.entry["sensitivity"]["without_duplicates"]) and not _order_stays(facts),
        lambda facts: (
            "With only the best of each group of possible versions ranked, the order would be "
            f"{_then(facts.entry['sensitivity']['without_duplicates'])}."
        ),
        "With only the best of each group of possible versions ranked, the order would be unet, wnet, vnet.",
    ),
    Claim(
        "certainty.without_one",
        "Leaving out one that is not first makes others first.",
        lambda part: part.what["without"] not in part.facts.winners,
        _without,
        "Without wnet, vnet would rank first.",
        parts=_changing,
    ),
    Claim(
        "certainty.reversal",
        "Leaving out one reverses two others and leaves the first place as it is; those with the same effect together.",
        lambda _: True,
        _reversal,
        "Without wnet, ynet would come before xnet, and 1 other pair would change places.",
        parts=_told_reversals,
    ),
    Claim(
        "certainty.further_reversals",
        "More algorithms than are named do that.",
        lambda facts: len(_alike_reversals(facts)) > MOST_NAMED,
        _further_reversals,
        "Leaving out any one of 2 further algorithms would change the order of others, too.",
    ),
    Claim(
        "certainty.few_in_stratum",
        "A stratum has few units, and the headline speaks of something else.",
        lambda part: part.what["code"] == "stratum_few" and part.facts.reason != "stratum_too_small",
        lambda part: (
            f"{part.what['stratum']} has only {part.facts.counted(part.what['units'])}: statements rest on few of them."
        ),
        "site A has only 7 cases: statements rest on few of them.",
        parts=_warnings,
    ),
    Claim(
        "certainty.possible_clusters",
        "Cases share values of a column that looks like a level which is not drawn.",
        lambda part: part.what["code"] == "possible_clusters",
        _clusters,
        "12 patients have 40 cases: cases of one patient may be alike.",
        parts=_warnings,
    ),
    Claim(
        "certainty.undeclared_level",
        "The design does not say whether a level is fixed or a sample.",
        lambda part: part.what["code"] == "level_undeclared",
        _undeclared,
        "The design does not state whether the sites are all there are or a sample.",
        parts=_warnings,
    ),
    Claim(
        "certainty.clustered_failures",
        "Cases failed, and units hold several cases.",
        lambda part: part.what["code"] == "failures_clustered",
        lambda part: (
            f"Failed cases of one {part.facts.unit} may have one cause: the bounds of failure rates count cases."
        ),
        "Failed cases of one patient may have one cause: the bounds of failure rates count cases.",
        parts=_warnings,
    ),
    Claim(
        "certainty.failures_left_out",
        "Missing cases are left out of a metric.",
        lambda part: part.what["code"] == "failures_left_out",
        lambda part: f"Missing cases are excluded from {part.what['metric']}: the cost of a failure is not visible.",
        "Missing cases are excluded from dsc: the cost of a failure is not visible.",
        parts=_warnings,
    ),
    Claim(
        "certainty.given_replicates",
        "Values of the whole data set were measured elsewhere, with replicates.",
        lambda part: part.what["code"] == "given_replicates",
        lambda part: (
            f"The uncertainty of {part.what['metric']} was submitted with its values, as replicates. Statements about it are only as "
            "good as they are."
        ),
        "The uncertainty of fid was submitted with its values, as replicates. Statements about it are only as good as they are.",
        parts=_warnings,
    ),
    Claim(
        "certainty.given_standard_errors",
        "Values of the whole data set were measured elsewhere, with standard errors.",
        lambda part: part.what["code"] == "given_standard_errors",
        lambda part: (
            f"Of {part.what['metric']} standard errors are known, and not what the errors of two algorithms have in common: where all were "
            "measured on the same cases, its ranges are too wide."
        ),
        "Of fid standard errors are known, and not what the errors of two algorithms have in common: where all were measured on the same "
        "cases, its ranges are too wide.",
        parts=_warnings,
    ),
    Claim(
        "certainty.given_nothing",
        "Values of the whole data set were measured elsewhere, and of some nothing is known of their uncertainty.",
        lambda part: part.what["code"] == "given_nothing",
        lambda part: (
            f"The uncertainty of the values of {part.what['metric']} is unknown: its order may be due to chance."
        ),
        "The uncertainty of the values of fid is unknown: its order may be due to chance.",
        parts=_warnings,
    ),
)
