"""Celery wrappers: load, call a service."""

from celery import shared_task

from challenges import services
from challenges.services.phase_messages import tell_of_phases


@shared_task
def sweep() -> None:
    """End phases that are past their scheduled close, and notify of those that open or are about to close."""
    services.end_phases()
    tell_of_phases()
