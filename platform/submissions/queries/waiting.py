"""Length of the queue before a submission, and its expected duration at the recent speed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Q

from submissions.models import Run, Submission

RECENT = 20
_TO_VALIDATE = (Submission.State.RECEIVED, Submission.State.VALIDATING)


@dataclass(frozen=True)
class Line:
    """A place in a queue.

    Attributes
    ----------
    ahead
        How many came earlier and are not done, of the whole installation.
    seconds
        Until this one is expected to be done; None where nothing was done yet.
    """

    ahead: int
    seconds: float | None

    @property
    def words(self) -> str:
        """Position in the queue and expected time, for a page; empty if nothing is ahead."""
        if not self.ahead:
            return ""
        before = "One other is" if self.ahead == 1 else f"{self.ahead:,} others are"
        return f" {before} before it{'' if self.seconds is None else f'; its turn ends {_about(self.seconds)}'}."


def line_of_validation(submission: Submission) -> Line:
    """Place of a submission among those that wait for validation; two queries."""
    ahead = Submission.objects.filter(state__in=_TO_VALIDATE, created_at__lt=submission.created_at).count()
    rows = Submission.objects.filter(validated_at__isnull=False).order_by("-validated_at")
    done = rows.values_list("created_at", "validated_at")[:RECENT]
    return Line(ahead, expected([(begun, end) for begun, end in done if end is not None], ahead))


def line_of_run(run: Run) -> Line:
    """Place of a run among those that wait for being scored; two queries.

    Teams that have nothing under way go first, so a place may change; the time is that of the whole queue.
    """
    earlier = Q(queued_at__lt=run.queued_at) | Q(queued_at=run.queued_at, pk__lt=run.pk)
    ahead = Run.objects.filter(earlier, state__in=Run.UNFINISHED).count()
    rows = Run.objects.filter(state__in=(Run.State.SCORED, Run.State.SUPERSEDED)).order_by("-finished_at")
    done = rows.values_list("queued_at", "finished_at")[:RECENT]
    return Line(ahead, expected([(begun, end) for begun, end in done if end is not None], ahead))


def expected(done: Sequence[tuple[datetime, datetime]], ahead: int) -> float | None:
    """Return the number of seconds until an item with `ahead` others before it is expected to be done.

    While there is a queue, the time between two ends shows how fast all workers together are. Without a
    queue, the time from start to end shows it. None if nothing was done yet.

    Parameters
    ----------
    done
        Start and end of the items that were done last, the latest end first.

    Examples
    --------
    >>> from datetime import UTC, timedelta
    >>> noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    >>> at = lambda seconds: noon + timedelta(seconds=seconds)
    >>> expected([(at(0), at(6)), (at(0), at(4)), (at(0), at(2))], ahead=50)
    102.0
    >>> expected([(at(60), at(63)), (at(0), at(3))], ahead=0)
    3.0
    >>> expected([], ahead=3)
    """
    ends = [end for _, end in done]
    # The later one waited already when the earlier one ended: what lies between is work, not idleness.
    gaps = [
        (later - earlier).total_seconds()
        for (begun, later), earlier in zip(done, ends[1:], strict=False)
        if begun <= earlier
    ]
    pace = median(gaps) if gaps else _median_duration(done)
    return None if pace is None else (ahead + 1) * pace


def _median_duration(done: Sequence[tuple[datetime, datetime]]) -> float | None:
    durations = [(end - begun).total_seconds() for begun, end in done]
    return median(durations) if durations else None


def _about(seconds: float) -> str:
    if seconds < 8:
        return "in a few seconds"
    if seconds < 55:
        return f"in about {5 * round(seconds / 5)} seconds"
    minutes = round(seconds / 60)
    if minutes < 90:
        return f"in about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"in about {round(minutes / 60)} hours"
