"""A dozen cells of the coverage study; docs/correctness/coverage.md has more of them and more boards."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.cli import main
from evaluation.cli.coverage_page import Study, page, pictures
from evaluation.cli.kept_cells import kept_grid
from evaluation.ranking.coverage import (
    FIELDS,
    NUMBERS,
    SCHEMES,
    STUDY,
    TEAMS,
    Cell,
    Outcome,
    grid,
    keeps_bars,
    others,
    simulate,
)
from tests.sizes import size

ROOT = Path(__file__).parents[4]
CELLS = [
    Cell(7, 3, "two best", 0.0, "mean"),
    Cell(10, 5, "all equal", 0.0, "mean"),
    Cell(20, 10, "ladder 0.02", 0.02, "mean"),
    Cell(50, 3, "one best", 0.0, "mean"),
    Cell(20, 3, "two best", 0.05, "mean"),
    Cell(10, 3, "two best", 0.0, "rank, then mean"),
    Cell(20, 5, "all equal", 0.02, "rank, then mean"),
    Cell(20, 3, "two best", 0.0, "median"),
    Cell(10, 3, "two best", 0.0, "test, then rank"),
    Cell(10, 3, "all equal", 0.0, "mean of ranks over 4 metrics"),
    Cell(20, 5, "ladder 0.1", 0.0, "mean of ranks over 4 metrics"),
]


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_cell_keeps_within_both_bars(cell):
    outcome = simulate(cell, size(25, 60), 2)
    assert outcome.keeps_its_word(), outcome
    if cell.field == "two best" and cell.cases >= 20:
        assert outcome.width < cell.teams


def test_resampling_holds_the_order_of_teams_that_are_far_apart_and_seldom_that_of_equal_ones():
    """The last team's true rank is the number of teams: a range that reaches it holds it."""
    apart = simulate(Cell(50, 3, "ladder 0.1", 0.0, "mean"), 20, 2)
    equal = simulate(Cell(50, 10, "all equal", 0.0, "mean"), 20, 2)
    assert apart.resampling_covered >= 0.9
    assert equal.resampling_covered < 0.5


def test_a_team_that_pays_with_failures_for_better_values_truly_ties():
    outcome = simulate(Cell(200, 3, "trade", 0.05, "mean"), 40, 2)
    assert outcome.covered >= 0.8
    assert outcome.false_winner <= 0.2


def test_below_the_smallest_number_of_units_nothing_is_claimed():
    outcome = simulate(Cell(5, 5, "ladder 0.1", 0.0, "mean"), 20, 2)
    assert (outcome.covered, outcome.named, outcome.width) == (1.0, 0.0, 5.0)


def test_bars_are_broken_by_what_lies_beyond_chance():
    kept = {"named": 0.5, "width": 2.0, "resampling_covered": 0.5}
    assert Outcome(1000, 0.92, 0.07, **kept).keeps_its_word()
    assert not Outcome(1000, 0.90, 0.0, **kept).keeps_its_word()
    assert not Outcome(1000, 0.95, 0.09, **kept).keeps_its_word()


def test_sets_as_wide_as_all_ranks_break_a_bar_where_two_are_far_ahead():
    wide = Outcome(1000, 1.0, 0.0, 0.0, 3.0, 0.5)
    assert not keeps_bars(Cell(20, 3, "two best", 0.0, "mean"), wide)
    assert keeps_bars(Cell(5, 3, "two best", 0.0, "mean"), wide)
    assert keeps_bars(Cell(20, 3, "all equal", 0.0, "mean"), wide)


def test_cells_that_are_done_are_taken_from_the_file(tmp_path):
    path, cell = tmp_path / "cells.jsonl", Cell(5, 3, "all equal", 0.0, "mean")
    made = kept_grid(path).simulate(cell, 3, 1)
    head, line = path.read_text().splitlines()
    path.write_text(f"{head}\n{line.replace(',none,3,', ',none,4,')}\n")
    assert kept_grid(path).simulate(cell, 4, 1) == replace(made, boards=4)
    assert kept_grid(path).simulate(cell, 3, 1) == made
    assert len(path.read_text().splitlines()) == 3


def test_cells_of_another_study_are_simulated_anew(tmp_path):
    path, cell = tmp_path / "cells.csv", Cell(5, 3, "all equal", 0.0, "mean")
    kept_grid(path).simulate(cell, 3, 1)
    head, line = path.read_text().splitlines()
    path.write_text(f"{head}\n{STUDY + 1}{line.removeprefix(str(STUDY))}\n")
    assert kept_grid(path).known(cell, 3, 1) is None


