"""Work queued for a worker."""

from datetime import timedelta

from django.db.models import Q

from core.work.kinds import Kind
from submissions.measurements.models import Measurement

MEASUREMENTS = Kind(
    name="measurements",
    doing="reading or sealing values measured outside",
    model=Measurement,
    is_open=Q(state__in=Measurement.OPEN),
    task="measurements.tasks.work_on",
    lease=timedelta(seconds=60),
    fair_between="brought_by",
)
