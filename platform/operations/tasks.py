"""Celery wrappers."""

from celery import shared_task

from operations import services


@shared_task(expires=10)
def heartbeat() -> None:
    """Show that scheduler, broker, worker and database work together."""
    services.beat(queue="ingest")
