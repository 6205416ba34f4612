"""What has been ranked, what was drawn from it, and the reports made of it."""

from leaderboards.models.analyses import Analysis
from leaderboards.models.rankings import Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.models.reports import Report, ReportSettings, ReportText

__all__ = [
    "Analysis",
    "Freeze",
    "RankingRequest",
    "RankingVersion",
    "Report",
    "ReportSettings",
    "ReportText",
    "Standing",
]
