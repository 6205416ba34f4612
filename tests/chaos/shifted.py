"""A Celery process whose machine has the wrong time.

    python -m tests.chaos.shifted SECONDS CELERY-ARGUMENTS…

Everything that our code asks `django.utils.timezone` is moved; the tokens and time-outs of the operating system are not.
"""

import sys
from datetime import datetime, timedelta

from django.utils import timezone


def main() -> None:
    """Shift the clock, then become the Celery command."""
    ahead = timedelta(seconds=float(sys.argv[1]))
    real = timezone.now

    def shifted() -> datetime:
        return real() + ahead

    timezone.now = shifted
    from celery.__main__ import main as celery

    sys.argv[:2] = ["celery"]
    celery()


if __name__ == "__main__":
    main()
