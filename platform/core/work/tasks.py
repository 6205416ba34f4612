"""The one task that finds lost work."""

from celery import shared_task

from core.work import services


@shared_task
def sweep() -> None:
    """Request again all work that is due and that no worker does."""
    services.sweep()
