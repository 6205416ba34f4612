"""``verify``: is a bundle's ranking the published one?"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.bundle import verify
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line

if TYPE_CHECKING:
    import argparse

NOT_THE_SAME = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE.zip", help="bundle of a published ranking")
    parser.add_argument(
        "--digest", metavar="HEX", help="digest as the leaderboard shows it, in place of the bundle's own"
    )


def run(options: argparse.Namespace) -> int:
    """Recompute the ranking and report in one line whether it matches the published ranking.

    The locations of differences follow.

    Returns
    -------
    int
        0 if the rankings match, 1 if not.
    """
    if options.digest is not None and not re.fullmatch(r"[0-9a-f]{64}", options.digest):
        message = "--digest: a digest has 64 hexadecimal digits"
        raise InputError(message)
    verdict = verify(options.bundle, digest=options.digest, progress=progress_line("ranking"))
    sys.stdout.write(f"{verdict.sentence}\n")
    for difference in verdict.places[1:]:
        sys.stdout.write(f"  also: {difference}\n")
    for note in verdict.notes:
        sys.stdout.write(f"  note: {note}\n")
    return 0 if verdict.same else NOT_THE_SAME
