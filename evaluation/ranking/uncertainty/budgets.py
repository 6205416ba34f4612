"""Shares of the error of a ranking, and the fewest units with which they can support a statement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.ranking import EXPLORATORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Uncertainty
    from evaluation.ranking.uncertainty.looks import Look


_ROUNDING = 1e-9
FEWEST_DRAWN_UNITS = 7
FEWEST_DRAWS = 200
_BITS_AT_THE_FEWEST = 11.0
_BITS_OF_MEDIANS, _BITS_OF_QUANTILES = 1.4, 0.87
"""Halvings, at the fewest units and of each further one, of the chance that no draw turns the order of two equal algorithms."""
FEWEST_IN_STRATUM: Final = 5
NEVER: Final = 2**53
"""Number of units that no data set has."""


@dataclass(frozen=True)
class FamilyShare:
    """Part of the error of one of several rankings of a challenge.

    Attributes
    ----------
    role
        ``primary``, ``secondary`` or ``exploratory``.
    size
        Number of rankings with this role, which share the error. Rank sets use an equal part of it.
    tests
        Divisor of the level at which a winner is named, by Holm's method: the number of rankings of the family without
        those whose winner was named before.
    """

    role: str
    size: int = 1
    tests: int = 1

    @property
    def is_exploratory(self) -> bool:
        """True for a ranking without a statement of significance."""
        return self.role == EXPLORATORY

    @property
    def document(self) -> dict[str, Any]:
        """Entry of a ranking document."""
        return {"role": self.role, "rankings": self.size, "tests": self.tests}


@dataclass(frozen=True)
class Budget:
    """Shares of the error of one ranking.

    Attributes
    ----------
    total
        Maximum share of challenges in which any statement of a board about order is wrong.
    sets
        Share for the rank sets, the letters and all comparisons.
    winner
        Share for naming a winner.
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


def budget(
    uncertainty: Uncertainty, algorithms: int, look: Look | None = None, share: FamilyShare | None = None
) -> Budget:
    """Share the error: with two algorithms there is one comparison and one statement, else a third and two thirds.

    Parameters
    ----------
    look
        The change of the field, for a phase that is still open. It spends only a part of the winner's share.
    share
        Part of the error, where several rankings share it.
    """
    total = round(1.0 - uncertainty.interval, 12)
    ceiling = total if uncertainty.winner_alpha is None else min(total, uncertainty.winner_alpha)
    winner = ceiling if algorithms <= 2 else min(2.0 * total / 3.0, ceiling)
    sets = total if algorithms <= 2 else total / 3.0
    if look is not None:
        winner = look.level(winner)
    if share is not None:
        winner, sets = winner / share.tests, sets / share.size
    return Budget(total, sets, winner, ceiling)


def fewest_units(share: float) -> int:
    """The smallest U with 2**(1 - U) at most a share of the error.

    Examples
    --------
    >>> fewest_units(0.05), fewest_units(0.05 / 3), fewest_units(0.1 / 3)
    (6, 7, 6)
    """
    if share <= 0.0:
        return NEVER
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
    """Return the minimum number of units with which draws of a quantile can support rank sets.

    A quantile of few units takes few values. There is then a chance that no draw reverses the order of two equal
    algorithms, even after any widening. Among many pairs, some would therefore be reported wrongly as different. This
    chance falls with the number of units. Simulations determined the rate (docs/correctness/coverage.md): a factor of
    2.6 per unit for medians, and less for other quantiles.

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
    """Return the number of rows that a share of all rows corresponds to, rounded down."""
    return math.floor(share * rows + _ROUNDING)
