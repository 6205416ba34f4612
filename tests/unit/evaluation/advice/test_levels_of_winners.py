"""Simulated boards count how often a winner is confirmed, apart from how often one is named."""

import numpy as np

from evaluation.advice.simulation.board import Tally
from evaluation.ranking.uncertainty.statements import Decision


def test_confirmed_winners_are_counted_among_the_named_ones():
    tally, ranks = Tally(2), np.array([1.0, 2.0])
    for level in ("confirmed", "significant", "significant", None):
        winner = None if level is None else 0
        tally.add(Decision(winner, np.array([1, 1]), np.array([2, 2]), False, level), ranks, ranks)
    result = tally.result()
    assert (result.named, result.confirmed, result.wrong) == (0.75, 0.25, 0.0)
