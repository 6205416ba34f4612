"""HTTP in, HTTP out."""

from leaderboards.views.exports import (
    bundle,
    figure,
    hardest_csv,
    history_figure,
    ranking_document,
    results_csv,
    table_csv,
    table_json,
)
from leaderboards.views.objects import objects_apart
from leaderboards.views.pages import current, embed, first, freeze, request_again, version
from leaderboards.views.records import history, ranked_both_ways
from leaderboards.views.sharing import picture
from leaderboards.views.sites import over_sites_now, over_sites_of_version
from leaderboards.views.tasks import tasks, tasks_figure

__all__ = [
    "bundle",
    "current",
    "embed",
    "figure",
    "first",
    "freeze",
    "hardest_csv",
    "history",
    "history_figure",
    "objects_apart",
    "over_sites_now",
    "over_sites_of_version",
    "picture",
    "ranked_both_ways",
    "ranking_document",
    "request_again",
    "results_csv",
    "table_csv",
    "table_json",
    "tasks",
    "tasks_figure",
    "version",
]
