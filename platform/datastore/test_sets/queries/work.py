"""Durable work on test sets that is queued for workers."""

from django.db.models import Q

from core.work.kinds import Kind
from datastore.test_sets.models import TestSetArchive

CHECKING = Kind(
    name="test_sets",
    doing="checking a test set",
    model=TestSetArchive,
    is_open=Q(state__in=TestSetArchive.OPEN),
    begins={"state": TestSetArchive.State.CHECKING},
    task="test_sets.tasks.take_test_set",
    attempts=3,
    order=("created_at",),
    challenge="phase__task__challenge",
)
