"""How long 45 small cases take with a real engine, start-up and reading included, in 45 containers and in one.

    python -m tests.performance.bench_runs [--workers 2]

Needs podman, runc and busybox, and root. Makes a database and an engine of its own in temporary folders, hands in an image that
copies its input, and lets worker processes run it, as the queue `run` does.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = 45


def main() -> int:
    """Measure, and print both times."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=2)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="podium-bench-runs-") as folder:
        os.environ |= {"PODIUM_DATA": folder, "PODIUM_EXAMPLE_MODE": "1", "PODIUM_TLS": "0"}
        os.environ.pop("DATABASE_URL", None)
        from tests.chaos import runs

        place = runs.Place.make(Path(folder), cases=CASES)
        try:
            for batch in (1, CASES):
                place.set_plan(batch_cases=batch)
                execution = place.hand_in()
                begun = time.perf_counter()
                workers = [place.worker() for _ in range(chosen.workers)]
                place.wait_for([execution], seconds=300)
                taken = time.perf_counter() - begun
                for worker in workers:
                    worker.terminate()
                    worker.wait()
                print(f"{CASES} cases, {batch} a start, {chosen.workers} workers: {taken:.1f} s", flush=True)
        finally:
            place.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
