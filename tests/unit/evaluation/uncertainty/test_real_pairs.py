"""Centred pairs of real algorithms: the short form of the section of `make coverage`, and the same rule as a ranking."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.cli.coverage_page import by_cases
from evaluation.cli.kept_cells import kept_real_cells
from evaluation.ranking.real_pairs import NUMBERS, centred_pairs, named, read_tables, real_cells, simulate_real
from tests.unit.evaluation.uncertainty.boards import ranked

ROOT = Path(__file__).parents[4]
VALUES = ROOT / "docs/correctness/real-values.csv"


def table_of(data, metric, region):
    return next(one for one in read_tables(VALUES) if (one.data, one.metric, one.region) == (data, metric, region))


def test_the_file_has_every_pair_of_both_data_sets():
    tables = read_tables(VALUES)
    assert {(one.data, len(one.algorithms)) for one in tables} == {("hippocampus", 13), ("nuclei", 8)}
    assert len(real_cells(VALUES)) == len(tables) * len(NUMBERS)
    for table in tables:
        for _, first, second in centred_pairs(table):
            assert first.mean() == pytest.approx(second.mean())


@pytest.mark.parametrize("cases", [10, 20, 40])
def test_boards_judged_at_once_are_decided_as_by_a_ranking(cases):
    """Of boards with and without a winner; values are shifted apart so that both occur."""
    table = table_of("nuclei", "panoptic_quality", "nucleus")
    random = np.random.default_rng(cases)
    first, second = np.zeros((2, cases, 0))
    for _, one, other in list(centred_pairs(table))[::5]:
        drawn = random.integers(0, len(one), (cases, 4))
        first = np.hstack([first, np.clip(one[drawn] + [0.0, 0.03, 0.1, 0.3], 0.01, 1.0)])
        second = np.hstack([second, np.clip(other[drawn], 0.01, 1.0)])
    at_once = named(first, second, table, 1)
    metric = {"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}
    one_by_one = [
        ranked(np.stack([a, b], axis=1), ["a", "b"], metrics=[metric])[0]["winner"]["named"]
        for a, b in zip(first.T, second.T, strict=True)
    ]
    assert at_once.tolist() == one_by_one
    assert len(set(one_by_one)) == 2


def test_quick_pairs_keep_the_bars():
    cells = [cell for cell in real_cells(VALUES) if (cell.metric, cell.cases) == ("panoptic_quality", 20)]
    rows = [(cell, simulate_real(VALUES, cell, 200, 1)) for cell in cells]
    (summary,) = by_cases(rows)
    assert summary.pairs == 28
    assert summary.keeps_bars


def test_stored_cells_keep_the_bars_and_are_what_the_code_gives():
    kept = kept_real_cells(ROOT / "docs/correctness/coverage.csv", VALUES)
    rows = [(cell, outcome) for (cell, boards, seed), outcome in kept.outcomes.items() if (boards, seed) == (1000, 1)]
    assert rows
    assert all(summary.keeps_bars for summary in by_cases(rows))
    cell, outcome = next(row for row in rows if (row[0].metric, row[0].cases) == ("panoptic_quality", 10))
    assert simulate_real(VALUES, cell, 1000, 1) == outcome, "raise STUDY and simulate again"
