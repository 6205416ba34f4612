"""Giving up an image or weights that no run needs."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q

from accounts.models import User
from audit.services import record
from executions import hooks
from executions.models import AlgorithmArchive, Execution
from executions.services import storing


@transaction.atomic
def delete_archive(*, archive: AlgorithmArchive, actor: User) -> None:
    """Delete what a team sent; its digest stays in the log.

    Raises
    ------
    ValidationError
        While it is being checked, and once a run has used it: what stands behind a result is kept.
    """
    current = AlgorithmArchive.objects.select_for_update(of=("self",), no_key=True).get(pk=archive.pk)
    if current.removed_at is not None:
        return
    if current.state in AlgorithmArchive.OPEN:
        raise ValidationError("It is being checked at this moment. Delete it when that is done.")
    used = Execution.objects.filter(Q(image=current) | Q(model=current)).exclude(
        state__in=(Execution.State.REFUSED, Execution.State.CANCELLED, Execution.State.FAILED)
    )
    if used.exists():
        raise ValidationError("A run has used it; what stands behind a result is kept.")
    for told in hooks.needed:
        if why := told(current):
            raise ValidationError(why)
    storing.give_up(current)
    record(
        actor=actor,
        act="algorithm_deleted",
        subject=current,
        scope=archive.phase.challenge.slug,
        facts={"team": archive.whose, "digest": current.digest},
    )
