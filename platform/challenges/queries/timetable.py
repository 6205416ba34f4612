"""Dates, limits and states of phases, as every page, message, feed and report shows them.

The registered dates are fields of the phase. What participants experience can differ: the launch gate can open later, and
organizers can close a phase early. All that shows a date, a limit or a state of a phase reads it here.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from django.db.models import DateTimeField, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Least
from django.utils import timezone

from challenges.domain.limits import limit_words
from challenges.models import Challenge, Phase
from web.wording import moment_words

WAITS: Final = "when its assessment is final and public in its registration"
"""Condition of the launch gate, to follow “opens”."""
STARTS_AT: Final = Greatest("opens_at", Coalesce("admits_from", "opens_at"), output_field=DateTimeField())
"""`Phase.starts_at` as an expression of the database."""
ENDS_AT: Final = Least("closes_at", Coalesce("closed_at", "closes_at"), output_field=DateTimeField())
"""`Phase.ends_at` as an expression of the database."""


class Limited(Protocol):
    """A phase, or the plan of one."""

    submissions_per_day: int | None
    submissions_in_total: int | None


@dataclass(frozen=True)
class Timetable:
    """The dates of one phase.

    Attributes
    ----------
    opens
        When submissions open or opened. ``None`` for a phase that the launch gate kept shut: beyond its registered opening,
        or for good.
    closes
        When they close or closed. ``None`` for a phase without a deadline.
    published
        When the final results are or were published. ``None`` for a phase without a deadline.
    """

    state: Phase.State
    opens: datetime | None
    closes: datetime | None
    published: datetime | None
    is_published: bool

    @property
    def opening_words(self) -> str:
        """Opening time of submissions, for sentences."""
        if self.opens is not None:
            return f"on {moment_words(self.opens)}"
        return "never" if self.state == Phase.State.CLOSED else WAITS

    @property
    def refusal_words(self) -> str:
        """Reason why nothing can be submitted, to follow the name of the phase."""
        if self.state == Phase.State.CLOSED:
            return f"closed on {self.closing_words}"
        return f"opens {self.opening_words}"

    @property
    def closing_words(self) -> str:
        """Closing time of submissions, for sentences."""
        return "no deadline" if self.closes is None else moment_words(self.closes)

    @property
    def publishing_words(self) -> str:
        """Publication time of the final results, for sentences."""
        return "the end of the challenge" if self.published is None else moment_words(self.published)


def timetable_of(phase: Phase) -> Timetable:
    """Return the dates and the state of a phase at this moment."""
    state, is_endless = phase.state, phase.stays_open and not phase.is_closed
    never_opened = phase.starts_at >= phase.ends_at or (phase.is_held and state == Phase.State.CLOSED)
    is_waiting = state == Phase.State.HELD and phase.starts_at <= timezone.now()
    return Timetable(
        state=state,
        opens=None if never_opened or is_waiting else phase.starts_at,
        closes=None if is_endless else phase.ends_at,
        published=None if is_endless else phase.revealed_from,
        is_published=phase.is_revealed,
    )


def limits_of(phase: Limited) -> str:
    """Return how often a team may submit: “5 per day, 20 in total”."""
    return limit_words(phase.submissions_per_day, phase.submissions_in_total)


def with_dates(phases: QuerySet[Phase]) -> QuerySet[Phase]:
    """Add `starts` and `ends`, by which the database can filter and sort."""
    return phases.annotate(starts=STARTS_AT, ends=ENDS_AT)


def closed_by(moment: datetime) -> Q:
    """Condition of phases (`with_dates`) that have closed."""
    return Q(ends__lte=moment)


def open_at(moment: datetime) -> Q:
    """Condition of phases (`with_dates`) that accept submissions."""
    return Q(is_held=False, starts__lte=moment, ends__gt=moment)


def period_of(challenge: Challenge) -> tuple[datetime | None, datetime | None]:
    """Return when the first phase opens or opened, and when the last one closes or closed; no end where one stays open."""
    phases = [timetable_of(phase) for phase in Phase.objects.filter(task__challenge=challenge).only(*_DATES)]
    return period(phases)


def period(phases: list[Timetable]) -> tuple[datetime | None, datetime | None]:
    """Return the first opening and the last closing of some phases."""
    first = min((entry.opens for entry in phases if entry.opens is not None), default=None)
    if any(entry.closes is None for entry in phases):
        return first, None
    return first, max((entry.closes for entry in phases if entry.closes is not None), default=None)


_DATES: Final = (
    *("opens_at", "closes_at", "closed_at", "admits_from", "is_held", "stays_open", "leaderboard", "reveals_at"),
)
