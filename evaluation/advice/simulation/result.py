"""What a simulation found: numbers, sentences and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

FloatArray = npt.NDArray[np.float64]


class CurvePoint(NamedTuple):
    """Shares of challenges with that many cases in which the best team of a typical field wins alone, in which it
    comes out ahead of the second, and in which it is significantly better than the second.
    """

    cases: int
    best_wins: float
    first_ahead: float
    significant: float


class SelectivePoint(NamedTuple):
    """Places won by leaving out a share of the cases, under the registered rule and if missing cases were ignored."""

    share: float
    registered: float
    ignored: float


@dataclass(frozen=True)
class SimulationResult:
    """A simulated challenge.

    Attributes
    ----------
    best_wins, best_shares_first
        Share of challenges in which the truly best team ranks first alone, and alone or together with others.
    places
        True place × rank: share of challenges in which the team of that place got that rank.
    interval_widths
        By true place, the mean width of the rank interval that the leaderboard would show.
    curve
        What other numbers of cases would tell.
    cases_ahead
        Cases with which the first of a typical field comes out ahead of the second in 95 % of challenges.
    cases_significant
        Cases with which it is significantly better in 80 % of them; ``None`` if a million would not do.
    selective
        What leaving out cases would win a middling team.
    models
        What the scores of each metric and region were drawn from.
    notes
        What of the design was left out.
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
    interval_widths: FloatArray
    interval: float
    curve: tuple[CurvePoint, ...]
    cases_ahead: int | None
    cases_significant: int | None
    selective: tuple[SelectivePoint, ...]
    models: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]
    group: str

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval of `best_wins` that the number of simulated challenges leaves."""
        return float(1.96 * np.sqrt(max(self.best_wins * (1.0 - self.best_wins), 1e-4) / self.samples))

    @property
    def document(self) -> dict[str, Any]:
        """Ready for JSON, sentences and figures included."""
        return {
            "schema": 1,
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
            "interval_widths": self.interval_widths.tolist(),
            "curve": [point._asdict() for point in self.curve],
            "cases_ahead": self.cases_ahead,
            "cases_significant": self.cases_significant,
            "selective": [point._asdict() for point in self.selective],
            "models": [dict(model) for model in self.models],
            "notes": list(self.notes),
            "sentences": self.sentences(),
            "figures": self.figures(),
        }

    def sentences(self) -> list[str]:
        """What the numbers say, and what they rest on."""
        from evaluation.advice.simulation.words import sentences

        return sentences(self)

    def figures(self) -> list[dict[str, Any]]:
        """Three figures: who ends up where, what more cases would tell, what leaving out cases would win."""
        from evaluation.advice.simulation.plots import curve, places, selective

        return [places(self), curve(self), selective(self)]
