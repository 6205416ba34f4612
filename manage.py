#!/usr/bin/env python
"""Run an administrative command of the platform."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
# `platform/` is a source root, never a package: the standard library owns that name.
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
