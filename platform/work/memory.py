"""What a process shares with those that it forks: all that it has loaded, as long as neither of them writes to it."""

import gc
from typing import Any

from celery.signals import worker_before_create_process


def set_apart(**_: Any) -> None:
    """Take everything there is out of the collector's sight; it writes to all that it looks at.

    Called before each process of a pool is forked. What has been set apart is not looked through again, so that doing it
    once more costs little.
    """
    gc.collect()
    gc.freeze()


def connect() -> None:
    """Have the processes of a worker's pool share with it what it has loaded."""
    worker_before_create_process.connect(set_apart, dispatch_uid="work.memory.set_apart")
