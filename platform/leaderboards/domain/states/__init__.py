"""Sentences about the state of a leaderboard, made from facts without any look-ups."""

from leaderboards.domain.states.catalogue import CATALOGUE
from leaderboards.domain.states.empty import EMPTY, Empty
from leaderboards.domain.states.hidden import FROZEN, NAMED, SEALED, SEALED_FOR_OTHERS, Frozen, Named, Sealed
from leaderboards.domain.states.scoring import LEFT_OUT, REPEATED, LeftOut, Repeated
from leaderboards.domain.states.standing import STANDS, Stands
from leaderboards.domain.states.values import DRY_RUN, JUDGED, OUTSIDE, DryRun, Judged, Outside

__all__ = [
    "CATALOGUE",
    "DRY_RUN",
    "EMPTY",
    "FROZEN",
    "JUDGED",
    "LEFT_OUT",
    "NAMED",
    "OUTSIDE",
    "REPEATED",
    "SEALED",
    "SEALED_FOR_OTHERS",
    "STANDS",
    "DryRun",
    "Empty",
    "Frozen",
    "Judged",
    "LeftOut",
    "Named",
    "Outside",
    "Repeated",
    "Sealed",
    "Stands",
]
