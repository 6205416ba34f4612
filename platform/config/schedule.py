"""The schedule of periodic tasks: a task is sent only when no earlier message of it is queued.

Messages also expire before the next is due. That alone bounds nothing, since only a worker removes what has expired: with
every slot taken for half an hour, four tasks every five seconds leave 1,440 messages.
"""

from typing import Any

import structlog
from celery.beat import PersistentScheduler, ScheduleEntry

from core.work.domain.messages import queue_of, queued_on

log = structlog.get_logger(__name__)


class Schedule(PersistentScheduler):
    """Celery's schedule, kept in a file, without a second message for a task that no worker has taken yet."""

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        """Send a task that is due, unless one of its messages is queued already."""
        if not self._is_queued(entry.task):
            super().apply_entry(entry, producer=producer)

    def _is_queued(self, task: str) -> bool:
        try:
            queued = queued_on(self.producer.channel, queue_of(self.app, task))
        except (*self.connection.connection_errors, *self.connection.channel_errors):
            return False  # sending says what is wrong with the broker, and connects again
        return any(name == task for name, _ in queued)
