"""How the registered error is shared between the winner and all other statements, and the fewest units for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.assessment import Uncertainty

_ROUNDING = 1e-9
FEWEST_DRAWN_UNITS = 7
FEWEST_DRAWS = 200


@dataclass(frozen=True)
class Budget:
    """Shares of the error of one ranking.

    Attributes
    ----------
    total
        Everything that a board says about order is wrong in at most this share of challenges.
    sets
        For the rank sets, the letters and all comparisons.
    winner
        For naming a winner.
    alpha
        The registered ceiling for naming a winner wrongly.
    """

    total: float
    sets: float
    winner: float
    alpha: float

    @property
    def units_for_sets(self) -> int:
        """The fewest units with which sign flips can show anything."""
        return fewest_units(self.sets)

    @property
    def units_for_winner(self) -> int:
        """The fewest units with which sign flips can name a winner."""
        return fewest_units(self.winner)


def budget(uncertainty: Uncertainty, algorithms: int) -> Budget:
    """Share the error: with two algorithms there is one comparison and one statement, else a third and two thirds."""
    total = round(1.0 - uncertainty.interval, 12)
    ceiling = total if uncertainty.winner_alpha is None else min(total, uncertainty.winner_alpha)
    if algorithms <= 2:
        return Budget(total, total, ceiling, ceiling)
    return Budget(total, total / 3.0, min(2.0 * total / 3.0, ceiling), ceiling)


def fewest_units(share: float) -> int:
    """The smallest U with 2**(1 - U) at most a share of the error.

    Examples
    --------
    >>> fewest_units(0.05), fewest_units(0.05 / 3), fewest_units(0.1 / 3)
    (6, 7, 6)
    """
    return math.ceil(1.0 - math.log2(share) - _ROUNDING)


def allowed_rows(share: float, rows: int) -> int:
    """How many of so many rows a share is, rounded down."""
    return math.floor(share * rows + _ROUNDING)
