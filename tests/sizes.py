"""Sizes of tests that prove more the longer they run.

The suite runs each such test in a short form. ``make full`` sets `VARIABLE` and runs the tests that use this module or
have the mark `full_size`, which the suite leaves out, in full size.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
VARIABLE = "PODIUM_FULL_SIZE"
IS_FULL = os.environ.get(VARIABLE) == "1"
"""True if tests run in full size."""
MARK = "full_size"
USES = ("tests.sizes", f"mark.{MARK}")
"""Texts of which a test file with a full size contains one."""


def size(short: T, full: T) -> T:
    """Return the size of a test: `full` if tests run in full size, otherwise `short`."""
    return full if IS_FULL else short


def files() -> list[Path]:
    """Return the test files with a full size."""
    folder = Path(__file__).parent
    return [
        file
        for file in sorted(folder.rglob("test_*.py"))
        if any(text in file.read_text(encoding="utf-8") for text in USES)
    ]


def main(arguments: Sequence[str]) -> int:
    """Run all test files with a full size, or the named ones; returns the exit code of pytest."""
    chosen = list(arguments) or [str(file) for file in files()]
    environment = {**os.environ, VARIABLE: "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", "--timeout", "3600"]
    return subprocess.run([*command, *chosen], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
