"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task

from submissions.results.services import pictures


@shared_task
def draw_case(run_id: str, case: str) -> None:
    """Draw the pictures of one case of a run."""
    pictures.draw(run_id=run_id, case=case)
