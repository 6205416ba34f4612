"""Pending work of reports for workers."""

from datetime import timedelta

from django.db.models import Q

from core.work.kinds import Kind
from reports.models import Report

REPORTS = Kind(
    name="reports",
    doing="making a report",
    model=Report,
    is_open=Q(state__in=(Report.State.QUEUED, Report.State.WORKING)),
    begins={"state": Report.State.WORKING},
    task="reports.tasks.make_report",
    lease=timedelta(seconds=60),
    since="requested_at",
    challenge="challenge",
)
