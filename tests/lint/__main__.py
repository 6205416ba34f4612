"""Judge the scripts and styles below `static/`, or the files that are named: `python -m tests.lint [FILE …]`."""

import subprocess
import sys
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

ROOT = Path(__file__).resolve().parents[2]


def main(files: list[str]) -> int:
    """Run the linters in the Node that Playwright brings; returns their exit code."""
    node, _ = compute_driver_executable()
    chosen = files or sorted(str(path.relative_to(ROOT)) for path in (ROOT / "static").glob("[cj]s*/*"))
    script = ROOT / "tests" / "lint" / "web.cjs"
    return subprocess.run(
        [node, "--no-warnings", str(script), *chosen], cwd=None if files else ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
