"""Work queued for a worker."""

from datetime import timedelta

from django.db.models import Q

from core.work.kinds import Kind
from registry.drift.models import DriftRequest

DRIFT_CHECKS = Kind(
    name="drift_checks",
    doing="comparing a text with a registration",
    model=DriftRequest,
    is_open=Q(state__in=(DriftRequest.State.QUEUED, DriftRequest.State.RUNNING)),
    begins={"state": DriftRequest.State.RUNNING},
    task="drift.tasks.check",
    lease=timedelta(seconds=60),
    attempts=2,
    since="requested_at",
    fair_between="requested_by",
)
