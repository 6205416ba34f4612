"""``python -m evaluation presets``: assessment documents to start from."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_WIDTH = 100


def configure(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("name", nargs="?", help="print the document of this one, to be changed and kept as a file")


def run(options: Namespace) -> int:
    """Print what there is, or one document.

    Raises
    ------
    InputError
        For a name that there is not.
    """
    from evaluation.assessment.presets import NAMES, about, preset
    from evaluation.cli import InputError

    if options.name is None:
        for name in NAMES:
            sys.stdout.write(textwrap.fill(f"{name}: {about(name)}", _WIDTH, subsequent_indent="  ") + "\n")
        return 0
    try:
        document = preset(options.name)
    except LookupError as error:
        raise InputError(str(error.args[0])) from None
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0
