"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task

from datastore.datasets.services import digesting, publishing


@shared_task
def digest_file(file_id: int) -> None:
    """Compute the SHA-256 of a hosted file."""
    digesting.digest_file(file_id=file_id)


@shared_task
def publish_data(publication_id: int) -> None:
    """Put together what a challenge publishes after its end."""
    publishing.publish(publication_id=publication_id)
