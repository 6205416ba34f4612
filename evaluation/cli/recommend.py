"""``recommend``: from a problem fingerprint to metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.advice import parse_fingerprint, recommend
from evaluation.cli import InputError
from evaluation.cli.inputs import write_json

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("fingerprint", type=Path, metavar="FINGERPRINT.json", help="answers about the problem")
    parser.add_argument("--output", type=Path, metavar="FILE", help="recommendation (JSON); standard output if absent")


def run(options: argparse.Namespace) -> int:
    """Recommend and write the document."""
    try:
        document = json.loads(options.fingerprint.read_text(encoding="utf-8"))
    except ValueError as error:
        message = f"{options.fingerprint}: no JSON document ({error})"
        raise InputError(message) from error
    try:
        recommendation = recommend(parse_fingerprint(document))
    except ValueError as error:
        message = f"{options.fingerprint}: {error}"
        raise InputError(message) from error
    write_json(recommendation, options.output)
    return 0
