"""Ranks of teams in the final ranking of a phase, for phases that only the best teams can enter."""

from collections.abc import Mapping

from challenges.hooks import FinalRank
from challenges.models import Phase
from leaderboards.queries.current import current_standing
from leaderboards.queries.names import is_final


def final_ranks(phase: Phase) -> Mapping[int, FinalRank] | None:
    """Return the best rank of each team in any deciding order of the final ranking; None until there is one.

    A rank that the rank set does not reach counts as it is: the best possible rank is never behind the rank itself.
    """
    if phase.stays_open or not phase.is_closed or not is_final(phase):
        return None
    standing = current_standing(phase)
    if standing is None:
        return None
    table = standing.version.table
    deciding = [order for order in table["orders"] if order["metric"] is None] or table["orders"]
    teams = {entry["name"]: entry["team"] for entry in standing.version.inputs["teams"]}
    ranks: dict[int, FinalRank] = {}
    for order in deciding:
        for name, rank, low in zip(table["teams"], order["rank"], order["set_low"], strict=True):
            if rank is None or name not in teams:
                continue
            earlier = ranks.get(teams[name], FinalRank(rank, rank))
            best = min(rank, rank if low is None else low)
            ranks[teams[name]] = FinalRank(min(rank, earlier.rank), min(best, earlier.best))
    return ranks
