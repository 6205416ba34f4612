"""Celery wrappers around the services."""

from celery import shared_task

from submissions.measurements.services import working


@shared_task(name="measurements.tasks.work_on")
def work_on(measurement_id: int) -> None:
    """Read or seal a table of values measured outside."""
    working.work_on(measurement_id=measurement_id)
