"""``rank``: from results to a ranking document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation import durable
from evaluation.claims.costs import measured
from evaluation.cli import InputError
from evaluation.cli.inputs import (
    parse_columns,
    progress_line,
    read_assessment,
    read_results,
    read_table,
    write_json,
)
from evaluation.ranking import digest, rank
from evaluation.ranking.raw import long_table

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="ranking document (JSON); standard output if absent"
    )
    parser.add_argument("--long-table", type=Path, metavar="FILE", help="values as challengeR takes them (CSV)")


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Declare what ``rank`` and ``report`` both take."""
    parser.add_argument("assessment", type=Path, metavar="ASSESSMENT.json", help="assessment document")
    parser.add_argument("--results", type=Path, nargs="+", required=True, metavar="FILE", help="results tables (CSV)")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="case table (CSV) with metadata columns")
    parser.add_argument("--evidence", type=Path, nargs="+", metavar="FILE", help="evidence of data-set-level metrics")
    parser.add_argument(
        "--columns", metavar="NAME=COLUMN,…", help="columns of a long table: task, algorithm, case, value"
    )
    parser.add_argument("--bootstrap", type=int, metavar="N", help="bootstrap samples in place of the assessment's")
    parser.add_argument("--seed", type=int, metavar="S", help="seed in place of the assessment's")


def load(options: argparse.Namespace) -> dict[str, Any]:
    """Read the inputs into the arguments of `evaluation.ranking.rank`.

    Raises
    ------
    InputError
        For a number out of range, or a file that cannot be read as what it should be.
    """
    if options.bootstrap is not None and not 0 <= options.bootstrap <= 100_000:
        message = f"--bootstrap: {options.bootstrap} is not a whole number from 0 to 100000"
        raise InputError(message)
    if options.seed is not None and options.seed < 0:
        message = f"--seed: {options.seed} is not a whole number of 0 or more"
        raise InputError(message)
    return {
        "assessment": read_assessment(options.assessment),
        "results": read_results(options.results, parse_columns(options.columns)),
        "cases": None if options.cases is None else read_table(options.cases),
        "evidence": options.evidence,
        "bootstrap": options.bootstrap,
        "seed": options.seed,
    }


def run(options: argparse.Namespace) -> int:
    """Rank and write the document."""
    inputs = load(options)
    document = rank(**inputs, progress=progress_line("ranking"))
    if options.long_table is not None:
        frame = long_table(inputs["assessment"], inputs["results"])
        durable.write_text(options.long_table, frame.to_csv(index=False, lineterminator="\n"))
    for entry in document["rankings"]:
        inserted = entry.get("inserted", [])
        if inserted:
            entry_name = " ".join(str(entry[key]) for key in ("task", "metric", "region") if entry[key])
            first = inserted[0]
            sys.stderr.write(
                f"rank: {entry_name}: {len(inserted)} pairs without a row were inserted as missing "
                f"(first: case {first['case']}, algorithm {first['algorithm']})\n"
            )
    for sentence in measured(inputs["assessment"]):
        sys.stderr.write(f"rank: {sentence}\n")
    write_json(document, options.output)
    if options.output is not None:
        sys.stdout.write(f"{digest(document)}  {options.output}\n")
    return 0
