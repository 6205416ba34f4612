"""Result of a simulation: numbers, sentences and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.board import BoardTally

FloatArray = npt.NDArray[np.float64]


class CurvePoint(NamedTuple):
    """Shares of challenges with that many cases in which the truly best team ranks first alone, in which a winner is
    named, and in which the right one is.
    """

    cases: int
    best_wins: float
    named: float
    right: float


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
        For each target share, the fewest cases with which the right winner is named in that share of challenges:
        ``None`` above 10,000; ``None`` altogether if no winner is ever named or the number cannot be computed.
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
    needed: Mapping[float, int | None] | None
    selective: tuple[SelectivePoint, ...]
    models: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of `best_wins` that the number of simulated challenges leaves."""
        return float(1.96 * np.sqrt(max(self.best_wins * (1.0 - self.best_wins), 1e-4) / self.samples))

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON, sentences and figures included."""
        return {
            "schema": 2,
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
                "confirmed": self.boards.confirmed,
                "set_width": self.boards.width,
                "set_widths": self.boards.widths.tolist(),
                "first_set_width": self.boards.first_width,
            },
            "winner_alpha": self.alpha,
            "units_needed": self.units_needed,
            "curve": [point._asdict() for point in self.curve],
            "needed": None if self.needed is None else {f"{target:g}": cases for target, cases in self.needed.items()},
            "selective": [point._asdict() for point in self.selective],
            "models": [dict(model) for model in self.models],
            "notes": list(self.notes),
            "sentences": self.sentences(),
            "figures": self.figures(),
        }

    def sentences(self) -> list[str]:
        """Return sentences about the numbers and their basis."""
        from evaluation.advice.simulation.words import sentences

        return sentences(self)

    def figures(self) -> list[dict[str, Any]]:
        """Return the figures of the result.

        They show the ranks that teams reach, the effect of more cases where it is known, and the gain from
        excluding cases.
        """
        from evaluation.advice.simulation.plots import curve, places, selective

        return [places(self), *([curve(self)] if self.curve else []), selective(self)]
