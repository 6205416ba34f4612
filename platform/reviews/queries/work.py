"""Pending work of reviews for workers."""

from django.db.models import Q

from core.work.kinds import Kind
from reviews.models import AutomaticAssignment

ASSIGNMENTS = Kind(
    name="assignments",
    doing="assigning reviewers",
    model=AutomaticAssignment,
    is_open=Q(state=AutomaticAssignment.State.QUEUED),
    task="reviews.tasks.assign_automatically",
    attempts=3,
    since="requested_at",
)
