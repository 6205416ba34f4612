"""Celery wrappers around the services."""

from celery import shared_task

from reports.services import reports


@shared_task(name="reports.tasks.make_report")
def make_report(report_id: int) -> None:
    """Create a requested report."""
    reports.make_report(report_id=report_id)
