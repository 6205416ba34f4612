"""Rankings, and the analyses derived from them."""

from leaderboards.models.analyses import Analysis
from leaderboards.models.overall import OverallRanking
from leaderboards.models.pseudonyms import Pseudonym
from leaderboards.models.rankings import FollowUp, Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.models.suspects import SuspectCase, SuspectReader, SuspectReading, SuspectSearch

__all__ = [
    "Analysis",
    "FollowUp",
    "Freeze",
    "OverallRanking",
    "Pseudonym",
    "RankingRequest",
    "RankingVersion",
    "Standing",
    "SuspectCase",
    "SuspectReader",
    "SuspectReading",
    "SuspectSearch",
]
