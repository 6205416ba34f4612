"""The one task that finds lost work."""

from celery import shared_task

from work import services


@shared_task
def sweep() -> None:
    """Ask once more for all work that is due and that nobody does."""
    services.sweep()
