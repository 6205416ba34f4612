"""The command line: one module a command, imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = {
    "score": "score predictions against references, case by case",
    "disentangle": "rate detection, classification and outlines of instance segmentations apart",
    "rank": "rank algorithms from results, with uncertainty",
    "analyse": "turn the results table of a finished challenge into ranking, gaming check, report and bundle",
    "verify": "recompute a published ranking from its bundle and say whether it is the same",
    "site-summary": "make the only numbers that leave a site: sums over its cases",
    "pool": "rank algorithms from the summaries of sites",
    "coverage": "simulate boards and say whether rank sets and winners keep their word",
    "sanity": "check a test set before it is sealed",
    "overlap": "find images that occur twice, in one folder or in two",
    "suspects": "find references that independent algorithms contradict",
    "report": "write a ranking report as one HTML file",
    "recommend": "recommend metrics for a problem fingerprint",
    "metrics": "list the metrics that are known",
    "presets": "list assessment documents to start from, or print one",
    "design": "check, compile or compare challenge designs",
}
BAD_INPUT: Final = 2
_INTERRUPTED: Final = 130
# Packages of the extra "report", which an installation may lack (pyproject.toml).
_OF_THE_REPORT: Final = frozenset({"docx", "matplotlib", "plotly", "typst"})


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, too."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message} (see --help)\n")


class InputError(ValueError):
    """Something that the user gave and that cannot be used; shown as one line."""


def commands() -> dict[str, str]:
    """The commands of this installation, each with what it does."""
    return {name: words for name, words in COMMANDS.items() if find_spec(_module(name))}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    A command's module has ``configure(parser)`` and ``run(options)``. Wrong input is a `ValueError` or an `OSError`
    there and becomes one line on standard error.

    Returns
    -------
    int
        0 when done, 2 for bad input.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    descriptions = commands()
    parser = _Parser(prog="python -m evaluation", description="Score and rank biomedical image analysis.")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, words in descriptions.items():
        subparser = subparsers.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
        if given and given[0] == name:
            importlib.import_module(_module(name)).configure(subparser)
    options = parser.parse_args(given)
    command = importlib.import_module(_module(options.command))
    try:
        result = command.run(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _OF_THE_REPORT:
            raise
        sys.stderr.write(
            f"{options.command}: needs the package {error.name}: pip install 'podium-evaluation[report]'\n"
        )
        return BAD_INPUT
    except (ValueError, OSError) as error:
        sys.stderr.write(f"{options.command}: {one_line(error)}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    return int(result or 0)


def _module(command: str) -> str:
    return f"evaluation.cli.{command.replace('-', '_')}"


def one_line(error: BaseException) -> str:
    r"""The message of an error on one line.

    Examples
    --------
    >>> one_line(ValueError("two\nlines"))
    'two lines'
    """
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(str(error).split()) or type(error).__name__
