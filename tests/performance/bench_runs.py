"""Time of 45 small cases with a real engine, start-up and reading included, in 45 containers and in one.

    python -m tests.performance.bench_runs [--workers 2] [--undisturbed]

Needs podman, runc and busybox, and root. Creates a separate database and engine in temporary folders and submits an
image that copies its input. Worker processes run it like the queue `run`. The time is measured from before the start of
the workers, and from when they are ready. With `--undisturbed` other processes on the machine get hardly any processor
time during the benchmark.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.chaos.runs import Place

CASES = 45
BARS = {1: 40.0, CASES: 10.0}
"""Seconds at most, by the cases a start has."""


def main() -> int:
    """Measure, and print all times."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--undisturbed", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="podium-bench-runs-") as folder:
        os.environ |= {"PODIUM_DATA": folder, "PODIUM_EXAMPLE_MODE": "1", "PODIUM_TLS": "0"}
        os.environ.pop("DATABASE_URL", None)
        from tests.chaos import runs
        from tests.containers.undisturbed import undisturbed

        place = runs.Place.make(Path(folder), cases=CASES)
        late = 0
        try:
            with undisturbed(wanted=chosen.undisturbed):
                for batch, bar in BARS.items():
                    late += _measure(place, batch, bar, workers=chosen.workers)
        finally:
            place.close()
    return late


def _measure(place: "Place", batch: int, bar: float, *, workers: int) -> bool:
    """Measure runs with `batch` cases per start and return whether the limit was exceeded."""
    place.set_plan(batch_cases=batch)
    begun = time.perf_counter()
    execution = place.hand_in()
    running = [place.worker() for _ in range(workers)]
    place.wait_for([execution], seconds=300)
    whole = time.perf_counter() - begun
    begun = time.perf_counter()
    place.wait_for([place.hand_in()], seconds=300)
    again = time.perf_counter() - begun
    for worker in running:
        worker.terminate()
        worker.wait()
    print(
        f"{CASES} cases, {batch} a start, {workers} workers: {whole:.1f} s with the start of the workers and loading the image, "
        f"{again:.1f} s without (at most {bar:g} s)",
        flush=True,
    )
    return whole > bar


if __name__ == "__main__":
    sys.exit(main())
