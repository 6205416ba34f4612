"""Storing how a submission was made."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from evaluation.canonical import sha256
from evaluation.designs.document import Entry
from submissions import hooks
from submissions.domain.method_entries import share, to_json
from submissions.models import MethodDescription, Submission
from submissions.queries.methods import description_decides, description_needed


@transaction.atomic
def describe(*, actor: User, submission: Submission, entries: Mapping[str, Entry]) -> MethodDescription:
    """Store the description of a submission, and request a final ranking that depends on it."""
    Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
    filled = share(entries)
    method, _ = MethodDescription.objects.update_or_create(
        submission=submission,
        defaults={
            "entries": to_json(entries),
            "filled": filled.filled,
            "required": filled.total,
            "is_complete": filled.filled == filled.total,
            "changed_at": timezone.now(),
            "changed_by": actor,
        },
    )
    record(
        actor=actor,
        act="method_described",
        subject=submission,
        scope=submission.challenge.slug,
        facts={
            "team": submission.team.name,
            "number": submission.number,
            "filled": filled.filled,
            "required": filled.total,
            "digest": sha256(method.entries),
        },
    )
    phase = submission.phase
    if (phase.ranks_finally and description_needed(phase)) or description_decides(phase):
        for callback in hooks.run_scored:
            callback(phase.pk)
    return method
