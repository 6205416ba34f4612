"""``site-summary``: from a site's results to the only numbers that leave it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import durable
from evaluation.canonical import canonical_json
from evaluation.cli.inputs import parse_columns, progress_line, read_assessment, read_results, read_table
from evaluation.federation import summarise
from evaluation.federation.scheme import DISCLOSURES
from evaluation.federation.summary import MINIMUM, REPLICATES

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options; there is no seed, and none may be added (docs/sites.md)."""
    parser.add_argument("assessment", type=Path, metavar="ASSESSMENT.json", help="assessment document")
    parser.add_argument("--site", required=True, metavar="NAME", help="name of this site")
    parser.add_argument("--results", type=Path, nargs="+", required=True, metavar="FILE", help="results tables (CSV)")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="case table (CSV): patients, quality grades")
    parser.add_argument("--columns", metavar="NAME=COLUMN,…", help="columns of a long table")
    parser.add_argument("--site-column", default="site", metavar="COLUMN", help="name of the site level (site)")
    parser.add_argument("--disclosure", choices=DISCLOSURES, default="moments", help="how much may leave (moments)")
    parser.add_argument("--minimum", type=int, default=MINIMUM, metavar="K", help=f"fewest units ({MINIMUM})")
    parser.add_argument("--replicates", type=int, default=REPLICATES, metavar="B", help=f"resamples ({REPLICATES})")
    parser.add_argument("--output", type=Path, metavar="FILE", help="summary (JSON); standard output if absent")


def run(options: argparse.Namespace) -> int:
    """Make the summary; nothing is written if it is refused."""
    document = summarise(
        read_assessment(options.assessment),
        read_results(options.results, parse_columns(options.columns)),
        site=options.site,
        cases=None if options.cases is None else read_table(options.cases),
        site_column=options.site_column,
        disclosure=options.disclosure,
        minimum=options.minimum,
        replicates=options.replicates,
        progress=progress_line("summarising"),
    )
    text = canonical_json(document) + "\n"
    if options.output is None:
        sys.stdout.write(text)
        return 0
    durable.write_text(options.output, text)
    sys.stdout.write(
        f"{options.output}: everything that leaves site {document['site']} is in this file; read it before you send it\n"
    )
    return 0
