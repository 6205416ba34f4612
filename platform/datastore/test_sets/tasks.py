"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task

from datastore.test_sets.services import received_archives


@shared_task
def take_test_set(archive_id: str) -> None:
    """Check and seal an archive of references."""
    received_archives.work_off(archive_id=archive_id)
