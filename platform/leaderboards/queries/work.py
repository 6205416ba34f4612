"""Work queued for a worker: requested rankings, their follow-ups, and their figures and comparisons."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.work.kinds import Kind
from core.work.queries import free, held, overdue, shared_now
from leaderboards.models import Analysis, FollowUp, RankingRequest, Standing, SuspectSearch
from leaderboards.queries.current import current_versions, last_change
from submissions.queries.results import is_scoring

LEASE = timedelta(seconds=30)
"""A worker that has not renewed its lease for so long is taken for dead."""
PATIENCE = timedelta(seconds=2)
"""A ranking that waits longer than this has found no free worker: figures make room for it."""


def _standing_first(rows: QuerySet[Analysis]) -> QuerySet[Analysis]:
    """Return analyses of current rankings first.

    The analysis of a replaced version waits until no other work is left.
    """
    standing = rows.filter(version_id__in=current_versions())
    if standing.exists():
        return standing
    is_busy = ANALYSES.open_rows.filter(held(shared_now())).exists() or RANKING.open_rows.exists()
    return rows.none() if is_busy else rows.order_by("version_id")[:1]


REST = timedelta(seconds=3)
"""While scores keep coming in, a phase is ranked no more often: a ranking after each would take the workers from scoring."""
LONG_REST = timedelta(seconds=30)
"""The same while other submissions to the phase are being scored: each of them changes the ranking again."""


def rest(request: RankingRequest) -> timedelta | None:
    """Return the waiting time of a ranking requested by a score after another recent ranking, or None."""
    if request.cause != Standing.Cause.SCORE:
        return None
    last = last_change(request.phase_id)
    if last is None:
        return None
    longest = LONG_REST if is_scoring(request.phase_id) else REST
    # Never longer than that, whatever the clocks of two machines say.
    left = min(last + longest - timezone.now(), longest)
    return left if left > timedelta(0) else None


def _rested(rows: QuerySet[RankingRequest]) -> QuerySet[RankingRequest]:
    """Leave out rankings that wait for further scores; their messages are with a worker that keeps them until then."""
    return rows.filter(pk__in=[request.pk for request in rows if rest(request) is None])


RANKING = Kind(
    name="ranking",
    doing="ranking",
    model=RankingRequest,
    is_open=Q(requested__gt=F("computed")),
    task="leaderboards.tasks.rank_phase",
    argument="phase_id",
    lease=LEASE,
    since="requested_at",
    challenge="phase__task__challenge",
    chosen=_rested,
)
NOT_RANKED = "Not ranked"
"""Begins the reason where a rule keeps a phase from being ranked, which is no failure."""
FOLLOWING = Kind(
    name="following",
    doing="telling of rankings",
    model=FollowUp,
    is_open=Q(requested__gt=F("done")),
    task="leaderboards.tasks.follow_phase",
    argument="phase_id",
    lease=LEASE,
    errors=3,
    since="requested_at",
    challenge="phase__task__challenge",
)
ANALYSES = Kind(
    name="analyses",
    doing="drawing figures",
    model=Analysis,
    is_open=Q(finished_at=None, is_superseded=False),
    task="leaderboards.tasks.analyse_version",
    argument="version_id",
    lease=LEASE,
    patience=timedelta(seconds=10),
    since="version__created_at",
    challenge="version__phase__task__challenge",
    chosen=_standing_first,
)

SUSPECTS = Kind(
    name="suspects",
    doing="looking for suspect references",
    model=SuspectSearch,
    is_open=Q(requested__gt=F("computed")),
    task="leaderboards.tasks.search_suspects",
    argument="phase_id",
    since="requested_at",
    challenge="phase__task__challenge",
)


def ranking_waits(now: datetime | None = None) -> bool:
    """Return whether a requested ranking has found no free worker."""
    waiting: QuerySet[Any] = RANKING.open_rows.filter(overdue("requested_at", PATIENCE))
    return waiting.filter(free(now or shared_now())).exists()


def failing() -> int:
    """Return the number of phases whose last attempt at a ranking or a follow-up failed."""
    rankings = RankingRequest.objects.exclude(failure="").exclude(failure__startswith=NOT_RANKED)
    return rankings.count() + FollowUp.objects.exclude(failure="").count()
