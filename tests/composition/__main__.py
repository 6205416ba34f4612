"""``python -m tests.composition``: build, bring up, use, kill each service, back up, restore in a second project, take down."""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import tests.environment  # noqa: F401 (settings)


def main() -> int:
    """Return 0 when everything held."""
    import django

    # The command that participants have; pytest knows the folder by its settings.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "client"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from tests.composition import engine, images
    from tests.composition.drill import use

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave it up, to look at it")
    own = parser.parse_args()
    if missing := engine.lacking():
        print(
            f"Not here: {', '.join(missing)}. Debian: apt-get install podman runc debootstrap catatonit golang-github-containernetworking-plugin-dnsname"
        )
        return 2
    begun = time.monotonic()
    images.make()
    print(f"{time.monotonic() - begun:6.1f} s  images are there", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        use(Path(folder), begun=begun, keep=own.keep)
    print(f"{time.monotonic() - begun:6.1f} s  all held", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
