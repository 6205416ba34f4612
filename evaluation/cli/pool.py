"""``pool``: from the summaries of sites to a ranking document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.bundle.comparing import differences
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line, read_assessment, write_json
from evaluation.cli.verify import NOT_THE_SAME
from evaluation.federation import Refusal, pool
from evaluation.federation.reading import MOST_BYTES, read_json
from evaluation.ranking import digest
from evaluation.ranking.document import rules_to_verify, schema_to_verify
from evaluation.ranking.plans import RULES, SCHEMA

if TYPE_CHECKING:
    import argparse

_MOST_OF_A_RANKING = 200 * 2**20


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("assessment", type=Path, metavar="ASSESSMENT.json", help="assessment document")
    parser.add_argument("--summaries", type=Path, nargs="+", required=True, metavar="FILE", help="one of each site")
    parser.add_argument("--federation", type=Path, metavar="FILE", help="all sites and how each stands (JSON)")
    parser.add_argument("--site-column", default="site", metavar="COLUMN", help="name of the site level (site)")
    parser.add_argument("--minimum", type=int, default=10, metavar="K", help="registered minimum of units (10)")
    parser.add_argument("--bootstrap", type=int, metavar="N", help="draws in place of the assessment's")
    parser.add_argument("--seed", type=int, metavar="S", help="seed in place of the assessment's")
    parser.add_argument("--allow-test", action="store_true", help="take summaries made with a smaller minimum")
    parser.add_argument("--output", type=Path, metavar="FILE", help="ranking document (JSON)")
    parser.add_argument("--verify", type=Path, metavar="FILE", help="say whether this published document follows")


def run(options: argparse.Namespace) -> int:
    """Pool, and write the document or compare it with a published one.

    Returns
    -------
    int
        0 when done or the same, 1 if the published document does not follow from the summaries.
    """
    if options.bootstrap is not None and not 0 <= options.bootstrap <= 100_000:
        message = f"--bootstrap: {options.bootstrap} is not a whole number from 0 to 100000"
        raise InputError(message)
    if options.seed is not None and options.seed < 0:
        message = f"--seed: {options.seed} is not a whole number of 0 or more"
        raise InputError(message)
    published = None if options.verify is None else _read(options.verify, _MOST_OF_A_RANKING)
    bootstrap, seed = options.bootstrap, options.seed
    if published is not None:
        bootstrap = published.get("bootstrap") if bootstrap is None else bootstrap
        seed = published.get("seed") if seed is None else seed
    document = pool(
        read_assessment(options.assessment),
        [_read(path, MOST_BYTES) for path in options.summaries],
        federation=None if options.federation is None else _read(options.federation, MOST_BYTES),
        site_column=options.site_column,
        minimum=options.minimum,
        bootstrap=bootstrap,
        seed=seed,
        allow_test=options.allow_test,
        progress=progress_line("pooling"),
        schema=SCHEMA if published is None else schema_to_verify(published),
        rules=RULES if published is None else rules_to_verify(published),
    )
    if published is not None:
        return _compare(published, document)
    write_json(document, options.output)
    if options.output is not None:
        sys.stdout.write(f"{digest(document)}  {options.output}\n")
    return 0


def _compare(published: dict[str, Any], document: dict[str, Any]) -> int:
    if digest(published) == digest(document):
        sys.stdout.write("The published ranking follows from these summaries.\n")
        return 0
    sys.stdout.write("The published ranking does not follow from these summaries.\n")
    for difference in differences(published, document):
        sys.stdout.write(f"  {difference}\n")
    return NOT_THE_SAME


def _read(path: Path, most: int) -> dict[str, Any]:
    """Read one JSON file, no larger than it may be."""
    size = path.stat().st_size
    if size > most:
        message = f"{path} has {size} bytes; at most {most} are read"
        raise InputError(message)
    try:
        return read_json(path.read_bytes(), most=most)
    except Refusal as refusal:
        message = f"{path}: {refusal}"
        raise InputError(message) from None
