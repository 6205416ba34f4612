"""A Celery process on a machine with faults: a wrong clock, and a broker that delivers every message twice.

    python -m tests.chaos.faulty SECONDS COUNTER CELERY-ARGUMENTS…

The time of `django.utils.timezone` is shifted by SECONDS. The tokens and time-outs of the operating
system are not. Every message of the process is sent twice, and a byte is added to the file COUNTER each
time.
"""

import contextlib
import sys
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone


def shift_clock(seconds: float) -> None:
    """Shift the time of `django.utils.timezone`."""
    real = timezone.now

    def shifted() -> datetime:
        return real() + timedelta(seconds=seconds)

    timezone.now = shifted


def send_twice(counter: Path) -> None:
    """Have the broker get every message two times."""
    from celery import Celery

    once = Celery.send_task

    def twice(self: Celery, *args: object, **more: object) -> object:
        once(self, *args, **more)
        with contextlib.suppress(OSError), counter.open("ab", buffering=0) as stream:
            stream.write(b".")
        return once(self, *args, **more)

    Celery.send_task = twice


def main() -> None:
    """Bring the faults in, then become the Celery command."""
    if seconds := float(sys.argv[1]):
        shift_clock(seconds)
    send_twice(Path(sys.argv[2]))
    from celery.__main__ import main as celery

    sys.argv[:3] = ["celery"]
    celery()


if __name__ == "__main__":
    main()
