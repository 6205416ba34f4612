"""Celery wrappers around the services."""

from celery import shared_task

from federation.services import removing


@shared_task(name="federation.tasks.remove_sums")
def remove_sums() -> None:
    """Delete the sums of sites that withdrew with them, where that is due."""
    removing.remove_sums()
