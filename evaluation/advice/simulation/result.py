"""Result of a simulation in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.board import BoardTally
    from evaluation.advice.simulation.needed import CasesNeeded

FloatArray = npt.NDArray[np.float64]


def share_interval(share: float, number: int) -> tuple[float, float]:
    """Return the 95 % interval of a share of simulated challenges, by Clopper and Pearson.

    Examples
    --------
    >>> [round(end, 3) for end in share_interval(0.0, 400)], [round(end, 3) for end in share_interval(0.5, 100)]
    ([0.0, 0.009], [0.398, 0.602])
    """
    from scipy.special import betaincinv

    hits = round(share * number)
    low = 0.0 if hits == 0 else float(betaincinv(hits, number - hits + 1, 0.025))
    high = 1.0 if hits == number else float(betaincinv(hits + 1, number - hits, 0.975))
    return low, high


class CurvePoint(NamedTuple):
    """Results of the leaderboards with one number of cases.

    Attributes
    ----------
    best_wins
        Share on which the truly best team ranks first alone.
    named, right, confirmed
        Share that names a winner, that names the truly best team, and whose winner is confirmed.
    boards
        Number of leaderboards.
    """

    cases: int
    best_wins: float
    named: float
    right: float
    confirmed: float
    boards: int


class SelectivePoint(NamedTuple):
    """Places won by leaving out a share of the cases, under the registered rule and if missing cases were ignored."""

    share: float
    registered: float
    ignored: float


@dataclass(frozen=True)
class SimulationResult:
    """Result of simulating a challenge.

    Attributes
    ----------
    best_wins, best_shares_first
        Share of challenges in which the truly best team ranks first alone, and alone or together with others.
    places
        True rank × rank: share of challenges in which the team with that true rank got that rank.
    boards
        Summary of the leaderboards of such challenges.
    alpha
        The registered upper limit on the probability of naming a wrong winner.
    units_needed
        The fewest cases with which a winner can be named at all; ``None`` where none ever is.
    curve
        Results with other numbers of cases.
    needed
        Cases needed to show the lead of the best team over the second; ``None`` if no winner is ever named or the ranking
        is not by a mean over cases.
    failures
        Simulated probability that a team fails on a case.
    selective
        Gain of a middling team from excluding cases.
    models
        Models from which the scores of each metric and region were sampled.
    notes
        Parts of the design that were not simulated.
    """

    cases: int
    teams: int
    samples: int
    seed: int
    agreement: float
    scheme: str
    best_wins: float
    best_shares_first: float
    places: FloatArray
    boards: BoardTally
    alpha: float
    interval: float
    units_needed: int | None
    curve: tuple[CurvePoint, ...]
    needed: CasesNeeded | None
    selective: tuple[SelectivePoint, ...]
    models: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    failures: float = 0.0

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of `best_wins` that the number of simulated challenges leaves."""
        return float(1.96 * np.sqrt(max(self.best_wins * (1.0 - self.best_wins), 1e-4) / self.samples))

    @property
    def document(self) -> dict[str, Any]:
        """Numbers of the result, ready for JSON."""
        return {
            "schema": 3,
            "cases": self.cases,
            "teams": self.teams,
            "samples": self.samples,
            "seed": self.seed,
            "agreement": self.agreement,
            "scheme": self.scheme,
            "best_wins": self.best_wins,
            "best_wins_margin": self.margin,
            "best_shares_first": self.best_shares_first,
            "places": self.places.tolist(),
            "interval": self.interval,
            "boards": {
                "number": self.boards.boards,
                "named": self.boards.named,
                "wrong": self.boards.wrong,
                "named_interval": list(share_interval(self.boards.named, self.boards.boards)),
                "confirmed": self.boards.confirmed,
                "confirmed_interval": list(share_interval(self.boards.confirmed, self.boards.boards)),
                "wrong_interval": list(share_interval(self.boards.wrong, self.boards.boards)),
                "set_width": self.boards.width,
                "set_widths": self.boards.widths.tolist(),
                "first_set_width": self.boards.first_width,
            },
            "winner_alpha": self.alpha,
            "units_needed": self.units_needed,
            "curve": [point._asdict() for point in self.curve],
            "needed": None if self.needed is None else self.needed.document,
            "failures": self.failures,
            "selective": [point._asdict() for point in self.selective],
            "models": [dict(model) for model in self.models],
            "notes": list(self.notes),
        }
