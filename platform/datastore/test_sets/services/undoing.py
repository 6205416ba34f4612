"""Undoing a sealing before the first submission.

An organizer who uploaded a wrong archive can upload the right one; the log contains both.
"""

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from core.audit.services import record
from datastore.test_sets import hooks
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.replacing import TestSetError

ACT = "test_set_unsealed"


def undo_sealing(*, test_set: TestSet, actor: User) -> None:
    """Take the version in use out of use; the version before it, if there is one, is in use again.

    The version stays readable for organizers under its number, with its digest; nothing is deleted.

    Raises
    ------
    TestSetError
        When it is not in use, and when anything was submitted to the phase.
    """
    with transaction.atomic():
        # With the lock, no submission of the phase can start a run against the version while this is decided.
        phase = (
            Phase.objects.select_for_update(of=("self",), no_key=True)
            .select_related("task__challenge")
            .get(pk=test_set.phase_id)
        )
        row = TestSet.objects.select_for_update(no_key=True).get(pk=test_set.pk)
        if not row.is_active:
            raise TestSetError(f"Version {row.version} is not in use, so there is nothing to undo.")
        if hooks.was_submitted_to(phase) or hooks.runs_by_version([row.pk])[row.pk]:
            raise TestSetError(
                f"Something was submitted to {phase.name}, so its test set stays sealed. Replace it, with a reason."
            )
        row.is_active, row.undone_at = False, timezone.now()
        row.save(update_fields=["is_active", "undone_at"])
        before = (
            TestSet.objects.filter(phase=phase, undone_at=None, sealed_at__isnull=False).order_by("-version").first()
        )
        if before is not None:
            before.is_active = True
            before.save(update_fields=["is_active"])
        record(
            actor=actor,
            act=ACT,
            subject=row,
            scope=phase.challenge.slug,
            facts={
                "phase": phase.name,
                "version": row.version,
                "manifest_digest": row.manifest_digest,
                **({"in_use_again": before.version} if before is not None else {}),
            },
        )
