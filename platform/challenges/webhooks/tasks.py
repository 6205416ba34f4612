"""Celery wrappers around the services."""

from celery import shared_task

from challenges.webhooks.services import sending


@shared_task(name="webhooks.tasks.sweep")
def sweep() -> None:
    """Queue messages about new events."""
    sending.queue_events()


@shared_task(name="webhooks.tasks.send")
def send() -> None:
    """Send the message whose turn it is."""
    sending.send_message()


@shared_task(name="webhooks.tasks.tidy")
def tidy() -> None:
    """Delete old messages."""
    sending.tidy()
