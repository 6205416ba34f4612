"""Boards with skewed values, unequal failures, clusters and repeated looks: the short form of the coverage study."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluation.cli.kept_cells import kept_hard_cells
from evaluation.ranking.worlds import (
    WORLDS,
    Bar,
    HardCell,
    HardOutcome,
    bars_of,
    hard_cells,
    keeps_hard_bars,
    simulate_hard,
)
from tests.sizes import size

ROOT = Path(__file__).parents[4]
BOARDS, BOARDS_OF_LOOKS = size((40, 15), (100, 30))


@pytest.mark.parametrize("world", list(WORLDS))
def test_quick_cells_of_every_world_keep_within_their_bars(world):
    cells = [cell for cell in hard_cells(quick=True) if cell.world == world]
    assert cells
    outcomes = {cell: simulate_hard(cell, BOARDS_OF_LOOKS if world == "living board" else BOARDS, 1) for cell in cells}
    assert {cell: outcome for cell, outcome in outcomes.items() if not keeps_hard_bars(cell, outcome)} == {}


def test_truth_of_the_worlds_is_a_tie_of_the_first_two():
    """The two best have the same expectation: means over many boards are within four standard errors of each other."""
    for world in WORLDS:
        if world in ("living board", "several rankings", "mirrored log-normal"):
            continue
        cell = HardCell(world, 400, 3, 0.05)
        drawn = [WORLDS[world].draw(np.random.default_rng(seed), cell) for seed in range(60)]
        means = np.array([one.values.mean(axis=0) for one in drawn])
        differences = means[:, 0] - means[:, 1]
        assert abs(differences.mean()) < 4.0 * differences.std(ddof=1) / np.sqrt(len(drawn)), world
        assert (means[:, 2] < means[:, 1]).all(), world
        assert (drawn[0].quality[:2] == 0.0).all(), world
        assert drawn[0].quality[2] < 0.0, world


def test_a_bar_allows_two_standard_errors_and_no_more():
    outcome = HardOutcome(
        boards=1000, named=0.1, false_named=0.075, false_confirmed=0.0, false_sentence=0.0, covered=0.914
    )
    assert Bar("false_named", 0.06).holds(outcome)
    assert not Bar("false_named", 0.06).holds(replace(outcome, false_named=0.0751))
    assert Bar("covered", 0.93, is_minimum=True).holds(outcome)
    assert not Bar("covered", 0.93, is_minimum=True).holds(replace(outcome, covered=0.9138))
    assert not Bar("named", 0.0).holds(outcome)


def test_bars_are_those_of_the_specification():
    assert [(bar.share, bar.limit) for bar in bars_of(HardCell("log-normal, failures excluded", 15, 4))] == [
        ("false_named", 0.12),
        ("covered", 0.85),
        ("false_confirmed", pytest.approx(0.0333, abs=1e-4)),
    ]
    assert bars_of(HardCell("log-normal, failures excluded", 40, 2))[0].limit == 0.09
    assert bars_of(HardCell("log-normal, failures excluded", 80, 2))[0].limit == 0.06
    assert [bar.share for bar in bars_of(HardCell("unequal failures", 20, 2, 0.02))] == [
        "false_sentence",
        "false_confirmed",
    ]
    assert bars_of(HardCell("undeclared clusters", 20, 2))[0] == Bar("named", 0.0)


def test_stored_cells_are_what_the_code_gives():
    kept = kept_hard_cells(ROOT / "docs/correctness/coverage.csv")
    small = [key for key in kept.outcomes if key[0].teams <= 4 and key[0].cases <= 20]
    assert small
    for cell, boards, seed in sorted(small, key=str)[:: max(1, len(small) // 3)][: size(1, 3)]:
        assert simulate_hard(cell, boards, seed) == kept.outcomes[cell, boards, seed], "raise STUDY and simulate again"
