"""HTTP in, HTTP out."""

from leaderboards.views.exports import (
    bundle,
    evaluations_json,
    figure,
    hardest_csv,
    history_figure,
    model_index_json,
    ranking_document,
    results_csv,
    table_csv,
    table_json,
)
from leaderboards.views.objects import objects_apart
from leaderboards.views.pages import current, embed, first, freeze, request_again, version
from leaderboards.views.records import history, ranked_both_ways
from leaderboards.views.sharing import badge, picture
from leaderboards.views.sites import over_sites_now, over_sites_of_version
from leaderboards.views.suspects import suspect, suspect_plan, suspect_view, suspects
from leaderboards.views.tasks import tasks, tasks_figure

__all__ = [
    "badge",
    "bundle",
    "current",
    "embed",
    "evaluations_json",
    "figure",
    "first",
    "freeze",
    "hardest_csv",
    "history",
    "history_figure",
    "model_index_json",
    "objects_apart",
    "over_sites_now",
    "over_sites_of_version",
    "picture",
    "ranked_both_ways",
    "ranking_document",
    "request_again",
    "results_csv",
    "suspect",
    "suspect_plan",
    "suspect_view",
    "suspects",
    "table_csv",
    "table_json",
    "tasks",
    "tasks_figure",
    "version",
]
