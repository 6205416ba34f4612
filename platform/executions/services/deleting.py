"""Giving up an image or weights that no run needs."""

from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from core.audit.services import record
from executions import hooks
from executions.models import AlgorithmArchive, Execution
from executions.services import storing


@transaction.atomic
def delete_archive(*, archive: AlgorithmArchive, actor: User) -> None:
    """Delete an archive of a team; its digest stays in the log.

    Raises
    ------
    ValidationError
        While it is being checked, and once a run has used it: the basis of a result is kept.
    """
    current = AlgorithmArchive.objects.select_for_update(of=("self",), no_key=True).get(pk=archive.pk)
    if current.removed_at is not None:
        return
    if current.state in AlgorithmArchive.OPEN:
        raise ValidationError("It is being checked at this moment. Delete it when that is done.")
    if why := _needed(current):
        raise ValidationError(why)
    storing.give_up(current)
    record(
        actor=actor,
        act="algorithm_deleted",
        subject=current,
        scope=archive.phase.challenge.slug,
        facts={"team": archive.whose, "digest": current.digest},
    )


def give_up_unused() -> int:
    """Delete what teams sent and no run has used once all phases of the task are over for the days of grace; returns how many."""
    until = timezone.now() - timedelta(days=settings.PODIUM_BLOB_DAYS)
    rows = AlgorithmArchive.objects.filter(
        state=AlgorithmArchive.State.READY, removed_at=None, team__isnull=False, created_at__lt=until
    )
    count = 0
    for archive in rows.select_related("phase__task__challenge", "team"):
        phases = Phase.objects.filter(task=archive.phase.task_id)
        if any(not phase.is_closed or phase.ends_at > until for phase in phases) or _needed(archive):
            continue
        with transaction.atomic():
            storing.give_up(archive)
            record(
                actor=None,
                act="algorithm_deleted",
                subject=archive,
                scope=archive.phase.challenge.slug,
                facts={"team": archive.whose, "digest": archive.digest, "unused": True},
            )
        count += 1
    return count


def _needed(archive: AlgorithmArchive) -> str:
    """Explain to the team why an archive must be kept, or return an empty text if no result depends on it."""
    used = Execution.objects.filter(Q(image=archive) | Q(model=archive)).exclude(
        state__in=(Execution.State.REFUSED, Execution.State.CANCELLED, Execution.State.FAILED)
    )
    if used.exists():
        return "It was used by a run, so it must be kept."
    return next((why for provider in hooks.needed if (why := provider(archive))), "")
