"""Levels of boards that change while a phase is open.

Each change of the field is a new look at the data. Without a smaller level for each look, a wrong winner would sooner or
later be named. The levels of all looks add up to the winner's share of the error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Look:
    """One of the changes of the field of a phase.

    Attributes
    ----------
    change
        Number of the change, from 1.
    planned
        Number of changes that the phase accepts at most; ``None`` if it is not registered.
    """

    change: int
    planned: int | None = None

    def __post_init__(self) -> None:
        if self.change < 1 or (self.planned is not None and self.planned < 1):
            message = f"change {self.change} of {self.planned}: both are whole numbers from 1"
            raise ValueError(message)

    def level(self, share: float) -> float:
        """Return the part of the winner's share of the error that this change may spend.

        Parameters
        ----------
        share
            The winner's share of the error of the whole phase.

        Notes
        -----
        With a registered number of changes, all spend the same part. Otherwise the j-th change spends ``6 / (π² j²)``.
        Changes beyond the registered number spend nothing.

        Examples
        --------
        >>> Look(3, 10).level(0.05), round(Look(1).level(0.05), 4), round(Look(4).level(0.05), 5), Look(11, 10).level(0.05)
        (0.005, 0.0304, 0.0019, 0.0)
        """
        if self.planned is not None:
            return share / self.planned if self.change <= self.planned else 0.0
        return share * 6.0 / (math.pi * self.change) ** 2

    @property
    def document(self) -> dict[str, Any]:
        """Entry of a ranking document."""
        return {"change": self.change, "planned": self.planned}
