"""``overlap``: images that occur twice, within a folder or in two folders."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.cli.inputs import progress_line, write_json

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("--images", type=Path, required=True, metavar="DIR", help="one image per case")
    parser.add_argument(
        "--others", type=Path, metavar="DIR", help="other images, such as training data; within --images if absent"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that read images (default: 1)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="pairs as JSON; a list in words if absent")


def run(options: Namespace) -> int:
    """Compare the images and list the pairs that overlap.

    Raises
    ------
    ReadError
        If a folder does not exist or an image cannot be read.
    """
    from dataclasses import asdict

    from evaluation.test_set_quality.folders import image_files
    from evaluation.test_set_quality.overlap import overlaps
    from evaluation.test_set_quality.signatures import read_signatures

    progress = progress_line("read")
    first = read_signatures(image_files(options.images), jobs=options.jobs, progress=progress)
    second = None
    if options.others is not None:
        second = read_signatures(image_files(options.others), jobs=options.jobs, progress=progress)
    pairs = overlaps(first, second, progress=progress_line("compared"))
    if options.output is not None:
        write_json({"schema": 1, "pairs": [asdict(pair) for pair in pairs]}, options.output)
    for pair in pairs:
        kind = (
            "equal voxels"
            if pair.exact
            else f"{pair.agreeing} local features agree, correlation {pair.correlation:.2f}"
        )
        sys.stdout.write(f"{pair.first} and {pair.second}: {kind}{', reflected' if pair.reflected else ''}\n")
    sys.stdout.write(f"{len(pairs)} pairs overlap\n")
    return 0