def test_time_that_is_over_leaves_cells_waiting_and_says_so(tmp_path, monkeypatch, capsys):
    cells = [Cell(5, 3, "all equal", 0.0, "mean"), Cell(7, 3, "all equal", 0.0, "mean")]
    monkeypatch.setattr("evaluation.cli.coverage.grid", lambda **_: cells)
    monkeypatch.setattr("evaluation.cli.coverage.others", lambda **_: [])
    monkeypatch.setattr("evaluation.cli.coverage.trades", lambda **_: [])
    monkeypatch.setattr("evaluation.cli.coverage.some", lambda *_: [])
    path = tmp_path / "cells.csv"
    kept_grid(path).simulate(cells[0], 2, 1)
    arguments = ["coverage", "--boards", "2", "--keep", str(path)]
    assert main([*arguments, "--minutes", "0"]) == 0
    assert "1 of 2 cells are done" in capsys.readouterr().out
    assert main(arguments) == 0
    assert "are done, in an order drawn" not in capsys.readouterr().out


@pytest.mark.parametrize("scheme", ["mean", "rank, then mean", "median"])
def test_kept_cells_are_what_the_code_gives(scheme):
    kept = kept_grid(ROOT / "docs/correctness/coverage.csv")
    small = [(cell, boards, seed) for cell, boards, seed in kept.outcomes if (cell.scheme, cell.teams) == (scheme, 3)]
    cell, boards, seed = min((key for key in small if key[0].cases >= 7), key=lambda key: (key[0].cases, str(key[0])))
    now, then = simulate(cell, boards, seed), kept.outcomes[cell, boards, seed]
    # The contrast of cells of before 23 November 2026 was looked at on all boards.
    assert now.resampling_covered == pytest.approx(then.resampling_covered, abs=0.15)
    assert replace(now, resampling_covered=then.resampling_covered) == then, "raise STUDY and simulate anew"


def test_medians_of_few_cases_and_many_teams_claim_nothing_that_chance_would_show():
    few, enough = (Cell(cases, 14, "two best", 0.0, "median") for cases in (7, 8))
    assert simulate(few, 20, 3).width == 14.0
    assert simulate(enough, 20, 3).width < 14.0
    assert keeps_bars(few, Outcome(1000, 1.0, 0.0, 0.0, 14.0, 0.5))
    assert not keeps_bars(enough, Outcome(1000, 1.0, 0.0, 0.0, 14.0, 0.5))


def test_grid_holds_every_combination_and_the_quick_one_a_tenth():
    assert len(set(grid())) == len(SCHEMES) * len(FIELDS) * 3 * len(TEAMS) * len(NUMBERS)
    assert len(grid(every=10)) == len(grid()) // 10
    assert not {(cell.cases, cell.teams) for cell in others()} & {(cell.cases, cell.teams) for cell in grid()}


def test_page_says_how_it_was_made_and_marks_what_breaks_a_bar():
    good = Outcome(100, 0.97, 0.01, 0.3, 2.1, 0.4)
    bad = Outcome(100, 0.5, 0.3, 0.3, 2.1, 0.4)
    study = Study(100, 4, 10, [(CELLS[0], good)], [(CELLS[1], bad)], [], [], 2, ["0.2.0 and NumPy 2"])
    text = page(study)
    assert (
        "`python -m evaluation coverage --every 10 --boards 100 --seed 4 --output docs/correctness/coverage.md`" in text
    )
    assert "**1 of 2 cells break a bar; they are marked.**" in text
    assert text.count("breaks a bar") == 1
    drawn = pictures(study)
    assert drawn
    assert all(content.lstrip().startswith(b"<?xml") and f"]({name})" in text for name, content in drawn.items())


def test_number_of_boards_below_one_is_refused(capsys):
    assert main(["coverage", "--quick", "--boards", "-1"]) == 2
    assert "--boards: at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("scheme", ["mean", "rank, then mean", "test, then rank"])
def test_boards_that_are_not_resampled_are_decided_alike(scheme, monkeypatch):
    cell = Cell(200, 5, "ladder 0.1", 0.02, scheme)
    boards = size(5, 12)
    resampled = simulate(cell, boards, 3)
    monkeypatch.setattr("evaluation.ranking.coverage.CONTRASTED", 2)
    spared = simulate(cell, boards, 3)
    assert 0 < resampled.width < 5
    assert replace(spared, resampling_covered=0.0) == replace(resampled, resampling_covered=0.0)
