"""Change requests that chairs have to decide."""

from collections.abc import Collection, Iterator

from django.utils import timezone

from registry.changes.models import ChangeRequest
from reviews.hooks import ForChairs


def for_chairs(filings: Collection[int]) -> Iterator[ForChairs]:
    """The open change requests of registrations of filed designs; one query."""
    now = timezone.now()
    rows = ChangeRequest.objects.filter(state=ChangeRequest.State.OPEN, registration__filing__in=filings)
    for request in rows.select_related("registration__filing").order_by("requested_at"):
        filing = request.registration.filing
        if filing is None:
            continue
        until = request.objections_until
        opens = until if until is not None and until > now else None
        yield ForChairs(filing.pk, "Decide about a change", request.get_absolute_url(), opens)
