"""The axis of ranks that all rows of a leaderboard share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WHOLE = 60
"""Maximum number of teams for which the axis shows every rank.

Above it, the axis shows the ranks that occur on the page.
"""
MOST_STEPS = 6
MARGIN = 5.0
"""Percent of the width kept free at both ends, so that a point at the first or last rank is not cut off."""


@dataclass(frozen=True)
class Axis:
    """Ranks from left to right.

    Attributes
    ----------
    first, last
        Ranks at its ends.
    ticks
        Ranks that are written in its head.
    band
        The rank set of the team that ranks first; of several that share the first rank, what their sets span. None
        where it has none.
    """

    first: float
    last: float
    ticks: tuple[int, ...]
    band: tuple[float, float] | None

    def at(self, rank: float) -> float:
        """Return the position of a rank, in percent of the width.

        Examples
        --------
        >>> axis = Axis(1, 3, (1, 2, 3), None)
        >>> axis.at(1), axis.at(2), axis.at(3), axis.at(9)
        (5.0, 50.0, 95.0, 95.0)
        """
        if self.last <= self.first:
            return 50.0
        share = (min(max(rank, self.first), self.last) - self.first) / (self.last - self.first)
        return round(MARGIN + share * (100 - 2 * MARGIN), 2)


def ticks(first: int, last: int) -> tuple[int, ...]:
    """Choose the ranks to write: both round and few.

    Examples
    --------
    >>> ticks(1, 2), ticks(1, 11), ticks(1, 50)
    ((1, 2), (1, 3, 5, 7, 9, 11), (1, 10, 20, 30, 40, 50))
    >>> ticks(1, 1000), ticks(101, 400)
    ((1, 200, 400, 600, 800, 1000), (101, 150, 200, 250, 300, 350, 400))
    """
    span = last - first
    step = next(size * 10**power for power in range(9) for size in (1, 2, 5) if span <= MOST_STEPS * size * 10**power)
    if step <= 2:
        return tuple(range(first, last + 1, step))
    # The first rank is written as it is; a round one that stands close to it would run into it.
    round_ranks = range(step * (first // step + 1), last + 1, step)
    return (first, *(rank for rank in round_ranks if rank - first > step / 2))


def axis_of(spans: Iterable[Sequence[float | None]], *, teams: int, band: tuple[float, float] | None) -> Axis:
    """Make the axis of a page.

    Parameters
    ----------
    spans
        Of every row what has to find room: rank, ends of rank set and resampling range; None where there is none.
    teams
        How many teams are ranked, on all pages.
    band
        The rank set of the first.
    """
    values = [value for span in spans for value in span if value is not None]
    first, last = 1, max(teams, 1)
    if teams > WHOLE and values:
        first, last = int(min(values)), int(-(-max(values) // 1))
    return Axis(first, last, ticks(first, last), band)
