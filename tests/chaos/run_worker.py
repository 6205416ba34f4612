"""A worker that runs algorithms, like the queue `run`, for tests that kill it.

    python -m tests.chaos.run_worker

Reads the settings of the environment, uses podman without probing its guarantees, and works until it is
stopped.
"""

import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Take turns for ever."""
    sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from confinement.containers.podman import Podman
    from executions.models import Execution
    from executions.services import assembling, hosts, running

    engine = Podman(hosts.folder())
    hosts.take_up(hosts.Host(engine=engine, problem="", versions=engine.versions()))
    hosts.tell()
    hosts.sweep_leftovers()
    swept = time.monotonic()
    while True:
        busy = running.run_next_batch()
        for execution in Execution.objects.filter(state=Execution.State.ASSEMBLING):
            assembling.assemble(execution_id=execution.pk)
        if time.monotonic() - swept > 5:
            hosts.sweep_leftovers()
            swept = time.monotonic()
        if not busy:
            time.sleep(0.2)


if __name__ == "__main__":
    main()
