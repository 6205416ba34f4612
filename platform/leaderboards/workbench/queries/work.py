"""Durable work on uploaded tables that is queued for workers."""

from datetime import timedelta

from django.db.models import Q

from core.work.kinds import Kind
from leaderboards.workbench.models import BroughtTable

BROUGHT_TABLES = Kind(
    name="brought_tables",
    doing="analysing a table that somebody brought",
    model=BroughtTable,
    is_open=Q(state__in=BroughtTable.OPEN),
    task="workbench.tasks.analyse_table",
    lease=timedelta(seconds=60),
    fair_between="owner",
)
