"""Walk all published designs in a browser: ``python -m tests.gallery --record gallery.json``.

Each design is entered into the empty form, rehearsed, registered, launched, answered by three teams, closed and
reported, and its bundles are verified. A run that was interrupted resumes with `--record`, which contains the designs
that passed, each with its seconds and with the number of values and ranks that equal the independent program. The exit
code is 1 if a design failed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.gallery.files import FOLDER, NAMES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gallery", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="designs to walk (all)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="file with the designs that passed, to resume from")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no further design after this time")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(NAMES)):
        parser.error(f"no design {', '.join(unknown)}; choose from {', '.join(NAMES)}")
    record: dict[str, dict[str, float]] = {}
    if options.record and options.record.exists():
        record = json.loads(options.record.read_text(encoding="utf-8"))
    begun, failed = time.monotonic(), []
    for name in options.names or NAMES:
        if name in record:
            sys.stdout.write(f"{name}: passed before\n")
            continue
        if time.monotonic() - begun > 60 * options.minutes:
            sys.stdout.write("Time is over. Start the command again to resume.\n")
            return 1
        at = time.monotonic()
        compared = _compared(name)
        if compared is not None:
            record[name] = {"seconds": round(time.monotonic() - at, 1), "compared": compared}
            sys.stdout.write(f"{name}: passed in {record[name]['seconds']:.0f} s, {compared} values and ranks equal\n")
        else:
            failed.append(name)
            sys.stdout.write(f"{name}: FAILED\n")
        sys.stdout.flush()
        if options.record:
            options.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    passed = len([name for name in NAMES if name in record])
    sys.stdout.write(f"{passed} of {len(NAMES)} designs in {FOLDER.name} passed\n")
    return 1 if failed else 0


def _compared(name: str) -> int | None:
    """Walk one design in a process of its own, and return how many values were equal; None if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = Path(folder) / "outcome.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-n",
            "0",
            "-q",
            "-o",
            "junit_family=xunit1",
            f"--junitxml={outcome}",
        ]
        environment = os.environ | {"PODIUM_GALLERY": name}
        done = subprocess.run(
            [*command, "tests/gallery/test_gallery.py"], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.stdout.write(done.stdout[-8000:])
            return None
        found = re.search(r'name="compared" value="(\d+)"', outcome.read_text(encoding="utf-8"))
    if found is None:
        sys.stdout.write(f"{name} was not walked: {done.stdout[-2000:]}\n")
        return None
    return int(found[1])


if __name__ == "__main__":
    sys.exit(main())
