"""Cost of sealing: the same work with and without it in one process, in turns, and parallel writers.

    python -m tests.performance.sealing_cost [--own-services] [--rounds 60] [--writers 4] [--seconds 8]

Submissions are uploaded and completed by the services of the requests. A save changes one field of one row. The medians
are compared. Then processes change separate rows for some seconds, so that they only meet at the lock of the chain.
With `--own-services`, a separate PostgreSQL and Redis are used, else SQLite.
"""

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from tests.chaos.soak import place


@contextmanager
def without_sealing() -> Iterator[None]:
    """Have the compilers of the ORM find no column to seal."""
    from core.audit import hooks

    plain = hooks.sealed_fields
    hooks.sealed_fields = lambda _label: ()  # type: ignore[assignment]
    try:
        yield
    finally:
        hooks.sealed_fields = plain


def in_turns(act: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Return the median seconds with and without sealing."""
    from core.audit.transactions import unit

    act()
    times: dict[bool, list[float]] = {True: [], False: []}
    for number in range(2 * rounds):
        seals = number % 2 == 0
        begun = time.perf_counter()
        with unit("test"):
            if seals:
                act()
            else:
                with without_sealing():
                    act()
        times[seals].append(time.perf_counter() - begun)
    return median(times[True]), median(times[False])


def write(key: int, seconds: float, seals: bool, begin: Any, done: Any) -> None:
    """Change one row as often as the time permits, each time in a separate transaction.

    The number of changes is put into `done`.
    """
    from django.db import connection

    from accounts.models import User
    from core.audit.transactions import unit

    connection.close()
    user = User.objects.get(pk=key)
    begin.wait()
    end, number = time.monotonic() + seconds, 0

    def changes() -> None:
        nonlocal number
        while time.monotonic() < end:
            user.affiliation = str(number)
            user.save()
            number += 1

    with unit("test"):
        if seals:
            changes()
        else:
            with without_sealing():
                changes()
    done.put(number)


def writers(number: int, seconds: float, *, seals: bool) -> float:
    """Return the transactions per second of all writers together."""
    from django.db import connection

    from accounts.models import User

    keys = [User.objects.get_or_create(username=f"writer{index}")[0].pk for index in range(number)]
    connection.close()
    context = multiprocessing.get_context("fork")
    begin, done = context.Barrier(number), context.Queue()
    processes = [context.Process(target=write, args=(key, seconds, seals, begin, done)) for key in keys]
    for process in processes:
        process.start()
    counted = sum(done.get(timeout=seconds + 60) for _ in processes)
    for process in processes:
        process.join()
    return counted / seconds


def main() -> int:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--own-services", action="store_true", help="PostgreSQL and Redis of its own")
    options.add_argument("--rounds", type=int, default=60)
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--seconds", type=float, default=8.0)
    chosen = options.parse_args()
    with place(own_services=chosen.own_services) as found:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        from accounts.models import User
        from tests.chaos.teams import Teams
        from tests.integration.submissions import world as worlds

        call_command("migrate", verbosity=0)
        world = worlds.build(found.logs / "references")
        teams, archive = Teams(world), worlds.zipped(worlds.predictions())
        user = User.objects.create(username="cost")

        def save() -> None:
            user.affiliation = str(time.perf_counter_ns())
            user.save()

        print(f"{connection.vendor}: with sealing, without, ratio")
        for name, act in (
            ("save of one row, ms", save),
            ("submission, ms", lambda: teams.submit(archive, 0, team=world.adas, twice=False)),
        ):
            sealed, plain = in_turns(act, chosen.rounds)
            print(f"{name:32} {1000 * sealed:8.1f} {1000 * plain:8.1f} {sealed / plain:6.2f}", flush=True)
        for number in (1, chosen.writers):
            sealed, plain = (writers(number, chosen.seconds, seals=seals) for seals in (True, False))
            name = f"{number} writers, transactions per s"
            print(f"{name:32} {sealed:8.0f} {plain:8.0f} {plain / sealed:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
