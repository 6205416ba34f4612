"""Asking workers for work, and asking once more for what got lost."""

from typing import Any

import structlog

from work import jobs
from work.clock import shared_now
from work.kinds import Kind, registered
from work.queries import lost

log = structlog.get_logger(__name__)

UNEXPECTED = "An error that nobody foresaw. The administrators find it in the log of the workers."
"""Why a job failed, for whoever waits for it: what an exception says is for those who can mend it, and stands in the log."""


def ask(kind: Kind, row: Any, *, countdown: float | None = None) -> None:
    """Ask for a worker when the current transaction commits, and note in the row that it was asked for.

    Parameters
    ----------
    row
        A stored row of the kind; its `asked_at` is set as well, so that a later `save` keeps it.
    countdown
        Seconds that it should wait before it is begun.
    """
    row.asked_at = shared_now()
    kind.model._default_manager.filter(pk=row.pk).update(asked_at=row.asked_at)  # noqa: SLF001
    jobs.enqueue(kind.task, *_arguments(kind, row), countdown=countdown)


def sweep() -> dict[str, int]:
    """Ask once more for what nobody works on; returns for how many rows of each kind.

    Nothing here decides anything: a message too many finds nothing to do.
    """
    found = {}
    for kind in registered():
        try:
            found[kind.name] = sweep_kind(kind)
        except Exception:  # one kind that cannot be looked for keeps no other waiting
            log.exception("sweep_failed", kind=kind.name)
    if any(found.values()):
        log.info("work_swept", **found)
    return found


def sweep_kind(kind: Kind) -> int:
    """Ask once more for rows of one kind that are due, that nobody holds and whose message should have arrived."""
    if not kind.is_enabled():
        return 0
    rows = lost(kind) if kind.chosen is None else kind.chosen(lost(kind))
    chosen = list(rows[: kind.at_once])
    if not chosen:
        return 0
    keys = [row.pk for row in chosen]
    kind.model._default_manager.filter(pk__in=keys).update(asked_at=shared_now())  # noqa: SLF001
    if kind.is_collective:
        jobs.send(kind.task, [])
    else:
        for row in chosen:
            jobs.send(kind.task, _arguments(kind, row))
    return len(chosen)


def _arguments(kind: Kind, row: Any) -> list[str | int]:
    if kind.argument is None or kind.is_collective:
        return []
    value = row.pk if kind.argument == "pk" else getattr(row, kind.argument)
    return [value if isinstance(value, int) else str(value)]
