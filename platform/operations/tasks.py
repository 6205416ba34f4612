"""Celery wrappers."""

from celery import shared_task
from celery.signals import worker_ready

from operations import services


@shared_task(expires=10)
def heartbeat() -> None:
    """Show that scheduler, broker, worker and database work together."""
    services.beat(queue="ingest")


@worker_ready.connect
def first_heartbeat(**_: object) -> None:
    """A worker that has just started shows it at once, not only when the clock asks the next time."""
    heartbeat.apply_async()
