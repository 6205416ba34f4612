"""Services to request, claim, renew and end work, and to request lost work again.

A background job is started from an action only by name, after the commit. A service enqueues the
follow-up task, and the job is sent to the broker only when the transaction is durable. An unreachable
broker never makes the action fail. The sweep finds work that is due in the database and sends it again.

Claiming, renewing and ending are one conditional update each, so that only one worker can succeed. A
worker that lost the lease gets a `LeaseLostError` and stores nothing.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from celery import current_app
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F, QuerySet
from kombu.exceptions import OperationalError as BrokerError

from core.work.domain.messages import Arguments, Queued, queue_of
from core.work.kinds import Kind, registered
from core.work.queries import free, lost, next_rows, patience, queued_messages, shared_now, waiting

log = structlog.get_logger(__name__)

LONGEST_COUNTDOWN = timedelta(minutes=1)
"""Work that is put off for longer is not left to the broker; the sweep asks for it when its time has come."""

UNEXPECTED = "Unexpected error. Details are in the worker log."
"""Reason for a failed job, as shown to the waiting person.

The text of the exception is for those who can fix the error; it is in the log.
"""


def enqueue(task: str, *args: str | int, countdown: float | None = None) -> None:
    """Hand `task` (its full dotted name) to the broker when the current transaction commits.

    Parameters
    ----------
    task
        Name of a registered Celery task, for example ``"submissions.tasks.validate"``.
    args
        Identifiers only; a task loads what it needs.
    countdown
        Seconds to wait before the task may start.
    """
    transaction.on_commit(lambda: send(task, args, countdown=countdown))


def send(task: str, args: Sequence[str | int], *, countdown: float | None = None) -> bool:
    """Send now; returns whether the broker took it."""
    if current_app.conf.task_always_eager:
        if task not in current_app.tasks:
            # Each time, it would run the system checks as well.
            current_app.loader.import_default_modules()
        current_app.tasks[task].apply(args=list(args), throw=current_app.conf.task_eager_propagates)
        return True
    try:
        # By name: the web process never loads what tasks need, the scoring libraries among them.
        current_app.send_task(
            task,
            args=list(args),
            countdown=countdown,
            retry=True,
            retry_policy={"max_retries": 1, "interval_start": 0.1},
        )
    except (BrokerError, ConnectionError, TimeoutError):
        log.warning("job_not_sent", task=task, args=list(args))
        return False
    return True


class LeaseLostError(Exception):
    """Another worker has taken over; what was found is thrown away."""


def task_budget() -> float:
    """Seconds after which a task hands the rest of its work back, well before the broker would give up on it."""
    return settings.PODIUM_TASK_SECONDS / 2


@dataclass
class Lease:
    """Proof that a worker has claimed a row.

    Attributes
    ----------
    attempts
        Number of times that the row has been begun, including this time.
    is_lost
        True if a renewal found that another worker has the row.
    silence
        Time that the holder may be silent; None for that of the kind.
    """

    kind: Kind
    pk: Any
    token: uuid.UUID
    attempts: int
    is_lost: bool = False
    silence: timedelta | None = None
    _renewal: float = field(default=0.0, repr=False)
    _progress: float = field(default=0.0, repr=False)

    def __post_init__(self) -> None:
        self._renewal = time.monotonic() + self._third

    @property
    def rows(self) -> QuerySet[Any]:
        """The row as long as it is held, else nothing; for changes that only the holder may make."""
        return self.kind.model._default_manager.filter(pk=self.pk, lease_token=self.token)  # noqa: SLF001

    @property
    def may_try_again(self) -> bool:
        """True if an error now is not the last permitted one."""
        return self.attempts < self.kind.errors

    @property
    def longest_silence(self) -> timedelta:
        """Time that the holder may be silent before another worker gets the row."""
        return self.kind.longest_silence if self.silence is None else self.silence

    # --- Keeping it ---------------------------------------------------------------------------------------------------
    def beat(self, changes: Callable[[], dict[str, Any]] = dict) -> None:
        """Renew the lease if a third of it is over, storing `changes()` with it; call it often.

        Raises
        ------
        LeaseLostError
            When another worker has the row.
        """
        if time.monotonic() >= self._renewal:
            self._renew(**changes())
        if self.is_lost:
            raise LeaseLostError

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew the lease from a thread during the work, so that single steps may take long."""
        done = threading.Event()

        def renew() -> None:
            while not done.wait(self._third) and not self.is_lost:
                try:
                    self._renew()
                except OperationalError:
                    # A database that is busy now will answer before the lease has run out; the work goes on meanwhile.
                    log.warning("lease_not_renewed", kind=self.kind.name, row=str(self.pk))
                finally:
                    connection.close()

        thread = threading.Thread(target=renew, name=f"lease-{self.kind.name}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def renew(self, **changes: Any) -> bool:
        """Renew the lease now, storing changes with it; return whether it was still valid."""
        self._renew(**changes)
        return not self.is_lost

    def tell(self, *, every: float = 2.0, **progress: Any) -> None:
        """Store how far the work is, at most once in `every` seconds so that it costs nothing."""
        if time.monotonic() >= self._progress:
            self._progress = time.monotonic() + every
            self.rows.update(**progress)

    @property
    def _third(self) -> float:
        return self.longest_silence.total_seconds() / 3

    def _renew(self, **changes: Any) -> None:
        self._renewal = time.monotonic() + self._third
        self.is_lost = not self.rows.update(lease_until=shared_now() + self.longest_silence, **changes)

    # --- Ending it ----------------------------------------------------------------------------------------------------
    @contextmanager
    def completing(self) -> Iterator[Any]:
        """Lock the row in a transaction, give it to the caller to change, and store it without the lease.

        Raises
        ------
        LeaseLostError
            When another worker has the row; nothing is stored then.
        """
        with transaction.atomic():
            row = self.rows.select_for_update(no_key=True).first()
            if row is None:
                raise LeaseLostError
            row.lease_token, row.lease_until, row.due_at = None, None, None
            yield row
            row.save()

    def complete(self, *, even_if_lost: bool = False, **changes: Any) -> bool:
        """Store the outcome and give the lease back, in one update; returns whether it was still held.

        Parameters
        ----------
        even_if_lost
            For what has happened in the world and cannot be taken back, such as a letter that was sent.
        """
        rows = self.kind.model._default_manager.filter(pk=self.pk) if even_if_lost else self.rows  # noqa: SLF001
        return bool(rows.update(**_FREED | changes))

    def hand_back(
        self,
        pause: timedelta | None = None,
        *,
        failure: str = "",
        is_counted: bool = True,
        asks: bool = True,
        **changes: Any,
    ) -> bool:
        """Release the work for another attempt; return whether the lease was still valid.

        Parameters
        ----------
        pause
            Time during which no worker begins it; by default the kind's pause after this number of attempts.
        failure
            Reason for the failure; empty if it is no failure.
        is_counted
            True if this counts as an attempt.
        asks
            True if a worker is requested immediately; otherwise the sweep requests one.
        """
        pause = self.kind.pause(self.attempts) if pause is None else pause
        due_at = shared_now() + pause
        asks = asks and pause <= LONGEST_COUNTDOWN and not self.kind.is_collective
        with transaction.atomic():
            held = self.rows.update(
                **_FREED
                | {
                    "due_at": due_at if pause else None,
                    # Until then its message is on the way.
                    "asked_at": due_at if asks else None,
                    "attempts": self.attempts if is_counted else self.attempts - 1,
                    "failure": failure,
                }
                | changes
            )
            if held and asks:
                arguments = [] if self.kind.argument is None else [_argument(self.kind, self.pk)]
                seconds = pause.total_seconds()
                enqueue(self.kind.task, *arguments, countdown=seconds + 0.1 if seconds else None)
        return bool(held)


_FREED: dict[str, Any] = {"lease_token": None, "lease_until": None, "due_at": None}


def claim(
    kind: Kind, argument: object, *, give_up: Callable[[Lease], object], silence: timedelta | None = None
) -> Lease | None:
    """Claim a row that is open, due and without a holder.

    Parameters
    ----------
    argument
        Content of the kind's message: the primary key, or the value of the field that the kind names.
    give_up
        Called with the lease when the number of workers lost over the row reaches the kind's limit; ends the
        row as failed.
    silence
        Time that the holder may be silent; by default that of the kind.

    Returns
    -------
    Lease or None
        None when another worker has it, when nothing remains to do, and when the row was ended as failed.
    """
    if not kind.is_enabled():
        return None
    token, now = uuid.uuid4(), shared_now()
    rows = kind.open_rows.filter(free(now), **{kind.argument or "pk": argument})
    taken = rows.update(
        lease_token=token,
        lease_until=now + (silence or kind.longest_silence),
        attempts=F("attempts") + 1,
        **kind.begins,
    )
    if not taken:
        return None
    held = kind.model._default_manager.filter(lease_token=token)  # noqa: SLF001
    row = held.filter(**{kind.argument or "pk": argument}).values_list("pk", "attempts").first()
    if row is None:
        return None  # taken over already: the lease is shorter than this took
    pk, attempts = row
    lease = Lease(kind, pk, token, attempts, silence=silence)
    if attempts > kind.attempts:
        log.error("workers_lost", kind=kind.name, row=str(pk), attempts=attempts - 1)
        give_up(lease)
        return None
    return lease


def claim_next(kind: Kind, *, give_up: Callable[[Lease], object]) -> Lease | None:
    """Take the row whose turn it is: of those with the least work under way first, then in the kind's order."""
    for pk in next_rows(kind):
        lease = claim(kind, pk, give_up=give_up)
        if lease is not None:
            return lease
    return None


def withdraw(rows: QuerySet[Any], **changes: Any) -> int:
    """Change rows even if workers have claimed them.

    Their leases become invalid, and their workers can store nothing.

    Returns
    -------
    int
        Number of rows.
    """
    return rows.update(**changes, lease_token=None, lease_until=None)


def _argument(kind: Kind, pk: object) -> str | int:
    return _text(kind.model._default_manager.values_list(kind.argument or "pk", flat=True).get(pk=pk))  # noqa: SLF001


def ask(kind: Kind, row: Any, *, countdown: float | None = None) -> None:
    """Request a worker when the current transaction commits, and record the request in the row.

    Parameters
    ----------
    row
        A stored row of the kind; its `asked_at` is set as well, so that a later `save` keeps it.
    countdown
        Seconds to wait before it begins; until then its message is on the way.
    """
    row.asked_at = shared_now() + timedelta(seconds=countdown or 0)
    kind.model._default_manager.filter(pk=row.pk).update(asked_at=row.asked_at)  # noqa: SLF001
    enqueue(kind.task, *_arguments(kind, row), countdown=countdown)


class QueuedMessages:
    """The messages queued at the broker; each queue is read once, on first use."""

    def __init__(self) -> None:
        self._by_queue: dict[str, Queued] = {}

    def of(self, task: str) -> Queued:
        """Return what is queued on the queue of a task; nothing where the broker does not answer."""
        queue = queue_of(current_app, task)
        if queue not in self._by_queue:
            self._by_queue[queue] = queued_messages(queue) or Queued()
        return self._by_queue[queue]

    def number(self, task: str) -> int:
        """Return the number of queued messages of a task, with any arguments."""
        return sum(number for (name, _), number in self.of(task).items() if name == task)


def send_missing(task: str, arguments: Iterable[Arguments]) -> int:
    """Send the messages of a task that are not queued already; returns how many were sent."""
    queued = QueuedMessages().of(task)
    missing = [args for args in arguments if (task, args) not in queued]
    for args in missing:
        send(task, args)
    return len(missing)


def sweep() -> dict[str, int]:
    """Ask again for what no worker works on; returns for how many rows of each kind.

    Nothing here decides anything: a superfluous message finds nothing to do. But a message that is queued already is not
    sent again, since what fills the queue makes everything behind it wait.
    """
    counts, queued = {}, QueuedMessages()
    for kind in registered():
        try:
            counts[kind.name] = sweep_kind(kind, queued)
        except Exception:  # one kind that cannot be looked for keeps no other waiting
            log.exception("sweep_failed", kind=kind.name)
    if any(counts.values()):
        log.info("work_swept", **counts)
    return counts


def sweep_kind(kind: Kind, queued: QueuedMessages | None = None) -> int:
    """Ask again for rows of one kind that are due, that no worker holds and whose message is lost.

    Parameters
    ----------
    queued
        What is queued already; read from the broker by default.

    Returns
    -------
    int
        For how many rows a message was sent.
    """
    if not kind.is_enabled():
        return 0
    rows = lost(kind) if kind.chosen is None else kind.chosen(lost(kind))
    fields = ("pk", kind.argument or "pk", "asked_at", kind.since, "lease_until", "due_at")
    now = shared_now()
    candidates = [
        (pk, _text(value))
        for pk, value, asked_at, *moments in rows.values_list(*fields)
        if asked_at is None or abs(now - asked_at) > patience(kind, asked_at, moments)
    ]
    if not candidates:
        return 0
    chosen = _missing(kind, candidates, queued or QueuedMessages())[: kind.at_once]
    if not chosen:
        return 0
    kind.model._default_manager.filter(pk__in=[pk for pk, _ in chosen]).update(asked_at=now)  # noqa: SLF001
    if kind.is_collective:
        send(kind.task, [])
    else:
        for _, value in chosen:
            send(kind.task, [] if kind.argument is None else [value])
    return len(chosen)


def _missing(
    kind: Kind, candidates: list[tuple[Any, str | int]], queued: QueuedMessages
) -> list[tuple[Any, str | int]]:
    """Return the rows of which no message is queued."""
    if kind.is_collective:
        return [] if queued.number(kind.task) else candidates
    if kind.argument is None:
        # Any message serves any row, those that were asked for just now included.
        lacking = waiting(kind).count() - queued.number(kind.task)
        return candidates[: max(lacking, 0)]
    of_task = queued.of(kind.task)
    return [(pk, value) for pk, value in candidates if (kind.task, (value,)) not in of_task]


def _arguments(kind: Kind, row: Any) -> list[str | int]:
    if kind.argument is None or kind.is_collective:
        return []
    return [_text(row.pk if kind.argument == "pk" else getattr(row, kind.argument))]


def _text(value: object) -> str | int:
    return value if isinstance(value, int) else str(value)
