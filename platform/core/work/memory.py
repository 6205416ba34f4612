"""Memory that a process shares with its forks, and memory that it returns, to keep idle workers small."""

import ctypes
import gc
from typing import Any

from celery.signals import task_postrun, worker_before_create_process

# Of the GNU C library; elsewhere what was freed is given back or not, as the allocator likes.
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)


def set_apart(**_: Any) -> None:
    """Take everything there is out of the collector's sight; it writes to all that it looks at.

    Called before each process of a pool is forked, which shares what neither of them writes to. What has been set apart is
    not looked through again, so that doing it once more costs little.
    """
    gc.collect()
    gc.freeze()


def give_back(task: Any = None, **_: Any) -> None:
    """Give memory back that a task has freed: the allocator would keep it for the next."""
    if _trim is not None and not task.request.is_eager:
        _trim(0)


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_before_create_process.connect(set_apart, dispatch_uid="core.work.memory.set_apart")
    task_postrun.connect(give_back, dispatch_uid="core.work.memory.give_back")
