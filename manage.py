#!/usr/bin/env python
"""Run an administrative command of the platform."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
# `platform/` is a source root, never a package: the standard library owns that name.
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]


def require_linux() -> None:
    """Exit with a message if the system is not Linux.

    The platform needs Linux, because workers confine what they read with its kernel.
    """
    if sys.platform != "linux":
        sys.exit(
            f"Podium's workers need Linux, and this is {sys.platform}. Run the platform in a Linux machine or container "
            "(docker compose up). The science side works here: python -m pip install . and then python -m evaluation."
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        require_linux()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    from core.audit.units import command

    # What a command writes is sealed in the audit log; what is typed into a shell is not.
    with command(" ".join(sys.argv[1:2])):
        execute_from_command_line(sys.argv)
