"""A fair assignment of reviewers to designs, as a mixed-integer program solved by HiGHS through SciPy.

Every place that a design needs is either filled by one reviewer or stays open at a high price. Among the ways to fill
them, the affinity of the worst-served design counts most, then the sum of affinities; each further design of the same
reviewer costs more than the one before, so that the load spreads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

OPEN_PLACE: Final = 1000.0
WORST_SERVED: Final = 4.0
LOAD: Final = 0.5
SECONDS: Final = 60
GAP: Final = 0.001


@dataclass(frozen=True)
class Candidate:
    """A reviewer who could take a place of a design in a part, and how well they fit (0 to 1)."""

    reviewer: int
    filing: int
    part: str
    affinity: float


@dataclass(frozen=True)
class Plan:
    """The chosen assignments, and the number of open positions per design and part."""

    chosen: tuple[Candidate, ...]
    open_places: dict[tuple[int, str], int]


def plan(
    candidates: Sequence[Candidate],
    places: Mapping[tuple[int, str], int],
    *,
    room: Mapping[int, int],
    load: Mapping[int, int],
    seconds: float = SECONDS,
) -> Plan:
    """Choose candidates for the places.

    Parameters
    ----------
    candidates
        Allowed combinations only: what is blocked by a conflict is not among them.
    places
        How many reviewers each design still needs, by design and part.
    room
        How many designs each reviewer can still take.
    load
        How many they have already; new ones go to those with few.

    Examples
    --------
    >>> pair = [Candidate(1, 10, "general", 0.9), Candidate(2, 10, "general", 0.2)]
    >>> [one.reviewer for one in plan(pair, {(10, "general"): 1}, room={1: 1, 2: 1}, load={}).chosen]
    [1]
    """
    wanted = {design_and_part: number for design_and_part, number in places.items() if number > 0}
    usable = [one for one in candidates if (one.filing, one.part) in wanted and room.get(one.reviewer, 0) > 0]
    if not wanted or not usable:
        return Plan((), dict(wanted))
    keys = list(wanted)
    people = sorted({one.reviewer for one in usable})
    steps = [
        (person, step)
        for person in people
        for step in range(min(room[person], sum(c.reviewer == person for c in usable)))
    ]
    filings = sorted({filing for filing, _ in keys})
    # Variables: each candidate, each open place (a count), each step of load, the affinity of the worst-served design.
    first_open, first_step = len(usable), len(usable) + len(keys)
    worst = first_step + len(steps)
    rows = _Rows(worst + 1)
    for index, key in enumerate(keys):
        members = {at: 1.0 for at, one in enumerate(usable) if (one.filing, one.part) == key}
        rows.add({**members, first_open + index: 1.0}, wanted[key], wanted[key])
    for person in people:
        assigned_terms = {at: 1.0 for at, one in enumerate(usable) if one.reviewer == person}
        taken = {first_step + at: -1.0 for at, (who, _) in enumerate(steps) if who == person}
        rows.add({**assigned_terms, **taken}, 0, 0)
        for filing in filings:
            both = {at: 1.0 for at in assigned_terms if usable[at].filing == filing}
            if len(both) > 1:
                rows.add(both, 0, 1)
    for filing in filings:
        need = sum(number for (other, _), number in wanted.items() if other == filing)
        fits = {at: one.affinity / need for at, one in enumerate(usable) if one.filing == filing}
        rows.add({**fits, worst: -1.0}, 0, np.inf)
    cost = np.zeros(worst + 1)
    cost[: len(usable)] = [-one.affinity for one in usable]
    cost[first_open:first_step] = OPEN_PLACE
    cost[first_step:worst] = [LOAD * (load.get(person, 0) + step) for person, step in steps]
    cost[worst] = -WORST_SERVED
    upper = np.ones(worst + 1)
    upper[first_open:first_step] = [wanted[key] for key in keys]
    integrality = np.ones(worst + 1)
    integrality[worst] = 0
    solved = milp(
        cost,
        integrality=integrality,
        bounds=Bounds(np.zeros(worst + 1), upper),
        constraints=rows.constraint(),
        options={"time_limit": seconds, "mip_rel_gap": GAP},
    )
    if solved.x is None:
        raise RuntimeError(f"No assignment was found: {solved.message}")
    chosen = tuple(one for at, one in enumerate(usable) if solved.x[at] > 0.5)
    still = {key: round(solved.x[first_open + index]) for index, key in enumerate(keys)}
    return Plan(chosen, {key: number for key, number in still.items() if number})


class _Rows:
    """Rows of a sparse constraint matrix."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.values: list[float] = []
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def add(self, entries: Mapping[int, float], low: float, high: float) -> None:
        """Add low ≤ sum of entries ≤ high."""
        for column, value in entries.items():
            self.rows.append(len(self.low))
            self.columns.append(column)
            self.values.append(value)
        self.low.append(low)
        self.high.append(high)

    def constraint(self) -> LinearConstraint:
        """All rows together."""
        matrix = coo_array((self.values, (self.rows, self.columns)), shape=(len(self.low), self.width)).tocsc()
        return LinearConstraint(matrix, self.low, self.high)
