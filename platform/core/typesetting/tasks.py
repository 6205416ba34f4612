"""Celery wrappers around the services."""

from celery import shared_task

from core.typesetting.services import making


@shared_task(name="typesetting.tasks.set_file")
def set_file(pk: int) -> None:
    """Make one file."""
    making.make(pk=pk)


@shared_task(name="typesetting.tasks.forget")
def forget() -> int:
    """Delete files that were not requested for a month."""
    return making.forget()
