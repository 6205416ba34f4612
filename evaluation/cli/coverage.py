"""``coverage``: simulate leaderboards and check the guarantees of rank sets and named winners."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation import durable
from evaluation.cli.coverage_page import Study, page, pictures
from evaluation.cli.inputs import progress_line
from evaluation.cli.kept_cells import kept_grid, kept_hard_cells, kept_real_cells
from evaluation.ranking.coverage import FULL_BOARDS, QUICK_BOARDS, QUICK_SHARE, grid, others, some, study, trades
from evaluation.ranking.real_pairs import real_cells
from evaluation.ranking.score_coverage import score_coverage
from evaluation.ranking.worlds import hard_cells

if TYPE_CHECKING:
    import argparse

    from evaluation.ranking.coverage import Cell, Outcome
    from evaluation.ranking.real_pairs import RealCell, RealOutcome
    from evaluation.ranking.worlds import HardCell, HardOutcome

FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--quick", action="store_true", help="a tenth of the cells, a hundred boards each")
    parser.add_argument("--every", type=int, metavar="N", help="one cell in N, chosen at random once (quick: 10)")
    parser.add_argument("--boards", type=int, metavar="N", help="boards a cell, in place of 1000 (quick: 100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the simulation (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="where cells that are done are kept and taken from, to go on later"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        metavar="M",
        help="begin no further cell after so long; the page then tells of those done",
    )
    parser.add_argument(
        "--real", type=Path, metavar="FILE", help="values of real algorithms, of which centred pairs are simulated"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE.md", help="where the page is written, figures beside it (standard output)"
    )


def run(options: argparse.Namespace) -> int:
    """Simulate and write the page and its figures.

    Returns
    -------
    int
        0 if every cell keeps within its bars, 1 if one does not.
    """
    boards = options.boards or (QUICK_BOARDS if options.quick else FULL_BOARDS)
    every = options.every or (QUICK_SHARE if options.quick else 1)
    for name, value in (("boards", boards), ("every", every)):
        if value < 1:
            message = f"--{name}: at least 1"
            raise ValueError(message)
    cells, further, traded = grid(every=every), others(every=every), trades(quick=every > 1)
    hard = some(hard_cells(), every)
    cell_store, hard_store = kept_grid(options.keep), kept_hard_cells(options.keep)
    until = math.inf if options.minutes is None else time.monotonic() + 60 * options.minutes

    def one(cell: Cell, boards: int, seed: int) -> Outcome | None:
        return (
            cell_store.simulate(cell, boards, seed)
            if time.monotonic() < until
            else cell_store.known(cell, boards, seed)
        )

    def one_hard(cell: HardCell, boards: int, seed: int) -> HardOutcome | None:
        return (
            hard_store.simulate(cell, boards, seed)
            if time.monotonic() < until
            else hard_store.known(cell, boards, seed)
        )

    real, real_count = _real_pairs(options, boards, every, until)
    coverage_study = Study(
        boards=boards,
        seed=options.seed,
        every=every,
        keep=None if options.keep is None else options.keep.as_posix(),
        hard=study(hard, boards, options.seed, progress_line("skewed values and failures"), one_hard),
        traded=study(traded, boards, options.seed, progress_line("unequal failures"), one),
        # Another seed, so that nothing that holds is owed to the first.
        further=study(further, boards, options.seed + 1, progress_line("other sizes"), one),
        done=study(cells, boards, options.seed, progress_line("coverage"), one),
        scores=score_coverage(max(boards, FULL_BOARDS), options.seed),
        real=real,
        values=None if options.real is None else options.real.as_posix(),
        asked=len(cells) + len(further) + len(traded) + len(hard) + real_count,
        versions=sorted(
            {" and NumPy ".join(pair) for pair in (*cell_store.versions.values(), *hard_store.versions.values())}
        ),
    )
    if options.output is None:
        sys.stdout.write(page(coverage_study))
    else:
        durable.write_text(options.output, page(coverage_study))
        for name, content in pictures(coverage_study).items():
            durable.write_bytes(options.output.parent / name, content)
    return 0 if coverage_study.keeps_its_word else FAILED


def _real_pairs(
    options: argparse.Namespace, boards: int, every: int, until: float
) -> tuple[list[tuple[RealCell, RealOutcome]], int]:
    """Return the simulated cells with centred pairs of real algorithms, and the number of all such cells."""
    if options.real is None:
        return [], 0
    cells = some(real_cells(options.real), every)
    store = kept_real_cells(options.keep, options.real)

    def one(cell: RealCell, boards: int, seed: int) -> RealOutcome | None:
        return store.simulate(cell, boards, seed) if time.monotonic() < until else store.known(cell, boards, seed)

    return study(cells, boards, options.seed, progress_line("real pairs"), one), len(cells)
