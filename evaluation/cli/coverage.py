"""``coverage``: simulate boards and say whether rank sets and named winners keep their word."""

from __future__ import annotations

import datetime as dt
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evaluation import __version__
from evaluation.cli.inputs import progress_line
from evaluation.ranking.coverage import (
    COVERED,
    ERRORS,
    FALSE_WINNERS,
    FULL_BOARDS,
    QUICK_BOARDS,
    SCHEMES,
    Cell,
    Outcome,
    grid,
    study,
    trades,
)

if TYPE_CHECKING:
    import argparse

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--quick", action="store_true", help="a tenth of the cells, a hundred boards each")
    parser.add_argument("--boards", type=int, metavar="N", help="boards a cell, in place of 1000 (quick: 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the simulation (1)")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="where the page is written (standard output)")


def run(options: argparse.Namespace) -> int:
    """Simulate and write the page.

    Returns
    -------
    int
        0 if every cell keeps within its bars, 1 if one does not.
    """
    boards = options.boards or (QUICK_BOARDS if options.quick else FULL_BOARDS)
    if boards < 1:
        message = "--boards: at least 1"
        raise ValueError(message)
    done = list(study(grid(quick=options.quick), boards, options.seed, progress_line("coverage")))
    traded = list(study(trades(quick=options.quick), boards, options.seed))
    text = page(done, traded, boards=boards, seed=options.seed, quick=options.quick)
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0 if all(outcome.keeps_its_word() for _, outcome in done) else FAILED


def page(
    done: list[tuple[Cell, Outcome]], traded: list[tuple[Cell, Outcome]], *, boards: int, seed: int, quick: bool
) -> str:
    """The page in Markdown: what was simulated, every cell, and the worst of each scheme."""
    broken = [cell for cell, outcome in done if not outcome.keeps_its_word()]
    command = f"python -m evaluation coverage{' --quick' if quick else ''} --boards {boards} --seed {seed}"
    verdict = (
        f"All {len(done)} cells keep within both bars."
        if not broken
        else f"{len(broken)} of {len(done)} cells break a bar; they are marked."
    )
    lines = [
        "# Does the uncertainty keep its word?",
        "",
        f"Made by `{command}` on {dt.datetime.now(dt.UTC).date().isoformat()} with Podium {__version__}, "
        f"Python {platform.python_version()} and NumPy {np.__version__}. "
        + ("A quick look: every tenth cell of the study, chosen at random once. " if quick else "")
        + "`make coverage` makes the page anew with all cells.",
        "",
        (
            "Boards are simulated whose true order is known: a case effect (standard deviation 0.7), a true difference between "
            "teams and noise (0.7); failed cases count as a value 8 below. Rank sets and winner come from the code that makes "
            "the boards. A cell is covered if *all* sets hold *all* true ranks; truly tied teams must have every rank that they "
            "share in their sets. A winner is false if it is not truly the only best."
        ),
        "",
        (
            f"Bars in every cell: joint coverage at least {COVERED}, false winners at most {FALSE_WINNERS}, both up to {ERRORS} "
            f"binomial standard errors of {boards} boards. **{verdict}**"
        ),
        "",
        (
            "The resampling range stands beside the sets for contrast: it says how an order behaves under resampling, and was "
            "never meant to hold the true ranks (1000 resamples; 100 for tests)."
        ),
        "",
        "## The worst cell of each scheme",
        "",
        "| scheme | cells | least coverage | most false winners | least coverage of the resampling range |",
        "|---|---|---|---|---|",
    ]
    for scheme in SCHEMES:
        rows = [outcome for cell, outcome in done if cell.scheme == scheme]
        if rows:
            lines.append(
                f"| {scheme} | {len(rows)} | {min(row.covered for row in rows):.3f} | "
                f"{max(row.false_winner for row in rows):.3f} | {min(row.resampling_covered for row in rows):.3f} |"
            )
    lines += ["", "## All cells", "", *_table(done), ""]
    lines += [
        "## Teams that fail unequally often",
        "",
        (
            "One of three teams fails now and then, is better on all other cases and truly ties with the others. A failure that "
            "nobody has seen is in no data, so no bar is set here. With `unseen_failures` `jeffreys` the sets allow for it."
        ),
        "",
        *_table(traded, unseen=True),
        "",
    ]
    return "\n".join(lines)


def _table(done: list[tuple[Cell, Outcome]], *, unseen: bool = False) -> list[str]:
    extra = " unseen failures |" if unseen else ""
    lines = [
        (
            f"| scheme | field | failures | teams | cases |{extra} covered | false winner | named | mean width | "
            "resampling range covers |"
        ),
        "|---|---|---|---|---|" + ("---|" if unseen else "") + "---|---|---|---|---|",
    ]
    for cell, outcome in done:
        mark = "" if unseen or outcome.keeps_its_word() else " **breaks a bar**"
        middle = f" {cell.unseen} |" if unseen else ""
        lines.append(
            f"| {cell.scheme} | {cell.field} | {cell.failures:.0%} | {cell.teams} | {cell.cases} |{middle} "
            f"{outcome.covered:.3f}{mark} | {outcome.false_winner:.3f} | {outcome.named:.2f} | {outcome.width:.1f} | "
            f"{outcome.resampling_covered:.3f} |"
        )
    return lines
