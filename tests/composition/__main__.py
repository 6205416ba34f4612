"""``python -m tests.composition``: build, bring up, use, kill each service, back up, restore in a second project, take down.

With ``--short``, as the suite has it, images are made of this machine's programs, and nothing is backed up. With ``--docker``, Docker and its compose do what podman does else,
up to the power cut.
"""

import argparse
import os
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import tests.environment  # noqa: F401 (settings)


def main() -> int:
    """Return 0 when everything held, 2 where the machine lacks something."""
    from tests.composition import docker, engine

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave it up, to look at it")
    parser.add_argument("--short", action="store_true", help="images of this machine's programs, no backup")
    parser.add_argument("--docker", action="store_true", help="with Docker's own engine and compose, without backups")
    parser.add_argument("--lacking", action="store_true", help="only say what this machine would have to have")
    own = parser.parse_args()
    if missing := engine.lacking(short=own.short) + (docker.lacking() if own.docker else []):
        print(f"Not here: {', '.join(missing)}. .ci/run names the packages of Debian, but for debootstrap.")
        return 2
    if own.lacking:
        return 0
    import django

    # The command that participants have; pytest knows the folder by its settings.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from tests.composition import images, machine
    from tests.composition.drill import use

    with engine.alone(), tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        mounts = (machine if own.short else images).make()
        print(f"{time.monotonic() - begun:6.1f} s  images are there", flush=True)
        with docker.daemon() if own.docker else nullcontext():
            if own.docker:
                docker.take_over(images.pulled(), images.application())
                print(f"{time.monotonic() - begun:6.1f} s  Docker has them", flush=True)
            use(Path(folder), begun=begun, keep=own.keep, mounts=mounts, backups=not own.short, docker=own.docker)
    print(f"{time.monotonic() - begun:6.1f} s  all held", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
