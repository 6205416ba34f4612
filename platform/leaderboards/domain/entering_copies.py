"""Whether copies of oneself would have paid, for the ranking that decides."""

from evaluation.aggregation import ResultsError
from evaluation.claims import comparisons
from evaluation.ranking.copies import copies_check
from leaderboards.domain.figure_sources import Order, Sources

MOST_TEAMS = 30
"""Above so many, ranking anew with the copies of each in turn takes too long."""


def copies_sentence(sources: Sources, order: Order) -> list[str]:
    """One sentence about the first registered ranking where it combines several; nothing elsewhere."""
    if order["metric"] or not sources.is_first_ranking(order) or sources.teams > MOST_TEAMS:
        return []
    try:
        check = copies_check(sources.assessment, sources.results, cases=sources.cases)
    except ResultsError:
        return []
    return [comparisons.entering_copies(check)]
