"""Celery wrappers around the services."""

from celery import shared_task

from challenges.webhooks.services import sending


@shared_task(name="webhooks.tasks.sweep")
def sweep() -> None:
    """Queue messages about new events."""
    sending.queue_events()


@shared_task(name="webhooks.tasks.send")
def send(delivery_id: str) -> None:
    """Send a message to a webhook."""
    sending.send_message(delivery_id=delivery_id)


@shared_task(name="webhooks.tasks.tidy")
def tidy() -> None:
    """Delete old messages."""
    sending.tidy()
