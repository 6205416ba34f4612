"""State of the work of a challenge and arrival of its submissions, for organizers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from challenges.models import Challenge, Phase
from submissions.models import Chunk, Run, Submission
from submissions.queries.submissions import with_runs

RECENT_RUNS = 50
SHOWN = 50


@dataclass(frozen=True)
class Work:
    """State of the queue.

    Attributes
    ----------
    states
        State, its readable name, and number of submissions.
    moving
        Submissions that are in progress or queued.
    waiting_cases, waiting_here
        Queued cases, on the whole installation and of this challenge.
    cases_per_minute
        Recent speed of the workers, over runs of the last day; None if they were idle.
    """

    states: list[tuple[str, str, int]]
    moving: int
    waiting_cases: int
    waiting_here: int
    cases_per_minute: float | None

    @property
    def minutes(self) -> float | None:
        """Remaining time of the queue in minutes at the recent speed; None if that is unknown."""
        if not self.waiting_cases:
            return 0.0
        return self.waiting_cases / self.cases_per_minute if self.cases_per_minute else None

    @property
    def words(self) -> str:
        """The same for people."""
        if self.minutes is None:
            return "unknown: nothing was scored within a day"
        whole = round(self.minutes)
        return "less than a minute" if self.minutes < 1 else f"about {whole:,} minute{'' if whole == 1 else 's'}"

    @property
    def submissions(self) -> int:
        """All submissions to the challenge."""
        return sum(number for _, _, number in self.states)


def work_of(challenge: Challenge, now: datetime | None = None) -> Work:
    """Return the state of the work in six queries, regardless of its amount."""
    now = now or timezone.now()
    counts = dict(
        Submission.objects.filter(phase__task__challenge=challenge)
        .order_by()
        .values_list("state")
        .annotate(number=Count("pk"))
    )
    waiting = Chunk.objects.exclude(state=Chunk.State.DONE)
    sums = waiting.aggregate(
        everywhere=Sum(F("cases_total") - F("cases_done")),
        here=Sum(F("cases_total") - F("cases_done"), filter=Q(run__submission__phase__task__challenge=challenge)),
    )
    return Work(
        moving=_moving(challenge).count(),
        states=[(state, label, counts[state]) for state, label in Submission.State.choices if state in counts],
        waiting_cases=sums["everywhere"] or 0,
        waiting_here=sums["here"] or 0,
        cases_per_minute=_speed(now),
    )


def _speed(now: datetime) -> float | None:
    """Return the cases per minute over the last runs, excluding pauses between them.

    The time is counted from the first start to the last end.
    """
    runs = (
        Run.objects.filter(finished_at__gt=now - timedelta(days=1), started_at__isnull=False)
        .exclude(state=Run.State.FAILED)
        .order_by("-finished_at")
        .values_list("started_at", "finished_at", "cases_total")[:RECENT_RUNS]
    )
    busy, cases = timedelta(), 0
    end: datetime | None = None
    for started, finished, total in sorted(runs):
        if started is None or finished is None:
            continue  # none of those that were asked for
        begin = started if end is None else max(started, end)
        busy += max(finished - begin, timedelta())
        end = finished if end is None else max(end, finished)
        cases += total
    return cases / (busy.total_seconds() / 60) if busy else None


def moving(challenge: Challenge) -> QuerySet[Submission]:
    """Return submissions that are in progress or queued, the oldest first.

    The number is limited to the size of a page.
    """
    return with_runs(_moving(challenge)).order_by("created_at")[:SHOWN]


def _moving(challenge: Challenge) -> QuerySet[Submission]:
    unfinished = Q(runs__state__in=Run.UNFINISHED) | Q(
        state__in=(
            Submission.State.RUNNING,
            Submission.State.RECEIVED,
            Submission.State.VALIDATING,
            Submission.State.ACCEPTED,
        )
    )
    return Submission.objects.filter(unfinished, phase__task__challenge=challenge).distinct()


def failed(challenge: Challenge) -> QuerySet[Submission]:
    """Submissions that the platform could not score, or whose last run failed; with their logs."""
    last = Run.objects.filter(submission=OuterRef("pk")).order_by("-number").values("state")[:1]
    rows = Submission.objects.annotate(last_state=Subquery(last)).filter(
        Q(state=Submission.State.FAILED, last_state=None) | Q(last_state=Run.State.FAILED),
        phase__task__challenge=challenge,
    )
    return rows.select_related("phase__task__challenge", "team").prefetch_related("runs").order_by("-state_since")


def chosen(challenge: Challenge, wanted: Iterable[str]) -> QuerySet[Submission]:
    """Return submissions of a challenge by their ids, without withdrawn ones.

    Invalid ids are ignored.
    """
    ids = []
    for text in wanted:
        with suppress(ValueError):
            ids.append(UUID(text))
    rows = Submission.objects.filter(pk__in=ids, phase__task__challenge=challenge)
    return rows.exclude(state__in=(Submission.State.WITHDRAWN, Submission.State.HELD)).order_by("created_at")


def by_day(phases: Sequence[Phase]) -> list[tuple[date, str, int]]:
    """Submissions a day and phase: day, label of the phase, number."""
    labels = {phase.pk: phase.label for phase in phases}
    rows = (
        Submission.objects.filter(phase__in=phases)
        .order_by()
        .annotate(day=TruncDate("created_at"))
        .values_list("day", "phase")
        .annotate(number=Count("pk"))
    )
    return sorted((day, labels[phase], number) for day, phase, number in rows)


def figure_by_day(phases: Sequence[Phase]) -> dict[str, Any]:
    """The same as a Plotly figure: bars, one colour a phase, days without any shown as such."""
    rows = by_day(phases)
    counted: dict[str, Counter[date]] = {}
    for day, phase, number in rows:
        counted.setdefault(phase, Counter())[day] += number
    if not rows:
        return {"data": [], "layout": {}}
    first, last = rows[0][0], rows[-1][0]
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    return {
        "data": [
            {"type": "bar", "name": phase, "x": [day.isoformat() for day in days], "y": [counts[day] for day in days]}
            for phase, counts in counted.items()
        ],
        "layout": {
            "barmode": "stack",
            "xaxis": {"title": {"text": "day (UTC)"}, "type": "category"},
            "yaxis": {"title": {"text": "submissions"}, "rangemode": "tozero"},
            "showlegend": len(counted) > 1,
        },
    }
