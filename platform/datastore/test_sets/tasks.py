"""Celery wrappers: take ids, call a service, nothing else; every one of them may run any number of times."""

from celery import shared_task

from datastore.test_sets.services import overlap_questions, overlaps, received_archives


@shared_task
def take_test_set(archive_id: str) -> None:
    """Check and seal an archive of references."""
    received_archives.work_off(archive_id=archive_id)


@shared_task
def compare_images(check_id: int) -> None:
    """Compare the images of a sealed test set."""
    overlaps.compare_images(check_id=check_id)


@shared_task
def answer_overlap_question(question_id: str) -> None:
    """Count the training images of a team that match test images."""
    overlap_questions.answer(question_id=question_id)
