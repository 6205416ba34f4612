"""Celery wrappers around the services."""

from celery import shared_task

from registry.drift import services


@shared_task(name="drift.tasks.check")
def check(request_id: int) -> None:
    """Compare a text with a registration."""
    services.run_check(request_id=request_id)
