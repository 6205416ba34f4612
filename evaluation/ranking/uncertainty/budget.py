"""How the registered error is shared between the winner and all other statements, and the fewest units for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment import Uncertainty

_ROUNDING = 1e-9
FEWEST_DRAWN_UNITS = 7
FEWEST_DRAWS = 200
_BITS_AT_THE_FEWEST = 11.0
_BITS_OF_MEDIANS, _BITS_OF_QUANTILES = 1.4, 0.87
"""Halvings, at the fewest units and of each further one, of the chance that no draw turns the order of two equal algorithms."""


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


def drawn_units_for_quantile(share: float) -> int:
    """The fewest units with which draws of a quantile can name a winner: its tail has to hold one.

    Examples
    --------
    >>> drawn_units_for_quantile(0.5), drawn_units_for_quantile(0.05), drawn_units_for_quantile(0.9)
    (7, 20, 10)
    """
    return max(FEWEST_DRAWN_UNITS, math.ceil(1.0 / min(share, 1.0 - share) - _ROUNDING))


def drawn_units_for_quantile_sets(share: float, algorithms: int, total: float) -> int:
    """The fewest units with which draws of a quantile can state rank sets of so many algorithms.

    A quantile of few units takes few values: with a chance that falls with their number, no draw ever turns the order of
    two equal algorithms, however far it is widened. Of many pairs some then would be shown wrongly. How the chance falls
    was found by simulation (docs/correctness/coverage.md): by a factor of 2.6 a unit for medians, by less for others.

    Examples
    --------
    >>> [drawn_units_for_quantile_sets(0.5, algorithms, 0.05) for algorithms in (3, 10, 14, 20, 50)]
    [7, 7, 8, 9, 11]
    >>> drawn_units_for_quantile_sets(0.05, 10, 0.05), drawn_units_for_quantile_sets(0.05, 20, 0.05)
    (20, 30)
    """
    fewest, tail = drawn_units_for_quantile(share), min(share, 1.0 - share)
    bits = math.log2(algorithms * (algorithms - 1) / total) - _BITS_AT_THE_FEWEST
    rate = _BITS_OF_MEDIANS if math.isclose(tail, 0.5) else _BITS_OF_QUANTILES * math.sqrt(tail)
    return fewest + max(0, math.ceil(bits / rate - _ROUNDING))


def drawn_units(shares: Sequence[float | None], algorithms: int, total: float) -> dict[str, int]:
    """The fewest units for rank sets and for a winner, by draws, whose operators take these quantiles (or none)."""
    inside = [share for share in shares if share is not None and 0.0 < share < 1.0]
    return {
        "sets": max(
            [FEWEST_DRAWN_UNITS, *(drawn_units_for_quantile_sets(share, algorithms, total) for share in inside)]
        ),
        "winner": max([FEWEST_DRAWN_UNITS, *map(drawn_units_for_quantile, inside)]),
    }


def allowed_rows(share: float, rows: int) -> int:
    """How many of so many rows a share is, rounded down."""
    return math.floor(share * rows + _ROUNDING)
