"""HTTP in, HTTP out."""

from reports.views.desk import design, desk, item, make, publish, withdraw
from reports.views.reading import chapter, checklist_csv, exposure, file, index, paper, progress, report
from reports.views.teams import team

__all__ = [
    "chapter",
    "checklist_csv",
    "design",
    "desk",
    "exposure",
    "file",
    "index",
    "item",
    "make",
    "paper",
    "progress",
    "publish",
    "report",
    "team",
    "withdraw",
]
