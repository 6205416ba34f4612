"""HTTP in, HTTP out."""

from leaderboards.views.exports import bundle, figure, history_figure, ranking_document, results_csv, table_csv
from leaderboards.views.pages import current, embed, first, freeze, history, ranked_both_ways, request_again, version
from leaderboards.views.tasks import tasks, tasks_figure

__all__ = [
    "bundle",
    "current",
    "embed",
    "figure",
    "first",
    "freeze",
    "history",
    "history_figure",
    "ranked_both_ways",
    "ranking_document",
    "request_again",
    "results_csv",
    "table_csv",
    "tasks",
    "tasks_figure",
    "version",
]
