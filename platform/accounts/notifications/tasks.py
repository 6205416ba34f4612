"""Celery wrappers: every one of them may run any number of times."""

from celery import shared_task

from accounts.notifications import services
from accounts.notifications.services import delivery, sweeping


@shared_task
def deliver() -> None:
    """Send e-mails that are due."""
    delivery.deliver()


@shared_task
def write_digest(user_id: int) -> None:
    """Write the daily mail of one person."""
    services.write_digest(user_id=user_id)


@shared_task
def sweep() -> None:
    """Have digests written, and forget what is old."""
    sweeping.sweep()
