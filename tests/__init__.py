"""Tests, and commands that need the apps of the platform: `python -m tests.…` finds them without a setting of the shell."""

import sys
from pathlib import Path

_PLATFORM = str(Path(__file__).resolve().parents[1] / "platform")
if _PLATFORM not in sys.path:
    sys.path.insert(0, _PLATFORM)
