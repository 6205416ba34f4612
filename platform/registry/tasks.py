"""Celery wrappers."""

from celery import shared_task

from core.work.services import send_missing
from registry.services import deposits, embargoes, publishing, reminders, states, timestamps, verifying


@shared_task(ignore_result=True)
def publish_version(version_id: int) -> None:
    """Make what follows a registered version."""
    publishing.publish_version(version_id=version_id)


@shared_task(ignore_result=True)
def deposit(deposit_id: int) -> None:
    """Deposit a version."""
    deposits.run_deposit(deposit_id=deposit_id)


@shared_task(ignore_result=True)
def verify() -> None:
    """Verify everything that is stored."""
    verifying.verify(records=True)


@shared_task(ignore_result=True)
def stamp() -> None:
    """Have a third party sign the ends of the audit chains."""
    if timestamps.is_due():
        timestamps.stamp()


@shared_task(ignore_result=True)
def sweep() -> None:
    """Find what is due: lost jobs, embargoes, comment periods, reminders, the daily verification and timestamp."""
    send_missing("registry.tasks.publish_version", [(version_id,) for version_id in publishing.unpublished_versions()])
    embargoes.open_due()
    states.finish_due()
    reminders.remind_daily()
    if verifying.is_due():
        send_missing("registry.tasks.verify", [()])
    if timestamps.is_due():
        send_missing("registry.tasks.stamp", [()])
