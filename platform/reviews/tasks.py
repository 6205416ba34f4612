"""Celery wrappers: take ids, load, call a service."""

from celery import shared_task

from reviews.models import AutomaticAssignment
from reviews.services import assigning


@shared_task
def assign_automatically(run_id: int) -> None:
    """Fill the open places of a call."""
    run = AutomaticAssignment.objects.filter(pk=run_id).first()
    if run is not None:
        assigning.assign_automatically(run=run)


@shared_task
def sweep() -> None:
    """Remind reviewers."""
    assigning.remind_due()
