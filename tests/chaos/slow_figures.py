"""The workers of `make run`, with figures that take as long as a test requires.

    python -m tests.chaos.slow_figures FOLDER '{"worker": ["worker", …], …}'

A figure computes until the folder contains the file `released`, and first creates a file `begun-…` there.
"""

import json
import sys
from pathlib import Path


def slow_down(folder: Path) -> None:
    """Replace the steps of an analysis by one that computes until it is released."""
    from leaderboards.services import analyses

    def compute(version, sources):
        (folder / f"begun-{version.pk}").touch()
        number = 0
        while not (folder / "released").exists():
            number = sum(range(200_000))
        return analyses.Made(findings=number)

    analyses.STEPS = {"slow": compute}
    analyses.sources_of = lambda version: None


def main() -> int:
    """Load the platform, slow figures down, and become the workers."""
    from operations.services import workers

    load = workers.load

    def load_and_slow_down() -> None:
        load()
        slow_down(Path(sys.argv[1]))

    workers.load = load_and_slow_down
    return workers.main(json.loads(sys.argv[2]))


if __name__ == "__main__":
    sys.exit(main())
