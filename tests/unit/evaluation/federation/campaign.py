"""The attacks over many random sites, for the short form in the suite and the full one on command.

``python -m tests.performance.attack_sites`` runs them at the size that the reference asks for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares
from scipy.stats import norm

from evaluation.federation import summarise

from .attacks import best_seed, drawn, fit, found_columns, observed, weights_by_lattice
from .examples import random_site, schemes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import pytest

Array = npt.NDArray[np.float64]
SIZES = (10, 12, 20, 40)
"""Cases of the sites whose resamples are attacked; few cases are the easiest prey."""
CLOSE = 5e-4
_ROWS = 40
_REPLICATES = 200


@dataclass(frozen=True)
class Fitted:
    """Number of sorted values that an attacker knows to within `CLOSE`.

    `attacked` uses all numbers that left the site, `guessed` a guess from mean and spread.
    """

    attacked: int
    guessed: int
    values: int

    @property
    def is_held(self) -> bool:
        """True if all numbers together reveal no more of the cases than mean and spread do."""
        return self.attacked <= self.guessed + 0.02 * self.values and self.attacked < 0.1 * self.values


@dataclass(frozen=True)
class Seeded:
    """Share of the variance of resampled scores that a seed explains: the best tried seed and the right one.

    Columns of noise, one per case, also explain a share. That share is subtracted.
    """

    tried: int
    best: float
    right: float

    @property
    def is_held(self) -> bool:
        """True if no tried seed explains as much as the right one would."""
        return self.best < 0.2 and self.right > 0.4


@dataclass(frozen=True)
class Reduced:
    """Cases whose weights short vectors of a lattice give away: from what is sent, and from means, which never are."""

    found: int
    cases: int
    control_found: int
    control_cases: int

    @property
    def is_held(self) -> bool:
        """True if the attack finds nothing in the sent numbers and most in those that must not be sent."""
        return self.found == 0 and self.control_found > 0.5 * self.control_cases


def fitted(sites: int) -> Fitted:
    """Fit values of single cases to everything that a site of 10 to 59 cases sends."""
    registered, attacked, guessed, number = schemes()["mean"], 0, 0, 0
    for seed in range(sites):
        generator = np.random.default_rng(seed)
        table = random_site("north", int(generator.integers(10, 60)), 3, generator)
        table["value"] = np.round(np.clip(table["value"].fillna(0) + generator.normal(0, 1e-3, len(table)), 0, 1), 6)
        table["outcome"] = "ok"
        summary = summarise(registered, table, site="north")
        first = summary["algorithms"][0]
        region = summary["rankings"][0]["cells"][0]["region"]
        true, known = _values(table, first, region), _left(summary)
        found, guess = _attack(known, generator), _guess(len(true), known["mean"], known["sd"])
        attacked += int((np.abs(found - true) < CLOSE).sum())
        guessed += int((np.abs(guess - true) < CLOSE).sum())
        number += len(true)
    return Fitted(attacked, guessed, number)


def seeded(patch: pytest.MonkeyPatch, sites: int, seeds: Sequence[int]) -> Seeded:
    """Try seeds on the resampled scores of sites, in the order in which they were drawn."""
    registered = schemes()["fets"]
    scores: dict[int, list[Array]] = defaultdict(list)
    right = []
    for site in range(sites):
        cases = SIZES[site % len(SIZES)]
        table = random_site("north", cases, 5, np.random.default_rng(site))
        seen = observed(patch, registered, table, replicates=_REPLICATES)
        scores[cases].append(seen.scores)
        right += [share - cases / _REPLICATES for share in fit(seen.weights, [seen.scores])]
    tried = [*seeds, registered.uncertainty.seed, int(registered.digest[:32], 16)]
    best: list[float] = []
    for cases, own in scores.items():

        def weights(seed: int, cases: int = cases) -> Array:
            return drawn(registered, cases, _REPLICATES, seed)

        best += [share - cases / _REPLICATES for share, _ in best_seed(tried, weights, own)]
    return Seeded(len(tried), max(best), min(right))


def by_lattice(patch: pytest.MonkeyPatch, sites: int) -> Reduced:
    """Reduce the lattices of resampled scores as they are sent, and of means under the same weights."""
    registered = schemes()["fets"]
    found = cases = control = control_cases = 0
    for site in range(sites):
        generator = np.random.default_rng(1000 + site)
        number = SIZES[site % 2]
        seen = observed(patch, registered, random_site("north", number, 5, generator), replicates=_REPLICATES)
        rows, weights = seen.scores[:_ROWS], seen.weights[:_ROWS]
        # Scores are means of places over cells: whole numbers after a multiplication by twice the cells.
        found += found_columns(weights, weights_by_lattice(rows, number, 4.0))
        cases += number
        means = np.round(weights @ generator.normal(0.8, 0.08, (number, 30)).round(3) / number, 4)
        control += found_columns(weights, weights_by_lattice(means, number, 1e3))
        control_cases += number
    return Reduced(found, cases, control, control_cases)


def _values(table: pd.DataFrame, algorithm: str, region: str) -> Array:
    rows = table[(table["algorithm"] == algorithm) & (table["region"] == region)]
    return np.sort(rows.sort_values("case")["value"].to_numpy(float))


def _left(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics of the first algorithm in the first cell."""
    cell = summary["rankings"][0]["cells"][0]
    own = {key: cell[key][0] for key in ("n", "sum", "mean", "sd", "median", "tail", "p10")}
    return own | {"scale": cell["scale"]}


def _guess(n: int, mean: float, sd: float) -> Array:
    """Guess the values from mean and standard deviation alone."""
    return np.clip(mean + sd * norm.ppf((np.arange(n) + 0.5) / n), 0, 1)


def _attack(known: dict[str, Any], generator: np.random.Generator) -> Array:
    """The best fit of an attacker: sorted values with all numbers that left, from a start near the guess."""
    n = int(known["n"])
    tail = max(10, int(np.ceil(n / 10)))

    def off(values: Array) -> Array:
        ordered = np.sort(values)
        wanted = [
            (ordered.sum() - known["sum"] / known["scale"]) * 10,
            (ordered.std(ddof=0) - known["sd"]) * 100,
        ]
        if known["median"] is not None:
            wanted.append((np.median(ordered) - known["median"]) * 100)
        if known["tail"] is not None:
            wanted.append((ordered[:tail].mean() - known["tail"]) * 100)
        if known["p10"] is not None:
            wanted.append((np.percentile(ordered, 10) - known["p10"]) * 100)
        return np.array(wanted)

    start = _guess(n, known["mean"], known["sd"]) + generator.normal(0, 0.01, n)
    bounds = (-0.01, 1.01) if start.min() > -0.01 and start.max() < 1.01 else (-np.inf, np.inf)
    return np.sort(np.clip(least_squares(off, start, bounds=bounds, max_nfev=30).x, 0, 1))
