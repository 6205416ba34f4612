"""Simulated scores whose true mean is known: how often intervals of scores contain it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.leads import Range
from evaluation.ranking.uncertainty.score_intervals import UNLIMITED, score_intervals

if TYPE_CHECKING:
    from collections.abc import Callable

FloatArray = npt.NDArray[np.float64]
COVERED: Final = 0.93
ERRORS: Final = 2.0
NUMBERS: Final = (8, 10, 15, 20, 40, 80, 200)
LEVEL: Final = 0.95
_FRACTIONS: Final = Range(0.0, 1.0)
_FROM_ZERO: Final = (0.0, math.inf)


@dataclass(frozen=True)
class ScoreWorld:
    """Rule that draws the values of cases.

    Attributes
    ----------
    draw
        Function of a random generator and a shape.
    mean
        True mean.
    value_range
        Registered range of the values; ``None`` if it is not bounded at both ends.
    limits
        Ends of the range where only one is known.
    has_unseen_failures
        Whether failures are so rare that boards without any are frequent. Such a world has no bar.
    """

    draw: Callable[[np.random.Generator, tuple[int, int]], FloatArray]
    mean: float
    value_range: Range | None = _FRACTIONS
    has_unseen_failures: bool = False
    limits: tuple[float, float] = UNLIMITED


@dataclass(frozen=True)
class ScoreOutcome:
    """Results of the boards of a world with one number of cases.

    Attributes
    ----------
    stated
        Share of boards that state an interval.
    covered
        Share of the stated intervals that contain the true mean; ``None`` if none is stated.
    width
        Their mean width.
    """

    world: str
    cases: int
    boards: int
    stated: float
    covered: float | None
    width: float | None

    @property
    def has_bar(self) -> bool:
        """Return whether the coverage has a bar: intervals are stated, and failures are not too rare to be seen."""
        return self.covered is not None and not WORLDS[self.world].has_unseen_failures

    def keeps_bar(self) -> bool:
        """Return whether the coverage is at least 0.93, up to 2 binomial standard errors; true without a bar."""
        if self.covered is None or not self.has_bar:
            return True
        stated = max(1, round(self.boards * self.stated))
        return self.covered >= COVERED - ERRORS * math.sqrt(COVERED * (1.0 - COVERED) / stated)


def _with_failures(rate: float) -> ScoreWorld:
    def draw(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return np.where(random.random(shape) < rate, 0.0, random.beta(16.0, 4.0, shape))

    return ScoreWorld(draw, 0.8 * (1.0 - rate), has_unseen_failures=True)


def _right_answers(share: float) -> ScoreWorld:
    return ScoreWorld(lambda random, shape: (random.random(shape) < share).astype(np.float64), share)


def _empty_references(random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    """Two of five references are empty; a false positive on one of four of them counts as 0."""
    of_empty = np.where(random.random(shape) < 0.25, 0.0, 1.0)
    return np.where(random.random(shape) < 0.4, of_empty, random.beta(8.0, 2.0, shape))


WORLDS: Final[dict[str, ScoreWorld]] = {
    "normal": ScoreWorld(lambda random, shape: random.normal(0.0, 1.0, shape), 0.0, None),
    "exponential": ScoreWorld(lambda random, shape: random.exponential(1.0, shape), 1.0, None, limits=_FROM_ZERO),
    "log-normal": ScoreWorld(
        lambda random, shape: random.lognormal(0.0, 1.0, shape), math.exp(0.5), None, limits=_FROM_ZERO
    ),
    "fractions around 0.8": ScoreWorld(lambda random, shape: random.beta(8.0, 2.0, shape), 0.8),
    "fractions near 1": ScoreWorld(lambda random, shape: random.beta(20.0, 1.0, shape), 20.0 / 21.0),
    "70 % right answers": _right_answers(0.7),
    "90 % right answers": _right_answers(0.9),
    "98 % right answers": _right_answers(0.98),
    "1 % failures": _with_failures(0.01),
    "2 % failures": _with_failures(0.02),
    "5 % failures": _with_failures(0.05),
    "10 % failures": _with_failures(0.10),
    "empty references": ScoreWorld(_empty_references, 0.6 * 0.8 + 0.4 * 0.75, has_unseen_failures=True),
}


def score_coverage(boards: int, seed: int, *, numbers: tuple[int, ...] = NUMBERS) -> list[ScoreOutcome]:
    """Return the coverage of score intervals in every world.

    The same world, number of cases and seed yield the same boards, regardless of others.
    """
    outcomes = []
    for name, world in WORLDS.items():
        for cases in numbers:
            random = np.random.default_rng([seed, cases, *name.encode()])
            values = world.draw(random, (cases, boards))
            stated = score_intervals(values, LEVEL, world.value_range, limits=world.limits)
            intervals = [one for one in stated if one is not None]
            covered = sum(one.low <= world.mean <= one.high for one in intervals)
            count = len(intervals)
            outcomes.append(
                ScoreOutcome(
                    name,
                    cases,
                    boards,
                    count / boards,
                    covered / count if count else None,
                    float(np.mean([one.high - one.low for one in intervals])) if count else None,
                )
            )
    return outcomes
