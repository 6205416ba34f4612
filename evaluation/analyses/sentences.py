"""Sentences that compare a ranking with alternatives: other schemes, withheld cases, copies of a team."""

from evaluation.aggregation import ResultsError
from evaluation.analyses.sources import Order, Sources, place_of
from evaluation.claims import comparisons
from evaluation.claims.comparisons import OTHER_WAYS, WITHHOLDING, Schemes, Withholding
from evaluation.ranking.copies import copies_check
from evaluation.ranking.reading import main_entry

MOST_TEAMS_WITH_COPIES = 30
"""Maximum number of teams for the copies check.

Above it, repeating the ranking with copies of each team in turn takes too long.
"""


def scheme_sentence(sources: Sources, order: Order) -> list[str]:
    """Return a sentence on whether another common scheme would have changed the winner."""
    comparison = sources.scheme_comparison(order)
    if not comparison or len(comparison["labels"]) < 2:
        return []
    return list(OTHER_WAYS.all(Schemes(comparison))[:1])


def withholding_sentence(sources: Sources, order: Order) -> list[str]:
    """Return a sentence on whether withholding bad cases would have paid."""
    if not sources.is_first_ranking(order):
        return []
    if order["metric"]:
        checks = [sources.withholding[place_of(order)]] if place_of(order) in sources.withholding else []
    else:
        checks = list(sources.withholding.values())
    if not checks:
        return []
    leaders = set() if order["metric"] else set(main_entry(sources.document)["winners"])
    facts = Withholding(
        gained=sorted({name for check in checks for name in check["gain_registered"]}),
        would_have_won=sorted({name for check in checks for name in check["could_have_won_ignored"]} - leaders),
        by_some_metric=len(checks) > 1 or not order["metric"],
    )
    return list(WITHHOLDING.all(facts))


def copies_sentence(sources: Sources, order: Order) -> list[str]:
    """One sentence about the first registered ranking where it combines several; nothing elsewhere."""
    if order["metric"] or not sources.is_first_ranking(order) or sources.teams > MOST_TEAMS_WITH_COPIES:
        return []
    try:
        check = copies_check(sources.assessment, sources.results, cases=sources.cases)
    except ResultsError:
        return []
    return [comparisons.entering_copies(check)]
