"""Attempts to get cases back from everything that leaves a site: over random sites, with what an attacker can know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import least_squares
from scipy.stats import norm

from evaluation.canonical import canonical_json
from evaluation.federation import summarise

from .examples import random_site, schemes

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]
SITES = 60
KNOWN_SEEDS = (*range(200), 42, 1234, 2026, 2**31 - 1)


def _values(table: pd.DataFrame, algorithm: str, region: str) -> Array:
    rows = table[(table["algorithm"] == algorithm) & (table["region"] == region)]
    return np.sort(rows.sort_values("case")["value"].to_numpy(float))


def _left(summary: dict[str, Any]) -> dict[str, Array]:
    """What is said of the first algorithm in the first cell."""
    cell = summary["rankings"][0]["cells"][0]
    return {
        key: cell[key][0] for key in ("n", "sum", "scale", "mean", "sd", "median", "tail", "p10") if key != "scale"
    } | {"scale": cell["scale"]}


def _guess(n: int, mean: float, sd: float) -> Array:
    """What anybody guesses from mean and standard deviation alone."""
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
    return np.sort(
        np.clip(
            least_squares(
                off,
                start,
                bounds=(-0.01, 1.01) if start.min() > -0.01 and start.max() < 1.01 else (-np.inf, np.inf),
                max_nfev=30,
            ).x,
            0,
            1,
        )
    )


def test_a_fit_to_everything_that_left_finds_no_more_cases_than_a_guess() -> None:
    """Sorted values found to 0.0005 by an attacker, against a guess from two numbers: no case is read off."""
    registered, attacked, guessed, number = schemes()["mean"], 0, 0, 0
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", int(generator.integers(10, 60)), 3, generator)
        table["value"] = np.round(np.clip(table["value"].fillna(0) + generator.normal(0, 1e-3, len(table)), 0, 1), 6)
        table["outcome"] = "ok"
        summary = summarise(registered, table, site="north")
        first = summary["algorithms"][0]
        region = summary["rankings"][0]["cells"][0]["region"]
        true, known = _values(table, first, region), _left(summary)
        found, guess = _attack(known, generator), _guess(len(true), known["mean"], known["sd"])
        attacked += int((np.abs(found - true) < 5e-4).sum())
        guessed += int((np.abs(guess - true) < 5e-4).sum())
        number += len(true)
    assert attacked <= guessed + 0.02 * number, (attacked, guessed, number)
    assert attacked < 0.1 * number


def test_a_full_covariance_fits_other_cases_as_well() -> None:
    """For every site there are other cases, far from its own, with the same sums and covariances to all digits that left."""
    registered = schemes()["mean"]
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", 30, 3, generator)
        table["value"], table["outcome"] = np.round(0.5 + 0.05 * generator.standard_normal(len(table)), 6), "ok"
        summary = summarise(registered, table, site="north")
        assert summary["rankings"][0]["covariance"]["kind"] == "full"
        wide = table.pivot_table(index="case", columns=["region", "algorithm"], values="value")
        n = len(wide)
        # An orthogonal map that keeps the vector of ones keeps sums and products, and nothing else.
        basis, _ = np.linalg.qr(np.column_stack([np.ones(n), generator.standard_normal((n, n - 1))]))
        inner, _ = np.linalg.qr(generator.standard_normal((n - 1, n - 1)))
        whole = np.eye(n)
        whole[1:, 1:] = inner
        other = basis @ whole @ basis.T @ wide.to_numpy()
        assert np.abs(other.sum(axis=0) - wide.to_numpy().sum(axis=0)).max() < 1e-9
        assert np.abs(np.cov(other.T) - np.cov(wide.to_numpy().T)).max() < 1e-12
        assert np.abs(np.sort(other, axis=0) - np.sort(wide.to_numpy(), axis=0)).mean() > 1e-3


@pytest.mark.parametrize("scheme", ["mean", "rank", "fets"])
def test_nothing_that_left_holds_a_value_or_a_name(scheme: str) -> None:
    """Over random sites: no name of a case, and no value with its digits but those that numbers share by chance."""
    registered, shared, number = schemes()[scheme], 0, 0
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", int(generator.integers(10, 40)), 4, generator)
        digits = generator.integers(1, 999, len(table)) * 1e-6 + 1e-6
        table["value"] = np.round(table["value"].fillna(0) * 0.9 + digits, 6)
        table["outcome"] = "ok"
        text = canonical_json(summarise(registered, table, site="north", replicates=200))
        assert "case" not in text.replace("cases", "")
        written = [f"{value:.6f}".strip("0") for value in table["value"]]
        shared += sum(len(value) > 5 and value in text for value in written)
        number += len(written)
    # Standard deviations and covariances have six digits, too: of a million such numbers, as many meet by chance.
    assert shared <= number // 1000, (shared, number)


def test_the_order_of_cases_and_their_names_change_nothing_that_leaves() -> None:
    registered = schemes()["mean"]
    for seed in range(SITES):
        generator = np.random.default_rng(seed)
        table = random_site("north", 25, 3, generator)
        names = sorted(set(table["case"]))
        other = dict(zip(names, generator.permutation([f"x{k}" for k in range(len(names))]), strict=True))
        renamed = table.assign(case=table["case"].map(other)).sample(frac=1, random_state=seed)
        one, two = (summarise(registered, frame, site="north") for frame in (table, renamed))
        assert _numbers(one) == pytest.approx(_numbers(two), rel=1e-9, abs=1e-12)


def test_no_known_seed_makes_the_resamples_of_a_site() -> None:
    """Resampled scores cannot be made again by anybody who tries the seeds that people use, nor that of the package."""
    registered = schemes()["fets"]
    table = random_site("north", 12, 5, np.random.default_rng(3))
    sent = {
        tuple(row): count
        for count, row in summarise(registered, table, site="north", replicates=200)["rankings"][0]["replicates"][
            "rows"
        ]
    }
    ranks = _case_ranks(table)
    n = len(ranks[0])
    for seed in KNOWN_SEEDS:
        draws = np.random.default_rng(seed).integers(0, n, (200, n))
        means = np.stack([rank[draws].mean(axis=1) for rank in ranks])
        places = means.argsort(axis=2).argsort(axis=2) + 1.0
        scores = [tuple(row) for row in np.round(places.mean(axis=0), 9).tolist()]
        same = sum(
            tuple(np.round(row, 9)) in set(scores) and scores.count(tuple(np.round(row, 9))) == count
            for row, count in sent.items()
        )
        assert same < len(sent)


def _case_ranks(table: pd.DataFrame) -> list[Array]:
    found = []
    for _, rows in table.groupby(["metric", "region"]):
        wide = rows.pivot_table(index="case", columns="algorithm", values="value", dropna=False).fillna(0)
        found.append(wide.rank(axis=1, ascending=False, method="min").to_numpy(float))
    return found


def _numbers(summary: dict[str, Any]) -> list[float]:
    found: list[float] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key in sorted(value):
                walk(value[key])
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found.append(float(value))

    walk(json.loads(canonical_json(summary)))
    return found
