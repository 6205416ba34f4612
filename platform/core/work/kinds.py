"""Kinds of durable work: open rows, responsible task, longest silence of a worker, and number of attempts.

An app declares its kinds in `queries.py` or `queries/work.py` and registers them in `AppConfig.ready`. This module loads
nothing that the work itself needs, so that web processes can count open work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from core.work.models import Work


def doubling(first: timedelta, longest: timedelta) -> Callable[[int], timedelta]:
    """Return pauses that double with each attempt, from the first to the longest.

    Examples
    --------
    >>> pause = doubling(timedelta(seconds=30), timedelta(hours=4))
    >>> [str(pause(attempts)) for attempts in (1, 2, 3, 20, 60_000)]
    ['0:00:30', '0:01:00', '0:02:00', '4:00:00', '4:00:00']
    """
    return lambda attempts: min(first * 2 ** min(max(attempts - 1, 0), 20), longest)


def growing(step: timedelta) -> Callable[[int], timedelta]:
    """Return pauses that are one step longer with each attempt.

    Examples
    --------
    >>> [growing(timedelta(seconds=2))(attempts).seconds for attempts in (1, 2, 3)]
    [2, 4, 6]
    """
    return lambda attempts: step * attempts


usual_pause = growing(timedelta(seconds=2))


def _always() -> bool:
    return True


@dataclass(kw_only=True, eq=False)
class Kind:
    """One kind of durable work.

    Attributes
    ----------
    name
        Name in figures, such as ``"validation"``.
    doing
        Activity of a worker, for people: ``"validating"``.
    model
        The model of the rows.
    is_open
        Condition of the rows that are not done, including those in progress.
    task
        Name of the Celery task that does the work.
    argument
        Field that the task is sent. None if a message is one worker's turn and the database determines the
        next row.
    at_once
        Largest number of rows that one sweep requests; the next sweep requests the others.
    is_collective
        True if one message is enough for all rows that are due.
    begins
        Changes that claiming makes to a row besides its lease.
    lease
        Time that a worker may be silent before another worker gets its work; None for the time in the
        settings.
    attempts
        Largest number of times that workers begin it. A row that crashes its workers is therefore not begun
        forever.
    errors
        Number of attempts that may end in an error before the error is final.
    pause
        Function that returns the time to wait after a number of attempts.
    patience
        Time that a message may take to arrive before it counts as lost.
    since
        Path to the moment since which a row is waiting.
    counted
        Path to the counted unit: rows, or an object that several rows belong to.
    order
        Order in which rows are processed.
    fair_between
        Path to the owner between whom workers are shared: rows of the owner with the least in progress come
        first.
    challenge
        Path to the challenge that it belongs to; empty if it belongs to none.
    is_enabled
        Returns whether this installation does such work.
    chosen
        Selects the rows to request now, from those that no worker processes.
    """

    name: str
    doing: str
    model: type[Work]
    is_open: Q
    task: str
    argument: str | None = "pk"
    at_once: int = 200
    is_collective: bool = False
    begins: Mapping[str, Any] = field(default_factory=dict)
    lease: timedelta | None = None
    attempts: int = 3
    errors: int = 1
    pause: Callable[[int], timedelta] = usual_pause
    patience: timedelta = timedelta(seconds=5)
    since: str = "created_at"
    counted: str = "pk"
    order: tuple[str, ...] = ("pk",)
    fair_between: str = ""
    challenge: str = ""
    is_enabled: Callable[[], bool] = _always
    chosen: Callable[[QuerySet[Any]], QuerySet[Any]] | None = None

    @property
    def longest_silence(self) -> timedelta:
        """Time that a worker may be silent before another worker gets its work."""
        return timedelta(seconds=settings.PODIUM_LEASE_SECONDS) if self.lease is None else self.lease

    @property
    def open_rows(self) -> QuerySet[Any]:
        """Rows that are left to do or being done."""
        return self.model._default_manager.filter(self.is_open)  # noqa: SLF001 (Django's public name for it)


_kinds: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    """Make kinds known to the sweep and the figures.

    Raises
    ------
    ValueError
        For a second kind of the same name.
    """
    for kind in kinds:
        if _kinds.get(kind.name, kind) is not kind:
            raise ValueError(f"There are two kinds of work called {kind.name}.")
        _kinds[kind.name] = kind


def registered() -> tuple[Kind, ...]:
    """Return all kinds, in the order in which they were registered."""
    return tuple(_kinds.values())
