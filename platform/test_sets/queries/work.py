"""What waits for a worker."""

from datetime import timedelta

from django.db.models import Q, QuerySet

from test_sets.models import TestSetArchive
from work.clock import overdue, shared_now

# A row is looked for again only when its message has had this long to arrive.
PATIENCE = timedelta(seconds=5)


def lost_archives() -> QuerySet[TestSetArchive]:
    """Archives of references that nobody checks although their message should have arrived, or whose worker fell silent."""
    now = shared_now()
    return (
        TestSetArchive.objects.filter(state__in=TestSetArchive.OPEN)
        .filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now))
        .filter(Q(sent_at__isnull=True) | overdue("sent_at", PATIENCE))
        .order_by("created_at")
    )
