"""``report``: from results to one self-contained HTML file, and to a PDF if Chromium is there."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.cli import InputError
from evaluation.cli.inputs import progress_line
from evaluation.cli.rank import add_inputs, load

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_inputs(parser)
    parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="the report, .html or .pdf")
    parser.add_argument("--pdf", type=Path, metavar="FILE", help="the same as PDF besides (needs Chromium)")
    parser.add_argument("--title", default="Ranking report", help="title of the report")
    parser.add_argument("--justification", default="", metavar="TEXT", help="why this way of ranking was chosen")
    parser.add_argument("--top", type=int, metavar="K", help="show the first K ranks only")
    parser.add_argument("--subgroups", metavar="COLUMN,…", help="case columns by whose values to rank apart")
    parser.add_argument("--mixed-model", action="store_true", help="add a ranking from a mixed model")
    parser.add_argument("--characteristics", metavar="COLUMN,…", help="case columns whose effect is analysed")


def run(options: argparse.Namespace) -> int:
    """Write the report."""
    from evaluation.reporting import build_report, print_pdf

    if options.top is not None and options.top < 1:
        message = f"--top: {options.top} is not a whole number of 1 or more"
        raise InputError(message)
    characteristics, subgroups = _names(options.characteristics), _names(options.subgroups)
    for option, columns in (("characteristics", characteristics), ("subgroups", subgroups)):
        if columns and options.cases is None:
            message = f"--{option} needs --cases, the table with these columns"
            raise InputError(message)
    html = build_report(
        **load(options),
        title=options.title,
        justification=options.justification,
        top=options.top,
        characteristics=characteristics,
        subgroups=subgroups,
        mixed_model=options.mixed_model,
        progress=progress_line("ranking"),
    )
    if options.output.suffix.lower() == ".pdf":
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            page.write_text(html, encoding="utf-8")
            print_pdf(page, options.output)
    else:
        options.output.write_text(html, encoding="utf-8")
        if options.pdf is not None:
            print_pdf(options.output, options.pdf)
    sys.stdout.write(f"{options.output}\n")
    return 0


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
