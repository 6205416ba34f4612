"""What workers are busy with at this moment: a lease that is renewed shows a living worker, however long its work takes."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Min, QuerySet

from leaderboards.models import RankingRequest
from submissions.models import Chunk, Submission
from test_sets.models import TestSetArchive
from web.clock import shared_now


@dataclass(frozen=True)
class Work:
    """One kind of work under way: how much of it, and since when the oldest is."""

    kind: str
    number: int
    since: datetime

    def __str__(self) -> str:
        return f"busy since {self.since:%H:%M:%S} UTC: {self.kind}"


def now() -> Work | None:
    """Return what has been under way the longest; None when no lease is alive."""
    found = [work for kind, rows in _held().items() if (work := _of(kind, rows)) is not None]
    return min(found, key=lambda work: work.since, default=None)


def _held() -> dict[str, QuerySet]:
    """Rows that a living worker holds, with the moment at which that work began."""
    alive = {"lease_until__gt": shared_now()}
    leased = alive | {"lease_token__isnull": False}
    return {
        "scoring": Chunk.objects.filter(**leased, state=Chunk.State.SCORING).annotate(began=F("run__started_at")),
        "validating": Submission.objects.filter(**leased, state=Submission.State.VALIDATING).annotate(
            began=F("state_since")
        ),
        "checking a test set": TestSetArchive.objects.filter(**leased).annotate(began=F("created_at")),
        "ranking": RankingRequest.objects.filter(**alive).exclude(lease="").annotate(began=F("requested_at")),
    }


def _of(kind: str, rows: QuerySet) -> Work | None:
    told = rows.order_by().aggregate(number=Count("pk"), since=Min("began"))
    return Work(kind, told["number"], told["since"]) if told["number"] and told["since"] else None
