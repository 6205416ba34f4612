"""Logs that programs printed while they saw hidden images.

Organizers read them, which is recorded in the audit log, and can release them to the team.
"""

import hashlib

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from executions.models import Batch, LogRelease
from executions.services import packing

MOST_CHARACTERS = 600_000


@transaction.atomic
def read(*, batch: Batch, actor: User) -> str:
    """Return the log of a batch on hidden cases, and record in the audit log that it was read."""
    record(
        actor=actor,
        act="log_read",
        subject=batch,
        scope=batch.execution.challenge.slug,
        facts={"execution": str(batch.execution_id), "team": batch.execution.team.name, "batch": batch.index},
    )
    return packing.read_log(batch)


@transaction.atomic
def release(*, batch: Batch, actor: User, text: str) -> LogRelease:
    """Give the team a log, as the organizer has left it after reading.

    Raises
    ------
    ValidationError
        For an empty text, one with lines that the log does not have, and a second release.
    """
    text = "\n".join(text.splitlines())
    if not text.strip():
        raise ValidationError("Nothing is left of the log. Keep the lines that the team may see.")
    if len(text) > MOST_CHARACTERS:
        raise ValidationError("The text is longer than what is kept of a log.")
    if LogRelease.objects.filter(batch=batch).exists():
        raise ValidationError("This log was released already.")
    log_lines = set(packing.read_log(batch).splitlines())
    strange = [
        line for line in text.splitlines() if line.strip() and line not in log_lines and not line.startswith("[")
    ]
    if strange:
        raise ValidationError(
            f"“{strange[0][:80]}” is no line of the log. Leave lines out, or put a remark in square brackets in their place."
        )
    digest = hashlib.sha256(text.encode()).hexdigest()
    released = LogRelease.objects.create(batch=batch, text=text, digest=digest, released_by=actor)
    record(
        actor=actor,
        act="log_released",
        subject=batch,
        scope=batch.execution.challenge.slug,
        facts={
            "submission": str(batch.execution.subject),
            "team": batch.execution.team.name,
            "batch": batch.index,
            "digest": digest,
        },
    )
    return released
