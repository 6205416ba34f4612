"""Celery wrappers: load, call a service."""

from celery import shared_task

from challenges import services


@shared_task
def sweep() -> None:
    """Find phases that ended by their schedule."""
    services.end_phases()
