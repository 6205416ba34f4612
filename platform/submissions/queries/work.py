"""What waits for a worker."""

from datetime import timedelta

from django.db.models import Count, Q, QuerySet

from submissions.models import Chunk, Run, Submission
from work.clock import overdue, shared_now

# A row is looked for again only when its message has had this long to arrive.
PATIENCE = timedelta(seconds=5)


def waiting_chunks(limit: int = 8) -> list[int]:
    """Return the ids of the chunks whose turn is next: teams with the least work under way first, then the oldest.

    Several, because another worker may be faster with the first.
    """
    now = shared_now()
    under_way = Chunk.objects.filter(state=Chunk.State.SCORING, lease_until__gt=now)
    busy = dict(
        under_way.values_list("run__submission__team")
        .annotate(chunks=Count("pk"))
        .values_list("run__submission__team", "chunks")
    )
    free = Chunk.objects.filter(_free(now)).order_by("pk")
    if not busy:
        return list(free.values_list("pk", flat=True)[:limit])
    idle = list(free.exclude(run__submission__team__in=busy).values_list("pk", flat=True)[:limit])
    if len(idle) == limit:
        return idle
    rest = free.filter(run__submission__team__in=busy).values_list("pk", "run__submission__team")[: 4 * limit]
    return idle + [pk for pk, team in sorted(rest, key=lambda row: busy[row[1]])][: limit - len(idle)]


def lost_chunks() -> QuerySet[Chunk]:
    """Chunks that nobody works on although their message should have arrived, or whose worker fell silent."""
    now = shared_now()
    return Chunk.objects.filter(_free(now)).filter(Q(sent_at__isnull=True) | overdue("sent_at", PATIENCE))


def lost_validations() -> QuerySet[Submission]:
    """Submissions that nobody validates although their message should have arrived, or whose worker fell silent."""
    now = shared_now()
    return (
        Submission.objects.filter(state__in=(Submission.State.RECEIVED, Submission.State.VALIDATING))
        .filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now))
        .filter(Q(sent_at__isnull=True) | overdue("sent_at", PATIENCE))
        .order_by("created_at")
    )


def unassembled_runs() -> QuerySet[Run]:
    """Runs whose chunks are all done but whose result nobody has put together."""
    open_chunks = Chunk.objects.exclude(state=Chunk.State.DONE).values("run")
    return Run.objects.filter(state__in=Run.UNFINISHED).exclude(pk__in=open_chunks)


def _free(now: object) -> Q:
    silent = Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    return Q(state__in=(Chunk.State.WAITING, Chunk.State.SCORING)) & silent
