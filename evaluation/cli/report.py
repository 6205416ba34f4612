"""``report``: from results to one self-contained HTML file, a PDF, a Word file, or Markdown with its figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import durable
from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line
from evaluation.cli.rank import add_inputs, load

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from evaluation.documents import Block


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the report: .html, .pdf, .docx or .zip (Markdown)"
    )
    parser.add_argument("--pdf", type=Path, metavar="FILE", help="the same as PDF besides")
    parser.add_argument("--title", default="Ranking report", help="title of the report")
    parser.add_argument("--justification", default="", metavar="TEXT", help="why this way of ranking was chosen")
    parser.add_argument("--top", type=int, metavar="K", help="show the first K ranks only")
    parser.add_argument("--subgroups", metavar="COLUMN,…", help="case columns by whose values to rank apart")
    parser.add_argument("--mixed-model", action="store_true", help="add a ranking from a mixed model")
    parser.add_argument("--characteristics", metavar="COLUMN,…", help="case columns whose effect is analysed")


def run(options: argparse.Namespace) -> int:
    """Write the report."""
    from evaluation.reporting import report_blocks

    if options.top is not None and options.top < 1:
        message = f"--top: {options.top} is not a whole number of 1 or more"
        raise InputError(message)
    characteristics, subgroups = _names(options.characteristics), _names(options.subgroups)
    for option, columns in (("characteristics", characteristics), ("subgroups", subgroups)):
        if columns and options.cases is None:
            message = f"--{option} needs --cases, the table with these columns"
            raise InputError(message)
    blocks = report_blocks(
        **load(options),
        title=options.title,
        justification=options.justification,
        top=options.top,
        characteristics=characteristics,
        subgroups=subgroups,
        mixed_model=options.mixed_model,
        progress=progress_line("ranking"),
    )
    for path in filter(None, (options.output, options.pdf)):
        durable.write_bytes(path, file_bytes(blocks, title=options.title, ending=path.suffix.lower()))
    sys.stdout.write(f"{options.output}\n")
    return 0


def file_bytes(blocks: Sequence[Block], *, title: str, ending: str) -> bytes:
    """Return a report as a file of the format that its ending names; HTML for an unknown ending."""
    from evaluation.documents.figures import printed_figures

    match ending:
        case ".pdf":
            from evaluation.documents.pdf import as_pdf

            return as_pdf(blocks, title=title, figures=printed_figures(blocks))
        case ".docx":
            from evaluation.documents.word import as_docx

            return as_docx(blocks, pictures={name: figure.png for name, figure in printed_figures(blocks).items()})
        case ".zip":
            from evaluation.documents.archive import as_archive

            return as_archive(blocks, printed_figures(blocks))
        case _:
            from evaluation.documents.html import as_html

            return as_html(blocks, title=title).encode()


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
