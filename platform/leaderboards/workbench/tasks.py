"""Celery wrappers around the services."""

from celery import shared_task

from leaderboards.workbench.services import analysing


@shared_task(name="workbench.tasks.analyse_table")
def analyse_table(table_id: int) -> None:
    """Read or analyse an uploaded table."""
    analysing.analyse_table(table_id=table_id)
