"""Celery wrappers: every one of them may run any number of times."""

from celery import shared_task

from accounts import services
from accounts.services import rights


@shared_task
def write_about_new_password(email: str) -> None:
    """Write to a person who requested a new password."""
    services.write_about_new_password(email=email)


@shared_task
def sweep() -> None:
    """Delete what is kept for a time only."""
    rights.forget_what_is_old()
